#pragma once

#include <mutex>

#include <tern/backends/sim/capture.h>
#include <tern/backends/sim/failure.h>
#include <tern/backends/sim/simulator.h>

// What the functions of the plugin's table have in common.

namespace tern::sim {

using namespace kernels;

/// Runs `body(simulator)` under the lock and turns what it throws into a status.
template <class Body>
auto locked(PluginStatus* status, const Body& body) {
  return guarded(status, [&] {
    Simulator& simulator = Simulator::get();
    const std::lock_guard lock(simulator.mutex);
    return body(simulator);
  });
}

/// The same for what returns nothing.
template <class Body>
void locked_call(PluginStatus* status, const Body& body) {
  locked(status, [&](Simulator& simulator) {
    body(simulator);
    return true;
  });
}

/// Throws when a capture records the stream's work.
inline void not_capturing(const Stream& stream) {
  if (stream.capture() != nullptr) refuse(CaptureError::kUnsupported, stream.capture().get());
}

// What the plugin's table holds.
#define TERN_PLUGIN_CALL(result, name, parameters) result name parameters;
#include <tern/core/kernels/plugin_calls.def>
#undef TERN_PLUGIN_CALL

}  // namespace tern::sim
