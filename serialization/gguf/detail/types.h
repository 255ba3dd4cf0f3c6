#pragma once

#include <cstdint>
#include <string_view>

namespace tern::detail {

/// A type of tensors in the format. Rows are whole blocks.
struct GgufType {
  std::string_view name;
  std::uint32_t number;
  /// The elements and the bytes of a block.
  std::uint16_t elements, bytes;
};

/// Returns the type with this number in files, or null for other numbers.
const GgufType* find_gguf_type(std::uint32_t number);

}  // namespace tern::detail
