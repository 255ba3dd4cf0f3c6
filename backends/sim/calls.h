#pragma once

#include <mutex>

#include <tern/backends/sim/capture.h>
#include <tern/backends/sim/failure.h>
#include <tern/backends/sim/simulator.h>

// Helpers shared by the functions of the plugin's table.

namespace tern::sim {

using namespace kernels;

/// Runs `body(simulator)` under the lock and converts an exception into a status.
template <class Body>
auto locked(PluginStatus* status, const Body& body) {
  return guarded(status, [&] {
    Simulator& simulator = Simulator::get();
    const std::lock_guard lock(simulator.mutex);
    return body(simulator);
  });
}

/// Does the same for a body without a result.
template <class Body>
void locked_call(PluginStatus* status, const Body& body) {
  locked(status, [&](Simulator& simulator) {
    body(simulator);
    return true;
  });
}

/// Throws if a capture records the stream's work.
inline void not_capturing(const Stream& stream) {
  if (stream.capture() != nullptr) refuse(CaptureError::kUnsupported, stream.capture().get());
}

// Declares the functions of the plugin's table.
#define TERN_PLUGIN_CALL(result, name, parameters) result name parameters;
#include <tern/core/kernels/plugin_calls.def>
#undef TERN_PLUGIN_CALL

}  // namespace tern::sim
