#pragma once

#include <cstdint>
#include <type_traits>

#include <tern/core/kernels/view.h>

namespace tern::sim {

/// The type of all arithmetic: double for floating dtypes, int64 for integral dtypes and bool.
template <class T>
using Wide = std::conditional_t<is_floating_point(dtype_of<T>()), double, std::int64_t>;

/// The type of sums and products over many elements, so that the oracle can judge those of float64.
template <class T>
using Longest = std::conditional_t<is_floating_point(dtype_of<T>()), long double, std::int64_t>;

/// Calls `visitor(TypeTag<T>())` with the C++ type of a floating dtype.
template <class Visitor>
void visit_floating_dtype(ScalarType dtype, const Visitor& visitor) {
  visit_dtype(dtype, [&](auto tag) {
    if constexpr (is_floating_point(dtype_of<typename decltype(tag)::type>())) visitor(tag);
  });
}

/// Rounds to the dtype. For bool, every number but zero is true.
template <class T>
T narrow(Wide<T> value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else {
    return static_cast<T>(value);
  }
}

/// Returns a number argument of the call, rounded to the dtype as an element would be.
template <class T>
Wide<T> immediate(const kernels::Immediate& number) {
  if constexpr (is_floating_point(dtype_of<T>())) {
    return static_cast<T>(number.f);
  } else {
    return static_cast<T>(number.i);
  }
}

// Sums and products of int64 wrap around.
template <class T>
T plus(T a, T b) {
  return a + b;
}
template <class T>
T times(T a, T b) {
  return a * b;
}
inline std::int64_t plus(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
inline std::int64_t times(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

}  // namespace tern::sim
