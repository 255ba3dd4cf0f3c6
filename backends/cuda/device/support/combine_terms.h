#pragma once

#include <cstdint>
#include <type_traits>

#include <tern/backends/cuda/device/support/atomic_update.h>
#include <tern/core/kernels/math/is_nan.h>

// How kernels that write by index combine an element with the terms that have its index.

namespace tern::cuda::device {

struct AddTerms {
  template <class Wide>
  __device__ static Wide combine(Wide old, Wide x) {
    return old + x;
  }
};
struct MultiplyTerms {
  template <class Wide>
  __device__ static Wide combine(Wide old, Wide x) {
    if constexpr (std::is_integral_v<Wide> && !std::is_same_v<Wide, bool>) {
      using Unsigned = std::make_unsigned_t<Wide>;  // wraps around
      return static_cast<Wide>(static_cast<Unsigned>(old) * static_cast<Unsigned>(x));
    } else {
      return static_cast<Wide>(old * x);
    }
  }
};
/// NaN wins.
struct LargestTerm {
  template <class Wide>
  __device__ static Wide combine(Wide old, Wide x) {
    return old < x || is_nan(x) ? x : old;
  }
};
struct SmallestTerm {
  template <class Wide>
  __device__ static Wide combine(Wide old, Wide x) {
    return x < old || is_nan(x) ? x : old;
  }
};
struct LastTerm {
  template <class Wide>
  __device__ static Wide combine(Wide, Wide x) {
    return x;
  }
};

/// Combines x into *to atomically, because other threads change *to as well. Their order is not
/// defined, and each result is rounded to T.
template <class Op, class T>
__device__ void combine_atomically(T* to, T x) {
  if constexpr (std::is_same_v<Op, LastTerm>) {
    *to = x;
  } else if constexpr (std::is_same_v<Op, AddTerms>) {
    atomic_add(to, x);
  } else {
    using Wide = MathType<T>;
    atomic_update(
        to, [x](T old) { return narrowed<T>(Op::combine(widened<Wide>(old), widened<Wide>(x))); });
  }
}

}  // namespace tern::cuda::device
