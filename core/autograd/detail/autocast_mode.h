#pragma once

#include <cstdint>

#include <tern/core/base/visibility.h>
#include <tern/core/tensor/tensor.h>

// The settings of autocast of a thread, for ops and the engine.

namespace tern::detail {

/// The settings of autocast of one thread.
struct AutocastMode {
  std::uint8_t devices = 0;  // bit t: enabled for the kind of device t
  /// True while an op runs that has no rule of its own: the ops that it calls have theirs.
  bool reaches_inner_ops = false;
  bool cache_enabled = true;
  ScalarType dtypes[2] = {kBFloat16, kHalf};  // of the CPU and of CUDA

  bool is_enabled(DeviceType type) const { return (devices >> static_cast<int>(type)) & 1; }
  void set_enabled(DeviceType type, bool enabled) {
    const unsigned bit = 1u << static_cast<int>(type);
    devices = static_cast<std::uint8_t>(enabled ? devices | bit : devices & ~bit);
  }
};

/// The settings of this thread. Hidden visibility and the initial-exec TLS model let libtern read
/// them in one instruction.
extern constinit thread_local AutocastMode autocast_mode
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/// Gives this thread other settings while the guard lives, and leaves the cache alone.
class AutocastModeGuard {
 public:
  explicit AutocastModeGuard(const AutocastMode& mode) : previous_(autocast_mode) {
    autocast_mode = mode;
  }
  ~AutocastModeGuard() { autocast_mode = previous_; }
  AutocastModeGuard(const AutocastModeGuard&) = delete;
  AutocastModeGuard& operator=(const AutocastModeGuard&) = delete;

 private:
  AutocastMode previous_;
};

/// Enters a region with other settings: the outermost region of a thread clears its cache at the
/// end.
class AutocastRegion {
 public:
  explicit AutocastRegion(const AutocastMode& mode);
  ~AutocastRegion();
  AutocastRegion(const AutocastRegion&) = delete;
  AutocastRegion& operator=(const AutocastRegion&) = delete;

 private:
  AutocastModeGuard mode_;
};

/// Returns `tensor` in `dtype`. A float32 leaf that requires grad is cast once: the cache keeps
/// the result until the outermost region ends.
Tensor autocast_to(const Tensor& tensor, ScalarType dtype);

}  // namespace tern::detail
