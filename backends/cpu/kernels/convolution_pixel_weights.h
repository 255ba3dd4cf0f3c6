#pragma once

#include <atomic>

#include <tern/backends/cpu/kernels/convolution_gather.h>
#include <tern/backends/cpu/kernels/convolution_tiles.h>

namespace tern::cpu {

/// The gradient of the weights of a convolution of channels-last tensors:
///   out[g, o, t, c] = the sum over images n and pixels p of gradient[n, p, g, o] *
///                     (what tap t reads from channel c of `in` for p).
/// As a product of matrices it has a row for each step (t, c), a column for each o, and adds over
/// the pixels in blocks. The result has the same bits for any number of threads, because no thread
/// adds for another.
template <class T>
class PixelWeightGradient {
 public:
  explicit PixelWeightGradient(const Stencil& given) : stencil(given) {}

  const Stencil& stencil;
  std::int64_t batch = 0, groups = 0, outputs = 0, channels = 0;  // of one group
  const T* in = nullptr;        // [batch, stencil.in, groups * channels]
  const T* gradient = nullptr;  // [batch, stencil.grid, groups * outputs]
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
  static constexpr std::int64_t kWidth = Simd<T>::kWidth, kPanelBytes = 192 << 10;
  static constexpr std::int64_t kSumsBytes = 192 << 10, kMostPixels = 128;

  std::int64_t pixels() const { return batch * volume(stencil.grid); }
  std::int64_t rows() const { return channels * stencil.count; }
  std::int64_t strips() const { return divide_up(rows(), kTileRows); }
  std::int64_t vectors() const { return divide_up(outputs, kWidth); }
  std::int64_t sums_row() const { return vectors() * kWidth; }
  /// Rows of what the pixels read are this many elements apart.
  std::int64_t pitch(std::int64_t rows) const {
    return shares_cache_sets<T>(rows) ? rows + kWidth : rows;
  }

  struct Memory {
    T* sums;      // [rows, vectors, kWidth]
    T* panel;     // [vectors, pixels, kWidth]: the gradient
    T* gathered;  // [pixels, pitch(rows)]: what the pixels read
  };

  void run_part(int part) {
    const std::int64_t all = groups * strips();
    const std::int64_t first = all * part / parts_, last = all * (part + 1) / parts_;
    const std::int64_t most_rows = std::min(rows_at_once_, strips() * kTileRows);
    const std::int64_t sums_size = most_rows * sums_row();
    const std::int64_t panel_size = pixels_at_once_ * sums_row();
    T* const memory =
        scratch_of<T>(sums_size + panel_size + pixels_at_once_ * (most_rows + kWidth));
    if (memory == nullptr) {
      out_of_memory_ = true;
      return;
    }
    const Memory parts{memory, memory + sums_size, memory + sums_size + panel_size};
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
    const std::int64_t count = row_end - row;
    T* const to = out + group * outputs * rows() + row;
    for (std::int64_t r = 0; r < count; r += kTileRows) {
      const std::int64_t lines = std::min<std::int64_t>(kTileRows, count - r);
      const T* const from = memory.sums + r * sums_row();
      if (lines == kTileRows) {
        pack<T, kTileRows>(to + r, rows(), from, sums_row(), 1, kTileRows, outputs);
      } else {
        for (std::int64_t i = 0; i < lines; ++i) {
          for (std::int64_t o = 0; o < outputs; ++o) {
            to[o * rows() + r + i] = from[i * sums_row() + o];
          }
        }
      }
    }
  }

  /// Adds the products of the pixels [first, last).
  void add_pixels(const Memory& memory, std::int64_t group, std::int64_t row, std::int64_t row_end,
                  std::int64_t first, std::int64_t last) const {
    const std::int64_t count = last - first;
    for (std::int64_t v = 0; v < vectors(); ++v) {
      const auto lanes = static_cast<int>(std::min(kWidth, outputs - v * kWidth));
      pack<T, kWidth>(memory.panel + v * count * kWidth, kWidth,
                      gradient + (first * groups + group) * outputs + v * kWidth, 1,
                      groups * outputs, lanes, count);
    }
    const PixelRows<T> inputs(stencil, channels, groups * channels);
    const T* a = in + group * channels;
    std::int64_t a_step = groups * channels;
    if (inputs.is_direct() && !shares_cache_sets<T>(a_step)) {
      a += first * a_step + row;
    } else {
      a_step = pitch(row_end - row);
      inputs.gather(memory.gathered, a_step, a, row, row_end, first, last);
      a = memory.gathered;
    }
    multiply_tiles<T>(row_end - row, vectors(),
                      {a, 1, a_step, memory.panel, kWidth, count * kWidth, count},
                      {memory.sums, sums_row(), nullptr, T(1), first == 0 ? T(0) : T(1),
                       static_cast<int>(kWidth)});
  }

  std::int64_t pixels_at_once_ = 0, rows_at_once_ = 0, parts_ = 1;
  std::atomic<bool> out_of_memory_{false};
};

}  // namespace tern::cpu
