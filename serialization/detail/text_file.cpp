#include <tern/serialization/detail/text_file.h>

#include <algorithm>
#include <new>

namespace tern::detail {

TextFile::TextFile(const InputFile& file)
    : path_(file.path()), size_(static_cast<std::size_t>(file.size())) {
  try {
    bytes_ = std::make_unique_for_overwrite<char[]>(size_ + 1);
  } catch (const std::bad_alloc&) {
    raise<OutOfMemoryError>("load: no memory for the ", size_, " bytes of '", path_, "'");
  }
  file.read(0, bytes_.get(), size_);
  bytes_[size_] = '\0';
}

std::string TextFile::place(const char* at) const {
  at = std::clamp(at, begin(), end());
  const auto line = 1 + std::count(begin(), at, '\n');
  const char* line_begin = at;
  while (line_begin > begin() && line_begin[-1] != '\n') --line_begin;
  return text_of("'", path_, "', line ", line, ", column ", at - line_begin + 1);
}

}  // namespace tern::detail
