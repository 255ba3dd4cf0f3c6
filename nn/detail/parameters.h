#pragma once

#include <optional>
#include <ostream>

#include <tern/nn/module.h>

// What ParameterList and ParameterDict share.

namespace tern::nn::detail {

/// A copy with its own memory and the same requires_grad.
inline Tensor clone_leaf(const Tensor& tensor, const std::optional<Device>& device) {
  Tensor copy = tensor.detach().to(device.value_or(tensor.device()), /*non_blocking=*/false,
                                   /*copy=*/true);
  return copy.requires_grad_(tensor.requires_grad());
}

/// One line per parameter, as libtorch prints them.
inline void print_parameters(std::ostream& stream, const Module::NamedTensors& parameters) {
  stream << "(\n";
  for (const auto& [name, tensor] : parameters) {
    stream << '(' << name << "): Parameter containing: [" << tensor.dtype() << " of size "
           << tensor.sizes() << "]\n";
  }
  stream << ')';
}

}  // namespace tern::nn::detail
