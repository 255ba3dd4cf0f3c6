#pragma once

#include <cstdint>
#include <string>

#include <tern/core/base/strict.h>
#include <tern/core/base/visibility.h>

namespace tern::profiler {

/// Marks for NVIDIA's tools, such as Nsight Systems. All functions throw DeviceError without a CUDA
/// device. Without a tool that observes the program a call does nothing and costs some nanoseconds.
namespace nvtx {

/// Begins a range of the calling thread. Returns its depth, from 0; negative without a tool.
TERN_API std::int64_t range_push(const std::string& message);
/// Ends the innermost range of the calling thread. Returns its depth; negative without a tool or a
/// range.
TERN_API std::int64_t range_pop();
/// Marks a point in time.
TERN_API void mark(const std::string& message);

}  // namespace nvtx

/// Marks every op, gradient rule, module and RecordFunction as a range for NVIDIA's tools while the
/// guard lives. Works with and without a Profile. Throws DeviceError without a CUDA device.
///
/// Example:
///   const profiler::emit_nvtx guard;  // nsys profile build/release/bin/vae ...
///   train();
class TERN_API EmitNvtxGuard {
 public:
  /// Starts to mark; false does nothing.
  explicit EmitNvtxGuard(StrictBool enabled = true);
  /// Stops.
  ~EmitNvtxGuard();
  EmitNvtxGuard(const EmitNvtxGuard&) = delete;
  EmitNvtxGuard& operator=(const EmitNvtxGuard&) = delete;

 private:
  bool enabled_;
};

/// Python's name of EmitNvtxGuard.
using emit_nvtx = EmitNvtxGuard;

}  // namespace tern::profiler
