#include <tern/core/autograd/grad_mode.h>
#include <tern/core/base/detail/op_scope.h>
#include <tern/core/ops/shape/join.h>
#include <tern/core/ops/shape/view.h>
#include <tern/nn/utils/convert_parameters.h>

namespace tern::nn::utils {

Tensor parameters_to_vector(const std::vector<Tensor>& parameters) {
  const tern::detail::OpScope scope("parameters_to_vector");
  std::vector<Tensor> pieces;
  for (const Tensor& parameter : parameters) {
    TERN_CHECK(parameter.device() == parameters[0].device(), DeviceError,
               "Found two parameters on different devices, this is currently not supported: ",
               parameters[0].device(), " and ", parameter.device());
    pieces.push_back(parameter.reshape({-1}));
  }
  return cat(pieces);
}

void vector_to_parameters(const Tensor& vector, const std::vector<Tensor>& parameters) {
  std::int64_t total = 0;
  for (const Tensor& parameter : parameters) total += parameter.numel();
  TERN_CHECK(vector.dim() == 1 && vector.numel() == total, ShapeError,
             "vector_to_parameters: expected a vector of ", total, " elements, got sizes ",
             vector.sizes());
  const NoGradGuard no_grad;
  std::int64_t at = 0;
  for (const Tensor& parameter : parameters) {
    parameter.copy_(vector.narrow(0, at, parameter.numel()).reshape(parameter.sizes()));
    at += parameter.numel();
  }
}

}  // namespace tern::nn::utils
