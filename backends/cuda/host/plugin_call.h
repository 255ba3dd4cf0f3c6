#pragma once

#include <type_traits>

#include <tern/backends/cuda/host/loader.h>
#include <tern/core/base/error.h>

namespace tern::cuda::detail {

/// Throws the error that a call of the plugin reported, if any.
inline void check(const kernels::PluginStatus& status) {
  switch (status.code) {
    case kernels::StatusCode::kOk:
      return;
    case kernels::StatusCode::kIndexOutOfRange:
      throw IndexError(status.message);
    case kernels::StatusCode::kInvalidValue:
      throw Error(status.message);
    case kernels::StatusCode::kOutOfMemory:
      throw OutOfMemoryError(status.message);
    case kernels::StatusCode::kUnsupportedDtype:
      throw NotImplementedError(status.message);
    case kernels::StatusCode::kDeviceFault:
      break;
  }
  throw DeviceError(status.message);
}

/// Calls a function of the plugin's table, as in call(&Plugin::stream_synchronize, stream), and
/// throws the error that it reports.
template <class Function, class... Args>
auto call(Function kernels::Plugin::*function, Args... args) {
  kernels::PluginStatus status;
  if constexpr (std::is_void_v<decltype((plugin().*function)(args..., &status))>) {
    (plugin().*function)(args..., &status);
    check(status);
  } else {
    const auto result = (plugin().*function)(args..., &status);
    check(status);
    return result;
  }
}

}  // namespace tern::cuda::detail
