#pragma once

#include <optional>
#include <ostream>
#include <string>

#include <tern/core/base/detail/libtorch.h>
#include <tern/nn/detail/printing.h>
#include <tern/nn/module.h>

// Helpers of registered parameters, and of ParameterList and ParameterDict.

namespace tern::nn::detail {

/// Sets requires_grad of a parameter. Errors name the parameter.
inline void set_requires_grad(const std::string& name, const Tensor& parameter,
                              bool requires_grad) {
  if (!parameter.defined()) return;
  TERN_CHECK(!requires_grad || parameter.is_floating_point(), DTypeError, "parameter '", name,
             "': Only Tensors of floating point and complex dtype can require gradients, got ",
             parameter.scalar_type());
  parameter.requires_grad_(requires_grad);
}

/// Returns requires_grad of a parameter of a container, which must be defined.
inline bool checked_requires_grad(const char* container, const std::string& name,
                                  const Tensor& parameter) {
  TERN_CHECK(parameter.defined(), Error, container, ": the parameter '", name, "' is undefined");
  return parameter.requires_grad();
}

/// Returns a copy with its own memory and the same requires_grad.
inline Tensor clone_leaf(const Tensor& tensor, const std::optional<Device>& device) {
  Tensor copy = tensor.detach().to(device.value_or(tensor.device()), /*non_blocking=*/false,
                                   /*copy=*/true);
  return copy.requires_grad_(tensor.requires_grad());
}

/// Prints the parameters in libtorch's words, indented as in Python: a single parameter is printed
/// on the line of the container. libtorch itself prints each on a line, without indentation.
inline void print_parameters(std::ostream& stream, const Module::NamedTensors& parameters) {
  const bool is_list = parameters.size() > 1;
  const char* const begin = tern::detail::as_libtorch ? "\n(" : is_list ? "\n    (" : "  (";
  stream << '(';
  for (const auto& [name, tensor] : parameters) {
    print_to(stream, {begin, name, "): Parameter containing: [", tensor.scalar_type(), " of size ",
                      tensor.sizes(), ']'});
  }
  stream << (is_list || tern::detail::as_libtorch ? "\n)" : ")");
}

}  // namespace tern::nn::detail
