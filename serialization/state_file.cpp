#include <tern/serialization/state_file.h>

#include <new>

#include <tern/serialization/atomic_file.h>
#include <tern/serialization/detail/formats.h>

namespace tern {

void save_state(const State& state, const std::string& path, const SaveOptions& options) {
  const detail::Format& format = detail::format_of_path("save", path);
  try {
    AtomicFile file(path, options.calls);
    format.write(state, options, file);
    file.commit();
  } catch (const std::bad_alloc&) {
    detail::raise<OutOfMemoryError>("save: no memory to write '", path, "'");
  }
}

State load_state(const std::string& path, const LoadFileOptions& options) {
  const detail::Format& format = detail::format_of_path("load", path);
  try {
    const detail::InputFile file(path);
    detail::check_content(format, file);
    return format.read(file, options);
  } catch (const std::bad_alloc&) {
    detail::raise<OutOfMemoryError>("load: no memory for the content of '", path, "'");
  } catch (const FileError&) {
    throw;
  } catch (const OutOfMemoryError&) {
    throw;
  } catch (const Error& error) {
    detail::raise<FileError>("load: '", path, "': ", error.what());
  }
}

void load(Tensor& tensor, const std::string& path) {
  const State state = load_state(path);
  TERN_CHECK(state.is_tensor(), FileError, "load: '", path, "' holds ", kind_name(state.kind()),
             ", not a tensor");
  tensor = state.tensor();
}

}  // namespace tern
