#include <unordered_set>
#include <utility>
#include <vector>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/base/detail/libtorch.h>
#include <tern/core/ops/create/creation.h>
#include <tern/nn/detail/module_walk.h>
#include <tern/nn/module.h>

namespace tern::nn {

Module& Module::to(Device device, ScalarType dtype, StrictBool non_blocking) {
  return convert(device, dtype, non_blocking);
}
Module& Module::to(ScalarType dtype, StrictBool non_blocking) {
  return convert(std::nullopt, dtype, non_blocking);
}
Module& Module::to(Device device, StrictBool non_blocking) {
  return convert(device, std::nullopt, non_blocking);
}
Module& Module::to(MemoryFormat format) {
  return convert(std::nullopt, std::nullopt, false, format);
}
Module& Module::cuda(Device device, StrictBool non_blocking) {
  TERN_CHECK(device.is_cuda(), DeviceError, "Invalid device, must be cuda device, got ", device);
  return to(device, non_blocking);
}

Module& Module::convert(std::optional<Device> device, std::optional<ScalarType> dtype,
                        bool non_blocking, std::optional<MemoryFormat> format) {
  TERN_CHECK(!dtype || is_floating_point(*dtype), DTypeError,
             "nn.Module.to only accepts floating point or complex dtypes, but got desired "
             "dtype=torch.",
             dtype_info(*dtype).python_name);
  return replace_tensors(true, [&](const Tensor& tensor) {
    const bool cast = dtype && (tern::detail::as_libtorch || tensor.is_floating_point());
    const bool is_image = tensor.dim() == 4 || tensor.dim() == 5;
    return tensor.to(device.value_or(tensor.device()), cast ? *dtype : tensor.dtype(), non_blocking,
                     false, is_image ? format : std::nullopt);
  });
}

Module& Module::to_empty(Device device, StrictBool recurse) {
  return replace_tensors(
      recurse, [&](const Tensor& tensor) { return empty_like(tensor, TensorOptions(device)); });
}

/// Replaces the data of parameters, their gradients and buffers, after all new data are computed.
Module& Module::replace_tensors(bool recurse,
                                const std::function<Tensor(const Tensor&)>& function) {
  const NoGradGuard no_grad;
  std::vector<std::pair<Tensor, Tensor>> moves;
  const auto stage = [&](const Tensor& tensor) {
    if (!tensor.defined()) return;
    TERN_CHECK(tensor.is_leaf(), Error, "nn.Module.to: a registered tensor of size ",
               tensor.sizes(), " is the result of an op; register its detach() instead");
    Tensor moved = function(tensor);
    if (!moved.is_same(tensor)) moves.emplace_back(tensor, std::move(moved));
  };
  ModuleWalk::parameters(*this, recurse, [&](const Tensor& parameter) {
    stage(parameter);
    stage(parameter.grad());
  });
  ModuleWalk::buffers(*this, recurse, stage);
  // Nothing can fail from here on.
  for (const auto& [tensor, moved] : moves) tensor.set_data(moved);
  return *this;
}

}  // namespace tern::nn
