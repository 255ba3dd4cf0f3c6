#pragma once

#include <atomic>

#include <tern/backends/cpu/kernels/convolution_stencil.h>
#include <tern/backends/cpu/kernels/divide_up.h>
#include <tern/backends/cpu/kernels/gemm_simd.h>
#include <tern/backends/cpu/kernels/scratch.h>
#include <tern/core/base/thread_pool.h>

// Convolutions with one channel of input and of output per group. Each plane is
// copied with the zeros around it, so that the loops over vectors of pixels
// know no borders. The columns are sorted by their remainder divided by the
// stride, so that neighbouring pixels read neighbouring elements.

namespace tern::cpu {

/// A plane with the zeros that the taps read, and slack for whole vectors.
template <class T>
class PaddedPlane {
 public:
  static constexpr std::int64_t kWidth = Simd<T>::kWidth;

  explicit PaddedPlane(const Stencil& s) : s_(s) {
    for (int d = 0; d < 3; ++d) {
      std::int64_t high = 0;
      for (std::int64_t t = 0; t < s.count; ++t) {
        const std::int64_t offset = s.taps[t].offset[d];
        low_[d] = t == 0 ? offset : std::min(low_[d], offset);
        high = t == 0 ? offset : std::max(high, offset);
      }
      extents_[d] = (s.grid[d] - 1) * s.step[d] + high - low_[d] + 1;
    }
    columns_ = (extents_[2] + s.step[2] - 1) / s.step[2];
    pitch_ = columns_ * s.step[2];
  }

  /// Returns the number of elements of the copy.
  std::int64_t size() const { return extents_[0] * extents_[1] * pitch_ + kMostAhead; }

  /// Copies a plane. Elements that no tap reads may be missing.
  void fill(T* to, const T* plane) const {
    const std::int64_t begin = std::clamp<std::int64_t>(-low_[2], 0, extents_[2]);
    const std::int64_t end = std::clamp<std::int64_t>(s_.in[2] - low_[2], begin, extents_[2]);
    for (std::int64_t i = 0; i < extents_[0]; ++i) {
      for (std::int64_t j = 0; j < extents_[1]; ++j, to += pitch_) {
        const std::int64_t z = i + low_[0], y = j + low_[1];
        const bool is_inside = z >= 0 && z < s_.in[0] && y >= 0 && y < s_.in[1];
        if (!is_inside) {
          std::fill_n(to, pitch_, T(0));
          continue;
        }
        fill_row(to, plane + (z * s_.in[1] + y) * s_.in[2] + low_[2], begin, end);
      }
    }
    std::fill_n(to, kMostAhead, T(0));
  }

  /// Returns where a tap reads for the first pixel of a row of the grid,
  /// counted from row().
  std::int64_t place(const Tap& tap) const {
    const std::int64_t x = tap.offset[2] - low_[2];
    return row(tap.offset[0] - low_[0], tap.offset[1] - low_[1]) + x % s_.step[2] * columns_ +
           x / s_.step[2];
  }
  /// Returns the place of the row of the grid at (z, y).
  std::int64_t grid_row(std::int64_t z, std::int64_t y) const {
    return row(z * s_.step[0], y * s_.step[1]);
  }

 private:
  static constexpr std::int64_t kMostAhead = 4 * kWidth;

  std::int64_t row(std::int64_t z, std::int64_t y) const { return (z * extents_[1] + y) * pitch_; }

  /// Sets a row, of which `from` + [begin, end) are elements of the plane and
  /// the others are zeros.
  void fill_row(T* to, const T* from, std::int64_t begin, std::int64_t end) const {
    if (s_.step[2] == 1) {
      for (std::int64_t x = 0; x < begin; ++x) to[x] = T(0);
      copy_run(to + begin, from + begin, (end - begin) * static_cast<std::int64_t>(sizeof(T)));
      for (std::int64_t x = end; x < pitch_; ++x) to[x] = T(0);
      return;
    }
    const std::int64_t step = s_.step[2];
    for (std::int64_t r = 0; r < step; ++r) {
      T* const column = to + r * columns_;
      const auto first_at_least = [&](std::int64_t x) {
        return std::min(x <= r ? 0 : (x - r + step - 1) / step, columns_);
      };
      const std::int64_t q = first_at_least(begin), q_end = std::max(q, first_at_least(end));
      std::fill_n(column, q, T(0));
      gather_run(column + q, from + q * step + r, step, q_end - q);
      std::fill(column + q_end, column + columns_, T(0));
    }
  }

  const Stencil& s_;
  std::int64_t low_[3] = {}, extents_[3], columns_, pitch_;
};

/// out[n, g, pixel] = bias[g] + the sum over taps of a weight of g times what
/// the tap reads.
template <class T>
class DepthwiseSum {
 public:
  explicit DepthwiseSum(const Stencil& given) : stencil(given), plane_(given) {}

  const Stencil& stencil;
  std::int64_t batch = 0, groups = 0, weights = 0;  // weights of one group
  const T* a = nullptr;                             // [groups, weights]
  const T* in = nullptr;                            // [batch, groups, stencil.in]
  const T* bias = nullptr;                          // [groups]; null: none
  T* out = nullptr;                                 // [batch, groups, stencil.out]

  /// Returns false if out of memory.
  bool run() {
    const std::int64_t work = volume(stencil.grid) * (stencil.count + 4);
    parallel_for(0, batch * groups, kGrain / work,
                 [&](std::int64_t begin, std::int64_t end) { compute(begin, end); });
    return !out_of_memory_;
  }

 private:
  static constexpr std::int64_t kWidth = Simd<T>::kWidth, kGrain = 1 << 16;

  void compute(std::int64_t begin, std::int64_t end) {
    const std::int64_t width = stencil.grid[2], in_size = volume(stencil.in);
    const std::int64_t line = divide_up(width, kWidth) * kWidth, count = stencil.count;
    static_assert(sizeof(std::int64_t) % sizeof(T) == 0);
    const std::int64_t places_size =
        count * static_cast<std::int64_t>(sizeof(std::int64_t) / sizeof(T));
    T* const memory = scratch_of<T>(places_size + count + line + plane_.size());
    if (memory == nullptr) {
      out_of_memory_ = true;
      return;
    }
    auto* const places = reinterpret_cast<std::int64_t*>(memory);
    T* const factors = memory + places_size;
    T* const row = factors + count;
    T* const padded = row + line;
    for (std::int64_t t = 0; t < count; ++t) places[t] = plane_.place(stencil.taps[t]);
    const bool dense = stencil.is_dense();
    for (std::int64_t at = begin; at < end; ++at) {
      const std::int64_t group = at % groups;
      for (std::int64_t t = 0; t < count; ++t) {
        factors[t] = a[group * weights + stencil.taps[t].weight];
      }
      if (count > 0) plane_.fill(padded, in + at * in_size);
      T* const result = out + at * volume(stencil.out);
      const T start = bias == nullptr ? T(0) : bias[group];
      std::int64_t pixel = 0;
      for (std::int64_t z = 0; z < stencil.grid[0]; ++z) {
        for (std::int64_t y = 0; y < stencil.grid[1]; ++y, pixel += width) {
          const T* const from = padded + plane_.grid_row(z, y);
          if (dense && width >= kWidth) {
            sum_row(result + pixel, from, places, factors, count, width, start);
            continue;
          }
          sum_row(row, from, places, factors, count, line, start);
          if (dense) {
            Simd<T>::store_first(result + pixel, Simd<T>::load(row), static_cast<int>(width));
          } else {
            scatter_pixels(result, row, stencil, pixel, pixel + width);
          }
        }
      }
    }
  }

  /// Computes n >= kWidth pixels of a row. The last vector may overlap the one
  /// before.
  static void sum_row(T* to, const T* from, const std::int64_t* places, const T* factors,
                      std::int64_t count, std::int64_t n, T start) {
    std::int64_t x = 0;
    for (; x + 4 * kWidth <= n; x += 4 * kWidth) {
      sum_vectors<4>(to, from, places, factors, count, x, n, start);
    }
    switch (divide_up(n - x, kWidth)) {
      case 1:
        return sum_vectors<1>(to, from, places, factors, count, x, n, start);
      case 2:
        return sum_vectors<2>(to, from, places, factors, count, x, n, start);
      case 3:
        return sum_vectors<3>(to, from, places, factors, count, x, n, start);
      case 4:
        return sum_vectors<4>(to, from, places, factors, count, x, n, start);
      default:
        return;
    }
  }

  template <int kVectors>
  static void sum_vectors(T* to, const T* from, const std::int64_t* places, const T* factors,
                          std::int64_t count, std::int64_t x, std::int64_t n, T start) {
    using S = Simd<T>;
    typename S::V sums[kVectors];
    const std::int64_t last = std::min(x + (kVectors - 1) * kWidth, n - kWidth);
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) sums[v] = S::broadcast(start);
    for (std::int64_t t = 0; t < count; ++t) {
      const auto factor = S::broadcast(factors[t]);
      const T* const row = from + places[t];
#pragma GCC unroll 4
      for (int v = 0; v + 1 < kVectors; ++v) {
        sums[v] = S::fma(factor, S::load(row + x + v * kWidth), sums[v]);
      }
      sums[kVectors - 1] = S::fma(factor, S::load(row + last), sums[kVectors - 1]);
    }
#pragma GCC unroll 4
    for (int v = 0; v + 1 < kVectors; ++v) S::store(to + x + v * kWidth, sums[v]);
    S::store(to + last, sums[kVectors - 1]);
  }

  PaddedPlane<T> plane_;
  std::atomic<bool> out_of_memory_{false};
};

/// The gradient of the weights: out[g, t] is the sum over images and pixels of
/// gradient[n, g, p] times what tap t reads.
template <class T>
class DepthwiseWeightGradient {
 public:
  explicit DepthwiseWeightGradient(const Stencil& given) : stencil(given), plane_(given) {}

  const Stencil& stencil;
  std::int64_t batch = 0, groups = 0;
  const T* in = nullptr;        // [batch, groups, stencil.in]
  const T* gradient = nullptr;  // [batch, groups, stencil.grid]
  T* out = nullptr;             // [groups, taps]

  /// Returns false if out of memory.
  bool run() {
    const std::int64_t work = batch * volume(stencil.grid) * (stencil.count + 4);
    parallel_for(0, groups, kGrain / work,
                 [&](std::int64_t begin, std::int64_t end) { compute(begin, end); });
    return !out_of_memory_;
  }

 private:
  static constexpr std::int64_t kWidth = Simd<T>::kWidth, kGrain = 1 << 16;
  using V = typename Simd<T>::V;

  void compute(std::int64_t begin, std::int64_t end) {
    const std::int64_t count = stencil.count;
    T* const memory = scratch_of<T>(count * kWidth + plane_.size());
    if (memory == nullptr) {
      out_of_memory_ = true;
      return;
    }
    T* const sums = memory;
    T* const padded = memory + count * kWidth;
    for (std::int64_t group = begin; group < end; ++group) {
      std::fill_n(sums, count * kWidth, T(0));
      for (std::int64_t n = 0; n < batch; ++n) {
        const std::int64_t at = n * groups + group;
        plane_.fill(padded, in + at * volume(stencil.in));
        const T* const g = gradient + at * volume(stencil.grid);
        std::int64_t t = 0;
        for (; t + 9 <= count; t += 9) add_taps<9>(sums, padded, g, t);
        for (; t + 3 <= count; t += 3) add_taps<3>(sums, padded, g, t);
        for (; t < count; ++t) add_taps<1>(sums, padded, g, t);
      }
      for (std::int64_t t = 0; t < count; ++t) {
        out[group * count + t] = reduce_lanes<Sum, T>(Simd<T>::load(sums + t * kWidth));
      }
    }
  }

  /// Adds the products of a plane to the sums of the taps t to t + kTaps - 1.
  template <int kTaps>
  void add_taps(T* sums, const T* padded, const T* g, std::int64_t t) const {
    using S = Simd<T>;
    const T* from[kTaps];
    V sum[kTaps];
#pragma GCC unroll 9
    for (int i = 0; i < kTaps; ++i) {
      from[i] = padded + plane_.place(stencil.taps[t + i]);
      sum[i] = S::load(sums + (t + i) * kWidth);
    }
    const std::int64_t width = stencil.grid[2];
    for (std::int64_t z = 0; z < stencil.grid[0]; ++z) {
      for (std::int64_t y = 0; y < stencil.grid[1]; ++y, g += width) {
        const std::int64_t row = plane_.grid_row(z, y);
        std::int64_t x = 0;
        for (; x + kWidth <= width; x += kWidth) {
          const V factor = S::load(g + x);
#pragma GCC unroll 9
          for (int i = 0; i < kTaps; ++i) {
            sum[i] = S::fma(factor, S::load(from[i] + row + x), sum[i]);
          }
        }
        if (x == width) continue;
        const auto rest = static_cast<int>(width - x);
        const V factor = S::load_first(g + x, rest);
#pragma GCC unroll 9
        for (int i = 0; i < kTaps; ++i) {
          sum[i] = S::fma(factor, S::load_first(from[i] + row + x, rest), sum[i]);
        }
      }
    }
#pragma GCC unroll 9
    for (int i = 0; i < kTaps; ++i) S::store(sums + (t + i) * kWidth, sum[i]);
  }

  PaddedPlane<T> plane_;
  std::atomic<bool> out_of_memory_{false};
};

}  // namespace tern::cpu
