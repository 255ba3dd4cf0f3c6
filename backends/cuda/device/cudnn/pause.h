#pragma once

#include <algorithm>
#include <cstdint>

namespace tern::cuda::device::cudnn {

/// Calls to let pass after one that failed for a reason that may go away, as for want of memory. A
/// failure costs time (one for want of memory empties the caches of all devices), so it is repeated
/// less and less often.
class Pause {
 public:
  void begin() { calls_left_ = length_ = std::min(2 * length_ + 1, kLongest); }
  /// Counts a call, and returns true if it is one to let pass.
  bool lasts() { return calls_left_ > 0 && calls_left_-- > 0; }

 private:
  static constexpr std::int64_t kLongest = 1024;
  std::int64_t length_ = 0, calls_left_ = 0;
};

}  // namespace tern::cuda::device::cudnn
