#pragma once

#include <cstdint>
#include <string_view>

namespace tern::detail {

/// A dtype of the format; tern has tensors for some of them.
struct SafetensorsDtype {
  std::string_view name;
  std::uint64_t bits;
};

/// Null for a name that the format does not have. The addresses grow in the reference's order of
/// alignment; it writes tensors by falling alignment.
const SafetensorsDtype* find_safetensors_dtype(std::string_view name);

}  // namespace tern::detail
