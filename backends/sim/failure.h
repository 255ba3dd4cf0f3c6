#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

#include <tern/core/kernels/plugin.h>

namespace tern::sim {

using kernels::StatusCode;

/// An error inside the simulator. It never leaves the plugin: guarded() converts it into a status.
struct Failure {
  StatusCode code;
  std::string message;
  std::int64_t detail = 0, limit = 0;  // as in KernelContext
};

inline void write_message(char* out, std::size_t size, const std::string& message) {
  std::snprintf(out, size, "%s", message.c_str());
}

/// Runs `body` and returns its result. If `body` throws, writes the error to `status` and returns
/// zero.
template <class Body>
auto guarded(kernels::PluginStatus* status, const Body& body) noexcept -> decltype(body()) {
  try {
    return body();
  } catch (const Failure& failure) {
    status->code = failure.code;
    write_message(status->message, sizeof(status->message), failure.message);
  } catch (const std::exception& error) {
    status->code = StatusCode::kDeviceFault;
    write_message(status->message, sizeof(status->message), error.what());
  }
  return decltype(body())();
}

}  // namespace tern::sim
