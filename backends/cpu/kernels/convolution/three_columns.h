#pragma once

#include <tern/backends/cpu/kernels/convolution/stencil.h>
#include <tern/backends/cpu/kernels/support/vector.h>

// Depthwise convolutions of channels-last tensors with kernels of 3 x 3 and a stride of 1 or 2
// along a row. Each element of the input is loaded once per kernel row and serves all outputs that
// read it; the nine weights (or the nine sums of the gradient) of a vector of channels stay in
// registers.

namespace tern::cpu {

template <class T>
class ThreeColumns {
 public:
  using V = Vector<T>;

  /// Returns true if the taps are three rows of three neighbouring columns.
  static bool suits(const Stencil& s) {
    if (s.count != 9 || s.step[2] < 1 || s.step[2] > 2) return false;
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
    const std::int64_t width = s_.grid[2], step = s_.out_step[2] * groups_;
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t z = row / s_.grid[1], y = row % s_.grid[1];
      const std::int64_t line =
          (z * s_.out_step[0] + s_.out_start[0]) * s_.out[1] + y * s_.out_step[1] + s_.out_start[1];
      T* to = out + (line * s_.out[2] + s_.out_start[2]) * groups_;
      const auto put = [&](V sum) {
        if constexpr (kFull) {
          store(to, sum);
        } else {
          store_first(to, sum, lanes);
        }
        to += step;
      };
      Columns columns = columns_of(in, z, y);
      V a = start, b = start, c = start;  // the sums of the next pixel and of those after it
      columns.next(load, [&](int r, V x) { a = fma(x, f[r], a); });
      if (s_.step[2] == 1) {
        columns.next(load, [&](int r, V x) {
          a = fma(x, f[r + 1], a);
          b = fma(x, f[r], b);
        });
        for (std::int64_t i = 0; i < width; ++i) {
          columns.next(load, [&](int r, V x) {
            a = fma(x, f[r + 2], a);
            b = fma(x, f[r + 1], b);
            c = fma(x, f[r], c);
          });
          put(a);
          a = b;
          b = c;
          c = start;
        }
      } else {
        for (std::int64_t i = 0; i < width; ++i) {
          columns.next(load, [&](int r, V x) { a = fma(x, f[r + 1], a); });
          columns.next(load, [&](int r, V x) {
            a = fma(x, f[r + 2], a);
            b = fma(x, f[r], b);
          });
          put(a);
          a = b;
          b = start;
        }
      }
    }
  }

  /// Adds the products of rows [begin, end) of a gradient and the input to sums[9, kWidth].
  template <bool kFull>
  [[gnu::noinline]] void add_products(const T* in, const T* gradient, T* sums, std::int64_t begin,
                                      std::int64_t end, int lanes) const {
    const auto load = [lanes](const T* p) { return kFull ? cpu::load(p) : load_first(p, lanes); };
    const std::int64_t width = s_.grid[2];
    V sum[9];
#pragma GCC unroll 9
    for (std::int64_t t = 0; t < 9; ++t) sum[t] = load(sums + t * kLanes<T>);
    for (std::int64_t row = begin; row < end; ++row) {
      const T* g = gradient + row * width * groups_;
      Columns columns = columns_of(in, row / s_.grid[1], row % s_.grid[1]);
      V a{}, b{}, c{};  // the gradients at i - 2, i - 1 and i
      // At the borders, an infinite input must not meet a zero that stands for no gradient.
      if (s_.step[2] == 1) {
        for (std::int64_t i = 0; i < width + 2; ++i) {
          a = b;
          b = c;
          if (i < width) c = load(g + i * groups_);
          const bool inside[3] = {i < width, i >= 1 && i <= width, i >= 2};
          if (inside[0] && inside[2]) {
            columns.next(load, [&](int r, V x) {
              sum[r] = fma(x, c, sum[r]);
              sum[r + 1] = fma(x, b, sum[r + 1]);
              sum[r + 2] = fma(x, a, sum[r + 2]);
            });
          } else {
            columns.next(load, [&](int r, V x) {
              if (inside[0]) sum[r] = fma(x, c, sum[r]);
              if (inside[1]) sum[r + 1] = fma(x, b, sum[r + 1]);
              if (inside[2]) sum[r + 2] = fma(x, a, sum[r + 2]);
            });
          }
        }
      } else {
        for (std::int64_t i = 0; i <= width; ++i) {
          b = c;
          if (i < width) c = load(g + i * groups_);
          columns.next(load, [&](int r, V x) {
            if (i < width) sum[r] = fma(x, c, sum[r]);
            if (i > 0) sum[r + 2] = fma(x, b, sum[r + 2]);
          });
          if (i == width) break;
          columns.next(load, [&](int r, V x) { sum[r + 1] = fma(x, c, sum[r + 1]); });
        }
      }
    }
#pragma GCC unroll 9
    for (std::int64_t t = 0; t < 9; ++t) store(sums + t * kLanes<T>, sum[t]);
  }

 private:
  /// The columns of the input that a row of the grid reads, from left to right.
  struct Columns {
    const T* from[3];  // column 0, one per row of the kernel; null: outside of the image
    std::int64_t at, end, groups;

    /// Calls add(r, x) for the elements x of the next column; r is the first tap of their row.
    template <class Load, class Add>
    [[gnu::always_inline]] void next(const Load& load, const Add& add) {
      if (at >= 0 && at < end) {
#pragma GCC unroll 3
        for (int r = 0; r < 3; ++r) {
          if (from[r] != nullptr) add(3 * r, load(from[r] + at));
        }
      }
      at += groups;
    }
  };

  Columns columns_of(const T* in, std::int64_t z, std::int64_t y) const {
    Columns columns{{}, low_ * groups_, s_.in[2] * groups_, groups_};
    for (std::int64_t r = 0; r < 3; ++r) {
      const Tap& tap = s_.taps[3 * r];
      const bool is_inside =
          z >= tap.begin[0] && z < tap.end[0] && y >= tap.begin[1] && y < tap.end[1];
      const std::int64_t row =
          (z * s_.step[0] + tap.offset[0]) * s_.in[1] + y * s_.step[1] + tap.offset[1];
      columns.from[r] = is_inside ? in + row * s_.in[2] * groups_ : nullptr;
    }
    return columns;
  }

  const Stencil& s_;
  std::int64_t groups_, low_;
};

}  // namespace tern::cpu
