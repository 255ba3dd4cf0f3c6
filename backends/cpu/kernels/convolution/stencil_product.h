#pragma once

#include <atomic>
#include <optional>

#include <tern/backends/cpu/kernels/convolution/stencil.h>
#include <tern/backends/cpu/kernels/convolution/tiles.h>
#include <tern/backends/cpu/kernels/support/scratch.h>

// Convolutions by products of matrices: weights times the inputs that the taps read, of which only
// a panel for the second-level cache exists at a time, or all where threads share few pixels.

namespace tern::cpu {

/// out[n, g, i, pixel] = bias[g, i] + the sum over channels c and taps t of
/// a[g, i, c, t] * (what t reads from channel c of `in` for the pixel). The
/// result has the same bits for any number of threads.
template <class T>
class StencilProduct {
 public:
  explicit StencilProduct(const Stencil& given) : stencil(given) {}

  const Stencil& stencil;
  std::int64_t batch = 0, groups = 0, rows = 0, channels = 0;  // of one group
  const T* a = nullptr;                                        // [groups, rows, channels, taps]
  const T* in = nullptr;    // [batch, groups * channels, stencil.in]
  const T* bias = nullptr;  // [groups * rows]; null: none
  T* out = nullptr;         // [batch, groups * rows, stencil.out]

  /// Returns false if out of memory.
  bool run() {
    const std::int64_t all = batch * groups * vectors();
    blocks_ = std::max<std::int64_t>(divide_up(steps(), kTileSteps), 1);
    const int threads = convolution_threads(all * kWidth * rows * (steps() + 1));
    constexpr std::int64_t kFewVectors = 12;
    column_parts_ = std::clamp<std::int64_t>(all / kFewVectors, 1, threads);
    row_parts_ = std::clamp<std::int64_t>(threads / column_parts_, 1, strips());
    // Threads that share pixels gather them once, together: less than 24 vectors. For a single tap
    // it is faster to do it twice.
    std::optional<Scratch<T>> shared;
    if (column_parts_ == 1 && row_parts_ > 1 && stencil.count > 1) {
      shared_ = shared.emplace(all * steps() * kWidth).data();
      parallel_for(0, batch * groups * blocks_, 1, [this](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) pack_shared(i / blocks_, i % blocks_);
      });
    }
    detail::run_parallel(
        static_cast<int>(column_parts_ * row_parts_),
        [](void* self, int part) { static_cast<StencilProduct*>(self)->run_part(part); }, this);
    return !out_of_memory_;
  }

 private:
  static constexpr std::int64_t kWidth = kLanes<T>, kPanelBytes = 256 << 10;
  static constexpr std::int64_t kMostVectors = 128;

  std::int64_t pixels() const { return volume(stencil.grid); }
  std::int64_t vectors() const { return divide_up(pixels(), kWidth); }
  std::int64_t steps() const { return channels * stencil.count; }
  std::int64_t strips() const { return divide_up(rows, kTileRows); }

  /// Memory of a thread, and the part of a plane's vectors that it computes at
  /// once.
  struct Chunk {
    T* panel;
    T* line;
    T* sums;  // null: the result itself holds the sums
    std::int64_t image, group, row_begin, row_end, begin, end;

    std::int64_t count() const { return end - begin; }
  };

  void run_part(int part) {
    const std::int64_t column_part = part / row_parts_, row_part = part % row_parts_;
    const std::int64_t all = batch * groups * vectors();
    const std::int64_t first = all * column_part / column_parts_;
    const std::int64_t last = all * (column_part + 1) / column_parts_;
    Chunk chunk{};
    chunk.row_begin = strips() * row_part / row_parts_ * kTileRows;
    chunk.row_end = std::min(rows, strips() * (row_part + 1) / row_parts_ * kTileRows);

    const std::int64_t block = divide_up(steps(), blocks_);
    const std::int64_t most = std::min(
        std::clamp<std::int64_t>(kPanelBytes / (block * kWidth * std::int64_t{sizeof(T)} + 1),
                                 kTileVectors, kMostVectors),
        vectors());
    // Each core prefetches the memory behind its rows. If another thread adds to that memory, the
    // cores take cache lines away from each other: such sums stay in the thread's own memory.
    const bool has_sums = !stencil.is_dense() || (blocks_ > 1 && row_parts_ > 1);
    const std::int64_t panel_size = most * block * kWidth;
    const std::int64_t sums_size = has_sums ? (chunk.row_end - chunk.row_begin) * most * kWidth : 0;
    T* const memory = thread_scratch<T>(panel_size + most * kWidth + sums_size);
    if (memory == nullptr) {
      out_of_memory_ = true;
      return;
    }
    chunk.panel = memory;
    chunk.line = memory + panel_size;
    chunk.sums = has_sums ? chunk.line + most * kWidth : nullptr;
    for (std::int64_t at = first; at < last;) {
      const std::int64_t plane = at / vectors(), begin = at % vectors();
      const std::int64_t end = std::min(vectors(), begin + last - at);
      const std::int64_t step = divide_up(end - begin, divide_up(end - begin, most));
      chunk.image = plane / groups;
      chunk.group = plane % groups;
      for (chunk.begin = begin; chunk.begin < end; chunk.begin = chunk.end) {
        chunk.end = std::min(chunk.begin + step, end);
        compute(chunk);
      }
      at += end - begin;
    }
  }

  /// The first step of a block.
  std::int64_t block_begin(std::int64_t block) const { return steps() * block / blocks_; }

  /// Where the shared panel has the steps from `begin` on for a plane.
  T* shared_panel(std::int64_t plane, std::int64_t begin) const {
    return shared_ + (plane * steps() + begin) * vectors() * kWidth;
  }

  /// Packs a block of a plane for all threads.
  void pack_shared(std::int64_t plane, std::int64_t block) {
    Chunk chunk{};
    chunk.line = thread_scratch<T>(vectors() * kWidth);
    if (chunk.line == nullptr) {
      out_of_memory_ = true;
      return;
    }
    const std::int64_t begin = block_begin(block);
    chunk.panel = shared_panel(plane, begin);
    chunk.end = vectors();
    pack(chunk, in + plane * channels * volume(stencil.in), begin, block_begin(block + 1), 0);
  }

  void compute(const Chunk& chunk) const {
    const std::int64_t first = chunk.group * rows + chunk.row_begin;
    const std::int64_t size = volume(stencil.out), pixel = chunk.begin * kWidth;
    const std::int64_t count = std::min(chunk.end * kWidth, pixels()) - pixel;
    const std::int64_t height = chunk.row_end - chunk.row_begin;
    T* const planes = out + (chunk.image * groups * rows + first) * size;
    T* const c = chunk.sums != nullptr ? chunk.sums : planes + pixel;
    const std::int64_t c_row = chunk.sums != nullptr ? chunk.count() * kWidth : size;
    if (bias != nullptr) {
      for (std::int64_t i = 0; i < height; ++i) {
        std::fill_n(c + i * c_row, count, bias[first + i]);
      }
    }
    for (std::int64_t block = 0; block < blocks_; ++block) {
      multiply(chunk, block_begin(block), block_begin(block + 1), c, c_row, height);
    }
    if (chunk.sums == nullptr) return;
    const bool is_dense = stencil.is_dense();
    for (std::int64_t i = 0; i < height; ++i) {
      if (is_dense) {
        copy_span(planes + i * size + pixel, c + i * c_row, count * std::int64_t{sizeof(T)});
      } else {
        scatter_pixels(planes + i * size, c + i * c_row, stencil, pixel, pixel + count);
      }
    }
  }

  /// Returns true if the tiles read this input in place.
  bool is_direct(std::int64_t height) const {
    return stencil.is_point() && height <= kMaxRowsInPlace && !shares_cache_sets<T>(pixels());
  }

  /// Adds the products of the steps [begin, end) to c.
  void multiply(const Chunk& chunk, std::int64_t begin, std::int64_t end, T* c, std::int64_t c_row,
                std::int64_t height) const {
    const std::int64_t plane = volume(stencil.in), count = end - begin;
    const std::int64_t image = chunk.image * groups + chunk.group;
    const T* const planes = in + image * channels * plane;
    const T* const weights = a + ((chunk.group * rows) + chunk.row_begin) * steps() + begin;
    const std::int64_t whole = pixels() / kWidth - chunk.begin;
    const std::int64_t direct =
        is_direct(height) ? std::clamp<std::int64_t>(whole, 0, chunk.count()) : 0;
    const T* panel = chunk.panel;
    if (shared_ != nullptr) {
      panel = shared_panel(image, begin) + chunk.begin * count * kWidth;
    } else {
      pack(chunk, planes, begin, end, chunk.begin + direct);
    }
    const T beta = begin > 0 || bias != nullptr ? T(1) : T(0);
    const auto part = [&](std::int64_t from, std::int64_t vectors, const T* b, std::int64_t b_step,
                          std::int64_t b_vector) {
      const std::int64_t last = chunk.begin + from + vectors;
      const std::int64_t lanes = std::min(kWidth, pixels() - (last - 1) * kWidth);
      multiply_tiles<T>(height, vectors, {weights, steps(), 1, b, b_step, b_vector, count},
                        {c + from * kWidth, c_row, nullptr, T(1), beta,
                         static_cast<int>(chunk.sums != nullptr ? kWidth : lanes)});
    };
    if (direct > 0) {
      part(0, direct, planes + begin * plane + chunk.begin * kWidth, plane, kWidth);
    }
    if (direct < chunk.count()) {
      part(direct, chunk.count() - direct, panel, kWidth, count * kWidth);
    }
  }

  /// Packs what the steps read for the vectors from `vector` to the end of the
  /// chunk.
  void pack(const Chunk& chunk, const T* planes, std::int64_t begin, std::int64_t end,
            std::int64_t vector) const {
    if (vector == chunk.end) return;
    const std::int64_t first = vector * kWidth, last = std::min(chunk.end * kWidth, pixels());
    const std::int64_t size = (end - begin) * kWidth, plane = volume(stencil.in);
    const std::int64_t count = chunk.end - vector;
    if (begin == end) return;
    Step step{planes + begin / stencil.count * plane, begin % stencil.count};
    T* to = chunk.panel;
    std::fill(chunk.line + (last - first), chunk.line + count * kWidth, T(0));
    for (; begin < end; ++begin, to += kWidth) {
      gather_pixels(chunk.line, step.plane, stencil, stencil.taps[step.tap], first, last);
      for (std::int64_t i = 0; i < count; ++i) {
        store(to + i * size, load(chunk.line + i * kWidth));
      }
      next(step);
    }
  }

  /// A tap of a channel.
  struct Step {
    const T* plane;
    std::int64_t tap;
  };
  void next(Step& step) const {
    if (++step.tap < stencil.count) return;
    step.tap = 0;
    step.plane += volume(stencil.in);
  }

  std::int64_t column_parts_ = 1, row_parts_ = 1, blocks_ = 1;
  T* shared_ = nullptr;  // panels of all planes, which the threads share; null: each has its own
  std::atomic<bool> out_of_memory_{false};
};

}  // namespace tern::cpu
