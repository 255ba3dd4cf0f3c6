#pragma once

#include <atomic>

#include <tern/backends/cpu/kernels/convolution/pixel_rows.h>
#include <tern/backends/cpu/kernels/convolution/tiles.h>

namespace tern::cpu {

/// The gradient of the weights of a convolution of channels-last tensors:
///   out[g, o, t, c] = the sum over images n and pixels p of gradient[n, p, g, o] *
///                     (what tap t reads from channel c of `in` for p).
/// As a product of matrices it has a row for each step (t, c), a column for each o, and adds over
/// the pixels in blocks. The result has the same bits for any number of threads, because no thread
/// adds for another. Tensors of type S are multiplied in elements of type E.
template <class S, class E = S>
class PixelWeightGradient {
 public:
  using T = SumOf<S>;

  explicit PixelWeightGradient(const Stencil& given) : stencil(given) {}

  const Stencil& stencil;
  ScalarType dtype = kFloat32;
  std::int64_t batch = 0, groups = 0, outputs = 0, channels = 0;  // of one group
  const S* in = nullptr;        // [batch, stencil.in, groups * channels]
  const S* gradient = nullptr;  // [batch, stencil.grid, groups * outputs]
  T* out = nullptr;             // [groups * outputs, taps, channels]

  /// Returns false if out of memory.
  bool run() {
    const std::int64_t row_bytes = vectors() * kVectorBytes;
    pixels_at_once_ = std::clamp<std::int64_t>(kPanelBytes / row_bytes, 32, kMostPixels);
    rows_at_once_ = std::max<std::int64_t>(kSumsBytes / row_bytes / kTileRows, 1) * kTileRows;
    parts_ = std::min<std::int64_t>(convolution_threads(groups * rows() * outputs * pixels()),
                                    groups * strips());
    detail::run_parallel(
        static_cast<int>(parts_),
        [](void* self, int part) { static_cast<PixelWeightGradient*>(self)->run_part(part); },
        this);
    return !out_of_memory_;
  }

 private:
  static constexpr std::int64_t kSteps = PackedElement<E>::kSteps;
  static constexpr std::int64_t kWidth = kLanes<T>, kPanelBytes = 192 << 10;
  static constexpr std::int64_t kSumsBytes = 192 << 10, kMostPixels = 128;

  std::int64_t pixels() const { return batch * volume(stencil.grid); }
  std::int64_t rows() const { return channels * stencil.count; }
  std::int64_t strips() const { return divide_up(rows(), kTileRows); }
  std::int64_t vectors() const { return divide_up(outputs, kWidth); }
  std::int64_t sums_row() const { return vectors() * kWidth; }
  /// Rows of what the pixels read are this many elements apart.
  std::int64_t pitch(std::int64_t rows) const {
    return shares_cache_sets<S>(rows) ? rows + kWidth : rows;
  }

  struct Memory {
    T* sums;      // [rows, vectors, kWidth]
    E* panel;     // [vectors, elements, kWidth]: the gradient
    E* strip;     // [elements, kTileRows]: a strip of rows, if E holds several pixels
    S* gathered;  // [pixels, pitch(rows)]: what the pixels read
  };

  void run_part(int part) {
    const std::int64_t all = groups * strips();
    const std::int64_t first = all * part / parts_, last = all * (part + 1) / parts_;
    const std::int64_t most_rows = std::min(rows_at_once_, strips() * kTileRows);
    const std::int64_t elements = divide_up(pixels_at_once_, kSteps);
    const std::int64_t sums_size = most_rows * sums_row(), panel_size = elements * sums_row();
    const std::int64_t strip_size = elements * kTileRows;
    static_assert(sizeof(E) == sizeof(T));
    E* const memory =
        thread_scratch<E>(sums_size + panel_size + strip_size + elements * (most_rows + kWidth));
    if (memory == nullptr) {
      out_of_memory_ = true;
      return;
    }
    E* const panel = memory + sums_size;
    const Memory parts{reinterpret_cast<T*>(memory), panel, panel + panel_size,
                       reinterpret_cast<S*>(panel + panel_size + strip_size)};
    for (std::int64_t at = first; at < last;) {
      const std::int64_t group = at / strips(), strip = at % strips();
      const std::int64_t end = std::min(strips(), strip + last - at);
      const std::int64_t row_end = std::min(end * kTileRows, rows());
      for (std::int64_t row = strip * kTileRows; row < row_end; row += rows_at_once_) {
        compute(parts, group, row, std::min(row + rows_at_once_, row_end));
      }
      at += end - strip;
    }
  }

  /// Computes the rows [row, row_end) of a group.
  void compute(const Memory& memory, std::int64_t group, std::int64_t row,
               std::int64_t row_end) const {
    for (std::int64_t p = 0; p < pixels(); p += pixels_at_once_) {
      add_pixels(memory, group, row, row_end, p, std::min(p + pixels_at_once_, pixels()));
    }
    store_transposed(out + group * outputs * rows() + row, rows(), memory.sums, sums_row(),
                     row_end - row, outputs);
  }

  /// Adds the products of the pixels [first, last).
  void add_pixels(const Memory& memory, std::int64_t group, std::int64_t row, std::int64_t row_end,
                  std::int64_t first, std::int64_t last) const {
    const std::int64_t count = last - first, elements = divide_up(count, kSteps);
    const Format<S> format(dtype);
    for (std::int64_t v = 0; v < vectors(); ++v) {
      const auto lanes = static_cast<int>(std::min(kWidth, outputs - v * kWidth));
      pack_steps<kWidth>(format, memory.panel + v * elements * kWidth,
                         gradient + (first * groups + group) * outputs + v * kWidth, 1,
                         groups * outputs, lanes, count);
    }
    const PixelRows<S> inputs(stencil, channels, groups * channels);
    const S* a = in + group * channels;
    std::int64_t a_step = groups * channels;
    if (inputs.is_direct() && !shares_cache_sets<S>(a_step)) {
      a += first * a_step + row;
    } else {
      a_step = pitch(row_end - row);
      inputs.gather(memory.gathered, a_step, a, row, row_end, first, last);
      a = memory.gathered;
    }
    const auto multiply = [&](std::int64_t r, std::int64_t lines, const E* from,
                              std::int64_t from_step) {
      multiply_tiles<E>(lines, vectors(),
                        {from, 1, from_step, memory.panel, kWidth, elements * kWidth, elements},
                        {memory.sums + r * sums_row(), sums_row(), nullptr, T(1),
                         first == 0 ? T(0) : T(1), static_cast<int>(kWidth)});
    };
    if constexpr (std::is_same_v<S, E>) {
      multiply(0, row_end - row, a, a_step);
    } else {
      for (std::int64_t r = 0; r < row_end - row; r += kTileRows) {
        const auto lines = static_cast<int>(std::min<std::int64_t>(kTileRows, row_end - row - r));
        pack_steps<kTileRows>(format, memory.strip, a + r, 1, a_step, lines, count);
        multiply(r, lines, memory.strip, kTileRows);
      }
    }
  }

  std::int64_t pixels_at_once_ = 0, rows_at_once_ = 0, parts_ = 1;
  std::atomic<bool> out_of_memory_{false};
};

}  // namespace tern::cpu
