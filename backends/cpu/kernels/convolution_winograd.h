#pragma once

#include <tern/backends/cpu/kernels/convolution_product.h>

// Convolutions by kernels of 3 x 3 weights after Winograd, F(4 x 4, 3 x 3): 36 products of matrices
// of transformed weights and inputs give tiles of 4 x 4 results with a quarter of the
// multiplications. Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 2015. The
// error is about ten times that of a sum of products.

namespace tern::cpu {

/// The same sum as StencilProduct, whose fields these are. The result has the same bits for any
/// number of threads.
class WinogradProduct {
 public:
  explicit WinogradProduct(const Stencil& given) : stencil(given) {}

  const Stencil& stencil;
  std::int64_t batch = 0, groups = 0, rows = 0, channels = 0;
  const float* a = nullptr;
  const float* in = nullptr;
  const float* bias = nullptr;
  float* out = nullptr;
  float* transformed = nullptr;  // room for kPoints * groups * rows * channels weights

  static constexpr int kPoints = 36;

  /// Returns true for a stencil of 3 x 3 neighbours, if this way is the faster one.
  static bool suits(const Stencil& s, std::int64_t batch, std::int64_t rows,
                    std::int64_t channels) {
    if (s.count != 9 || !s.is_dense() || s.grid[0] != 1 || s.in[0] != 1) return false;
    if (s.taps[0].offset[0] != 0 || s.step[1] != 1 || s.step[2] != 1) return false;
    const std::int64_t y = s.taps[8].offset[1] - s.taps[0].offset[1];
    const std::int64_t x = s.taps[8].offset[2] - s.taps[0].offset[2];
    if (x != y || (x != 2 && x != -2)) return false;
    constexpr std::int64_t kFewestChannels = 16, kFewestTiles = 40;
    const std::int64_t tiles = divide_up(s.grid[1], kSide) * divide_up(s.grid[2], kSide);
    return rows >= kFewestChannels && channels >= kFewestChannels &&
           batch * tiles >= kFewestTiles && tiles * kSide * kSide * 3 <= 5 * s.grid[1] * s.grid[2];
  }

  /// Returns false if out of memory.
  bool run() {
    const std::int64_t pairs = groups * rows * channels;
    parallel_for(0, divide_up(pairs, kWidth), 256, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) transform_weights(i * kWidth);
    });
    constexpr std::int64_t kMemoryBytes = 400 << 10;
    vectors_at_once_ = std::clamp<std::int64_t>(
        kMemoryBytes / (kPoints * (rows + channels) * kVectorBytes), 2, kMostVectors);
    const std::int64_t blocks = groups * divide_up(tiles(), vectors_at_once_ * kWidth);
    const std::int64_t work = pairs * tiles() * kPoints;
    parts_ = std::min<std::int64_t>(convolution_threads(work), blocks);
    detail::run_parallel(
        static_cast<int>(parts_),
        [](void* self, int part) { static_cast<WinogradProduct*>(self)->run_part(part); }, this);
    return !out_of_memory_;
  }

 private:
  using S = Simd<float>;
  using V = S::V;
  static constexpr std::int64_t kWidth = S::kWidth, kSide = 4, kPatch = 6;
  static constexpr std::int64_t kMostVectors = std::int64_t{2} * kTileVectors;

  std::int64_t tile_rows() const { return divide_up(stencil.grid[1], kSide); }
  std::int64_t tile_columns() const { return divide_up(stencil.grid[2], kSide); }
  std::int64_t tiles_of_image() const { return tile_rows() * tile_columns(); }
  std::int64_t tiles() const { return batch * tiles_of_image(); }
  bool is_reversed() const { return stencil.taps[8].offset[1] < stencil.taps[0].offset[1]; }
  /// The number of elements of a row of a padded plane, with slack for whole vectors.
  std::int64_t pitch() const { return tile_columns() * kSide + 2 + 2 * kWidth; }
  std::int64_t plane_size() const { return (tile_rows() * kSide + 2) * pitch(); }

  /// Multiplies three lines by the matrix G.
  static void times_g(const V* g, std::int64_t step, V* to, std::int64_t to_step) {
    const V even = (g[0] + g[2 * step]) * (-1.0f / 6), odd = g[step] * (-1.0f / 6);
    const V low = g[0] * (1.0f / 24) + g[2 * step] * (1.0f / 6), high = g[step] * (1.0f / 12);
    to[0] = g[0] * 0.25f;
    to[to_step] = even + odd;
    to[2 * to_step] = even - odd;
    to[3 * to_step] = low + high;
    to[4 * to_step] = low - high;
    to[5 * to_step] = g[2 * step];
  }

  /// Multiplies six lines by the transposed matrix B.
  static void times_b(const V* d, std::int64_t step, V* to, std::int64_t to_step) {
    const V x = d[4 * step] - 4.0f * d[2 * step], y = d[3 * step] - 4.0f * d[step];
    const V z = d[4 * step] - d[2 * step], w = 2.0f * (d[3 * step] - d[step]);
    to[0] = 4.0f * d[0] - 5.0f * d[2 * step] + d[4 * step];
    to[to_step] = x + y;
    to[2 * to_step] = x - y;
    to[3 * to_step] = z + w;
    to[4 * to_step] = z - w;
    to[5 * to_step] = 4.0f * d[step] - 5.0f * d[3 * step] + d[5 * step];
  }

  /// Multiplies six lines by the transposed matrix A.
  static void times_a(const V* m, std::int64_t step, V* to, std::int64_t to_step) {
    const V p = m[step] + m[2 * step], q = m[step] - m[2 * step];
    const V r = m[3 * step] + m[4 * step], s = 2.0f * (m[3 * step] - m[4 * step]);
    to[0] = m[0] + p + r;
    to[to_step] = q + s;
    to[2 * to_step] = p + 4.0f * r;
    to[3 * to_step] = q + 4.0f * s + m[5 * step];
  }

  /// Transforms the weights of kWidth pairs of a row and a channel from pair `first` on.
  void transform_weights(std::int64_t first) const {
    const std::int64_t pairs = groups * rows * channels;
    const std::int64_t count = std::min(kWidth, pairs - first);
    V g[9] = {}, half[18], whole[kPoints];
    for (int t = 0; t < 9; ++t) {
      alignas(kVectorBytes) float lanes[kWidth] = {};
      const float* const from = a + first * 9 + (is_reversed() ? 8 - t : t);
      for (std::int64_t l = 0; l < count; ++l) lanes[l] = from[l * 9];
      g[t] = S::load(lanes);
    }
    for (int x = 0; x < 3; ++x) times_g(g + x, 3, half + x, 3);
    for (std::int64_t y = 0; y < 6; ++y) times_g(half + y * 3, 1, whole + y * 6, 1);
    for (int p = 0; p < kPoints; ++p) {
      float* const to = transformed + p * pairs + first;
      count == kWidth ? S::store(to, whole[p])
                      : S::store_first(to, whole[p], static_cast<int>(count));
    }
  }

  struct Memory {
    float* planes;  // [images of the block, plane_size()]: padded planes of the input
    float* inputs;  // [kPoints, vectors, channels, kWidth]
    float* sums;    // [kPoints, rows, vectors * kWidth]
  };

  /// Where a tile begins in the padded planes and in the result, and the extents of its result.
  struct Place {
    std::int64_t from, to, height, width;
  };

  /// Some tiles that are computed together.
  struct Block {
    std::int64_t group, begin, end;
    Place places[kMostVectors * kWidth];

    std::int64_t vectors() const { return divide_up(end - begin, kWidth); }
  };

  void run_part(int part) {
    const std::int64_t size = vectors_at_once_ * kWidth, blocks = divide_up(tiles(), size);
    const std::int64_t all = groups * blocks;
    const std::int64_t first = all * part / parts_, last = all * (part + 1) / parts_;
    const std::int64_t planes = ((size - 1) / tiles_of_image() + 2) * plane_size();
    const std::int64_t inputs = kPoints * channels * size, sums = kPoints * rows * size;
    float* const memory = scratch_of<float>(planes + inputs + sums);
    if (memory == nullptr) {
      out_of_memory_ = true;
      return;
    }
    const Memory parts{memory, memory + planes, memory + planes + inputs};
    for (std::int64_t at = first; at < last; ++at) {
      Block block;
      block.group = at / blocks;
      block.begin = at % blocks * size;
      block.end = std::min(block.begin + size, tiles());
      set_places(block);
      transform_inputs(parts, block);
      multiply(parts, block);
      transform_sums(parts, block);
    }
  }

  void set_places(Block& block) const {
    const std::int64_t of_image = tiles_of_image(), first = block.begin / of_image;
    for (std::int64_t tile = block.begin; tile < block.end; ++tile) {
      const std::int64_t image = tile / of_image, number = tile % of_image;
      const std::int64_t y = number / tile_columns() * kSide, x = number % tile_columns() * kSide;
      block.places[tile - block.begin] = {
          (image - first) * plane_size() + y * pitch() + x,
          image * groups * rows * volume(stencil.out) + y * stencil.out[2] + x,
          std::min(kSide, stencil.out[1] - y), std::min(kSide, stencil.out[2] - x)};
    }
  }

  /// Copies rows of a plane with the zeros around them: those that the tiles of the rows
  /// [tile_row, tile_row_end) read.
  void pad(float* to, const float* plane, std::int64_t tile_row, std::int64_t tile_row_end) const {
    const Tap& first = stencil.taps[is_reversed() ? 8 : 0];
    const std::int64_t width = stencil.in[2], x = first.offset[2];
    const std::int64_t begin = std::clamp<std::int64_t>(-x, 0, pitch());
    const std::int64_t end = std::clamp<std::int64_t>(width - x, begin, pitch());
    for (std::int64_t i = tile_row * kSide; i < tile_row_end * kSide + 2; ++i) {
      const std::int64_t y = i + first.offset[1];
      float* const row = to + i * pitch();
      if (y < 0 || y >= stencil.in[1]) {
        std::fill_n(row, pitch(), 0.0f);
        continue;
      }
      std::fill(row, row + begin, 0.0f);
      copy_run(row + begin, plane + y * width + begin + x,
               (end - begin) * std::int64_t{sizeof(float)});
      std::fill(row + end, row + pitch(), 0.0f);
    }
  }

  void transform_inputs(const Memory& memory, const Block& block) const {
    const std::int64_t of_image = tiles_of_image(), size = volume(stencil.in);
    const std::int64_t vectors = block.vectors();
    for (std::int64_t c = 0; c < channels; ++c) {
      float* plane = memory.planes;
      for (std::int64_t tile = block.begin; tile < block.end; plane += plane_size()) {
        const std::int64_t image = tile / of_image, first = tile % of_image;
        const std::int64_t last = std::min(of_image, block.end - image * of_image) - 1;
        pad(plane, in + ((image * groups + block.group) * channels + c) * size,
            first / tile_columns(), last / tile_columns() + 1);
        tile = (image + 1) * of_image;
      }
      for (std::int64_t vector = 0; vector < vectors; ++vector) {
        const float* from[kWidth];
        for (std::int64_t l = 0; l < kWidth; ++l) {
          const std::int64_t tile = std::min(vector * kWidth + l, block.end - block.begin - 1);
          from[l] = memory.planes + block.places[tile].from;
        }
        V d[kPoints], half[kPoints], whole[kPoints];
        for (int y = 0; y < kPatch; ++y) load_patch_row(d + y * kPatch, from, y * pitch());
        for (int x = 0; x < kPatch; ++x) times_b(d + x, kPatch, half + x, kPatch);
        for (int y = 0; y < kPatch; ++y) times_b(half + y * kPatch, 1, whole + y * kPatch, 1);
        float* to = memory.inputs + (vector * channels + c) * kWidth;
        for (int p = 0; p < kPoints; ++p, to += vectors * channels * kWidth) S::store(to, whole[p]);
      }
    }
  }

  /// Loads a row of the patches of kWidth tiles, a vector for each column.
  static void load_patch_row(V* to, const float* const* from, std::int64_t offset) {
    constexpr int kLines = static_cast<int>(kWidth);
    for (int x = 0; x < kPatch; x += kLines) {
      V lines[kLines];
#pragma GCC unroll 16
      for (int l = 0; l < kLines; ++l) lines[l] = S::load(from[l] + offset + x);
      transpose<float, kLines>(lines);
      for (int i = 0; i < std::min<std::int64_t>(kLines, kPatch - x); ++i) to[x + i] = lines[i];
    }
  }

  void multiply(const Memory& memory, const Block& tiles_of_block) const {
    const std::int64_t matrix = rows * channels, blocks = divide_up(channels, kTileSteps);
    const std::int64_t group = tiles_of_block.group, vectors = tiles_of_block.vectors();
    for (int p = 0; p < kPoints; ++p) {
      const float* const weights = transformed + (p * groups + group) * matrix;
      const float* const inputs = memory.inputs + p * vectors * channels * kWidth;
      float* const sums = memory.sums + p * rows * vectors * kWidth;
      for (std::int64_t block = 0; block < blocks; ++block) {
        const std::int64_t begin = channels * block / blocks;
        const std::int64_t end = channels * (block + 1) / blocks;
        each_tile(rows, vectors,
                  [&]<int kRows>(std::integral_constant<int, kRows>, std::int64_t row,
                                 std::int64_t vector, std::int64_t n) {
                    const TileInput<float> input{weights + row * channels + begin,
                                                 channels,
                                                 1,
                                                 inputs + (vector * channels + begin) * kWidth,
                                                 kWidth,
                                                 channels * kWidth,
                                                 end - begin};
                    const TileOutput<float> output{sums + (row * vectors + vector) * kWidth,
                                                   vectors * kWidth,
                                                   nullptr,
                                                   1.0f,
                                                   block == 0 ? 0.0f : 1.0f,
                                                   static_cast<int>(kWidth)};
                    multiply_vectors<float, kRows>(n, input, output);
                  });
      }
    }
  }

  /// Transforms the sums to results.
  void transform_sums(const Memory& memory, const Block& block) const {
    const std::int64_t size = volume(stencil.out), row_size = stencil.out[2];
    const std::int64_t vectors = block.vectors(), count = block.end - block.begin;
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t plane = block.group * rows + row;
      const float start = bias == nullptr ? 0.0f : bias[plane];
      for (std::int64_t vector = 0; vector < vectors; ++vector) {
        V m[kPoints], half[kSide * kPatch], tile[kSide * kSide];
        const float* from = memory.sums + (row * vectors + vector) * kWidth;
        for (int p = 0; p < kPoints; ++p, from += rows * vectors * kWidth) m[p] = S::load(from);
        for (int x = 0; x < kPatch; ++x) times_a(m + x, kPatch, half + x, kPatch);
        for (int y = 0; y < kSide; ++y) times_a(half + y * kPatch, 1, tile + y * kSide, 1);
        // A row of four results of tile j + 4 * i is the i-th quarter of line j.
        alignas(kVectorBytes) float lines[kSide][kSide][kWidth];
        for (int y = 0; y < kSide; ++y) {
          V line[kSide];
          for (int x = 0; x < kSide; ++x) line[x] = tile[y * kSide + x] + start;
          transpose<float, kSide>(line);
          for (int x = 0; x < kSide; ++x) S::store(lines[y][x], line[x]);
        }
        const std::int64_t lanes = std::min(kWidth, count - vector * kWidth);
        for (std::int64_t l = 0; l < lanes; ++l) {
          const Place& place = block.places[vector * kWidth + l];
          float* const to = out + place.to + plane * size;
          const float* const results = lines[0][l % kSide] + l / kSide * kSide;
          for (std::int64_t i = 0; i < place.height; ++i) {
            const float* const line = results + i * kSide * kWidth;
            if (place.width == kSide) {
              std::memcpy(to + i * row_size, line, kSide * sizeof(float));
            } else {
              for (std::int64_t j = 0; j < place.width; ++j) to[i * row_size + j] = line[j];
            }
          }
        }
      }
    }
  }

  std::int64_t vectors_at_once_ = 0, parts_ = 1;
  std::atomic<bool> out_of_memory_{false};
};

}  // namespace tern::cpu
