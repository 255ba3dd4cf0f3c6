#pragma once

#include <atomic>

#include <tern/backends/cpu/kernels/convolution/depthwise.h>
#include <tern/backends/cpu/kernels/gemm/pack.h>

// Depthwise convolutions of row-major tensors: bands of 16 or 32 planes are transposed in the
// cache, so that a vector holds one pixel of several planes, and computed as channels-last tensors.

namespace tern::cpu {

template <class T>
class DepthwisePlanes {
 public:
  const ConvolutionArgs& args;
  const Stencil* stencils;  // of all phases
  std::int64_t phases;
  bool covers;  // whether each pixel of the result belongs to a phase

  /// Computes the sums of all phases. Returns false if out of memory.
  bool sum(const T* in) const {
    std::atomic<bool> out_of_memory{false};
    const std::int64_t planes = args.batch * args.groups, bands = band_count();
    const std::int64_t side = block_planes();
    const std::int64_t work = volume(stencils->out) / bands * side * (stencils->count + 4);
    parallel_for(0, divide_up(planes, side) * bands, kGrain / (work + 1),
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t at = begin; at < end; ++at) {
                     const std::int64_t first = at / bands * side;
                     const Block block{first, std::min(side, planes - first), band(at % bands)};
                     if (!sum_block(in, block)) out_of_memory = true;
                   }
                 });
    return !out_of_memory;
  }

  /// Computes the gradient of the weights; `parts` has room for parts_size() elements. Returns
  /// false if out of memory.
  bool weight_gradient(T* parts) const {
    std::atomic<bool> out_of_memory{false};
    const std::int64_t side = block_planes();
    const std::int64_t vectors = divide_up(args.groups, side), number = parts_count();
    const std::int64_t units = args.batch * band_count(), size = stencils->count * side;
    const std::int64_t work = args.batch * volume(stencils->grid) / number * size;
    // Each part is the sum of fixed bands, whatever the number of threads.
    parallel_for(
        0, number * vectors, kGrain / (work + 1), [&](std::int64_t begin, std::int64_t end) {
          std::fill(parts + begin * size, parts + end * size, T(0));
          for (std::int64_t at = begin; at < end; ++at) {
            const std::int64_t part = at / vectors, first = at % vectors * side;
            const std::int64_t last = units * (part + 1) / number;
            for (std::int64_t u = units * part / number; u < last; ++u) {
              const Block block{u / band_count() * args.groups + first,
                                std::min(side, args.groups - first), band(u % band_count())};
              if (!add_block(parts + at * size, block)) out_of_memory = true;
            }
          }
        });
    const DepthwiseChannelsLast<T> all{*stencils, args.batch, args.groups};
    all.fold_parts(parts, number, vectors * size, static_cast<T*>(args.out));
    return !out_of_memory;
  }
  std::int64_t parts_size() const {
    return parts_count() * divide_up(args.groups, block_planes()) * stencils->count *
           block_planes();
  }

 private:
  static constexpr std::int64_t kGrain = 1 << 15;
  static constexpr int kWidth = kLanes<T>;
  static constexpr std::int64_t kPixels = 112;  // of a block fit into the first-level cache

  /// Rows [begin, end) of the result, which need the rows [low, high) of the input. A row has all
  /// elements at one index of the first dimension that is longer than 1.
  struct Band {
    std::int64_t begin, end, low, high;
  };
  /// Planes [first, first + count) of all images.
  struct Block {
    std::int64_t first, count;
    Band band;
  };

  int dimension() const {
    const Stencil& s = *stencils;
    int d = 0;
    while (d < 2 && s.in[d] == 1 && s.out[d] == 1) ++d;
    return d;
  }
  std::int64_t in_row() const { return volume(stencils->in) / stencils->in[dimension()]; }
  std::int64_t out_row() const { return volume(stencils->out) / stencils->out[dimension()]; }

  /// Returns how many planes are computed at a time: fewer of large planes, which are read from as
  /// many places of the memory; more share the work per row of the general loop.
  std::int64_t block_planes() const {
    return volume(stencils->in) <= 2048 && !ThreeColumns<T>::suits(*stencils) ? 32 : 16;
  }

  std::int64_t band_count() const {
    constexpr std::int64_t kElements = 1 << 16;  // fit into the second cache
    const std::int64_t most =
        std::max(volume(stencils->in), volume(stencils->out)) * block_planes();
    return std::min(divide_up(most, kElements), stencils->out[dimension()]);
  }
  std::int64_t parts_count() const {
    constexpr std::int64_t kTasks = 32;
    return std::clamp<std::int64_t>(kTasks / divide_up(args.groups, block_planes()), 1,
                                    args.batch * band_count());
  }

  /// Returns the first position of the grid at or after an element of the result.
  static std::int64_t position(const Stencil& s, int d, std::int64_t element) {
    const std::int64_t from = element - s.out_start[d];
    return from <= 0 ? 0 : std::min(divide_up(from, s.out_step[d]), s.grid[d]);
  }

  [[gnu::noinline]] Band band(std::int64_t index) const {
    const int d = dimension();
    const std::int64_t bands = band_count(), rows = stencils->out[d], in_rows = stencils->in[d];
    if (bands == 1) return {0, rows, 0, in_rows};
    Band band{rows * index / bands, rows * (index + 1) / bands, in_rows, 0};
    for (std::int64_t i = 0; i < phases; ++i) {
      const Stencil& s = stencils[i];
      const std::int64_t begin = position(s, d, band.begin), end = position(s, d, band.end);
      for (std::int64_t t = 0; begin < end && t < s.count; ++t) {
        const std::int64_t offset = s.taps[t].offset[d];
        band.low = std::min(band.low, begin * s.step[d] + offset);
        band.high = std::max(band.high, (end - 1) * s.step[d] + offset + 1);
      }
    }
    band.low = std::clamp<std::int64_t>(band.low, 0, in_rows - 1);
    band.high = std::clamp<std::int64_t>(band.high, band.low + 1, in_rows);
    return band;
  }

  /// Returns the part of a stencil that computes a band.
  [[gnu::noinline]] Stencil part_of(const Stencil& s, const Band& band, Tap* taps) const {
    const int d = dimension();
    if (band.end - band.begin == s.out[d]) return s;
    const std::int64_t begin = position(s, d, band.begin);
    Stencil part = s;
    part.taps = taps;
    part.count = 0;
    part.grid[d] = position(s, d, band.end) - begin;
    part.in[d] = band.high - band.low;
    part.out[d] = band.end - band.begin;
    part.out_start[d] += begin * s.out_step[d] - band.begin;
    for (std::int64_t t = 0; t < s.count; ++t) {
      Tap tap = s.taps[t];
      tap.offset[d] += begin * s.step[d] - band.low;
      part.add(tap);
    }
    return part;
  }

  /// Memory of one block.
  struct Memory {
    T *in, *out, *weights, *bias;
    Tap* taps;
    RowTap* row_taps;
  };
  [[gnu::noinline]] bool take(Memory& memory, const Block& block) const {
    const std::int64_t kernel = volume(args.kernel), count = block.count;
    const std::int64_t in = (block.band.high - block.band.low) * in_row() * count;
    const std::int64_t out = (block.band.end - block.band.begin) * out_row() * count;
    constexpr auto kTap = static_cast<std::int64_t>((sizeof(Tap) + sizeof(RowTap)) / sizeof(T));
    // The elements begin the memory, a page, so that no vector of 16 planes crosses a cache line.
    const std::int64_t numbers = divide_up(in + out + (kernel + 1) * count, kWidth) * kWidth;
    memory.in = thread_scratch<T>(numbers + kernel * kTap);
    if (memory.in == nullptr) return false;
    memory.out = memory.in + in;
    memory.weights = memory.out + out;
    memory.bias = memory.weights + kernel * count;
    memory.taps = reinterpret_cast<Tap*>(memory.in + numbers);
    memory.row_taps = reinterpret_cast<RowTap*>(memory.taps + kernel);
    return true;
  }

  /// Transposes rows [begin, end) of the planes of a block into `to`.
  static void load(T* to, const void* planes, const Block& block, std::int64_t size,
                   std::int64_t row, std::int64_t begin, std::int64_t end) {
    const T* const from = static_cast<const T*>(planes) + block.first * size + begin * row;
    const std::int64_t pixels = (end - begin) * row;
    for (std::int64_t p = 0; p < pixels; p += kPixels) {
      transpose_lines<T, kWidth>(to + p * block.count, block.count, from + p, size, block.count,
                                 std::min(kPixels, pixels - p));
    }
  }

  [[gnu::noinline]] bool sum_block(const T* in, const Block& block) const {
    Memory memory;
    if (!take(memory, block)) return false;
    const std::int64_t kernel = volume(args.kernel), count = block.count;
    const Band& band = block.band;
    for (std::int64_t l = 0; l < count; ++l) {
      const std::int64_t group = (block.first + l) % args.groups;
      const T* const weights = static_cast<const T*>(args.weight) + group * kernel;
      for (std::int64_t k = 0; k < kernel; ++k) memory.weights[k * count + l] = weights[k];
      memory.bias[l] = args.bias == nullptr ? T(0) : static_cast<const T*>(args.bias)[group];
    }
    load(memory.in, in, block, volume(stencils->in), in_row(), band.low, band.high);
    const std::int64_t size = volume(stencils->out), pixels = (band.end - band.begin) * out_row();
    for (std::int64_t i = 0; !covers && i < pixels; ++i) {
      std::copy_n(memory.bias, count, memory.out + i * count);
    }
    for (std::int64_t i = 0; i < phases; ++i) {
      const Stencil part = part_of(stencils[i], band, memory.taps);
      const DepthwiseChannelsLast<T> phase{part, 1, count};
      phase.sum_rows(memory.in, memory.weights, memory.bias, memory.out, memory.row_taps, 0,
                     phase.rows());
    }
    T* const to = static_cast<T*>(args.out) + block.first * size + band.begin * out_row();
    transpose_lines<T, kWidth>(to, size, memory.out, count, pixels, count);
    return true;
  }

  [[gnu::noinline]] bool add_block(T* sums, const Block& block) const {
    Memory memory;
    if (!take(memory, block)) return false;
    const Band& band = block.band;
    load(memory.in, args.input, block, volume(stencils->in), in_row(), band.low, band.high);
    load(memory.out, args.gradient, block, volume(stencils->out), out_row(), band.begin, band.end);
    const Stencil part = part_of(*stencils, band, memory.taps);
    const DepthwiseChannelsLast<T> product{part, 1, block.count};
    product.add_rows(memory.in, memory.out, sums, 0, block.count, 0, product.rows());
    return true;
  }
};

}  // namespace tern::cpu
