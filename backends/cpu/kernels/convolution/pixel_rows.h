#pragma once

#include <tern/backends/cpu/kernels/convolution/stencil.h>
#include <tern/backends/cpu/kernels/gemm/format.h>
#include <tern/backends/cpu/kernels/support/divide_up.h>

namespace tern::cpu {

/// The inputs of a product whose rows are the pixels of the grid, of all images one after the
/// other. Step tap * channels + c of row p is what the tap reads from channel c for pixel p, in a
/// channels-last tensor whose pixels are `pitch` elements apart.
template <class S>
class PixelRows {
 public:
  PixelRows(const Stencil& stencil, std::int64_t channels, std::int64_t pitch)
      : stencil_(stencil), channels_(channels), pitch_(pitch) {}

  /// Returns true if row p is pixel p of the input.
  bool is_direct() const { return stencil_.is_point(); }

  /// Returns true if copy_lines() is faster than gather(): lines are long, and neighbouring pixels
  /// read most elements of a pixel, too.
  bool has_lines() const {
    constexpr std::int64_t kFewestPixels = 24;
    const std::int64_t taps = joined(0);
    return std::is_floating_point_v<S> && stencil_.grid[2] >= kFewestPixels && taps > 1 &&
           stencil_.step[2] <= taps;
  }

  /// Pixels of a line of the grid, and taps that read pixels of a row of the input that lie one
  /// after the other.
  struct Line {
    std::int64_t first, count;  // the pixels
    std::int64_t tap, taps;
    const S* row;
    std::int64_t width;  // of the row, in pixels; 0: the taps read zeros
    std::int64_t x;      // what the first tap reads for the first pixel
  };

  /// For each line of the pixels [first, last) sets to[(p - line.first) * step * channels + k] to
  /// what the taps of the line read for pixel p, and calls fn(line). `in` is the first channel of
  /// the first pixel.
  template <class Fn>
  void copy_lines(S* to, const S* in, std::int64_t first, std::int64_t last, const Fn& fn) const {
    each_line(in, first, last, 0, stencil_.count, [&](const Line& line) {
      const std::int64_t size = (line.count - 1) * stencil_.step[2] + line.taps;
      const std::int64_t begin = std::clamp(-line.x, std::int64_t{0}, size);
      const std::int64_t end = std::clamp(line.width - line.x, begin, size);
      std::fill(to, to + begin * channels_, S{});
      copy_span(to + begin * channels_, line.row + (line.x + begin) * channels_,
                (end - begin) * channels_ * static_cast<std::int64_t>(sizeof(S)));
      std::fill(to + end * channels_, to + size * channels_, S{});
      fn(line);
    });
  }

  /// Sets to[(p - first) * to_pitch + k - begin] for first <= p < last and begin <= k < end. `in`
  /// is the first channel of the first pixel.
  void gather(S* to, std::int64_t to_pitch, const S* in, std::int64_t begin, std::int64_t end,
              std::int64_t first, std::int64_t last) const {
    each_line(in, first, last, begin / channels_, divide_up(end, channels_), [&](const Line& line) {
      const std::int64_t start = line.tap * channels_;
      const Run run{std::max(begin - start, std::int64_t{0}),
                    std::min(end - start, line.taps * channels_), line.width,
                    std::max(start - begin, std::int64_t{0}) + kLanes<SumOf<S>> <= to_pitch};
      gather_span(to + (line.first - first) * to_pitch + start - begin, to_pitch, line.row, line.x,
                  line.count, run);
    });
  }

 private:
  /// The elements [begin, end) of a pixel and those behind it, in a row of `width` pixels. If it is
  /// before others, a whole vector may be stored, because they are gathered later.
  struct Run {
    std::int64_t begin, end, width;
    bool is_before_others;
  };

  /// Calls fn(line) for each line of the pixels [first, last) and the taps [tap, tap_end).
  template <class Fn>
  void each_line(const S* in, std::int64_t first, std::int64_t last, std::int64_t tap,
                 std::int64_t tap_end, const Fn& fn) const {
    const Stencil& s = stencil_;
    const std::int64_t width = s.grid[2];
    for (std::int64_t p = first; p < last;) {
      const std::int64_t x = p % width, line = p / width, count = std::min(width - x, last - p);
      const std::int64_t y = line % s.grid[1] * s.step[1];
      const std::int64_t z = line / s.grid[1] % s.grid[0] * s.step[0];
      const S* const image = in + line / s.grid[1] / s.grid[0] * volume(s.in) * pitch_;
      for (std::int64_t t = tap; t < tap_end;) {
        const std::int64_t* const offset = s.taps[t].offset;
        const std::int64_t taps = joined(t), from_z = z + offset[0], from_y = y + offset[1];
        const bool is_inside = from_z >= 0 && from_z < s.in[0] && from_y >= 0 && from_y < s.in[1];
        const std::int64_t row = is_inside ? (from_z * s.in[1] + from_y) * s.in[2] : 0;
        fn(Line{p, count, t, taps, image + row * pitch_, is_inside ? s.in[2] : 0,
                x * s.step[2] + offset[2]});
        t += taps;
      }
      p += count;
    }
  }

  /// Returns how many taps from t on read pixels that lie one after the other in memory.
  std::int64_t joined(std::int64_t t) const {
    std::int64_t count = 1;
    if (pitch_ != channels_) return count;
    const Tap& tap = stencil_.taps[t];
    for (; t + count < stencil_.count; ++count) {
      const Tap& next = stencil_.taps[t + count];
      if (next.offset[0] != tap.offset[0] || next.offset[1] != tap.offset[1] ||
          next.offset[2] != tap.offset[2] + count) {
        break;
      }
    }
    return count;
  }

  /// Copies a run for `count` pixels, the first of which reads pixel x of the row.
  void gather_span(S* to, std::int64_t to_pitch, const S* row, std::int64_t x, std::int64_t count,
                   const Run& run) const {
    for (; count > 0; --count, x += stencil_.step[2], to += to_pitch) {
      const std::int64_t low = std::clamp(-x * channels_, run.begin, run.end);
      const std::int64_t high = std::clamp((run.width - x) * channels_, low, run.end);
      const S* const from = row + x * pitch_;
      if constexpr (std::is_floating_point_v<S>) {
        if (run.end - run.begin <= kLanes<S> && low == run.begin) {  // the zeros come by themselves
          const auto elements = load_first(from + low, static_cast<int>(high - low));
          if (run.is_before_others) {
            store(to + low, elements);
          } else {
            store_first(to + low, elements, static_cast<int>(run.end - low));
          }
          continue;
        }
      }
      std::fill(to + run.begin, to + low, S{});
      copy_span(to + low, from + low, (high - low) * static_cast<std::int64_t>(sizeof(S)));
      std::fill(to + high, to + run.end, S{});
    }
  }

  const Stencil& stencil_;
  const std::int64_t channels_, pitch_;
};

}  // namespace tern::cpu
