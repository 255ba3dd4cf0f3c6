#pragma once

#include <atomic>

#include <tern/backends/cpu/kernels/convolution/stencil.h>
#include <tern/backends/cpu/kernels/convolution/tiles.h>
#include <tern/backends/cpu/kernels/convolution/winograd_transforms.h>

namespace tern::cpu {

/// The same sum as PixelProduct, whose fields these are, after Winograd. A vector holds
/// neighbouring channels of a pixel. The result has the same bits for any number of threads.
class WinogradProduct {
 public:
  explicit WinogradProduct(const Stencil& given) : stencil(given) {}

  const Stencil& stencil;
  std::int64_t batch = 0, groups = 0, rows = 0, channels = 0;
  const float* weights = nullptr;
  std::int64_t w_group = 0, w_row = 0, w_tap = 0, w_channel = 0;
  const float* in = nullptr;
  const float* bias = nullptr;
  float* out = nullptr;
  float* transformed = nullptr;  // room for transformed_size() numbers

  std::int64_t transformed_size() const { return kPoints * groups * matrix_size(); }

  /// Returns false if out of memory.
  bool run() {
    parallel_for(0, groups * vectors(), (1 << 15) / (channels * kPoints * kWidth) + 1,
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t i = begin; i < end; ++i) transform_weights(i);
                 });
    constexpr std::int64_t kMemoryBytes = 400 << 10;
    const std::int64_t fit = kMemoryBytes / (kPoints * (rows + channels) * kNumberBytes);
    tiles_at_once_ = std::clamp(fit / kTileRows * kTileRows, kFewestTiles, kMostTiles);
    const std::int64_t blocks = groups * divide_up(tiles(), tiles_at_once_);
    const std::int64_t work = groups * rows * channels * tiles() * kPoints;
    parts_ = std::min<std::int64_t>(convolution_threads(work), blocks);
    detail::run_parallel(
        static_cast<int>(parts_),
        [](void* self, int part) { static_cast<WinogradProduct*>(self)->run_part(part); }, this);
    return !out_of_memory_;
  }

 private:
  using V = Vector<float>;
  static constexpr int kPoints = Winograd::kPoints;
  static constexpr std::int64_t kWidth = kLanes<float>, kSide = Winograd::kSide;
  static constexpr std::int64_t kPatch = Winograd::kPatch, kNumberBytes = sizeof(float);
  static constexpr std::int64_t kFewestTiles = 32, kMostTiles = 96;

  std::int64_t vectors() const { return divide_up(rows, kWidth); }
  std::int64_t tile_rows() const { return divide_up(stencil.grid[1], kSide); }
  std::int64_t tile_columns() const { return divide_up(stencil.grid[2], kSide); }
  std::int64_t tiles_of_image() const { return tile_rows() * tile_columns(); }
  std::int64_t tiles() const { return batch * tiles_of_image(); }
  /// The numbers of the transformed weights of a point: [vectors, channels, kWidth].
  std::int64_t matrix_size() const { return vectors() * channels * kWidth; }
  /// The numbers between the inputs of two tiles.
  std::int64_t input_row() const { return divide_up(channels, kWidth) * kWidth; }
  std::int64_t sums_row() const { return vectors() * kWidth; }
  /// The numbers between two points; those of all points must not share a set of the cache.
  std::int64_t input_size() const { return tiles_at_once_ * input_row() + kWidth; }
  std::int64_t sums_size() const { return tiles_at_once_ * sums_row() + kWidth; }

  /// Transforms the weights of a vector of rows.
  void transform_weights(std::int64_t number) const {
    const std::int64_t group = number / vectors(), vector = number % vectors();
    const auto lanes = static_cast<int>(std::min(kWidth, rows - vector * kWidth));
    const float* const from = weights + group * w_group + vector * kWidth * w_row;
    constexpr std::int64_t kRun = 16;  // channels
    alignas(kVectorBytes) float packed[9 * kRun * kWidth] = {};
    for (std::int64_t first = 0; first < channels; first += kRun) {
      const std::int64_t count = std::min(kRun, channels - first);
      for (std::int64_t t = 0; t < 9; ++t) {
        const std::int64_t tap = Winograd::is_reversed(stencil) ? 8 - t : t;
        pack<float, kWidth>(packed + t * kRun * kWidth, kWidth,
                            from + stencil.taps[tap].weight * w_tap + first * w_channel, w_row,
                            w_channel, lanes, count);
      }
      for (std::int64_t c = 0; c < count; ++c) {
        V g[9], whole[kPoints];
        for (std::int64_t t = 0; t < 9; ++t) g[t] = load(packed + (t * kRun + c) * kWidth);
        Winograd::transform_weights(g, whole);
        float* to = transformed + group * matrix_size() + (vector * channels + first + c) * kWidth;
        for (int p = 0; p < kPoints; ++p, to += groups * matrix_size()) store(to, whole[p]);
      }
    }
  }

  struct Memory {
    float* inputs;  // [kPoints, input_size()]
    float* sums;    // [kPoints, sums_size()]
    float* zeros;   // [input_row()]
  };

  void run_part(int part) {
    const std::int64_t blocks = divide_up(tiles(), tiles_at_once_), all = groups * blocks;
    const std::int64_t inputs = kPoints * input_size(), sums = kPoints * sums_size();
    float* const memory = thread_scratch<float>(inputs + sums + input_row());
    if (memory == nullptr) {
      out_of_memory_ = true;
      return;
    }
    const Memory parts{memory, memory + inputs, memory + inputs + sums};
    std::fill_n(parts.zeros, input_row(), 0.0f);
    for (std::int64_t at = all * part / parts_; at < all * (part + 1) / parts_; ++at) {
      const std::int64_t group = at / blocks, begin = at % blocks * tiles_at_once_;
      const std::int64_t end = std::min(begin + tiles_at_once_, tiles());
      for (std::int64_t tile = begin; tile < end; ++tile) {
        transform_input(parts, group, tile, tile - begin);
      }
      multiply(parts, group, end - begin);
      for (std::int64_t tile = begin; tile < end; ++tile) {
        transform_sums(parts, group, tile, tile - begin);
      }
    }
  }

  /// Where the result of a tile begins.
  struct Place {
    std::int64_t image, y, x;
  };
  Place place_of(std::int64_t tile) const {
    const std::int64_t number = tile % tiles_of_image();
    return {tile / tiles_of_image(), number / tile_columns() * kSide,
            number % tile_columns() * kSide};
  }

  void transform_input(const Memory& memory, std::int64_t group, std::int64_t tile,
                       std::int64_t row) const {
    const Place place = place_of(tile);
    const Tap& first = stencil.taps[Winograd::is_reversed(stencil) ? 8 : 0];
    const std::int64_t pitch = groups * channels;
    const float* from[kPoints];
    for (std::int64_t i = 0; i < kPatch; ++i) {
      const std::int64_t y = place.y + first.offset[1] + i;
      for (std::int64_t j = 0; j < kPatch; ++j) {
        const std::int64_t x = place.x + first.offset[2] + j;
        const bool is_inside = y >= 0 && y < stencil.in[1] && x >= 0 && x < stencil.in[2];
        const std::int64_t pixel = (place.image * stencil.in[1] + y) * stencil.in[2] + x;
        from[i * kPatch + j] = is_inside ? in + pixel * pitch + group * channels : memory.zeros;
      }
    }
    for (std::int64_t c = 0; c < channels; c += kWidth) {
      const auto lanes = static_cast<int>(std::min(kWidth, channels - c));
      V d[kPoints], whole[kPoints];
      for (int i = 0; i < kPoints; ++i) {
        d[i] = lanes == kWidth ? load(from[i] + c) : load_first(from[i] + c, lanes);
      }
      Winograd::transform_inputs(d, whole);
      float* to = memory.inputs + row * input_row() + c;
      for (int p = 0; p < kPoints; ++p, to += input_size()) store(to, whole[p]);
    }
  }

  void multiply(const Memory& memory, std::int64_t group, std::int64_t count) const {
    const std::int64_t blocks = divide_up(channels, kMostSteps);
    for (std::int64_t p = 0; p < kPoints; ++p) {
      const float* const b = transformed + (p * groups + group) * matrix_size();
      const float* const a = memory.inputs + p * input_size();
      float* const sums = memory.sums + p * sums_size();
      for (std::int64_t block = 0; block < blocks; ++block) {
        const std::int64_t begin = channels * block / blocks;
        const std::int64_t end = channels * (block + 1) / blocks;
        multiply_tiles<float>(
            count, vectors(),
            {a + begin, input_row(), 1, b + begin * kWidth, kWidth, channels * kWidth, end - begin},
            {sums, sums_row(), nullptr, 1.0f, block == 0 ? 0.0f : 1.0f, static_cast<int>(kWidth)});
      }
    }
  }

  void transform_sums(const Memory& memory, std::int64_t group, std::int64_t tile,
                      std::int64_t row) const {
    const Place place = place_of(tile);
    const std::int64_t pitch = groups * rows, width = stencil.out[2];
    const std::int64_t y_end = std::min(kSide, stencil.out[1] - place.y);
    const std::int64_t x_end = std::min(kSide, width - place.x);
    float* const to =
        out + group * rows + ((place.image * stencil.out[1] + place.y) * width + place.x) * pitch;
    for (std::int64_t column = 0; column < rows; column += kWidth) {
      const auto lanes = static_cast<int>(std::min(kWidth, rows - column));
      V m[kPoints], results[kSide * kSide], start{};
      if (bias != nullptr) {
        const float* const from = bias + group * rows + column;
        start = lanes == kWidth ? load(from) : load_first(from, lanes);
      }
      const float* from = memory.sums + row * sums_row() + column;
      for (int p = 0; p < kPoints; ++p, from += sums_size()) m[p] = load(from);
      Winograd::transform_sums(m, results);
      for (std::int64_t y = 0; y < y_end; ++y) {
        for (std::int64_t x = 0; x < x_end; ++x) {
          const V result = results[y * kSide + x] + start;
          float* const pixel = to + (y * width + x) * pitch + column;
          lanes == kWidth ? store(pixel, result) : store_first(pixel, result, lanes);
        }
      }
    }
  }

  static constexpr std::int64_t kMostSteps = 512;
  std::int64_t tiles_at_once_ = 0, parts_ = 1;
  std::atomic<bool> out_of_memory_{false};
};

}  // namespace tern::cpu
