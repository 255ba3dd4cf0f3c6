#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/base/detail/op_scope.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/families/reduce.h>
#include <tern/core/ops/create/creation.h>
#include <tern/core/ops/elementwise/arithmetic.h>
#include <tern/core/ops/elementwise/comparison.h>
#include <tern/core/ops/elementwise/division.h>
#include <tern/core/ops/elementwise/select.h>
#include <tern/core/ops/reduce/norm.h>
#include <tern/core/ops/shape/join.h>
#include <tern/nn/parallel/detail/sharding.h>
#include <tern/nn/utils/clip_grad.h>

namespace tern::nn::utils {

namespace {

std::vector<Tensor> grads_of(const std::vector<Tensor>& parameters) {
  std::vector<Tensor> grads;
  for (const Tensor& parameter : parameters) {
    if (parameter.grad().defined()) grads.push_back(parameter.grad());
  }
  return grads;
}

Tensor norm_of(const Tensor& tensor, double p) {
  if (p != std::numeric_limits<double>::infinity()) return norm(tensor, p);
  return tensor.numel() == 0 ? tensor.sum() : abs(tensor).max();
}

/// Returns single numbers as one tensor. Reading them is cheaper than stack() on the CPU.
Tensor joined(const std::vector<Tensor>& numbers) {
  std::vector<double> values;
  values.reserve(numbers.size());
  for (const Tensor& number : numbers) {
    if (!number.is_cpu() || number.dtype() != numbers[0].dtype()) return stack(numbers);
    values.push_back(number.item<double>());
  }
  return tensor(values, numbers[0].options());
}

/// Returns true if a kernel can read all of them alike.
bool are_alike(const std::vector<Tensor>& grads) {
  return std::ranges::all_of(grads, [&](const Tensor& grad) {
    return grad.is_contiguous() && grad.is_floating_point() && grad.dtype() == grads[0].dtype() &&
           grad.device() == grads[0].device();
  });
}

/// Returns the Euclidean norms of tensors that are alike. Makes one tensor for all of them.
Tensor euclidean_norms(const std::vector<Tensor>& grads) {
  Tensor norms = empty({static_cast<std::int64_t>(grads.size())}, grads[0].options());
  kernels::ReduceArgs args{};
  args.op = kernels::ReduceOp::kNorm;
  args.in_dtype = args.out_dtype = norms.dtype();
  args.reduced_ndim = 1;
  args.reduced_in_strides[0] = 1;
  args.scale = 1;
  args.out = norms.data_ptr();
  for (const Tensor& grad : grads) {
    args.in = grad.data_ptr();
    args.reduced_sizes[0] = grad.numel();
    kernels::run("norm", norms.device(), norms.dtype(), args);
    args.out = static_cast<char*>(args.out) + norms.element_size();
  }
  return norms;
}

Tensor norms_of(const std::vector<Tensor>& grads, double p) {
  if (p == 2 && are_alike(grads)) return euclidean_norms(grads);
  std::vector<Tensor> norms;
  norms.reserve(grads.size());
  for (const Tensor& grad : grads) norms.push_back(norm_of(grad, p).to(grads[0].device()));
  return joined(norms);
}

}  // namespace

double clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm, double norm_type,
                       StrictBool error_if_nonfinite) {
  const tern::detail::OpScope scope("clip_grad_norm_");
  TERN_CHECK(max_norm >= 0, Error, "max_norm must not be negative, got ", max_norm);
  TERN_CHECK(!std::isnan(norm_type), Error, "norm_type must be a number, got ", norm_type);
  TERN_CHECK(std::ranges::none_of(parameters, nn::detail::is_sharded), Error,
             "this rank has a part of the gradients of a sharded module; call clip_grad_norm_() of "
             "what fully_shard() returned");
  const NoGradGuard no_grad;
  std::vector<Tensor> grads = grads_of(parameters);
  if (grads.empty()) return 0;
  const Tensor total = norm_of(norms_of(grads, norm_type), norm_type);
  const double result = kernels::is_capturing(total.device())
                            ? std::numeric_limits<double>::quiet_NaN()
                            : total.item<double>();
  TERN_CHECK(!error_if_nonfinite || std::isfinite(result), Error, "The total norm of order ",
             norm_type,
             " for gradients from `parameters` is non-finite, so it cannot be clipped. To disable "
             "this error and scale the gradients by the non-finite norm anyway, set "
             "`error_if_nonfinite=false`");
  const Tensor factor = (max_norm / (total + 1e-6)).clamp_max(1.0);
  // Other devices also multiply by 1: reading the factor would wait, and a captured CUDA graph
  // cannot branch on its value.
  const std::optional<double> known =
      factor.is_cpu() ? std::optional(factor.item<double>()) : std::nullopt;
  if (known == 1) return result;
  for (Tensor& grad : grads) {
    if (known && grad.is_cpu()) {
      grad.mul_(*known);  // the number itself costs less than a tensor with the number
    } else {
      grad.mul_(factor.to(grad.device()));
    }
  }
  return result;
}

double clip_grad_norm_(const Tensor& parameter, double max_norm, double norm_type,
                       StrictBool error_if_nonfinite) {
  return clip_grad_norm_(std::vector<Tensor>{parameter}, max_norm, norm_type, error_if_nonfinite);
}

void clip_grad_value_(const std::vector<Tensor>& parameters, double clip_value) {
  const tern::detail::OpScope scope("clip_grad_value_");
  TERN_CHECK(clip_value >= 0, Error, "clip_value must not be negative, got ", clip_value);
  const NoGradGuard no_grad;
  for (Tensor& grad : grads_of(parameters)) grad.clamp_(-clip_value, clip_value);
}

void clip_grad_value_(const Tensor& parameter, double clip_value) {
  clip_grad_value_(std::vector<Tensor>{parameter}, clip_value);
}

}  // namespace tern::nn::utils
