#pragma once

#include <tern/backends/cpu/kernels/convolution/stencil.h>
#include <tern/backends/cpu/kernels/support/vector.h>

// Depthwise convolutions of channels-last tensors with kernels of 3 x 3 and a stride of 1 along a
// row. Each element of the input is loaded once per kernel row and serves three outputs; the nine
// weights (or the nine sums of the gradient) of a vector of channels stay in registers.

namespace tern::cpu {

template <class T>
class ThreeColumns {
 public:
  using V = Vector<T>;

  /// Returns true if the taps are three rows of three neighbouring columns.
  static bool suits(const Stencil& s) {
    if (s.count != 9 || s.step[2] != 1) return false;
    const std::int64_t step = s.taps[1].offset[2] - s.taps[0].offset[2];
    for (std::int64_t t = 0; t < 9; ++t) {
      const auto &offset = s.taps[t].offset, &first = s.taps[t / 3 * 3].offset;
      if (offset[0] != first[0] || offset[1] != first[1] ||
          offset[2] != s.taps[0].offset[2] + t % 3 * step) {
        return false;
      }
    }
    return step == 1 || step == -1;
  }

  ThreeColumns(const Stencil& s, std::int64_t groups)
      : s_(s), groups_(groups), low_(std::min(s.taps[0].offset[2], s.taps[2].offset[2])) {}

  /// Computes rows [begin, end) of the grid for `lanes` channels. The pointers are those of the
  /// first channel in an image; `weights` has a row of `groups` for each element of the kernel.
  template <bool kFull>
  [[gnu::noinline]] void sum(const T* in, const T* weights, const T* bias, T* out,
                             std::int64_t begin, std::int64_t end, int lanes) const {
    const auto load = [lanes](const T* p) { return kFull ? cpu::load(p) : load_first(p, lanes); };
    const bool is_turned = s_.taps[0].offset[2] != low_;
    V f[9];
#pragma GCC unroll 9
    for (std::int64_t t = 0; t < 9; ++t) {
      const std::int64_t from = is_turned ? t / 3 * 3 + 2 - t % 3 : t;
      f[t] = load(weights + s_.taps[from].weight * groups_);
    }
    const V start = bias == nullptr ? V{} : load(bias);
    const std::int64_t groups = groups_, width = s_.grid[2], in_width = s_.in[2];
    const std::int64_t step = s_.out_step[2] * groups;
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t z = row / s_.grid[1], y = row % s_.grid[1];
      const std::int64_t line =
          (z * s_.out_step[0] + s_.out_start[0]) * s_.out[1] + y * s_.out_step[1] + s_.out_start[1];
      T* to = out + (line * s_.out[2] + s_.out_start[2]) * groups;
      Rows rows = rows_of(in, z, y);
      // Column j of the input is the last one of output i - 2, the second of i - 1, the first of i.
      V a = start, b = start, c = start;
      for (std::int64_t i = 0, j = low_; i < width + 2; ++i, ++j) {
        if (j >= 0 && j < in_width) {
#pragma GCC unroll 3
          for (std::int64_t r = 0; r < 3; ++r) {
            if (rows.from[r] == nullptr) continue;
            const V x = load(rows.from[r]);
            rows.from[r] += groups;
            a = fma(x, f[3 * r + 2], a);
            b = fma(x, f[3 * r + 1], b);
            c = fma(x, f[3 * r], c);
          }
        }
        if (i >= 2) {
          if constexpr (kFull) {
            store(to, a);
          } else {
            store_first(to, a, lanes);
          }
          to += step;
        }
        a = b;
        b = c;
        c = start;
      }
    }
  }

  /// Adds the products of rows [begin, end) of a gradient and the input to sums[9, kWidth].
  template <bool kFull>
  [[gnu::noinline]] void add_products(const T* in, const T* gradient, T* sums, std::int64_t begin,
                                      std::int64_t end, int lanes) const {
    const auto load = [lanes](const T* p) { return kFull ? cpu::load(p) : load_first(p, lanes); };
    const std::int64_t groups = groups_, width = s_.grid[2], in_width = s_.in[2];
    V sum[9];
#pragma GCC unroll 9
    for (std::int64_t t = 0; t < 9; ++t) sum[t] = load(sums + t * kLanes<T>);
    for (std::int64_t row = begin; row < end; ++row) {
      const T* g = gradient + row * width * groups;
      Rows rows = rows_of(in, row / s_.grid[1], row % s_.grid[1]);
      V a{}, b{}, c{};  // the gradients at i - 2, i - 1 and i
      for (std::int64_t i = 0, j = low_; i < width + 2; ++i, ++j) {
        a = b;
        b = c;
        if (i < width) c = load(g);
        g += groups;
        if (j < 0 || j >= in_width) continue;
        // At the borders, an infinite input must not meet a zero that stands for no gradient.
        const bool inside[3] = {i < width, i >= 1 && i <= width, i >= 2};
        if (inside[0] && inside[2]) {
#pragma GCC unroll 3
          for (std::int64_t r = 0; r < 3; ++r) {
            if (rows.from[r] == nullptr) continue;
            const V x = load(rows.from[r]);
            rows.from[r] += groups;
            sum[3 * r] = fma(x, c, sum[3 * r]);
            sum[3 * r + 1] = fma(x, b, sum[3 * r + 1]);
            sum[3 * r + 2] = fma(x, a, sum[3 * r + 2]);
          }
        } else {
#pragma GCC unroll 3
          for (std::int64_t r = 0; r < 3; ++r) {
            if (rows.from[r] == nullptr) continue;
            const V x = load(rows.from[r]);
            rows.from[r] += groups;
            if (inside[0]) sum[3 * r] = fma(x, c, sum[3 * r]);
            if (inside[1]) sum[3 * r + 1] = fma(x, b, sum[3 * r + 1]);
            if (inside[2]) sum[3 * r + 2] = fma(x, a, sum[3 * r + 2]);
          }
        }
      }
    }
#pragma GCC unroll 9
    for (std::int64_t t = 0; t < 9; ++t) store(sums + t * kLanes<T>, sum[t]);
  }

 private:
  /// The first pixels that a row of the grid reads, one per row of the kernel; null: outside of the
  /// image.
  struct Rows {
    const T* from[3];
  };

  Rows rows_of(const T* in, std::int64_t z, std::int64_t y) const {
    Rows rows;
    for (std::int64_t r = 0; r < 3; ++r) {
      const Tap& tap = s_.taps[3 * r];
      const bool is_inside =
          z >= tap.begin[0] && z < tap.end[0] && y >= tap.begin[1] && y < tap.end[1];
      const std::int64_t row =
          (z * s_.step[0] + tap.offset[0]) * s_.in[1] + y * s_.step[1] + tap.offset[1];
      const std::int64_t first = row * s_.in[2] + std::max<std::int64_t>(low_, 0);
      rows.from[r] = is_inside ? in + first * groups_ : nullptr;
    }
    return rows;
  }

  const Stencil& s_;
  std::int64_t groups_, low_;
};

}  // namespace tern::cpu
