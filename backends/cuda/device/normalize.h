#pragma once

#include <tern/backends/cuda/device/block_reduce.h>

// What layer norm and batch norm share.

namespace tern::cuda::device {

/// Two sums that are made side by side.
template <class T>
struct Pair {
  T first, second;
};

struct AddPairs {
  template <class T>
  __device__ Pair<T> operator()(const Pair<T>& a, const Pair<T>& b) const {
    return {a.first + b.first, a.second + b.second};
  }
};

/// x - mean to the last digits, also where the mean is large beside the difference: the mean is
/// the sum of two numbers.
template <class T>
struct Center {
  T high, low;

  __device__ explicit Center(double mean)
      : high(static_cast<T>(mean)), low(static_cast<T>(mean - high)) {}
  __device__ T operator()(T x) const { return (x - high) - low; }
};

struct Moments {
  double mean, variance;
};

/// The term of an element in the sums that `moments` takes: of its distance from `about` and of
/// its square. Any element of the row will do for `about`: it keeps the numbers small.
__device__ inline Pair<double> moment_term(double x, double about) {
  const double d = x - about;
  return {d, d * d};
}
__device__ inline Moments moments(const Pair<double>& sums, double about, std::int64_t count) {
  const auto n = static_cast<double>(count);
  const double shift = sums.first / n, variance = sums.second / n - shift * shift;
  return {about + shift, variance < 0 ? 0 : variance};
}

/// An element of weight or bias, which may be missing.
template <class T>
__device__ T affine(const void* data, std::int64_t i, T otherwise) {
  return data == nullptr ? otherwise : static_cast<const T*>(data)[i];
}

}  // namespace tern::cuda::device
