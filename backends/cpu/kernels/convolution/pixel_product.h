#pragma once

#include <atomic>

#include <tern/backends/cpu/kernels/convolution/pixel_rows.h>
#include <tern/backends/cpu/kernels/convolution/tiles.h>

namespace tern::cpu {

/// A convolution of channels-last tensors as a product of matrices with a row for each pixel and a
/// column for each channel of the result:
///   out[n, p, g, i] = bias[g, i] + the sum over taps t and channels c of
///                     (what t reads from channel c of `in` for p) * weights[g, i, t, c].
/// Tensors of type S are multiplied in elements of type E. If E holds two steps, an even number of
/// channels keeps those of a pixel together. The result has the same bits for any number of
/// threads.
template <class S, class E = S>
class PixelProduct {
 public:
  using T = SumOf<S>;

  explicit PixelProduct(const Stencil& given) : stencil(given) {}

  const Stencil& stencil;
  ScalarType dtype = kFloat32;
  std::int64_t batch = 0, groups = 0, rows = 0, channels = 0;  // of one group
  const S* weights = nullptr;
  std::int64_t w_group = 0, w_row = 0, w_tap = 0, w_channel = 0;  // the strides of `weights`
  const S* in = nullptr;    // [batch, stencil.in, groups * channels]
  const S* bias = nullptr;  // [groups * rows]; null: none
  S* out = nullptr;         // [batch, stencil.out, groups * rows]

  /// Returns false if out of memory.
  bool run() {
    const std::int64_t all = groups * units();
    const int threads = convolution_threads(groups * pixels() * rows * steps());
    // Threads that share columns pack the same weights.
    constexpr std::int64_t kFewUnits = 128 / kTileRows;
    pixel_parts_ = std::clamp<std::int64_t>(all / kFewUnits, 1, threads);
    column_parts_ = std::clamp<std::int64_t>(threads / pixel_parts_, 1, vectors());
    detail::run_parallel(
        static_cast<int>(pixel_parts_ * column_parts_),
        [](void* self, int part) { static_cast<PixelProduct*>(self)->run_part(part); }, this);
    return !out_of_memory_;
  }

 private:
  static constexpr std::int64_t kWidth = kLanes<T>, kSteps = PackedElement<E>::kSteps;
  /// True if sums must not be rounded before all steps are added.
  static constexpr bool kIsNarrow = !std::is_same_v<S, T>;
  static constexpr std::int64_t kPanelBytes = 384 << 10, kRowsBytes = 128 << 10;
  static constexpr std::int64_t kFewestSteps = 256, kMostPixels = 256;

  std::int64_t pixels() const { return batch * volume(stencil.grid); }
  std::int64_t units() const { return divide_up(pixels(), kTileRows); }
  std::int64_t steps() const { return channels * stencil.count; }
  std::int64_t vectors() const { return divide_up(rows, kWidth); }

  /// What a thread computes at once: the vectors [begin, end) of columns, the steps [step,
  /// step_end), and pixels of a group.
  struct Block {
    E* panel;     // [vectors, elements, kWidth]: packed weights
    S* gathered;  // [pixels_at_once, elements * kSteps]: what the pixels read
    T* sums;      // [pixels_at_once, vectors * kWidth]; null: the result itself holds them
    T* start;     // [vectors * kWidth]: the bias
    std::int64_t pixels_at_once, group, begin, end, step, step_end;

    std::int64_t vectors() const { return end - begin; }
    std::int64_t steps() const { return step_end - step; }
    std::int64_t elements() const { return divide_up(steps(), kSteps); }
  };

  void run_part(int part) {
    const std::int64_t pixel_part = part / column_parts_, column_part = part % column_parts_;
    const std::int64_t first_vector = vectors() * column_part / column_parts_;
    const std::int64_t last_vector = vectors() * (column_part + 1) / column_parts_;
    const std::int64_t all = groups * units();
    const std::int64_t first = all * pixel_part / pixel_parts_;
    const std::int64_t last = all * (pixel_part + 1) / pixel_parts_;

    // The same blocks for any number of threads give the same bits.
    const std::int64_t most_steps =
        std::max(kPanelBytes / (vectors() * std::int64_t{kVectorBytes}), kFewestSteps);
    const std::int64_t step_blocks = kIsNarrow ? 1 : divide_up(steps(), most_steps);
    const std::int64_t elements = divide_up(divide_up(steps(), step_blocks), kSteps);
    const std::int64_t vectors_at_once =
        std::clamp<std::int64_t>(kPanelBytes / (elements * kVectorBytes), kTileVectors,
                                 std::max<std::int64_t>(last_vector - first_vector, kTileVectors));
    Block block{};
    block.pixels_at_once = std::clamp<std::int64_t>(
        kRowsBytes / (elements * std::int64_t{sizeof(E)}) / kTileRows * kTileRows, kTileRows,
        kMostPixels);
    const PixelRows<S> inputs(stencil, channels, groups * channels);
    const bool has_sums = kIsNarrow || !stencil.is_dense();
    const std::int64_t panel_size = vectors_at_once * elements * kWidth;
    const std::int64_t gathered_size = inputs.is_direct() ? 0 : block.pixels_at_once * elements;
    const std::int64_t sums_row = vectors_at_once * kWidth;
    const std::int64_t sums_size = has_sums ? block.pixels_at_once * sums_row : 0;
    static_assert(sizeof(E) == sizeof(T));
    E* const memory = thread_scratch<E>(panel_size + gathered_size + sums_size + sums_row);
    if (memory == nullptr) {
      out_of_memory_ = true;
      return;
    }
    block.panel = memory;
    block.gathered = reinterpret_cast<S*>(memory + panel_size);
    block.start = reinterpret_cast<T*>(memory + panel_size + gathered_size);
    block.sums = has_sums ? block.start + sums_row : nullptr;
    for (std::int64_t at = first; at < last;) {
      block.group = at / units();
      const std::int64_t unit = at % units(), unit_end = std::min(units(), unit + last - at);
      for (block.begin = first_vector; block.begin < last_vector; block.begin = block.end) {
        block.end = std::min(block.begin + vectors_at_once, last_vector);
        for (std::int64_t i = 0; i < step_blocks; ++i) {
          block.step = steps() * i / step_blocks;
          block.step_end = steps() * (i + 1) / step_blocks;
          pack(block);
          const std::int64_t end = std::min(unit_end * kTileRows, pixels());
          for (std::int64_t p = unit * kTileRows; p < end; p += block.pixels_at_once) {
            compute(block, inputs, p, std::min(p + block.pixels_at_once, end));
          }
        }
      }
      at += unit_end - unit;
    }
  }

  /// Packs the weights of the block's columns and steps, and their bias.
  void pack(const Block& block) const {
    const Format<S> format(dtype);
    const std::int64_t first = block.begin * kWidth;
    if (bias != nullptr) {
      load_span(format, block.start, bias + block.group * rows + first,
                std::min(block.end * kWidth, rows) - first);
    }
    for (std::int64_t v = block.begin; v < block.end; ++v) {
      E* to = block.panel + (v - block.begin) * block.elements() * kWidth;
      const S* const from = weights + block.group * w_group + v * kWidth * w_row;
      const auto lanes = static_cast<int>(std::min(kWidth, rows - v * kWidth));
      for (std::int64_t k = block.step; k < block.step_end;) {
        const std::int64_t tap = k / channels, channel = k % channels;
        std::int64_t count = std::min(channels - channel, block.step_end - k);
        const std::int64_t weight = stencil.taps[tap].weight;
        // The weights of a convolution are in the order of the steps.
        if (weight == tap && w_channel == 1 && w_tap == channels) count = block.step_end - k;
        pack_steps<kWidth>(format, to, from + weight * w_tap + channel * w_channel, w_row,
                           w_channel, lanes, count);
        to += divide_up(count, kSteps) * kWidth;
        k += count;
      }
    }
  }

  /// Computes the pixels [first, last).
  void compute(const Block& block, const PixelRows<S>& inputs, std::int64_t first,
               std::int64_t last) const {
    const std::int64_t pitch = groups * rows, column = block.group * rows + block.begin * kWidth;
    const std::int64_t columns = std::min(block.end * kWidth, rows) - block.begin * kWidth;
    const S* const a = in + block.group * channels;
    const bool is_first = block.step == 0;
    T* c = block.sums;
    std::int64_t c_row = block.vectors() * kWidth;
    if constexpr (!kIsNarrow) {
      if (block.sums == nullptr) {
        c = out + column + first * pitch;
        c_row = pitch;
      } else if (!is_first) {
        each_result(first, last, [&](std::int64_t p, std::int64_t place) {
          copy_span(c + p * c_row, out + column + place * pitch, columns * std::int64_t{sizeof(T)});
        });
      }
    }
    // Adds the steps [step, step + count) of `lines` pixels, from p on.
    const auto multiply = [&](const S* rows_of_a, std::int64_t a_row, std::int64_t p,
                              std::int64_t lines, std::int64_t step, std::int64_t count) {
      multiply_tiles<E>(
          lines, block.vectors(),
          {reinterpret_cast<const E*>(rows_of_a), a_row / kSteps, 1,
           block.panel + (step - block.step) / kSteps * kWidth, kWidth, block.elements() * kWidth,
           divide_up(count, kSteps)},
          {c + (p - first) * c_row, c_row, step == 0 && bias != nullptr ? block.start : nullptr,
           T(1), step == 0 ? T(0) : T(1),
           static_cast<int>(columns - (block.vectors() - 1) * kWidth)});
    };
    if (inputs.is_direct()) {
      const std::int64_t a_row = groups * channels;
      multiply(a + first * a_row + block.step, a_row, first, last - first, block.step,
               block.steps());
    } else if (inputs.has_lines() && block.steps() == steps()) {
      inputs.copy_lines(block.gathered, a, first, last, [&](const auto& line) {
        multiply(block.gathered, stencil.step[2] * channels, line.first, line.count,
                 line.tap * channels, line.taps * channels);
      });
    } else {
      const std::int64_t a_row = block.elements() * kSteps;
      inputs.gather(block.gathered, a_row, a, block.step, block.step_end, first, last);
      for (std::int64_t p = 0; block.steps() < a_row && p < last - first; ++p) {
        block.gathered[p * a_row + block.steps()] = S{};
      }
      multiply(block.gathered, a_row, first, last - first, block.step, block.steps());
    }
    if (block.sums == nullptr) return;
    const Format<S> format(dtype);
    each_result(first, last, [&](std::int64_t p, std::int64_t place) {
      store_span(format, out + column + place * pitch, c + p * c_row, columns);
    });
  }

  /// Calls fn(p - first, number of the result's pixel) for the pixels of the grid.
  template <class Fn>
  void each_result(std::int64_t first, std::int64_t last, const Fn& fn) const {
    const Stencil& s = stencil;
    for (std::int64_t p = first; p < last; ++p) {
      const std::int64_t x = p % s.grid[2], line = p / s.grid[2];
      const std::int64_t y = line % s.grid[1], z = line / s.grid[1] % s.grid[0];
      std::int64_t place = line / s.grid[1] / s.grid[0];
      const std::int64_t at[3] = {z, y, x};
      for (int d = 0; d < 3; ++d) {
        place = place * s.out[d] + at[d] * s.out_step[d] + s.out_start[d];
      }
      fn(p - first, place);
    }
  }

  std::int64_t pixel_parts_ = 1, column_parts_ = 1;
  std::atomic<bool> out_of_memory_{false};
};

}  // namespace tern::cpu
