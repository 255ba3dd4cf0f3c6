#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include <tern/backends/cpu/kernels/reduce/span.h>

// Code that softmax and the normalisations share.

namespace tern::cpu {

/// One number for a whole row, used like a row with one number per column.
template <class T>
struct Same {
  T value;
  T operator[](std::int64_t) const { return value; }
};

struct TwoSums {
  double first = 0, second = 0;
};

/// Returns the sums, over i < n, of the terms that `terms(at, first, second)` assigns. at(p) reads
/// p[i], or a vector of such elements.
template <class T, class Terms>
TwoSums two_sums(std::int64_t n, const Terms& terms) {
  constexpr std::int64_t w = kLanes<T>;
  constexpr int kChains = 4;
  TwoSums sums;
  std::int64_t i = 0;
  while (n - i >= w) {
    Vector<T> first[kChains] = {}, second[kChains] = {}, a, b;
    const std::int64_t end = i + std::min((n - i) / w * w, kSpanLength);
    for (; i + kChains * w <= end; i += kChains * w) {
#pragma GCC unroll 4
      for (int chain = 0; chain < kChains; ++chain) {
        terms([&](const T* p) { return load(p + i + chain * w); }, a, b);
        first[chain] += a;
        second[chain] += b;
      }
    }
    for (; i < end; i += w) {
      terms([&](const T* p) { return load(p + i); }, a, b);
      first[0] += a;
      second[0] += b;
    }
    sums.first += reduce_lanes<Sum, T>((first[0] + first[1]) + (first[2] + first[3]));
    sums.second += reduce_lanes<Sum, T>((second[0] + second[1]) + (second[2] + second[3]));
  }
  for (T a, b; i < n; ++i) {
    terms([&](const T* p) { return p[i]; }, a, b);
    sums.first += a;
    sums.second += b;
  }
  return sums;
}

// Numbers whose squares leave the range of T are computed once more in a type of a wider range,
// element by element. The checks have no branches, so that loops over them vectorise.

template <class T>
using Wide = std::conditional_t<std::is_same_v<T, float>, double, long double>;

/// Returns true if terms of a row with this variance, or its reciprocal, may leave the range of T:
/// the backward pass has the third power of the reciprocal deviation. NaN stays NaN in any type.
template <class T>
bool is_extreme(double variance) {
  constexpr double kLimit = std::is_same_v<T, float> ? 0x1p80 : 0x1p640;
  return (variance <= 1 / kLimit) | (variance >= kLimit);
}

/// Returns true if the squares whose mean is `variance` may have left the range of T.
template <class T>
bool has_left_range(double variance, double eps) {
  constexpr double kSmallest = std::is_same_v<T, float> ? 0x1p-80 : 0x1p-640;
  return !(variance < std::numeric_limits<double>::infinity()) | (variance + eps < kSmallest);
}

template <class T>
struct WideMoments {
  Wide<T> mean, variance;
};

/// Returns mean and variance of the `count` elements with which `for_each(fn)` calls fn. With
/// `is_rms`, the mean is 0.
template <class T, class ForEach>
WideMoments<T> wide_moments(double count, bool is_rms, const ForEach& for_each) {
  Wide<T> sum = 0, first = 0, second = 0;
  if (!is_rms) for_each([&](T x) { sum += x; });
  const T about = static_cast<T>(sum / count);
  for_each([&](T x) {
    const Wide<T> difference = static_cast<Wide<T>>(x) - about;
    first += difference;
    second += difference * difference;
  });
  const Wide<T> shift = is_rms ? 0 : first / count;
  const Wide<T> variance = second / count - shift * shift;
  // An infinite mean makes the shift NaN.
  return {std::isfinite(about) ? about + shift : about, variance < 0 ? 0 : variance};
}

}  // namespace tern::cpu
