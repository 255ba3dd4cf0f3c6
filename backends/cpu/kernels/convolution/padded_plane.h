#pragma once

#include <tern/backends/cpu/kernels/convolution/stencil.h>
#include <tern/backends/cpu/kernels/support/vector.h>

namespace tern::cpu {

/// A copy of a plane with the zeros around it, for loops over vectors of pixels that know no
/// borders. The elements are sorted by their positions' remainders divided by the stride, so that
/// neighbouring pixels of the grid read neighbouring elements, for every tap at the same distance
/// from row to row. A window of the grid may have a copy of its own.
template <class T>
class PaddedPlane {
 public:
  static constexpr std::int64_t kWidth = kLanes<T>;

  explicit PaddedPlane(const Stencil& s) : PaddedPlane(s, s.grid) {}
  /// A window of window[0] x window[1] x window[2] positions of the grid.
  PaddedPlane(const Stencil& s, const std::int64_t* window) : s_(&s) {
    for (int d = 0; d < 3; ++d) {
      std::int64_t high = 0;
      for (std::int64_t t = 0; t < s.count; ++t) {
        const std::int64_t offset = s.taps[t].offset[d];
        low_[d] = t == 0 ? offset : std::min(low_[d], offset);
        high = t == 0 ? offset : std::max(high, offset);
      }
      count_[d] = window[d] + (high - low_[d]) / s.step[d];
    }
  }

  /// Returns the number of elements of the copy, with slack for whole vectors.
  std::int64_t size() const { return volume(s_->step) * volume(count_) + kMostAhead; }

  /// Copies what the taps read for the window that begins at `first`.
  void fill(T* to, const T* plane, const std::int64_t* first) const {
    std::int64_t from[3], r[3];
    for (int d = 0; d < 3; ++d) from[d] = first[d] * s_->step[d] + low_[d];
    for (r[0] = 0; r[0] < s_->step[0]; ++r[0]) {
      for (r[1] = 0; r[1] < s_->step[1]; ++r[1]) {
        for (r[2] = 0; r[2] < s_->step[2]; ++r[2], to += volume(count_)) {
          fill_remainder(to, plane, from[0] + r[0], from[1] + r[1], from[2] + r[2]);
        }
      }
    }
    std::fill_n(to, kMostAhead, T(0));
  }
  void fill(T* to, const T* plane) const {
    constexpr std::int64_t kFirst[3] = {0, 0, 0};
    fill(to, plane, kFirst);
  }

  /// Returns where a tap reads for the first pixel of a row of the grid, counted from grid_row().
  std::int64_t place(const Tap& tap) const {
    std::int64_t remainder = 0, row[3];
    for (int d = 0; d < 3; ++d) {
      const std::int64_t at = tap.offset[d] - low_[d];
      remainder = remainder * s_->step[d] + at % s_->step[d];
      row[d] = at / s_->step[d];
    }
    return remainder * volume(count_) + grid_row(row[0], row[1]) + row[2];
  }
  /// Returns the place of the row at (z, y) of the window.
  std::int64_t grid_row(std::int64_t z, std::int64_t y) const {
    return (z * count_[1] + y) * count_[2];
  }

 private:
  static constexpr std::int64_t kMostAhead = 4 * kWidth;

  /// Copies the elements whose distances from (z0, y0, x0) are multiples of the strides.
  void fill_remainder(T* to, const T* plane, std::int64_t z0, std::int64_t y0,
                      std::int64_t x0) const {
    const std::int64_t step = s_->step[2], columns = count_[2];
    const auto first_at_least = [&](std::int64_t x) {
      return x <= x0 ? 0 : std::min((x - x0 + step - 1) / step, columns);
    };
    const std::int64_t begin = first_at_least(0), end = first_at_least(s_->in[2]);
    for (std::int64_t i = 0, z = z0; i < count_[0]; ++i, z += s_->step[0]) {
      for (std::int64_t j = 0, y = y0; j < count_[1]; ++j, y += s_->step[1], to += columns) {
        if (z < 0 || z >= s_->in[0] || y < 0 || y >= s_->in[1] || begin == end) {
          std::fill_n(to, columns, T(0));
          continue;
        }
        const T* const from = plane + (z * s_->in[1] + y) * s_->in[2] + x0 + begin * step;
        for (std::int64_t x = 0; x < begin; ++x) to[x] = T(0);
        if (step == 1) {
          copy_span(to + begin, from, (end - begin) * static_cast<std::int64_t>(sizeof(T)));
        } else {
          gather_span(to + begin, from, step, end - begin);
        }
        for (std::int64_t x = end; x < columns; ++x) to[x] = T(0);
      }
    }
  }

  const Stencil* s_;
  std::int64_t low_[3] = {}, count_[3];
};

}  // namespace tern::cpu
