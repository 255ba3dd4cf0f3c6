#pragma once

#include <tern/backends/cpu/kernels/convolution/padded_plane.h>
#include <tern/backends/cpu/kernels/support/divide_up.h>

namespace tern::cpu {

/// A grid cut into windows of equal size whose padded planes fit into a cache. The positions of a
/// window lie in rows one after the other, with a few positions between them that count for
/// nothing, so that one loop over vectors passes over all rows.
template <class T>
class Windows {
 public:
  static constexpr std::int64_t kWidth = kLanes<T>;

  /// At most `most` elements of `channels` padded planes.
  Windows(const Stencil& s, std::int64_t channels, std::int64_t most) : s_(s), plane_(s) {
    std::copy_n(s.grid, 3, size_);
    while (plane_.size() * channels > most && split()) {
    }
  }

  /// Makes more windows; returns false if each is a single position.
  bool split() {
    for (int d = 0; d < 3; ++d) {
      if (size_[d] == 1) continue;
      size_[d] = std::min(size_[d] - 1, divide_up(s_.grid[d], number(d) + 1));
      plane_ = PaddedPlane<T>(s_, size_);
      return true;
    }
    return false;
  }

  std::int64_t count() const { return number(0) * number(1) * number(2); }
  const PaddedPlane<T>& plane() const { return plane_; }
  /// Returns how many vectors hold the positions of any window.
  std::int64_t vectors() const {
    return Window{{}, {size_[0], size_[1], size_[2]}}.vectors(plane_);
  }

  struct Window {
    std::int64_t first[3], size[3];

    std::int64_t vectors(const PaddedPlane<T>& plane) const {
      return divide_up(plane.grid_row(size[0] - 1, size[1] - 1) + size[2], kWidth);
    }
    /// Calls fn(row in the vectors, z, y) for each row, counted from `first`.
    template <class Fn>
    void each_row(const PaddedPlane<T>& plane, const Fn& fn) const {
      for (std::int64_t z = 0; z < size[0]; ++z) {
        for (std::int64_t y = 0; y < size[1]; ++y) fn(plane.grid_row(z, y), z, y);
      }
    }
  };
  Window operator[](std::int64_t i) const {
    Window w{};
    for (int d = 2; d >= 0; --d) {
      w.first[d] = i % number(d) * size_[d];
      w.size[d] = std::min(size_[d], s_.grid[d] - w.first[d]);
      i /= number(d);
    }
    return w;
  }

 private:
  std::int64_t number(int d) const { return divide_up(s_.grid[d], size_[d]); }

  const Stencil& s_;
  std::int64_t size_[3];
  PaddedPlane<T> plane_;
};

/// Sets places[c * taps + t] to where tap t reads from padded plane c, counted from a position.
template <class T>
void list_places(const Stencil& s, const PaddedPlane<T>& plane, std::int64_t channels,
                 std::int64_t* places) {
  for (std::int64_t t = 0; t < s.count; ++t) {
    const std::int64_t place = plane.place(s.taps[t]);
    for (std::int64_t c = 0; c < channels; ++c) places[c * s.count + t] = c * plane.size() + place;
  }
}

/// Returns for how many elements there is room where `steps` places stand; vectors may follow.
template <class T>
std::int64_t room_of_places(std::int64_t steps) {
  constexpr auto kElements = static_cast<std::int64_t>(sizeof(std::int64_t) / sizeof(T));
  return divide_up(steps * kElements, kLanes<T>) * kLanes<T>;
}

/// Copies n elements; reads up to a vector more than these.
template <class T>
void copy_lanes(T* to, const T* from, std::int64_t n) {
  std::int64_t x = 0;
  for (; x + kLanes<T> <= n; x += kLanes<T>) store(to + x, load(from + x));
  if (x < n) store_first(to + x, load(from + x), static_cast<int>(n - x));
}

}  // namespace tern::cpu
