#pragma once

#include <cstddef>
#include <cstdint>

#include <tern/core/tensor/dtype.h>

namespace tern::kernels {

/// Calls and returns `visitor(TypeTag<U>())` with the unsigned integer U of `size` bytes, the size
/// of an element. Kernels that only move elements have one version for all dtypes of a size.
template <class Visitor>
decltype(auto) visit_size(std::size_t size, const Visitor& visitor) {
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

}  // namespace tern::kernels
