#pragma once

#include <tern/backends/cpu/kernels/convolution/stencil_product.h>

namespace tern::cpu {

/// The gradient of the weights: out[g, o, c, t] is the sum over images n and
/// pixels p of gradient[n, g, o, p] * (what tap t reads from channel c of `in`
/// for p). As a product of matrices it has a row for each (c, t), a column for
/// each o, and adds over the pixels in blocks. The result has the same bits for
/// any number of threads, because no thread adds for another.
template <class T>
class StencilWeightGradient {
 public:
  StencilWeightGradient(const ConvolutionArgs& args, const Stencil& stencil)
      : args_(args), stencil_(stencil) {
    // Small images are joined, so that the sums are not loaded and stored for a
    // few pixels.
    const std::int64_t most = std::clamp<std::int64_t>(
        kPanelBytes / (vectors() * kWidth * std::int64_t{sizeof(T)}), 64, kMostPixels);
    images_ = std::clamp<std::int64_t>(most / pixels(), 1, args.batch);
    pixel_blocks_ = divide_up(pixels(), most);
    block_pixels_ = divide_up(pixels(), pixel_blocks_);
    rows_at_once_ = std::max<std::int64_t>(
        kSumsBytes / (vectors() * kWidth * std::int64_t{sizeof(T)}) / kTileRows, 1);
    rows_at_once_ *= kTileRows;
  }

  /// Returns false if out of memory.
  bool run() {
    const std::int64_t work = args_.batch * args_.groups * rows() * args_.outputs * pixels();
    parts_ = std::min<std::int64_t>(convolution_threads(work), args_.groups * strips());
    detail::run_parallel(
        static_cast<int>(parts_),
        [](void* self, int part) { static_cast<StencilWeightGradient*>(self)->run_part(part); },
        this);
    return !out_of_memory_;
  }

 private:
  static constexpr std::int64_t kWidth = kLanes<T>, kPanelBytes = 192 << 10;
  static constexpr std::int64_t kSumsBytes = 192 << 10;
  static constexpr std::int64_t kMostPixels = kTileSteps, kLineRows = 64;

  std::int64_t pixels() const { return volume(stencil_.grid); }
  std::int64_t rows() const { return args_.inputs * stencil_.count; }
  std::int64_t strips() const { return divide_up(rows(), kTileRows); }
  std::int64_t vectors() const { return divide_up(args_.outputs, kWidth); }
  std::int64_t sums_row() const { return vectors() * kWidth; }

  struct Memory {
    T* sums;   // [rows, vectors, kWidth]
    T* panel;  // [vectors, pixels of the block, kWidth]: the gradient
    T* lines;  // [kLineRows, pixels of the block]: what the taps read
  };

  void run_part(int part) {
    const std::int64_t all = args_.groups * strips();
    const std::int64_t first = all * part / parts_, last = all * (part + 1) / parts_;
    const std::int64_t block = images_ * block_pixels_;
    const std::int64_t sums_size = std::min(rows_at_once_, strips() * kTileRows) * sums_row();
    T* const memory = thread_scratch<T>(sums_size + block * (sums_row() + kLineRows));
    if (memory == nullptr) {
      out_of_memory_ = true;
      return;
    }
    const Memory parts{memory, memory + sums_size, memory + sums_size + block * sums_row()};
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

  void compute(const Memory& memory, std::int64_t group, std::int64_t row,
               std::int64_t row_end) const {
    bool is_first = true;
    for (std::int64_t image = 0; image < args_.batch; image += images_) {
      const std::int64_t images = std::min(images_, args_.batch - image);
      for (std::int64_t block = 0; block < pixel_blocks_; ++block) {
        const std::int64_t begin = pixels() * block / pixel_blocks_;
        const std::int64_t end = pixels() * (block + 1) / pixel_blocks_;
        add_block(memory, {group, image, images, begin, end, row, row_end}, is_first);
        is_first = false;
      }
    }
    store_transposed(static_cast<T*>(args_.out) + group * args_.outputs * rows() + row, rows(),
                     memory.sums, sums_row(), row_end - row, args_.outputs);
  }

  struct Part {
    std::int64_t group, image, images, begin, end, row, row_end;
  };

  void add_block(const Memory& memory, const Part& part, bool is_first) const {
    const std::int64_t width = part.end - part.begin, steps = part.images * width;
    const std::int64_t outputs = args_.outputs, plane = volume(stencil_.in);
    const Format<T> format(args_.dtype);
    for (std::int64_t i = 0; i < part.images; ++i) {
      const T* const gradient =
          static_cast<const T*>(args_.gradient) +
          ((part.image + i) * args_.groups + part.group) * outputs * pixels() + part.begin;
      for (std::int64_t v = 0; v < vectors(); ++v) {
        const auto lanes = static_cast<int>(std::min(kWidth, outputs - v * kWidth));
        pack_steps<kWidth>(format, memory.panel + (v * steps + i * width) * kWidth,
                           gradient + v * kWidth * pixels(), pixels(), 1, lanes, width);
      }
    }
    for (std::int64_t row = part.row; row < part.row_end; row += kLineRows) {
      const std::int64_t count = std::min(kLineRows, part.row_end - row);
      for (std::int64_t r = 0; r < count; ++r) {
        const std::int64_t channel = (row + r) / stencil_.count;
        const Tap& tap = stencil_.taps[(row + r) % stencil_.count];
        for (std::int64_t i = 0; i < part.images; ++i) {
          const std::int64_t image = (part.image + i) * args_.groups + part.group;
          gather_pixels(
              memory.lines + r * steps + i * width,
              static_cast<const T*>(args_.input) + (image * args_.inputs + channel) * plane,
              stencil_, tap, part.begin, part.end);
        }
      }
      T* const sums = memory.sums + (row - part.row) * sums_row();
      multiply_tiles<T>(
          count, vectors(), {memory.lines, steps, 1, memory.panel, kWidth, steps * kWidth, steps},
          {sums, sums_row(), nullptr, T(1), is_first ? T(0) : T(1), static_cast<int>(kWidth)});
    }
  }

  const ConvolutionArgs& args_;
  const Stencil& stencil_;
  std::int64_t images_, pixel_blocks_, block_pixels_, rows_at_once_, parts_ = 1;
  std::atomic<bool> out_of_memory_{false};
};

}  // namespace tern::cpu
