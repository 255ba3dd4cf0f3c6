#pragma once

#include <cmath>
#include <cstdint>

#include <tern/core/kernels/families/resampling.h>

namespace tern::kernels {

/// The elements that make one result of a resampling: `count` from index `first` on, each clamped
/// to the input. Some filters give the first of them a fraction.
template <class T>
struct ResampleTaps {
  std::int64_t first, count;
  T fraction;  // of the way from the first element to the next; antialiased: of the filter's center
  T total;     // the sum of the filter's weights, by which they are divided
};

/// Computes the weights of one resampled dimension, in T as PyTorch does.
template <class T>
struct ResampleAxis {
  ResampleMode mode;
  bool align_corners, keeps_size;
  std::int64_t in_size, out_size;
  T scale;             // distance of the results, in elements of the input
  T support, inverse;  // of antialiasing: half the width of the filter, the factor of its argument

  explicit ResampleAxis(const ResampleArgs& args)
      : mode(args.mode),
        align_corners(args.align_corners != 0),
        keeps_size(args.in_size == args.out_size),
        in_size(args.in_size),
        out_size(args.out_size) {
    if (align_corners) {
      scale = out_size > 1 ? static_cast<T>(in_size - 1) / static_cast<T>(out_size - 1) : T(0);
    } else if (args.scale > 0) {
      scale = static_cast<T>(1 / args.scale);
    } else {
      scale = static_cast<T>(in_size) / static_cast<T>(out_size);
    }
    const T half = mode == ResampleMode::kLinearAntialias ? T(1) : T(2);
    support = scale >= T(1) ? half * scale : half;
    inverse = scale >= T(1) ? T(1) / scale : T(1);
  }

  bool is_antialiased() const {
    return mode == ResampleMode::kLinearAntialias || mode == ResampleMode::kCubicAntialias;
  }
  /// Returns the largest count of taps().
  std::int64_t most_taps() const {
    if (is_antialiased()) return static_cast<std::int64_t>(std::ceil(support)) * 2 + 1;
    if (mode == ResampleMode::kCubic) return 4;
    return mode == ResampleMode::kLinear ? 2 : 1;
  }

  TERN_HOST_DEVICE ResampleTaps<T> taps(std::int64_t o) const {
    switch (mode) {
      case ResampleMode::kNearest:
        return {below(static_cast<std::int64_t>(
                    std::floor(static_cast<float>(static_cast<T>(o) * scale)))),
                1, T(0), T(1)};
      case ResampleMode::kNearestExact:
        return {below(static_cast<std::int64_t>(
                    std::floor(static_cast<float>((static_cast<T>(o) + T(0.5)) * scale)))),
                1, T(0), T(1)};
      case ResampleMode::kLinear:
      case ResampleMode::kCubic:
        return interpolated(o);
      default:
        return filtered(o);
    }
  }

  /// Returns the weight of tap k.
  TERN_HOST_DEVICE T weight(const ResampleTaps<T>& taps, std::int64_t k) const {
    if (taps.count == 1 && mode <= ResampleMode::kLinear) return T(1);
    if (mode == ResampleMode::kLinear) return k == 0 ? T(1) - taps.fraction : taps.fraction;
    if (mode == ResampleMode::kCubic) {
      constexpr T a = T(-0.75);
      const T x = k < 2 ? taps.fraction : T(1) - taps.fraction;
      return k == 1 || k == 2 ? near(x, a) : far(x + T(1), a);
    }
    return filter(taps, k) / taps.total;
  }

  /// Returns the index of tap k.
  TERN_HOST_DEVICE std::int64_t index(const ResampleTaps<T>& taps, std::int64_t k) const {
    const std::int64_t i = taps.first + k;
    return i < 0 ? 0 : below(i);
  }

 private:
  TERN_HOST_DEVICE std::int64_t below(std::int64_t i) const {
    return i < in_size ? i : in_size - 1;
  }

  TERN_HOST_DEVICE ResampleTaps<T> interpolated(std::int64_t o) const {
    const bool is_cubic = mode == ResampleMode::kCubic;
    if (keeps_size && !is_cubic) return {o, 1, T(0), T(1)};
    T at =
        align_corners ? scale * static_cast<T>(o) : scale * (static_cast<T>(o) + T(0.5)) - T(0.5);
    if (!is_cubic && at < T(0)) at = T(0);
    const std::int64_t first = below(static_cast<std::int64_t>(std::floor(at)));
    T fraction = at - static_cast<T>(first);
    fraction = fraction < T(0) ? T(0) : fraction > T(1) ? T(1) : fraction;
    return {is_cubic ? first - 1 : first, is_cubic ? 4 : 2, fraction, T(1)};
  }

  TERN_HOST_DEVICE ResampleTaps<T> filtered(std::int64_t o) const {
    const T center = scale * (static_cast<T>(o) + T(0.5));
    const auto low = static_cast<std::int64_t>(center - support + T(0.5));
    const auto high = static_cast<std::int64_t>(center + support + T(0.5));
    ResampleTaps<T> taps{low < 0 ? 0 : low, 0, T(0), T(0)};
    taps.count = (high < in_size ? high : in_size) - taps.first;
    if (taps.count < 1) {  // a scale that leads beyond the input
      taps.count = 1;
      taps.first = below(taps.first);
    }
    taps.fraction = center - static_cast<T>(taps.first);
    for (std::int64_t k = 0; k < taps.count; ++k) taps.total += filter(taps, k);
    if (taps.total == T(0)) taps.total = T(1);
    return taps;
  }

  TERN_HOST_DEVICE T filter(const ResampleTaps<T>& taps, std::int64_t k) const {
    const T x = std::abs((static_cast<T>(k) - taps.fraction + T(0.5)) * inverse);
    if (mode == ResampleMode::kLinearAntialias) return x < T(1) ? T(1) - x : T(0);
    constexpr T a = T(-0.5);
    return x < T(1) ? near(x, a) : x < T(2) ? far(x, a) : T(0);
  }

  // The two pieces of the cubic kernel with parameter a (Keys, 1981).
  TERN_HOST_DEVICE static T near(T x, T a) { return ((a + T(2)) * x - (a + T(3))) * x * x + T(1); }
  TERN_HOST_DEVICE static T far(T x, T a) {
    return ((a * x - T(5) * a) * x + T(8) * a) * x - T(4) * a;
  }
};

}  // namespace tern::kernels
