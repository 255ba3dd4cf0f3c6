#pragma once

#include <tern/backends/cuda/device/support/block_reduce.h>
#include <tern/backends/cuda/device/support/elements.h>

// Helpers shared by layer norm and batch norm.

namespace tern::cuda::device {

/// Two sums that are computed together.
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

/// Computes x - mean accurately even if the mean is much larger than the difference: the mean is
/// stored as the sum of two numbers.
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

/// Returns an element's term in the sums that `moments` takes: its distance from `about` and the
/// square of this distance. Any element of the row can be `about`, which keeps the numbers small.
__device__ inline Pair<double> moment_term(double x, double about) {
  const double d = x - about;
  return {d, d * d};
}
__device__ inline Moments moments(const Pair<double>& sums, double about, std::int64_t count) {
  const auto n = static_cast<double>(count);
  const double shift = sums.first / n, variance = sums.second / n - shift * shift;
  return {about + shift, variance < 0 ? 0 : variance};
}

/// Returns an element of a tensor with elements of type S.
template <class S>
__device__ MathType<S> element_of(const void* data, std::int64_t i) {
  return widened<MathType<S>>(static_cast<const S*>(data)[i]);
}

/// Returns an element of weight or bias, or `otherwise` if the tensor is missing.
template <class S>
__device__ MathType<S> affine(const void* data, std::int64_t i, MathType<S> otherwise) {
  return data == nullptr ? otherwise : element_of<S>(data, i);
}

}  // namespace tern::cuda::device
