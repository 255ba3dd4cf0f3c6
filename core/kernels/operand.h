#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>
#include <vector>

#include <tern/core/tensor/dtype.h>

// Each family lists the pointers of its arguments once, in `operands(args)`. The simulator uses the
// list to check that a kernel may access its operands and to translate their addresses. Tests use
// it to place guard bytes around operands.

namespace tern::kernels {

/// One dimension of an operand. The stride counts elements.
struct Extent {
  std::int64_t size, stride;
};

/// One pointer among the arguments of a kernel, and the elements that the kernel may touch.
struct Operand {
  const char* name;
  void* field;          // the address of the pointer within the arguments
  const void* pointer;  // the value of the pointer
  ScalarType dtype;
  std::int64_t first, last;  // the bytes that the kernel may touch, counted from `pointer`
  bool is_written;
};

/// The operands of one call, without those that are null or have no elements.
class Operands {
 public:
  /// Adds the pointer `field`, which points to elements of `dtype` with these dimensions.
  template <class Pointer>
  Operands& add(const char* name, Pointer& field, ScalarType dtype,
                const std::vector<Extent>& extents) {
    std::int64_t lowest = 0, highest = 0;  // elements
    for (const Extent& extent : extents) {
      if (extent.size == 0) return *this;
      const std::int64_t reach = (extent.size - 1) * extent.stride;
      lowest += std::min<std::int64_t>(reach, 0);
      highest += std::max<std::int64_t>(reach, 0);
    }
    if (field == nullptr) return *this;
    const auto size = static_cast<std::int64_t>(element_size(dtype));
    constexpr bool kWritten = !std::is_const_v<std::remove_pointer_t<Pointer>>;
    list_.push_back({name, &field, field, dtype, lowest * size, (highest + 1) * size, kWritten});
    return *this;
  }

  /// Adds a pointer to `count` contiguous elements.
  template <class Pointer>
  Operands& add(const char* name, Pointer& field, ScalarType dtype, std::int64_t count) {
    return add(name, field, dtype, {{count, 1}});
  }

  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }

 private:
  std::vector<Operand> list_;
};

/// Returns the extents of `ndim` dimensions.
inline std::vector<Extent> extents(std::int32_t ndim, const std::int64_t* sizes,
                                   const std::int64_t* strides) {
  std::vector<Extent> result(static_cast<std::size_t>(ndim));
  for (std::size_t d = 0; d < result.size(); ++d) result[d] = {sizes[d], strides[d]};
  return result;
}

}  // namespace tern::kernels
