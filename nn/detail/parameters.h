#pragma once

#include <optional>
#include <ostream>

#include <tern/nn/detail/printing.h>
#include <tern/nn/module.h>

// Helpers shared by ParameterList and ParameterDict.

namespace tern::nn::detail {

/// Returns a copy with its own memory and the same requires_grad.
inline Tensor clone_leaf(const Tensor& tensor, const std::optional<Device>& device) {
  Tensor copy = tensor.detach().to(device.value_or(tensor.device()), /*non_blocking=*/false,
                                   /*copy=*/true);
  return copy.requires_grad_(tensor.requires_grad());
}

/// Prints the parameters in libtorch's words, indented as in Python: a single parameter is printed
/// on the line of the container.
inline void print_parameters(std::ostream& stream, const Module::NamedTensors& parameters) {
  const bool is_list = parameters.size() > 1;
  stream << '(';
  for (const auto& [name, tensor] : parameters) {
    print_to(stream, {(is_list ? "\n    (" : "  ("), name, "): Parameter containing: [",
                      tensor.dtype(), " of size ", tensor.sizes(), ']'});
  }
  stream << (is_list ? "\n)" : ")");
}

}  // namespace tern::nn::detail
