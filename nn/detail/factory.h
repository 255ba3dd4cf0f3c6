#pragma once

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

}  // namespace tern::nn::detail
