#include <tern/serialization/state_file.h>

#include <new>

#include <tern/serialization/atomic_file.h>
#include <tern/serialization/detail/flat_state.h>
#include <tern/serialization/detail/json_file.h>
#include <tern/serialization/detail/text_file.h>

namespace tern {
namespace {

void check_suffix(const char* what, const std::string& path) {
  TERN_CHECK(path.ends_with(".json"), FileError, what, ": '", path,
             "': the name of a state file ends in .json");
}

/// Names what a file is that is no JSON, as far as its first bytes tell.
void check_content(const detail::TextFile& file) {
  using namespace std::string_view_literals;
  const std::string_view text = file.text();
  const auto refuse = [&](const char* content) {
    detail::raise<FileError>("load: '", file.path(), "' ", content, ", not JSON");
  };
  if (text.empty()) refuse("is empty");
  if (text.starts_with("\x1f\x8b")) refuse("is compressed with gzip");
  if (text.starts_with("PK\x03\x04")) refuse("is a ZIP archive, as torch.save writes");
  if (text.starts_with("\xef\xbb\xbf")) refuse("begins with a byte order mark");
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) refuse("is UTF-16");
  if (text.size() > 8 && text[8] == '{' && text.substr(4, 4) == "\0\0\0\0"sv) {
    refuse("is in the format safetensors");
  }
}

}  // namespace

void save_state(const State& state, const std::string& path, const SaveOptions& options) {
  check_suffix("save", path);
  const detail::FlatState flat = detail::flatten(state);
  AtomicFile file(path);
  detail::write_json(flat, options, file);
  file.commit();
}

State load_state(const std::string& path) {
  check_suffix("load", path);
  try {
    const detail::TextFile file(path);
    check_content(file);
    const detail::FlatState flat = detail::read_json(file);
    try {
      return detail::unflatten(flat);
    } catch (const Error& error) {
      detail::raise<FileError>("load: '", path, "': ", error.what());
    }
  } catch (const std::bad_alloc&) {
    detail::raise<OutOfMemoryError>("load: no memory for the content of '", path, "'");
  }
}

void load(Tensor& tensor, const std::string& path) {
  const State state = load_state(path);
  TERN_CHECK(state.is_tensor(), FileError, "load: '", path, "' holds ", kind_name(state.kind()),
             ", not a tensor");
  tensor = state.tensor();
}

}  // namespace tern
