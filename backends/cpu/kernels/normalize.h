#pragma once

#include <algorithm>
#include <cmath>

#include <tern/backends/cpu/kernels/reduce_run.h>

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
    const std::int64_t end = i + std::min((n - i) / w * w, kRunLength);
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

}  // namespace tern::cpu
