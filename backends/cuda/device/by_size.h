#pragma once

#include <cstddef>
#include <cstdint>

#include <tern/core/tensor/dtype.h>

namespace tern::cuda::device {

/// Calls `visitor` with an integer type of `size` bytes, which is that of an element: elements of
/// one size are moved by one kernel.
template <class Visitor>
void visit_size(std::size_t size, const Visitor& visitor) {
  switch (size) {
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

}  // namespace tern::cuda::device
