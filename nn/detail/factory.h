#pragma once

#include <cstdint>

#include <tern/core/base/error.h>
#include <tern/core/tensor/options.h>

namespace tern::nn::detail {

/// Returns the device and dtype that a module's options select.
template <class Options>
TensorOptions factory_options(const Options& options) {
  TensorOptions result;
  if (options.device()) result = result.device(*options.device());
  if (options.dtype()) result = result.dtype(*options.dtype());
  return result;
}

/// The most layers of a module: more than fit into any memory, and few enough to count.
constexpr std::int64_t kMostLayers = 1000000;

/// Throws ShapeError, which names the option, if the size of a parameter is negative, or if small
/// multiples of it would overflow.
inline void check_size(const char* module, const char* option, std::int64_t size) {
  TERN_CHECK(size >= 0, ShapeError, module, ": the size ", option, " must not be negative, got ",
             size);
  TERN_CHECK(size <= INT64_MAX / 8, ShapeError, module, ": the size ", option, " must be at most ",
             INT64_MAX / 8, ", got ", size);
}

}  // namespace tern::nn::detail
