#pragma once

#include <algorithm>

#include <tern/backends/cpu/kernels/support/span.h>
#include <tern/core/kernels/families/convolution.h>

// A convolution and the gradient of its input are both sums over taps: weights
// that multiply a shifted input. The gradient of a convolution with a stride
// consists of one such sum, a phase, for each remainder of a position divided
// by the stride.

namespace tern::cpu {

using kernels::ConvolutionArgs;
using kernels::volume;

/// Element p * step + offset of the input is multiplied by element `weight` of
/// the kernel. In dimension d this is an element of the input for the positions
/// [begin[d], end[d]).
struct Tap {
  std::int64_t offset[3], weight, begin[3], end[3];
};

/// The positions of a sum over taps. Outside of its extents `in` the input is
/// 0. Position p of `grid` is element p * out_step + out_start of a result with
/// the extents `out`.
struct Stencil {
  std::int64_t grid[3], in[3], step[3];
  std::int64_t out[3], out_start[3], out_step[3];
  Tap* taps;  // room for all elements of the kernel
  std::int64_t count;

  /// Adds a tap, whose offset and weight are set.
  void add(Tap tap) {
    for (int d = 0; d < 3; ++d) {
      const auto first_at_least = [&](std::int64_t element) {
        const std::int64_t room = element - tap.offset[d];
        return room <= 0 ? 0 : std::min((room + step[d] - 1) / step[d], grid[d]);
      };
      tap.begin[d] = first_at_least(0);
      tap.end[d] = std::max(tap.begin[d], first_at_least(in[d]));
    }
    taps[count++] = tap;
  }
  /// Returns true if the grid is the whole result.
  bool is_dense() const { return volume(grid) == volume(out); }
  /// Returns true if pixel i of the grid reads element i of the input, and nothing else.
  bool is_point() const {
    bool result = count == 1;
    for (int d = 0; d < 3; ++d) {
      result = result && grid[d] == in[d] && step[d] == 1 && taps[0].offset[d] == 0;
    }
    return result;
  }
};

/// Calls fn(k) with the three indices of each element of the kernel.
template <class Fn>
void each_tap(const ConvolutionArgs& args, const Fn& fn) {
  std::int64_t k[3];
  for (k[0] = 0; k[0] < args.kernel[0]; ++k[0]) {
    for (k[1] = 0; k[1] < args.kernel[1]; ++k[1]) {
      for (k[2] = 0; k[2] < args.kernel[2]; ++k[2]) fn(k);
    }
  }
}

/// Returns the stencil of the convolution.
[[gnu::noinline]] inline Stencil forward_stencil(const ConvolutionArgs& args, Tap* taps) {
  Stencil s{};
  for (int d = 0; d < 3; ++d) {
    s.grid[d] = s.out[d] = args.out_sizes[d];
    s.in[d] = args.in[d];
    s.step[d] = args.stride[d];
    s.out_step[d] = 1;
  }
  s.taps = taps;
  each_tap(args, [&](const std::int64_t* k) {
    Tap tap{{}, s.count, {}, {}};
    for (int d = 0; d < 3; ++d) tap.offset[d] = k[d] * args.dilation[d] - args.padding[d];
    s.add(tap);
  });
  return s;
}

/// Returns the stencil of the phase of the gradient of the input that computes the elements r +
/// p * stride.
[[gnu::noinline]] inline Stencil gradient_stencil(const ConvolutionArgs& args,
                                                  const std::int64_t* r, Tap* taps) {
  Stencil s{};
  for (int d = 0; d < 3; ++d) {
    s.grid[d] = (args.in[d] - r[d] + args.stride[d] - 1) / args.stride[d];
    s.in[d] = args.out_sizes[d];
    s.step[d] = 1;
    s.out[d] = args.in[d];
    s.out_start[d] = r[d];
    s.out_step[d] = args.stride[d];
  }
  s.taps = taps;
  std::int64_t weight = 0;
  each_tap(args, [&](const std::int64_t* k) {
    Tap tap{{}, weight++, {}, {}};
    for (int d = 0; d < 3; ++d) {
      const std::int64_t at = r[d] + args.padding[d] - k[d] * args.dilation[d];
      if (at % args.stride[d] != 0) return;
      tap.offset[d] = at / args.stride[d];
    }
    s.add(tap);
  });
  return s;
}

/// Calls fn(s) with the stencil of each phase of the gradient of the input that
/// has taps. The taps of all phases stand one after the other. Returns false if
/// there are positions without taps.
template <class Fn>
bool each_gradient_stencil(const ConvolutionArgs& args, Tap* taps, const Fn& fn) {
  std::int64_t phases[3], r[3], pixels = 0;
  for (int d = 0; d < 3; ++d) phases[d] = std::min(args.stride[d], args.in[d]);
  for (r[0] = 0; r[0] < phases[0]; ++r[0]) {
    for (r[1] = 0; r[1] < phases[1]; ++r[1]) {
      for (r[2] = 0; r[2] < phases[2]; ++r[2]) {
        const Stencil s = gradient_stencil(args, r, taps);
        if (s.count == 0) continue;
        taps += s.count;
        pixels += volume(s.grid);
        fn(s);
      }
    }
  }
  return pixels == volume(args.in);
}

/// Sets to[i] to what `tap` reads from `plane` for pixel first + i of the grid,
/// i < last - first.
template <class T>
void gather_pixels(T* to, const T* plane, const Stencil& s, const Tap& tap, std::int64_t first,
                   std::int64_t last) {
  const std::int64_t width = s.grid[2], row_size = s.in[2];
  const auto copy = [](T* target, const T* from, std::int64_t n) {
    copy_span(target, from, n * static_cast<std::int64_t>(sizeof(T)));
  };
  std::int64_t x = first % width, y = first / width % s.grid[1], z = first / width / s.grid[1];
  for (std::int64_t left = last - first; left > 0;) {
    const std::int64_t x_end = std::min(width, x + left), n = x_end - x;
    if (z >= tap.begin[0] && z < tap.end[0] && y >= tap.begin[1] && y < tap.end[1]) {
      const std::int64_t begin = std::clamp(tap.begin[2], x, x_end);
      const std::int64_t end = std::clamp(tap.end[2], begin, x_end);
      for (std::int64_t i = x; i < begin; ++i) to[i - x] = T(0);
      const std::int64_t row = (z * s.step[0] + tap.offset[0]) * s.in[1];
      const T* const from = plane + (row + y * s.step[1] + tap.offset[1]) * row_size +
                            begin * s.step[2] + tap.offset[2];
      if (s.step[2] == 1) {
        copy(to + (begin - x), from, end - begin);
      } else {
        gather_span(to + (begin - x), from, s.step[2], end - begin);
      }
      for (std::int64_t i = end; i < x_end; ++i) to[i - x] = T(0);
    } else {
      std::fill(to, to + n, T(0));
    }
    to += n;
    left -= n;
    x = 0;
    if (++y == s.grid[1]) y = 0, ++z;
  }
}

/// Writes the results of the pixels [first, last) of the grid, which lie one
/// after the other, to their places in a plane of the result.
template <class T>
void scatter_pixels(T* plane, const T* from, const Stencil& s, std::int64_t first,
                    std::int64_t last) {
  const std::int64_t width = s.grid[2];
  std::int64_t x = first % width, y = first / width % s.grid[1], z = first / width / s.grid[1];
  for (std::int64_t left = last - first; left > 0;) {
    const std::int64_t n = std::min(width - x, left), step = s.out_step[2];
    const std::int64_t row = (z * s.out_step[0] + s.out_start[0]) * s.out[1];
    T* const to =
        plane + (row + y * s.out_step[1] + s.out_start[1]) * s.out[2] + x * step + s.out_start[2];
    for (std::int64_t i = 0; i < n; ++i) to[i * step] = from[i];
    from += n;
    left -= n;
    x = 0;
    if (++y == s.grid[1]) y = 0, ++z;
  }
}

}  // namespace tern::cpu
