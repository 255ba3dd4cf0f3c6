#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include <tern/core/distributed/detail/transport.h>
#include <tern/core/tensor/dtype.h>

namespace tern::distributed::detail {

template <class T>
bool is_nan(T value) {
  if constexpr (std::is_integral_v<T>) {
    return false;
  } else {
    return std::isnan(static_cast<float>(value));
  }
}

template <Reduction op, class T>
T combined(T a, T b) {
  if constexpr (op == Reduction::kMax) {
    return b > a || is_nan(b) ? b : a;  // NaN in either
  } else if constexpr (op == Reduction::kMin) {
    return b < a || is_nan(b) ? b : a;
  } else if constexpr (std::is_same_v<T, bool>) {
    return a || b;
  } else if constexpr (std::is_integral_v<T>) {
    using Wrapping = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Wrapping>(a) + static_cast<Wrapping>(b));
  } else {
    return static_cast<T>(a + b);
  }
}

/// Joins `count` elements of `from` to those of `into`.
template <class T, Reduction op>
void combine(T* into, const T* from, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) into[i] = combined<op, T>(into[i], from[i]);
}

/// Calls `visitor` with the reduction as a constant.
template <class Visitor>
decltype(auto) visit_reduction(Reduction op, const Visitor& visitor) {
  switch (op) {
    case Reduction::kMax:
      return visitor(std::integral_constant<Reduction, Reduction::kMax>());
    case Reduction::kMin:
      return visitor(std::integral_constant<Reduction, Reduction::kMin>());
    default:
      return visitor(std::integral_constant<Reduction, Reduction::kSum>());
  }
}

/// Does the same for elements of a dtype.
inline void combine(ScalarType dtype, Reduction op, void* into, const void* from,
                    std::int64_t count) {
  visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    visit_reduction(op, [&](auto reduction) {
      combine<T, reduction()>(static_cast<T*>(into), static_cast<const T*>(from), count);
    });
  });
}

/// Divides `count` elements of a floating point dtype by `divisor`.
inline void divide(ScalarType dtype, void* data, std::int64_t count, int divisor) {
  visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
    T* const elements = static_cast<T*>(data);
    const Wide by = static_cast<Wide>(divisor);
    for (std::int64_t i = 0; i < count; ++i) {
      elements[i] = static_cast<T>(static_cast<Wide>(elements[i]) / by);
    }
  });
}

}  // namespace tern::distributed::detail
