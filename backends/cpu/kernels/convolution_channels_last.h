#pragma once

#include <atomic>

#include <tern/backends/cpu/kernels/convolution_stencil.h>
#include <tern/backends/cpu/kernels/divide_up.h>
#include <tern/backends/cpu/kernels/gemm_simd.h>
#include <tern/backends/cpu/kernels/scratch.h>
#include <tern/core/base/thread_pool.h>

// Convolutions with one channel of input and of output per group, of tensors [batch, extents...,
// groups]: a vector holds neighbouring channels of a pixel, so that borders cost nothing.

namespace tern::cpu {

/// The pixel of the input that a tap reads, counted in elements of the first channel.
struct PixelTap {
  std::int64_t from, tap;
};

template <class T>
class DepthwiseChannelsLast {
 public:
  using S = Simd<T>;
  using V = typename S::V;
  static constexpr std::int64_t kWidth = S::kWidth, kGrain = 1 << 15;

  const Stencil& stencil;
  std::int64_t batch, groups;

  /// out = bias + the sum over taps of weights[tap, group] * in, for the pixels of the grid.
  /// Returns false if out of memory.
  bool sum(const T* in, const T* weights, const T* bias, T* out) const {
    std::atomic<bool> out_of_memory{false};
    const std::int64_t rows = stencil.grid[0] * stencil.grid[1], width = stencil.grid[2];
    const std::int64_t work = width * groups * (stencil.count + 2);
    std::int64_t inner_begin = 0, inner_end = width;
    for (std::int64_t t = 0; t < stencil.count; ++t) {
      inner_begin = std::max(inner_begin, stencil.taps[t].begin[2]);
      inner_end = std::min(inner_end, stencil.taps[t].end[2]);
    }
    parallel_for(0, batch * rows, kGrain / work, [&](std::int64_t begin, std::int64_t end) {
      auto* const taps = scratch_of<PixelTap>(stencil.count + 1);
      if (taps == nullptr) {
        out_of_memory = true;
        return;
      }
      for (std::int64_t row = begin; row < end; ++row) {
        const std::int64_t image = row / rows, z = row % rows / stencil.grid[1];
        const std::int64_t y = row % stencil.grid[1];
        const T* const from = in + image * volume(stencil.in) * groups;
        const std::int64_t line = (image * stencil.out[0] + target(0, z)) * stencil.out[1];
        std::int64_t count = 0, listed = 0;
        for (std::int64_t x = 0; x < width; ++x) {
          // Between the borders, all pixels of a row have the same taps, moved on.
          if (x <= inner_begin || x >= inner_end) count = taps_of(z, y, listed = x, taps);
          const T* const pixel = from + (x - listed) * stencil.step[2] * groups;
          T* const to = out + ((line + target(1, y)) * stencil.out[2] + target(2, x)) * groups;
          std::int64_t c = 0;
          for (; c + 4 * kWidth <= groups; c += 4 * kWidth) {
            sum_channels<4>(pixel + c, weights + c, bias, to + c, c, taps, count);
          }
          if (c + 2 * kWidth <= groups) {
            sum_channels<2>(pixel + c, weights + c, bias, to + c, c, taps, count);
            c += 2 * kWidth;
          }
          for (; c < groups; c += kWidth) {
            sum_channels<1>(pixel + c, weights + c, bias, to + c, c, taps, count);
          }
        }
      }
    });
    return !out_of_memory;
  }

  /// out[group, tap] = the sum over images and pixels of gradient * what the tap reads.
  bool weight_gradient(const T* in, const T* gradient, T* out) const {
    std::atomic<bool> out_of_memory{false};
    const std::int64_t count = stencil.count;
    const std::int64_t work = batch * volume(stencil.grid) * count * kWidth;
    parallel_for(0, divide_up(groups, kWidth), kGrain / work,
                 [&](std::int64_t begin, std::int64_t end) {
                   T* const sums = scratch_of<T>(count * kWidth);
                   if (sums == nullptr) {
                     out_of_memory = true;
                     return;
                   }
                   for (std::int64_t v = begin; v < end; ++v) {
                     const std::int64_t c = v * kWidth;
                     const auto lanes = static_cast<int>(std::min(kWidth, groups - c));
                     std::fill_n(sums, count * kWidth, T(0));
                     for (std::int64_t image = 0; image < batch; ++image) {
                       for (std::int64_t t = 0; t < count; ++t) {
                         add_tap(sums + t * kWidth, stencil.taps[t],
                                 in + image * volume(stencil.in) * groups + c,
                                 gradient + image * volume(stencil.grid) * groups + c, lanes);
                       }
                     }
                     for (std::int64_t l = 0; l < lanes; ++l) {
                       for (std::int64_t t = 0; t < count; ++t) {
                         out[(c + l) * count + t] = sums[t * kWidth + l];
                       }
                     }
                   }
                 });
    return !out_of_memory;
  }

 private:
  std::int64_t target(int d, std::int64_t p) const {
    return p * stencil.out_step[d] + stencil.out_start[d];
  }

  /// Adds the products of an image and what a tap reads of it, for the channels of a vector.
  void add_tap(T* to, const Tap& tap, const T* in, const T* gradient, int lanes) const {
    constexpr int kSums = 4;  // hide the latency of an addition
    V sums[kSums] = {S::load(to)};
    const std::int64_t step = stencil.step[2] * groups;
    for (std::int64_t z = tap.begin[0]; z < tap.end[0]; ++z) {
      for (std::int64_t y = tap.begin[1]; y < tap.end[1]; ++y) {
        const std::int64_t row = (z * stencil.step[0] + tap.offset[0]) * stencil.in[1] +
                                 y * stencil.step[1] + tap.offset[1];
        const T* const from = in + (row * stencil.in[2] + tap.offset[2]) * groups;
        const T* const g = gradient + (z * stencil.grid[1] + y) * stencil.grid[2] * groups;
        std::int64_t x = tap.begin[2];
        for (; x + kSums <= tap.end[2]; x += kSums) {
#pragma GCC unroll 4
          for (int i = 0; i < kSums; ++i) {
            sums[i] = S::fma(S::load_first(g + (x + i) * groups, lanes),
                             S::load_first(from + (x + i) * step, lanes), sums[i]);
          }
        }
        for (; x < tap.end[2]; ++x) {
          sums[0] = S::fma(S::load_first(g + x * groups, lanes),
                           S::load_first(from + x * step, lanes), sums[0]);
        }
      }
    }
    S::store(to, (sums[0] + sums[1]) + (sums[2] + sums[3]));
  }

  /// Lists the taps that read the input for a pixel of the grid; returns their number.
  std::int64_t taps_of(std::int64_t z, std::int64_t y, std::int64_t x, PixelTap* taps) const {
    std::int64_t count = 0;
    const std::int64_t at[3] = {z, y, x};
    for (std::int64_t t = 0; t < stencil.count; ++t) {
      const Tap& tap = stencil.taps[t];
      std::int64_t from = 0;
      bool is_inside = true;
      for (int d = 0; d < 3; ++d) {
        is_inside = is_inside && at[d] >= tap.begin[d] && at[d] < tap.end[d];
        from = from * stencil.in[d] + at[d] * stencil.step[d] + tap.offset[d];
      }
      if (is_inside) taps[count++] = {from * groups, t};
    }
    return count;
  }

  template <int kVectors>
  void sum_channels(const T* from, const T* weights, const T* bias, T* to, std::int64_t c,
                    const PixelTap* taps, std::int64_t count) const {
    const auto lanes = static_cast<int>(std::min(kWidth, groups - c));
    const auto load = [&](const T* p) {
      return kVectors == 1 ? S::load_first(p, lanes) : S::load(p);
    };
    V sums[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v)
      sums[v] = bias == nullptr ? V{} : load(bias + c + v * kWidth);
    for (std::int64_t i = 0; i < count; ++i) {
      const T* const row = from + taps[i].from;
      const T* const factors = weights + stencil.taps[taps[i].tap].weight * groups;
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        sums[v] = S::fma(load(factors + v * kWidth), load(row + v * kWidth), sums[v]);
      }
    }
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      if constexpr (kVectors == 1) {
        S::store_first(to, sums[0], lanes);
      } else {
        S::store(to + v * kWidth, sums[v]);
      }
    }
  }
};

}  // namespace tern::cpu
