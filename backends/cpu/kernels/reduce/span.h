#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include <tern/backends/cpu/kernels/gemm/product_span.h>
#include <tern/backends/cpu/kernels/support/span.h>
#include <tern/core/kernels/math/is_nan.h>

// Reductions of contiguous elements.

namespace tern::cpu {

/// Computes the extreme of n >= kLanes<T> elements, ordered by Op. Returns false if an element may
/// be NaN: their sum is then NaN (also if infinities of both signs meet).
template <class Op, class T>
bool ordered_extreme(const T* in, std::int64_t n, T& result) {
  constexpr std::int64_t w = kLanes<T>;
  Vector<T> best[4], sum[4] = {};
  for (auto& v : best) v = load(in);
  std::int64_t i = 0;
  const auto take = [&](int k, std::int64_t at) {
    const Vector<T> v = load(in + at);
    best[k] = Op::combine(best[k], v);
    sum[k] += v;
  };
  for (; i + 4 * w <= n; i += 4 * w) {
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) take(k, i + k * w);
  }
  for (; i + w <= n; i += w) take(0, i);
  if (i < n) take(1, n - w);
  best[0] = Op::combine(Op::combine(best[0], best[1]), Op::combine(best[2], best[3]));
  const T total = reduce_lanes<Sum, T>((sum[0] + sum[1]) + (sum[2] + sum[3]));
  result = reduce_lanes<Op, T>(best[0]);
  return !kernels::is_nan(total);
}

template <class T>
bool has_nan(const T* in, std::int64_t n) {
  using Flag = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  Flag found = 0;
  for (std::int64_t i = 0; i < n; ++i) found |= static_cast<Flag>(kernels::is_nan(in[i]));
  return found != 0;
}

/// The type of long reductions: float sums of many spans would lose digits, and products would
/// leave the range. Multiplying denormals is slow on many processors.
template <class Op, class T>
constexpr bool kAccumulatesInDouble = std::is_same_v<T, float> &&
                                      (std::is_same_v<Op, Sum> || std::is_same_v<Op, Product>);
template <class Op, class T>
using Accumulator = std::conditional_t<kAccumulatesInDouble<Op, T>, double, T>;

/// The number of elements that may be summed in T itself: 64 in each lane of four vectors.
constexpr std::int64_t kSpanLength = std::int64_t{256} * kLanes<float>;

/// Reduces n >= 1 elements.
template <class Op, class T>
Accumulator<Op, T> reduce_span(const T* in, std::int64_t n) {
  constexpr bool kExtreme = requires { typename Op::Ordered; };
  if constexpr (kExtreme && std::is_floating_point_v<T>) {
    if (n < 64) return reduce_short_span<Op>(in, n);  // not worth two passes
    T result;
    if (ordered_extreme<typename Op::Ordered>(in, n, result) || !has_nan(in, n)) return result;
    return std::numeric_limits<T>::quiet_NaN();
  } else if constexpr (std::is_same_v<Accumulator<Op, T>, T>) {
    return reduce_short_span<Op>(in, n);
  } else if constexpr (std::is_same_v<Op, Product>) {
    return product_span(in, n);
  } else {
    Accumulator<Op, T> result = 0;
    for (; n > kSpanLength; n -= kSpanLength, in += kSpanLength) {
      result += reduce_short_span<Op>(in, kSpanLength);
    }
    return result + reduce_short_span<Op>(in, n);
  }
}

}  // namespace tern::cpu
