#include <tern/serialization/json/detail/tensor.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include <tern/serialization/file/detail/base64.h>
#include <tern/serialization/state/detail/elements.h>

namespace tern::detail {

void JsonTensor::set_dtype(TextFile& text, const std::string& dtype_name) {
  dtype = dtype_of_file_name(dtype_name);
  if (dtype) return;
  fail(text, "unknown dtype '", dtype_name.substr(0, 40), "', expected one of ",
       file_names_of_dtypes());
}

/// Allocates the tensor after checking that the text is long enough for the claimed size.
void JsonTensor::allocate(TextFile& text) {
  const std::optional<Extent> extent = extent_of(*sizes);
  if (!extent) fail(text, "shape ", IntArrayRef(*sizes), " has too many elements");
  // Every element takes at least one byte of text, also in base64.
  if (!extent->is_empty && static_cast<std::uint64_t>(extent->product) > text.size() - data) {
    fail(text, "shape ", IntArrayRef(*sizes), " needs ", extent->product,
         " elements, more than the file can hold");
  }
  tensor = make_tensor(*sizes, *dtype, kCPU);
}

void JsonTensor::read_elements(TextFile& text) {
  allocate(text);
  read_value(text, name, tensor);
}

void JsonTensor::read_late(TextFile& text) {
  const std::uint64_t next = text.offset();
  text.seek(data);
  if (encoding.empty()) {
    read_elements(text);
    check_end(text);
  } else {
    read_base64(text);
  }
  text.seek(next);
}

void JsonTensor::read_plain(TextFile& text) {
  sizes = std::move(outline.sizes);
  dtype = outline.dtype;
  text.seek(data);
  if (dtype == kDouble) {
    dtype = kFloat;
    allocate(text);
    if (read_narrow_value(text, name, tensor)) return check_end(text);
    tensor = Tensor();
    dtype = kDouble;
    text.seek(data);
  }
  read_elements(text);
  check_end(text);
}

/// Throws unless reading ended at the end that outline_value() found.
void JsonTensor::check_end(TextFile& text) const {
  if (text.offset() != end)
    text.fail(text.offset(), "tensor '", name, "': unexpected text after the value");
}

void JsonTensor::read_base64(TextFile& text) {
  constexpr std::uint64_t kChunk = TextFile::kMaxToken;
  static_assert(kChunk % 4 == 0, "base64 needs whole groups of four letters");
  if (text.peek() != '"') fail(text, "data: expected a string in base64");
  allocate(text);
  auto* const bytes = static_cast<char*>(tensor.data_ptr());
  std::size_t found = 0;
  text.skip(1);
  for (std::uint64_t rest = end - 1 - text.offset(); rest > 0;) {
    const auto count = static_cast<std::size_t>(std::min(rest, kChunk));
    std::string chunk;
    try {
      chunk = base64_decode({text.at(), count});
      rest -= count;
      TERN_CHECK(rest == 0 || chunk.size() == count / 4 * 3, Error,
                 "base64: padding before the end");
    } catch (const Error& error) {
      text.fail(text.offset(), "tensor '", name, "': data: ", error.what());
    }
    if (found + chunk.size() <= tensor.nbytes()) {
      std::copy(chunk.begin(), chunk.end(), bytes + found);
    }
    found += chunk.size();
    text.skip(count);
  }
  if (found != tensor.nbytes()) {
    fail(text, "data: expected ", tensor.nbytes(), " bytes, found ", found);
  }
  if (dtype == kBool) {
    const char* const wrong =
        std::find_if(bytes, bytes + found, [](char c) { return c != 0 && c != 1; });
    if (wrong != bytes + found) {
      fail(text, "data: the byte of a bool must be 0 or 1, found ",
           int{static_cast<unsigned char>(*wrong)});
    }
  }
}

}  // namespace tern::detail
