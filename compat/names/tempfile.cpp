#include <tern/compat/names/tempfile.h>

#include <stdlib.h>

#include <cstdlib>

#include <tern/core/base/error.h>

namespace tern::compat {
namespace {

/// Returns a path for mkstemp() in the directory of temporary files.
std::string temporary_path(std::string_view prefix) {
  const char* directory = "/tmp";
  for (const char* variable : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"}) {
    if (const char* const named = std::getenv(variable)) {
      directory = named;
      break;
    }
  }
  return std::string(directory).append("/").append(prefix).append("XXXXXX");
}

}  // namespace

std::optional<TempFile> try_make_tempfile(std::string_view name_prefix) {
  std::string path = temporary_path(name_prefix);
  const int descriptor = mkstemp(path.data());
  if (descriptor < 0) return std::nullopt;
  return TempFile(std::move(path), descriptor);
}

TempFile make_tempfile(std::string_view name_prefix) {
  if (auto file = try_make_tempfile(name_prefix)) return std::move(*file);
  tern::detail::raise<Error>("Error generating temporary file");
}

std::optional<TempDir> try_make_tempdir(std::string_view name_prefix) {
  std::string path = temporary_path(name_prefix);
  if (mkdtemp(path.data()) == nullptr) return std::nullopt;
  return TempDir(std::move(path));
}

TempDir make_tempdir(std::string_view name_prefix) {
  if (auto directory = try_make_tempdir(name_prefix)) return std::move(*directory);
  tern::detail::raise<Error>("Error generating temporary directory");
}

}  // namespace tern::compat
