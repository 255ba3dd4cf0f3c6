#pragma once

#include <cstdint>
#include <string_view>

namespace tern::detail {

/// A dtype of the format. tern supports only some of these dtypes.
struct SafetensorsDtype {
  std::string_view name;
  std::uint64_t bits;
};

/// Returns the dtype of this name, or null if the format has no such dtype. The addresses of the
/// dtypes grow with their alignment, in the order of the reference implementation, which writes
/// tensors by descending alignment.
const SafetensorsDtype* find_safetensors_dtype(std::string_view name);

}  // namespace tern::detail
