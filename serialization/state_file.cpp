#include <tern/serialization/state_file.h>

#include <new>

#include <tern/serialization/atomic_file.h>
#include <tern/serialization/detail/formats.h>
#include <tern/serialization/detail/safetensors_file.h>

namespace tern {
namespace {

/// Runs `work`; errors that do not name the file get its path.
template <class Work>
auto named(const char* what, const std::string& path, const Work& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    detail::raise<OutOfMemoryError>(what, ": no memory for the content of '", path, "'");
  } catch (const FileError&) {
    throw;
  } catch (const OutOfMemoryError&) {
    throw;
  } catch (const DeviceError& error) {  // the file is not to blame
    detail::raise<DeviceError>(what, ": '", path, "': ", error.what());
  } catch (const Error& error) {
    detail::raise<FileError>(what, ": '", path, "': ", error.what());
  }
}

}  // namespace

void save_state(const State& state, const std::string& path, const SaveOptions& options) {
  named("save", path, [&] {
    const detail::Format& format = detail::format_of_path("save", path);
    detail::check_options(format, options, path);
    if (options.max_shard_size != 0) {
      return detail::save_safetensors_shards(state, path, options);
    }
    AtomicFile file(path, options.calls);
    format.write(state, options, file);
    file.commit();
  });
}

State load_state(const std::string& path, const LoadFileOptions& options) {
  return named("load", path, [&] {
    if (options.metadata != nullptr) options.metadata->clear();
    const std::string found = detail::find_safetensors(path);
    const detail::Format& format = detail::format_of_path("load", found);
    const detail::InputFile file(found);
    detail::check_content(format, file);
    return format.read(file, options);
  });
}

void load(Tensor& tensor, const std::string& path) {
  const State state = load_state(path);
  TERN_CHECK(state.is_tensor(), FileError, "load: '", path, "' holds ", kind_name(state.kind()),
             ", not a tensor");
  tensor = state.tensor();
}

}  // namespace tern
