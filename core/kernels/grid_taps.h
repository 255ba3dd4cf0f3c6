#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include <tern/core/kernels/families/grid_sample.h>
#include <tern/core/kernels/host_device.h>
#include <tern/core/kernels/math/is_nan.h>
#include <tern/core/kernels/math/math.h>

// The elements that one point of a sampled grid reads.

namespace tern::kernels {

/// The elements of one dimension: an index, or -1 for zeros outside of the input, the weight, and
/// the derivative of the weight by the coordinate in the grid.
template <class T>
struct GridTaps {
  int count;
  std::int64_t index[4];
  T weight[4], slope[4];
};

/// A position in elements and its derivative by the coordinate in the grid.
template <class T>
struct GridPosition {
  T at, slope;
};

/// Moves a position into the input. As in PyTorch, a position in a volume that is not a number lies
/// at the last element, or outside, and one in an image at the first or nowhere (NaN).
template <class T>
TERN_HOST_DEVICE GridPosition<T> padded_position(const GridSampleArgs& args, GridPosition<T> p,
                                                 std::int64_t size) {
  const bool is_volume = args.dims == 3;
  if (args.padding == GridPadding::kZeros) {
    return is_volume && !(math::abs(p.at) <= std::numeric_limits<T>::max())
               ? GridPosition<T>{T(-100), T(0)}
               : p;
  }
  if (args.padding == GridPadding::kReflection) {
    const bool align = args.align_corners != 0;
    const T low = align ? T(0) : T(-0.5), span = static_cast<T>(align ? size - 1 : size);
    if (span == T(0)) return {T(0), T(0)};
    T x = p.at - low;
    if (x < T(0)) {
      x = -x;
      p.slope = -p.slope;
    }
    const T rest = std::fmod(x, span);
    if (std::fmod(std::floor(x / span), T(2)) == T(0)) {
      p.at = rest + low;
    } else {
      p.at = span - rest + low;
      p.slope = -p.slope;
    }
  }
  const T last = static_cast<T>(size - 1);
  if (is_volume && is_nan(p.at)) return {last, T(0)};
  if (!(p.at > T(0))) return {T(0), T(0)};  // NaN, too
  return p.at < last ? p : GridPosition<T>{last, T(0)};
}

/// Returns a position as an index, -1 if it lies outside of the input.
template <class T>
TERN_HOST_DEVICE std::int64_t grid_index(T at, std::int64_t size) {
  return at >= T(0) && at < static_cast<T>(size) ? static_cast<std::int64_t>(at) : -1;
}

/// Returns the taps of a coordinate in a dimension of this size.
template <class T>
TERN_HOST_DEVICE GridTaps<T> grid_taps(const GridSampleArgs& args, T coordinate,
                                       std::int64_t size) {
  GridPosition<T> p;
  if (args.align_corners != 0) {
    p = {(coordinate + T(1)) / T(2) * static_cast<T>(size - 1), static_cast<T>(size - 1) / T(2)};
  } else {
    p = {((coordinate + T(1)) * static_cast<T>(size) - T(1)) / T(2), static_cast<T>(size) / T(2)};
  }
  if (args.mode != GridMode::kBicubic) p = padded_position(args, p, size);
  GridTaps<T> taps{};
  if (args.mode == GridMode::kNearest) {
    taps.count = 1;
    taps.index[0] = grid_index(std::nearbyint(p.at), size);
    taps.weight[0] = T(1);
    return taps;
  }
  const T floor = std::floor(p.at), t = p.at - floor;
  if (args.mode == GridMode::kBilinear) {
    taps.count = 2;
    for (int k = 0; k < 2; ++k) taps.index[k] = grid_index(floor + static_cast<T>(k), size);
    taps.weight[0] = T(1) - t;
    taps.weight[1] = t;
    taps.slope[0] = -p.slope;
    taps.slope[1] = p.slope;
    return taps;
  }
  taps.count = 4;
  for (int k = 0; k < 4; ++k) {
    constexpr T a = T(-0.75);
    const GridPosition<T> each =
        padded_position(args, GridPosition<T>{floor + static_cast<T>(k - 1), T(0)}, size);
    taps.index[k] = grid_index(each.at, size);
    const bool is_right = k > 1, is_near = k == 1 || k == 2;
    const T x = (is_right ? T(1) - t : t) + (is_near ? T(0) : T(1));
    taps.weight[k] = is_near ? ((a + T(2)) * x - (a + T(3))) * x * x + T(1)
                             : ((a * x - T(5) * a) * x + T(8) * a) * x - T(4) * a;
    const T slope = is_near ? (T(3) * (a + T(2)) * x - T(2) * (a + T(3))) * x
                            : (T(3) * a * x - T(10) * a) * x + T(8) * a;
    taps.slope[k] = (is_right ? -slope : slope) * p.slope;
  }
  return taps;
}

/// The taps of a point of the grid in z, y and x.
template <class T>
struct GridPoint {
  GridTaps<T> dims[3];

  /// Takes the coordinates, x first; there is no z in two dimensions.
  TERN_HOST_DEVICE GridPoint(const GridSampleArgs& args, const T (&coordinates)[3]) {
    for (int d = 0; d < 3; ++d) {
      if (d < 3 - args.dims) {
        dims[d] = {1, {0}, {T(1)}, {T(0)}};
      } else {
        dims[d] = grid_taps(args, coordinates[2 - d], args.sizes[d]);
      }
    }
  }

  /// Calls visitor(offset in the plane or -1, weight, slopes[3] by z, y and x) for each element.
  template <class Visitor>
  TERN_HOST_DEVICE void visit(const GridSampleArgs& args, const Visitor& visitor) const {
    for (int k = 0; k < dims[0].count; ++k) {
      for (int j = 0; j < dims[1].count; ++j) {
        for (int i = 0; i < dims[2].count; ++i) {
          const std::int64_t z = dims[0].index[k], y = dims[1].index[j], x = dims[2].index[i];
          const T a = dims[0].weight[k], b = dims[1].weight[j], c = dims[2].weight[i];
          const T slopes[3] = {dims[0].slope[k] * b * c, a * dims[1].slope[j] * c,
                               a * b * dims[2].slope[i]};
          const bool inside = z >= 0 && y >= 0 && x >= 0;
          visitor(inside ? (z * args.sizes[1] + y) * args.sizes[2] + x : std::int64_t{-1},
                  a * b * c, slopes);
        }
      }
    }
  }
};

}  // namespace tern::kernels
