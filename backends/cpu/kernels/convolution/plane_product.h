#pragma once

#include <atomic>

#include <tern/backends/cpu/kernels/convolution/tiles.h>
#include <tern/backends/cpu/kernels/convolution/window.h>

namespace tern::cpu {

/// The same sum as StencilProduct, whose fields these are, for few rows: where a number that is
/// gathered serves few products, it is cheaper to read it in place, from planes with zeros around.
/// The result has the same bits for any number of threads.
template <class T>
class PlaneProduct {
 public:
  explicit PlaneProduct(const Stencil& given) : stencil(given) {}

  const Stencil& stencil;
  std::int64_t batch = 0, groups = 0, rows = 0, channels = 0;
  const T* a = nullptr;
  const T* in = nullptr;
  const T* bias = nullptr;
  T* out = nullptr;

  /// Returns true if this algorithm is the faster one: each gathered number would serve few rows,
  /// or all gathered numbers few channels.
  static bool suits(const Stencil& s, std::int64_t rows, std::int64_t channels) {
    constexpr std::int64_t kMostRows = 32, kMostSteps = 400;
    constexpr std::int64_t kCheapRows = 8, kFewestSteps = 24;  // pay for a copy of the sums
    const std::int64_t steps = channels * s.count;
    return s.count > 1 && (rows <= kCheapRows || steps >= kFewestSteps) &&
           (rows <= kMostRows || steps <= kMostSteps);
  }

  /// Returns false if out of memory.
  bool run() {
    constexpr std::int64_t kPlanesBytes = 256 << 10;
    Windows<T> windows(stencil, channels, kPlanesBytes / std::int64_t{sizeof(T)});
    const std::int64_t images = batch * groups;
    const int threads =
        convolution_threads(images * volume(stencil.grid) * rows * (channels * stencil.count + 1));
    // A whole number of windows per thread, unless there are many.
    while (images * windows.count() < std::int64_t{4} * threads &&
           images * windows.count() % threads != 0 && windows.split()) {
    }
    windows_ = &windows;
    parts_ = threads;
    detail::run_parallel(
        threads, [](void* self, int part) { static_cast<PlaneProduct*>(self)->run_part(part); },
        this);
    return !out_of_memory_;
  }

 private:
  using V = Vector<T>;
  static constexpr std::int64_t kWidth = kLanes<T>;

  std::int64_t steps() const { return channels * stencil.count; }

  struct Memory {
    T* planes;
    T* sums;               // [rows of a tile, vectors]
    std::int64_t* places;  // where the steps read, counted from a position
  };

  void run_part(int part) {
    const std::int64_t count = windows_->count(), all = batch * groups * count;
    const std::int64_t first = all * part / parts_, last = all * (part + 1) / parts_;
    const PaddedPlane<T>& plane = windows_->plane();
    const std::int64_t planes = channels * plane.size();
    const std::int64_t sums = (kMostTileRows * windows_->vectors() + 1) * kWidth;
    const std::int64_t places = room_of_places<T>(steps());
    T* const memory = thread_scratch<T>(places + planes + sums);
    if (memory == nullptr) {
      out_of_memory_ = true;
      return;
    }
    const Memory parts{memory + places + sums, memory + places,
                       reinterpret_cast<std::int64_t*>(memory)};
    list_places(stencil, plane, channels, parts.places);
    for (std::int64_t at = first; at < last; ++at)
      compute(parts, at / count, (*windows_)[at % count]);
  }

  void compute(const Memory& memory, std::int64_t image,
               const typename Windows<T>::Window& window) const {
    const PaddedPlane<T>& plane = windows_->plane();
    for (std::int64_t c = 0; c < channels; ++c) {
      plane.fill(memory.planes + c * plane.size(), in + (image * channels + c) * volume(stencil.in),
                 window.first);
    }
    std::int64_t row = 0;
    const auto strip = [&]<int kRows>(std::integral_constant<int, kRows>) {
      for (; row + kRows <= rows; row += kRows) {
        compute_rows<kRows>(memory, image, row, window);
      }
    };
    if constexpr (kMostTileRows == 8) strip(std::integral_constant<int, 8>());
    strip(std::integral_constant<int, 6>());
    strip(std::integral_constant<int, 4>());
    strip(std::integral_constant<int, 2>());
    strip(std::integral_constant<int, 1>());
  }

  template <int kRows>
  void compute_rows(const Memory& memory, std::int64_t image, std::int64_t row,
                    const typename Windows<T>::Window& window) const {
    constexpr int kVectors = kRows == 8 ? 3 : kRows == 6 && kMostTileRows == 6 ? 2 : 4;
    const PaddedPlane<T>& plane = windows_->plane();
    const std::int64_t vectors = window.vectors(plane), pitch = vectors * kWidth;
    const std::int64_t first = image % groups * rows + row;
    const T* const weights = a + first * steps();
    const T* const start = bias == nullptr ? nullptr : bias + first;
    std::int64_t v = 0;
    for (; v + kVectors <= vectors; v += kVectors) {
      multiply<kRows, kVectors>(memory, weights, start, v * kWidth, pitch);
    }
    for (; v < vectors; ++v) multiply<kRows, 1>(memory, weights, start, v * kWidth, pitch);

    const std::int64_t size = volume(stencil.out), step = stencil.out_step[2];
    std::int64_t origin[3];
    for (int d = 0; d < 3; ++d) {
      origin[d] = window.first[d] * stencil.out_step[d] + stencil.out_start[d];
    }
    for (int i = 0; i < kRows; ++i) {
      T* const to = out + (image * rows + row + i) * size + origin[2];
      window.each_row(plane, [&](std::int64_t from, std::int64_t z, std::int64_t y) {
        const T* const line = memory.sums + i * pitch + from;
        T* const result = to + ((origin[0] + z * stencil.out_step[0]) * stencil.out[1] + origin[1] +
                                y * stencil.out_step[1]) *
                                   stencil.out[2];
        if (step == 1) return copy_lanes(result, line, window.size[2]);
        for (std::int64_t x = 0; x < window.size[2]; ++x) result[x * step] = line[x];
      });
    }
  }

  template <int kRows, int kVectors>
  void multiply(const Memory& memory, const T* weights, const T* start, std::int64_t position,
                std::int64_t pitch) const {
    V sum[kRows][kVectors];
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < kVectors; ++j) {
        sum[i][j] = start == nullptr ? V{} : broadcast<T>(start[i]);
      }
    }
    const std::int64_t count = steps();
    const std::int64_t* const places = memory.places;
    const T* const from = memory.planes + position;
    for (std::int64_t p = 0; p < count; ++p) {
      V row[kVectors];
#pragma GCC unroll 4
      for (int j = 0; j < kVectors; ++j) row[j] = load(from + places[p] + j * kWidth);
#pragma GCC unroll 8
      for (int i = 0; i < kRows; ++i) {
        const V factor = broadcast<T>(weights[i * count + p]);
#pragma GCC unroll 4
        for (int j = 0; j < kVectors; ++j) sum[i][j] = fma(factor, row[j], sum[i][j]);
      }
    }
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < kVectors; ++j) {
        store(memory.sums + i * pitch + position + j * kWidth, sum[i][j]);
      }
    }
  }

  static constexpr int kMostTileRows = kTileRows == 8 ? 8 : 6;
  const Windows<T>* windows_ = nullptr;
  std::int64_t parts_ = 1;
  std::atomic<bool> out_of_memory_{false};
};

}  // namespace tern::cpu
