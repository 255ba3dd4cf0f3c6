#pragma once

#include <optional>

#include <tern/core/tensor/device.h>
#include <tern/nn/module.h>

namespace tern::nn::detail {

/// Clones the adapters of add_lora() in `from`, and below it, into `to`, a copy without them.
void adopt_adapters(Module& to, const Module& from, const std::optional<Device>& device);

}  // namespace tern::nn::detail
