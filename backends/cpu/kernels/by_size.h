#pragma once

#include <cstdint>

#include <tern/core/tensor/dtype.h>

namespace tern::cpu {

/// Calls `visitor(TypeTag<U>())` with the unsigned integer of as many bytes as an element has: for
/// kernels that move elements without looking at them.
template <class Visitor>
void visit_size(ScalarType dtype, const Visitor& visitor) {
  switch (element_size(dtype)) {
    case 1:
      return visitor(TypeTag<std::uint8_t>());
    case 2:
      return visitor(TypeTag<std::uint16_t>());
    case 4:
      return visitor(TypeTag<std::uint32_t>());
    default:
      return visitor(TypeTag<std::uint64_t>());
  }
}

}  // namespace tern::cpu
