#pragma once

#include <atomic>

#include <tern/backends/cpu/kernels/convolution/three_columns.h>
#include <tern/backends/cpu/kernels/support/divide_up.h>
#include <tern/backends/cpu/kernels/support/scratch.h>
#include <tern/core/base/thread_pool.h>

// Convolutions with one channel of input and of output per group, of tensors [batch, extents...,
// groups]: a vector holds neighbouring channels of a pixel, so that borders cost nothing.

namespace tern::cpu {

/// A tap of a row of the grid: where it reads for pixel 0 and its weights, in elements of the first
/// channel, and the pixels for which it reads the input.
struct RowTap {
  std::int64_t from, weight, begin, end;
};

template <class T>
class DepthwiseChannelsLast {
 public:
  using V = Vector<T>;
  static constexpr std::int64_t kWidth = kLanes<T>, kGrain = 1 << 15;

  const Stencil& stencil;
  std::int64_t batch, groups;

  /// out = bias + the sum over taps of weights[tap, group] * in, for the pixels of the grid.
  /// Returns false if out of memory.
  bool sum(const T* in, const T* weights, const T* bias, T* out) const {
    std::atomic<bool> out_of_memory{false};
    const std::int64_t work = stencil.grid[2] * groups * (stencil.count + 2);
    parallel_for(0, batch * rows(), kGrain / work, [&](std::int64_t begin, std::int64_t end) {
      auto* const taps = thread_scratch<RowTap>(stencil.count);
      if (taps == nullptr) {
        out_of_memory = true;
      } else {
        sum_rows(in, weights, bias, out, taps, begin, end);
      }
    });
    return !out_of_memory;
  }

  /// out[group, tap] = the sum over images and pixels of gradient * what the tap reads. `parts` has
  /// room for parts_size() elements.
  void weight_gradient(const T* in, const T* gradient, T* parts, T* out) const {
    const std::int64_t count = stencil.count, vectors = divide_up(groups, kWidth);
    const std::int64_t blocks = parts_count();
    const std::int64_t work = batch * rows() / blocks * stencil.grid[2] * count * kWidth + 1;
    // Each part is the sum of fixed rows, whatever the number of threads.
    parallel_for(0, blocks * vectors, kGrain / work, [&](std::int64_t begin, std::int64_t end) {
      add_parts(in, gradient, parts, begin, end);
    });
    fold_parts(parts, blocks, vectors * count * kWidth, out);
  }

  /// Sets out[group, tap] to the sum of parts, each [vectors, taps, kWidth] in `size` elements.
  [[gnu::noinline]] void fold_parts(const T* parts, std::int64_t number, std::int64_t size,
                                    T* out) const {
    for (std::int64_t c = 0; c < groups; ++c) {
      for (std::int64_t t = 0; t < stencil.count; ++t) {
        const T* const part = parts + (c / kWidth * stencil.count + t) * kWidth + c % kWidth;
        T sum = part[0];
        for (std::int64_t i = 1; i < number; ++i) sum += part[i * size];
        out[c * stencil.count + t] = sum;
      }
    }
  }
  std::int64_t parts_size() const {
    return parts_count() * divide_up(groups, kWidth) * stencil.count * kWidth;
  }

  /// Computes rows [begin, end) of all images. `taps` has room for all taps.
  [[gnu::noinline]] void sum_rows(const T* in, const T* weights, const T* bias, T* out,
                                  RowTap* taps, std::int64_t begin, std::int64_t end) const {
    const bool is_fast = has_three_columns();
    while (begin < end) {
      const Piece piece = first_piece(begin, end);
      const T* const from = in + piece.image * volume(stencil.in) * groups;
      T* const to = out + piece.image * volume(stencil.out) * groups;
      if constexpr (kIsFast) {
        if (is_fast) {
          const ThreeColumns<T> columns(stencil, groups);
          each_vector(0, groups, [&](std::int64_t c, auto is_full, int lanes) {
            columns.template sum<is_full()>(from + c, weights + c,
                                            bias == nullptr ? bias : bias + c, to + c, piece.first,
                                            piece.last, lanes);
          });
        }
      }
      for (std::int64_t row = piece.first; !is_fast && row < piece.last; ++row) {
        sum_row(from, weights, bias, to, row, taps);
      }
      begin += piece.last - piece.first;
    }
  }

  /// Adds the products of rows [begin, end) of all images to sums[vectors, taps, kWidth], for the
  /// channels [low, high).
  [[gnu::noinline]] void add_rows(const T* in, const T* gradient, T* sums, std::int64_t low,
                                  std::int64_t high, std::int64_t begin, std::int64_t end) const {
    const std::int64_t count = stencil.count;
    const bool is_fast = has_three_columns();
    while (begin < end) {
      const Piece piece = first_piece(begin, end);
      const T* const from = in + piece.image * volume(stencil.in) * groups;
      const T* const g = gradient + piece.image * volume(stencil.grid) * groups;
      each_vector(low, high, [&](std::int64_t c, auto is_full, int lanes) {
        if constexpr (kIsFast) {
          if (is_fast) {
            const ThreeColumns<T> columns(stencil, groups);
            columns.template add_products<is_full()>(from + c, g + c, sums + c * count, piece.first,
                                                     piece.last, lanes);
            return;
          }
        }
        for (std::int64_t y = piece.first; y < piece.last; ++y) {
          add_row<is_full()>(sums + c * count, from + c, g + c, y, lanes);
        }
      });
      begin += piece.last - piece.first;
    }
  }

  std::int64_t rows() const { return stencil.grid[0] * stencil.grid[1]; }

 private:
  static constexpr bool kIsFast = std::is_same_v<T, float>;
  static constexpr int kPixels = 6;

  bool has_three_columns() const { return kIsFast && ThreeColumns<T>::suits(stencil); }

  /// Returns into how many blocks of rows a gradient of the weights is cut.
  std::int64_t parts_count() const {
    constexpr std::int64_t kTasks = 32, kFewestPixels = 256;
    const std::int64_t all = batch * rows();
    const std::int64_t most =
        std::clamp<std::int64_t>(all * stencil.grid[2] / kFewestPixels, 1, all);
    return std::clamp<std::int64_t>(kTasks / divide_up(groups, kWidth), 1, most);
  }

  /// Rows of an image that fit into the cache.
  struct Piece {
    std::int64_t image, first, last;
  };
  /// Returns the first rows of [begin, end).
  Piece first_piece(std::int64_t begin, std::int64_t end) const {
    constexpr std::int64_t kElements = 1 << 15;
    const std::int64_t row = stencil.in[2] * stencil.step[1] * groups;
    const std::int64_t image = begin / rows(), first = begin - image * rows();
    const std::int64_t most = std::max<std::int64_t>(1, kElements / row);
    return {image, first, std::min({end - image * rows(), rows(), first + most})};
  }

  /// Calls fn(first channel, is_full, lanes) for each vector of the channels [begin, end).
  template <class Fn>
  void each_vector(std::int64_t begin, std::int64_t end, const Fn& fn) const {
    std::int64_t c = begin;
    if constexpr (kIsFast) {
      for (; c + kWidth <= end; c += kWidth) fn(c, std::true_type{}, static_cast<int>(kWidth));
    }
    for (; c < end; c += kWidth) {
      fn(c, std::false_type{}, static_cast<int>(std::min(kWidth, end - c)));
    }
  }

  /// Computes the parts [begin, end) of a gradient of the weights: each has the sums of a vector of
  /// channels.
  [[gnu::noinline]] void add_parts(const T* in, const T* gradient, T* parts, std::int64_t begin,
                                   std::int64_t end) const {
    const std::int64_t count = stencil.count, vectors = divide_up(groups, kWidth);
    const std::int64_t blocks = parts_count(), all = batch * rows();
    std::fill(parts + begin * count * kWidth, parts + end * count * kWidth, T(0));
    while (begin < end) {
      const std::int64_t block = begin / vectors, stop = std::min(end, (block + 1) * vectors);
      const std::int64_t low = (begin - block * vectors) * kWidth;
      const std::int64_t high = std::min((stop - block * vectors) * kWidth, groups);
      add_rows(in, gradient, parts + block * vectors * count * kWidth, low, high,
               all * block / blocks, all * (block + 1) / blocks);
      begin = stop;
    }
  }

  template <bool kFull>
  static V load(const T* from, int lanes) {
    return kFull ? cpu::load(from) : cpu::load_first(from, lanes);
  }

  std::int64_t target(int d, std::int64_t p) const {
    return p * stencil.out_step[d] + stencil.out_start[d];
  }

  void sum_row(const T* in, const T* weights, const T* bias, T* out, std::int64_t row,
               RowTap* taps) const {
    const std::int64_t z = row / stencil.grid[1], y = row % stencil.grid[1];
    const std::int64_t width = stencil.grid[2], count = taps_of(z, y, taps);
    std::int64_t inner_begin = 0, inner_end = width;
    for (std::int64_t t = 0; t < count; ++t) {
      inner_begin = std::max(inner_begin, taps[t].begin);
      inner_end = std::min(inner_end, taps[t].end);
    }
    T* const to = out + (target(0, z) * stencil.out[1] + target(1, y)) * stencil.out[2] * groups;
    for (std::int64_t x = 0; x < width;) {
      const bool is_block = x >= inner_begin && x < inner_end && inner_end - inner_begin >= kPixels;
      if (is_block) x = std::min(x, inner_end - kPixels);  // the last blocks may overlap
      const T* const from = in + x * stencil.step[2] * groups;
      T* const pixel = to + target(2, x) * groups;
      each_vector(0, groups, [&](std::int64_t c, auto is_full, int lanes) {
        const T* const start = bias == nullptr ? bias : bias + c;
        if (is_block) {
          sum_pixels<kPixels, is_full()>(from + c, weights + c, start, pixel + c, x, taps, count,
                                         lanes);
        } else {
          sum_pixels<1, is_full()>(from + c, weights + c, start, pixel + c, x, taps, count, lanes);
        }
      });
      x += is_block ? kPixels : 1;
    }
  }

  /// Lists the taps that read the input for pixels of a row; returns their number.
  std::int64_t taps_of(std::int64_t z, std::int64_t y, RowTap* taps) const {
    std::int64_t count = 0;
    for (std::int64_t t = 0; t < stencil.count; ++t) {
      const Tap& tap = stencil.taps[t];
      if (!reads(tap, z, y) || tap.begin[2] == tap.end[2]) continue;
      taps[count++] = {first_read(tap, z, y), tap.weight * groups, tap.begin[2], tap.end[2]};
    }
    return count;
  }

  /// Returns true if a tap reads the input for a row.
  static bool reads(const Tap& tap, std::int64_t z, std::int64_t y) {
    return z >= tap.begin[0] && z < tap.end[0] && y >= tap.begin[1] && y < tap.end[1];
  }
  /// Returns where a tap reads for the first pixel of a row, counted from the image.
  std::int64_t first_read(const Tap& tap, std::int64_t z, std::int64_t y) const {
    const std::int64_t line =
        (z * stencil.step[0] + tap.offset[0]) * stencil.in[1] + y * stencil.step[1] + tap.offset[1];
    return (line * stencil.in[2] + tap.offset[2]) * groups;
  }

  /// Computes neighbouring pixels from x on, which share the loads of the weights. Several pixels
  /// must have all taps.
  template <int kCount, bool kFull>
  [[gnu::noinline]] void sum_pixels(const T* from, const T* weights, const T* bias, T* to,
                                    std::int64_t x, const RowTap* taps, std::int64_t count,
                                    int lanes) const {
    V sums[kCount];
    const V start = bias == nullptr ? V{} : load<kFull>(bias, lanes);
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) sums[i] = start;
    const std::int64_t step = stencil.step[2] * groups, out_step = stencil.out_step[2] * groups;
    for (std::int64_t t = 0; t < count; ++t) {
      if (kCount == 1 && (x < taps[t].begin || x >= taps[t].end)) continue;
      const T* pixel = from + taps[t].from;
      const V factor = load<kFull>(weights + taps[t].weight, lanes);
#pragma GCC unroll 8
      for (int i = 0; i < kCount; ++i, pixel += step) {
        sums[i] = cpu::fma(factor, load<kFull>(pixel, lanes), sums[i]);
      }
    }
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i, to += out_step) {
      if constexpr (kFull) {
        cpu::store(to, sums[i]);
      } else {
        cpu::store_first(to, sums[i], lanes);
      }
    }
  }

  /// Adds the products of a row and what the taps read for it, for the channels of a vector.
  template <bool kFull>
  [[gnu::noinline]] void add_row(T* sums, const T* in, const T* gradient, std::int64_t row,
                                 int lanes) const {
    const std::int64_t z = row / stencil.grid[1], y = row % stencil.grid[1];
    const T* const g = gradient + row * stencil.grid[2] * groups;
    for (std::int64_t t = 0; t < stencil.count;) {
      const Tap* const taps = stencil.taps + t;
      T* const to = sums + t * kWidth;
      const bool is_three = t + 3 <= stencil.count && reads(taps[0], z, y) &&
                            reads(taps[1], z, y) && reads(taps[2], z, y);
      if (!is_three) {
        if (reads(taps[0], z, y)) {
          add_taps<1, kFull>(to, in, g, taps, z, y, taps->begin[2], taps->end[2], lanes);
        }
        ++t;
        continue;
      }
      // Three taps share the loads of the gradient where all of them read the input.
      const std::int64_t begin = std::max({taps[0].begin[2], taps[1].begin[2], taps[2].begin[2]});
      const std::int64_t end = std::min({taps[0].end[2], taps[1].end[2], taps[2].end[2]});
      add_taps<3, kFull>(to, in, g, taps, z, y, begin, end, lanes);
      for (int i = 0; i < 3; ++i) {
        const std::int64_t low = std::min(begin, taps[i].end[2]);
        add_taps<1, kFull>(to + i * kWidth, in, g, taps + i, z, y, taps[i].begin[2], low, lanes);
        add_taps<1, kFull>(to + i * kWidth, in, g, taps + i, z, y, std::max(low, end),
                           taps[i].end[2], lanes);
      }
      t += 3;
    }
  }

  template <int kTaps, bool kFull>
  [[gnu::noinline]] void add_taps(T* sums, const T* in, const T* gradient, const Tap* taps,
                                  std::int64_t z, std::int64_t y, std::int64_t begin,
                                  std::int64_t end, int lanes) const {
    if (begin >= end) return;
    const T* from[kTaps];
    V sum[kTaps];
    const std::int64_t step = stencil.step[2] * groups;
#pragma GCC unroll 3
    for (int i = 0; i < kTaps; ++i) {
      from[i] = in + first_read(taps[i], z, y);
      sum[i] = cpu::load(sums + i * kWidth);
    }
    for (std::int64_t x = begin; x < end; ++x) {
      const V g = load<kFull>(gradient + x * groups, lanes);
#pragma GCC unroll 3
      for (int i = 0; i < kTaps; ++i) {
        sum[i] = cpu::fma(g, load<kFull>(from[i] + x * step, lanes), sum[i]);
      }
    }
#pragma GCC unroll 3
    for (int i = 0; i < kTaps; ++i) cpu::store(sums + i * kWidth, sum[i]);
  }
};

}  // namespace tern::cpu
