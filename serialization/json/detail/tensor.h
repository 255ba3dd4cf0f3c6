#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <tern/core/tensor/tensor.h>
#include <tern/serialization/json/detail/text_file.h>
#include <tern/serialization/json/detail/values.h>

namespace tern::detail {

/// One tensor of a JSON file while it is read. All functions throw FileError.
struct JsonTensor {
  std::string name;
  std::uint64_t place = 0;  // in the text, behind the name
  std::optional<ScalarType> dtype;
  std::optional<DimVector> sizes;
  std::string encoding;
  std::uint64_t data = 0;  // where the elements stand
  std::uint64_t end = 0;   // behind them
  ValueOutline outline;    // of elements that wait to be read
  Tensor tensor;           // once they are read

  void set_dtype(TextFile& text, const std::string& dtype_name);
  /// Reads the elements where `text` stands, of the dtype and shape that are known by now.
  void read_elements(TextFile& text);
  /// The same for elements that waited at `data`; `text` goes on where it stands.
  void read_late(TextFile& text);
  /// Reads those of Python's plain form: dtype and shape are what they look like.
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
