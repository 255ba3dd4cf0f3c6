#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <tern/core/tensor/tensor.h>
#include <tern/serialization/json/detail/text_file.h>
#include <tern/serialization/json/detail/values.h>

namespace tern::detail {

/// One tensor of a JSON file during reading. All functions throw FileError.
struct JsonTensor {
  std::string name;
  std::uint64_t place = 0;  // position after the name, for error texts
  std::optional<ScalarType> dtype;
  std::optional<DimVector> sizes;
  std::string encoding;
  std::uint64_t data = 0;  // position of the elements
  std::uint64_t end = 0;   // position after the elements
  ValueOutline outline;    // of elements that are not yet read
  Tensor tensor;           // undefined until the elements are read

  void set_dtype(TextFile& text, const std::string& dtype_name);
  /// Reads the elements at the position of `text`. dtype and sizes must be known.
  void read_elements(TextFile& text);
  /// Reads the elements at `data`, because dtype and shape came after them in the file. Leaves the
  /// position of `text` unchanged.
  void read_late(TextFile& text);
  /// Reads the elements of Python's plain form. Takes dtype and sizes from the outline.
  void read_plain(TextFile& text);

  template <class... Parts>
  [[noreturn]] void fail(TextFile& text, const Parts&... parts) const {
    text.fail(place, "tensor '", name, "': ", parts...);
  }

 private:
  void allocate(TextFile& text);
  void read_base64(TextFile& text);
  void check_end(TextFile& text) const;
};

}  // namespace tern::detail
