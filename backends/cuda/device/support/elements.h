#pragma once

#include <cuda_runtime.h>

#include <bit>
#include <cstdint>
#include <type_traits>

#include <tern/core/kernels/math/math_dtype.h>

// Kernels compute in a few types. Their operands may have narrower dtypes: each element is
// converted in a register when it is read or written. The dtype is an argument of the kernel, the
// same for all its threads, so one kernel serves several dtypes.

namespace tern::cuda::device {

using namespace kernels;

/// Converts an element that was read from memory.
template <class T, class Stored>
__device__ inline T widened(Stored x) {
#ifdef __CUDA_ARCH__
  if constexpr (std::is_same_v<Stored, Half>) {
    float wide;
    asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(x.bits));
    return static_cast<T>(wide);
  } else
#endif
    return static_cast<T>(x);
}

/// Converts a result to the type in which it is written; integers keep their low bits.
template <class Stored, class T>
__device__ inline Stored narrowed(T x) {
#ifdef __CUDA_ARCH__
  if constexpr (std::is_same_v<Stored, Half> && std::is_same_v<T, float>) {
    Half narrow;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(narrow.bits) : "f"(x));
    return narrow;
  } else
#endif
    return static_cast<Stored>(x);
}

/// Calls visitor(TypeTag<Stored>()) with the C++ type of `dtype`, one of those that a kernel which
/// computes in T reads and writes: the floating ones up to float32 as float, the integers up to
/// int32 as int32, bool and every integer as int64. Other types T are only themselves.
template <class T, class Visitor>
__device__ decltype(auto) visit_stored(ScalarType dtype, const Visitor& visitor) {
  if constexpr (std::is_same_v<T, float>) {
    if (dtype == kHalf) return visitor(TypeTag<Half>());
    if (dtype == kBFloat16) return visitor(TypeTag<BFloat16>());
  } else if constexpr (std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t>) {
    if (dtype == kShort) return visitor(TypeTag<std::int16_t>());
    if (dtype == kChar) return visitor(TypeTag<std::int8_t>());
    if (dtype == kByte) return visitor(TypeTag<std::uint8_t>());
    if constexpr (sizeof(T) == 8) {
      if (dtype == kInt) return visitor(TypeTag<std::int32_t>());
      if (dtype == kBool) return visitor(TypeTag<bool>());
    }
  }
  return visitor(TypeTag<T>());
}

/// The elements of an operand, read and written as numbers of type T.
template <class T>
struct Elements {
  const void* data;
  ScalarType dtype;

  __device__ T operator[](std::int64_t i) const {
    if constexpr (std::is_same_v<T, float>) {
      // Converts after the branch, so that the loads of several elements run together.
      const bool wide = dtype == kFloat;
      const std::uint32_t bits = wide ? std::bit_cast<std::uint32_t>(static_cast<const T*>(data)[i])
                                      : static_cast<const BFloat16*>(data)[i].bits;
      const T half = widened<T>(Half::from_bits(static_cast<std::uint16_t>(bits)));
      return dtype == kHalf ? half : std::bit_cast<T>(wide ? bits : bits << 16);
    } else {
      return visit_stored<T>(dtype, [&](auto tag) {
        return static_cast<T>(static_cast<const typename decltype(tag)::type*>(data)[i]);
      });
    }
  }
  __device__ void set(std::int64_t i, T x) const {
    visit_stored<T>(dtype, [&](auto tag) {
      using Stored = typename decltype(tag)::type;
      static_cast<Stored*>(const_cast<void*>(data))[i] = narrowed<Stored>(x);
    });
  }
};

/// Calls `visitor(TypeTag<T>())` with the type of a floating dtype in memory, for kernels that have
/// one version for each. For other dtypes sets the status kUnsupportedDtype.
template <class Visitor>
void visit_all_floating(ScalarType dtype, KernelContext& context, const Visitor& visitor) {
  if (dtype == kHalf) return visitor(TypeTag<Half>());
  if (dtype == kBFloat16) return visitor(TypeTag<BFloat16>());
  visit_floating(dtype, context, visitor);
}

}  // namespace tern::cuda::device
