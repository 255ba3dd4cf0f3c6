#pragma once

#include <cstdint>

#include <tern/core/kernels/view.h>

namespace tern::sim {

/// Visits the places of a shape, the last dimension running fastest. Zero dimensions are one place.
class Odometer {
 public:
  Odometer(std::int32_t ndim, const std::int64_t* sizes) : ndim_(ndim), sizes_(sizes) {
    for (std::int32_t d = 0; d < ndim; ++d) done_ = done_ || sizes[d] == 0;
  }

  bool done() const { return done_; }

  void next() {
    for (std::int32_t d = ndim_ - 1; d >= 0; --d) {
      if (++place_[d] < sizes_[d]) return;
      place_[d] = 0;
    }
    done_ = true;
  }

  /// Where this place lies in a tensor with these strides.
  std::int64_t offset(const std::int64_t* strides) const {
    std::int64_t sum = 0;
    for (std::int32_t d = 0; d < ndim_; ++d) sum += place_[d] * strides[d];
    return sum;
  }

 private:
  std::int32_t ndim_;
  const std::int64_t* sizes_;
  std::int64_t place_[kernels::kMaxDims] = {};
  bool done_ = false;
};

}  // namespace tern::sim
