#pragma once

#include <tern/backends/cpu/kernels/convolution/plane_product.h>

namespace tern::cpu {

/// The same gradient as StencilWeightGradient for few channels: vectors run along the pixels of
/// padded planes, and each lane adds for itself. The result has the same bits for any number of
/// threads.
template <class T>
class PlaneWeightGradient {
 public:
  PlaneWeightGradient(const ConvolutionArgs& args, const Stencil& stencil)
      : args_(args),
        stencil_(stencil),
        windows_(stencil, args.inputs, kPlanesBytes / std::int64_t{sizeof(T)}) {
    g_plane_ = windows_.vectors() * kWidth;
    const std::int64_t image = args.inputs * windows_.plane().size() + args.outputs * g_plane_;
    images_ =
        std::clamp<std::int64_t>(kPlanesBytes / std::int64_t{sizeof(T)} / image, 1, args.batch);
    const auto padded = [](std::int64_t n, std::int64_t tile) { return divide_up(n, tile) * tile; };
    // Narrow tiles read more memory.
    is_wide_ = padded(args.outputs, kHeld) * padded(steps(), kPassed) * 9 <=
               padded(args.outputs, kPassed) * padded(steps(), kHeld) * 10;
  }

  /// Returns true if this algorithm is the faster one: its tiles read few planes many times.
  bool suits() const {
    constexpr std::int64_t kMostOutputs = 24, kMostSteps = 400;
    // A copy of the gradient and the sums of lanes must pay.
    constexpr std::int64_t kCheapOutputs = 16, kFewestSteps = 24, kFewestVectors = 48;
    return stencil_.count > 1 && (args_.outputs <= kCheapOutputs || steps() >= kFewestSteps) &&
           (args_.outputs <= kMostOutputs || steps() <= kMostSteps) &&
           images_ * windows_.vectors() >= kFewestVectors;
  }

  /// Returns false if out of memory.
  bool run() {
    const std::int64_t work =
        args_.batch * args_.groups * steps() * args_.outputs * volume(stencil_.grid);
    parts_ = std::min<std::int64_t>(convolution_threads(work), args_.groups * strips());
    detail::run_parallel(
        static_cast<int>(parts_),
        [](void* self, int part) { static_cast<PlaneWeightGradient*>(self)->run_part(part); },
        this);
    return !out_of_memory_;
  }

 private:
  using V = Vector<T>;
  static constexpr std::int64_t kWidth = kLanes<T>, kPlanesBytes = 256 << 10;
  // A tile of sums: the vectors of kHeld planes stay in registers while those of kPassed others
  // pass by.
  static constexpr int kHeld = kTileRows == 8 ? 4 : 3, kPassed = kTileRows == 8 ? 6 : 4;

  std::int64_t steps() const { return args_.inputs * stencil_.count; }
  /// The outputs and steps of a tile.
  std::int64_t tile_outputs() const { return is_wide_ ? kHeld : kPassed; }
  std::int64_t tile_steps() const { return is_wide_ ? kPassed : kHeld; }
  /// Threads share the strips of the longer side.
  bool shares_steps() const {
    return divide_up(steps(), tile_steps()) >= divide_up(args_.outputs, tile_outputs());
  }
  std::int64_t strips() const {
    return shares_steps() ? divide_up(steps(), tile_steps())
                          : divide_up(args_.outputs, tile_outputs());
  }

  /// What a thread computes for a group.
  struct Part {
    std::int64_t group, output, output_end, step, step_end;
  };
  struct Memory {
    std::int64_t* places;  // where the steps read, counted from a position
    T* mask;               // lanes of ones where positions count
    T* planes;             // [images, inputs, plane]
    T* gradients;          // [images, outputs, g_plane_], 0 at positions that do not count
  };

  void run_part(int part) {
    const std::int64_t all = args_.groups * strips();
    const std::int64_t first = all * part / parts_, last = all * (part + 1) / parts_;
    const std::int64_t planes = images_ * args_.inputs * windows_.plane().size();
    const std::int64_t gradients = images_ * args_.outputs * g_plane_ + kWidth;
    const std::int64_t places = room_of_places<T>(steps());
    T* const memory = thread_scratch<T>(places + g_plane_ + gradients + planes);
    if (memory == nullptr) {
      out_of_memory_ = true;
      return;
    }
    T* const mask = memory + places;
    const Memory parts{reinterpret_cast<std::int64_t*>(memory), mask, mask + g_plane_ + gradients,
                       mask + g_plane_};
    list_places(stencil_, windows_.plane(), args_.inputs, parts.places);
    for (std::int64_t at = first; at < last;) {
      const std::int64_t group = at / strips(), strip = at % strips();
      const std::int64_t end = std::min(strips(), strip + last - at);
      Part work{group, 0, args_.outputs, 0, steps()};
      if (shares_steps()) {
        work.step = strip * tile_steps();
        work.step_end = std::min(end * tile_steps(), steps());
      } else {
        work.output = strip * tile_outputs();
        work.output_end = std::min(end * tile_outputs(), args_.outputs);
      }
      compute(parts, work);
      at += end - strip;
    }
  }

  void compute(const Memory& memory, const Part& part) const {
    T* const out = static_cast<T*>(args_.out) + part.group * args_.outputs * steps();
    for (std::int64_t o = part.output; o < part.output_end; ++o) {
      std::fill(out + o * steps() + part.step, out + o * steps() + part.step_end, T(0));
    }
    for (std::int64_t i = 0; i < windows_.count(); ++i) {
      const typename Windows<T>::Window window = windows_[i];
      set_mask(memory.mask, window);
      for (std::int64_t image = 0; image < args_.batch; image += images_) {
        const std::int64_t images = std::min(images_, args_.batch - image);
        fill(memory, part, window, image, images);
        for (std::int64_t o = part.output; o < part.output_end; o += tile_outputs()) {
          for (std::int64_t k = part.step; k < part.step_end; k += tile_steps()) {
            const Tile tile{out,
                            o,
                            part.output_end,
                            k,
                            part.step_end,
                            images,
                            window.vectors(windows_.plane())};
            if (is_wide_) {
              add_tile<kHeld, kPassed>(memory, tile);
            } else {
              add_tile<kPassed, kHeld>(memory, tile);
            }
          }
        }
      }
    }
  }

  void set_mask(T* mask, const typename Windows<T>::Window& window) const {
    std::memset(mask, 0, static_cast<std::size_t>(g_plane_) * sizeof(T));
    window.each_row(windows_.plane(), [&](std::int64_t at, std::int64_t, std::int64_t) {
      std::memset(mask + at, 0xff, static_cast<std::size_t>(window.size[2]) * sizeof(T));
    });
  }

  void fill(const Memory& memory, const Part& part, const typename Windows<T>::Window& window,
            std::int64_t image, std::int64_t images) const {
    const PaddedPlane<T>& plane = windows_.plane();
    const std::int64_t width = stencil_.grid[2];
    for (std::int64_t i = 0; i < images; ++i) {
      const std::int64_t at = (image + i) * args_.groups + part.group;
      for (std::int64_t c = part.step / stencil_.count;
           c < divide_up(part.step_end, stencil_.count); ++c) {
        const T* const from =
            static_cast<const T*>(args_.input) + (at * args_.inputs + c) * volume(stencil_.in);
        plane.fill(memory.planes + (i * args_.inputs + c) * plane.size(), from, window.first);
      }
      for (std::int64_t o = part.output; o < part.output_end; ++o) {
        const T* const from = static_cast<const T*>(args_.gradient) +
                              (at * args_.outputs + o) * volume(stencil_.grid) + window.first[2];
        T* const to = memory.gradients + (i * args_.outputs + o) * g_plane_;
        std::int64_t done = 0;
        const auto clear = [&](std::int64_t end) {
          // The next row overwrites what is too much.
          for (; done < end; done += kWidth) store(to + done, V{});
        };
        window.each_row(plane, [&](std::int64_t row, std::int64_t z, std::int64_t y) {
          clear(row);
          const std::int64_t line = (window.first[0] + z) * stencil_.grid[1] + window.first[1] + y;
          copy_span(to + row, from + line * width,
                    window.size[2] * static_cast<std::int64_t>(sizeof(T)));
          done = row + window.size[2];
        });
        clear(g_plane_);
      }
    }
  }

  /// Outputs and steps of which a tile adds the sums over images; those from the ends on count for
  /// nothing.
  struct Tile {
    T* out;
    std::int64_t output, output_end, step, step_end, images, vectors;
  };

  template <int kOutputs, int kSteps>
  void add_tile(const Memory& memory, const Tile& tile) const {
    const PaddedPlane<T>& plane = windows_.plane();
    const T* gradients[kOutputs];
    const T* inputs[kSteps];
    for (int i = 0; i < kOutputs; ++i) {
      const std::int64_t o = std::min(tile.output + i, tile.output_end - 1);
      gradients[i] = memory.gradients + o * g_plane_;
    }
    for (int i = 0; i < kSteps; ++i) {
      inputs[i] = memory.planes + memory.places[std::min(tile.step + i, tile.step_end - 1)];
    }
    V sums[kOutputs][kSteps] = {};
    for (std::int64_t n = 0; n < tile.images; ++n) {
      for (std::int64_t at = 0; at < tile.vectors * kWidth; at += kWidth) {
        // Positions that do not count may read infinities, whose product with 0 is no number.
        const V mask = load(memory.mask + at);
        if constexpr (kOutputs < kSteps) {
          V g[kOutputs];
#pragma GCC unroll 6
          for (int i = 0; i < kOutputs; ++i) g[i] = load(gradients[i] + at);
#pragma GCC unroll 6
          for (int j = 0; j < kSteps; ++j) {
            const V x = masked(load(inputs[j] + at), mask);
#pragma GCC unroll 6
            for (int i = 0; i < kOutputs; ++i) sums[i][j] = fma(g[i], x, sums[i][j]);
          }
        } else {
          V x[kSteps];
#pragma GCC unroll 6
          for (int j = 0; j < kSteps; ++j) x[j] = masked(load(inputs[j] + at), mask);
#pragma GCC unroll 6
          for (int i = 0; i < kOutputs; ++i) {
            const V g = load(gradients[i] + at);
#pragma GCC unroll 6
            for (int j = 0; j < kSteps; ++j) sums[i][j] = fma(g, x[j], sums[i][j]);
          }
        }
      }
      for (int i = 0; i < kOutputs; ++i) gradients[i] += args_.outputs * g_plane_;
      for (int i = 0; i < kSteps; ++i) inputs[i] += args_.inputs * plane.size();
    }
#pragma GCC unroll 6
    for (int i = 0; i < kOutputs; ++i) {
#pragma GCC unroll 6
      for (int j = 0; j < kSteps; ++j) {
        const T sum = reduce_lanes<Sum, T>(sums[i][j]);
        if (tile.output + i < tile.output_end && tile.step + j < tile.step_end) {
          tile.out[(tile.output + i) * steps() + tile.step + j] += sum;
        }
      }
    }
  }

  static V masked(V value, V mask) {
    using Bits = Vector<std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>;
    return reinterpret_cast<V>(reinterpret_cast<Bits>(value) & reinterpret_cast<Bits>(mask));
  }

  const ConvolutionArgs& args_;
  const Stencil& stencil_;
  Windows<T> windows_;
  std::int64_t g_plane_, images_, parts_ = 1;
  bool is_wide_;
  std::atomic<bool> out_of_memory_{false};
};

}  // namespace tern::cpu
