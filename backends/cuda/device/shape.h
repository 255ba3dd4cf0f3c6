#pragma once

#include <cstdint>

#include <tern/core/kernels/host_device.h>
#include <tern/core/kernels/view.h>

namespace tern::cuda::device {

using namespace kernels;

/// A number that numbers below 2^31 are divided by with a multiplication and a shift, because GPUs
/// have no division (Granlund and Montgomery, "Division by invariant integers using
/// multiplication", 1994).
struct Divider {
  std::uint32_t divisor, magic, shift;

  Divider() = default;
  explicit Divider(std::int64_t number) : divisor(static_cast<std::uint32_t>(number)), shift(0) {
    while ((std::uint64_t{1} << shift) < divisor) ++shift;
    const std::uint64_t excess = (std::uint64_t{1} << shift) - divisor;
    magic = static_cast<std::uint32_t>((excess << 32) / divisor + 1);
  }
  TERN_HOST_DEVICE std::uint32_t quotient(std::uint32_t number) const {
    const auto high = static_cast<std::uint32_t>((std::uint64_t{number} * magic) >> 32);
    return (high + number) >> shift;
  }
};

/// Where the elements of K tensors of one shape lie: less than 2^31 elements, the last dimension
/// running fastest.
template <int K>
struct Shape {
  std::int32_t ndim = 0;
  Divider sizes[kMaxDims];
  std::int64_t strides[kMaxDims][K];

  void add_dim(std::int64_t size, const std::int64_t (&dim_strides)[K]) {
    sizes[ndim] = Divider(size);
    for (int k = 0; k < K; ++k) strides[ndim][k] = dim_strides[k];
    ++ndim;
  }
  /// The offsets, in elements, of the element with this row-major number.
  TERN_HOST_DEVICE void offsets(std::uint32_t number, std::int64_t (&out)[K]) const {
    for (int k = 0; k < K; ++k) out[k] = 0;
    for (int d = ndim - 1; d >= 0; --d) {
      const std::uint32_t rest = sizes[d].quotient(number);
      const std::uint32_t place = number - rest * sizes[d].divisor;
      for (int k = 0; k < K; ++k) out[k] += place * strides[d][k];
      number = rest;
    }
  }
};

}  // namespace tern::cuda::device
