// Compiled for size.

#include <cmath>
#include <limits>

#include <tern/core/autograd/record.h>
#include <tern/core/base/detail/libtorch.h>
#include <tern/core/base/warning.h>
#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/loss/detail/loss.h>
#include <tern/core/ops/ops.h>

// Losses between numbers, and between distributions.

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using detail::EachGradient;
using detail::reduced;
using detail::run_elementwise;
using kernels::ElementwiseOp;

// Returns the common dtype. That of a 0-d tensor counts too, as if both were expanded first.
ScalarType dtype_of_difference(const Tensor& input, const Tensor& target) {
  return promote_types(input.dtype(), target.dtype());
}

// The same for a loss of floating numbers. `kernel` is PyTorch's name, for the error text.
ScalarType floating_dtype_of_difference(const char* kernel, const Tensor& input,
                                        const Tensor& target) {
  if (!detail::as_libtorch) detail::warn_about_sizes(input, target);
  const ScalarType dtype = dtype_of_difference(input, target);
  TERN_CHECK(is_floating_point(dtype), NotImplementedError, '"', kernel, '_',
             detail::common_device({input, target}).type(), "\" not implemented for '", dtype, "'");
  return dtype;
}

// Records a loss of input - target. The derivative of an element's loss with respect to the
// difference is a multiple of it, which `each_gradient` knows, but of +-limit beyond these.
Tensor record_limited(const char* node, const char* name, const Tensor& out, const Tensor& input,
                      const Tensor& target, const EachGradient& each_gradient, ScalarType dtype,
                      double limit) {
  const auto rule = [=](const Tensor& g, const Tensor& mine, const Tensor& other) {
    const Tensor gradient = each_gradient(g);
    if (needs_grad(g, mine, other)) {
      const Tensor difference = mine.to(dtype) - other.to(dtype);
      return (std::isinf(limit) ? difference : clamp(difference, -limit, limit)) * gradient;
    }
    return run_elementwise({name, ElementwiseOp::huber_backward, dtype, /*compares=*/false, limit},
                           {mine, other, gradient});
  };
  return record(node, out, wrt(input, rule, input, target), wrt(target, rule, target, input));
}

// The parts in which smooth_l1_loss and huber_loss differ.
struct RoundedL1 {
  const char* name;
  const char* node;
  const char* kernel;  // PyTorch's name, for the error text
  ElementwiseOp op;
  double factor;  // of the gradient
};

Tensor rounded_l1(const RoundedL1& what, const Tensor& input, const Tensor& target,
                  Reduction reduction, double limit) {
  const ScalarType dtype = floating_dtype_of_difference(what.kernel, input, target);
  const Tensor each =
      run_elementwise({what.name, what.op, dtype, /*compares=*/false, limit}, {input, target});
  Tensor out;
  {
    const NoGradGuard no_grad;
    out = reduced(each, reduction);
  }
  if (!needs_grad(input, target)) return out;
  return record_limited(what.node, what.name, out, input, target,
                        EachGradient(reduction, each.numel(), what.factor), dtype, limit);
}

const char* node_of_l1(Reduction reduction) {
  if (reduction == Reduction::None) return "AbsBackward0";
  return reduction == Reduction::Mean ? "MeanBackward0" : "SumBackward0";
}

}  // namespace

void detail::warn_about_sizes(const Tensor& input, const Tensor& target) {
  if (input.sizes() == target.sizes()) return;
  warn("Using a target size (", target.sizes(), ") that is different to the input size (",
       input.sizes(),
       "). This will likely lead to incorrect results due to broadcasting. Please ensure they have "
       "the same size.");
}

Tensor mse_loss(const Tensor& input, const Tensor& target, Reduction reduction) {
  TERN_OP("mse_loss", input, target);
  TERN_AUTOCAST(kFloat32, kFloat32, mse_loss, input, target, reduction);
  const ScalarType dtype = floating_dtype_of_difference("mse", input, target);
  Tensor each, out;
  {
    const NoGradGuard no_grad;
    each = square(input.to(dtype) - target.to(dtype));
    out = reduced(each, reduction);
  }
  if (!needs_grad(input, target)) return out;
  return record_limited("MseLossBackward0", "mse_loss", out, input, target,
                        EachGradient(reduction, each.numel(), 2), dtype,
                        std::numeric_limits<double>::infinity());
}

Tensor l1_loss(const Tensor& input, const Tensor& target, Reduction reduction) {
  TERN_OP("l1_loss", input, target);
  TERN_AUTOCAST(kFloat32, kFloat32, l1_loss, input, target, reduction);
  const ScalarType dtype = dtype_of_difference(input, target);
  TERN_CHECK(input.dtype() != kBool && target.dtype() != kBool, DTypeError,
             "Subtraction, the `-` operator, with a bool tensor is not supported. Got ",
             input.scalar_type(), " and ", target.scalar_type());
  Tensor each, out;
  {
    const NoGradGuard no_grad;
    each = abs(input.to(dtype) - target.to(dtype));
    out = reduced(each, reduction);
  }
  if (!needs_grad(input, target)) return out;
  const EachGradient each_gradient(reduction, each.numel());
  const auto rule = [each_gradient, dtype](const Tensor& g, const Tensor& mine,
                                           const Tensor& other) {
    return sign(mine.to(dtype) - other.to(dtype)).mul_(each_gradient(g));
  };
  return record(node_of_l1(reduction), out, wrt(input, rule, input, target),
                wrt(target, rule, target, input));
}

Tensor smooth_l1_loss(const Tensor& input, const Tensor& target, Reduction reduction,
                      StrictNumber beta) {
  TERN_OP("smooth_l1_loss", input, target);
  TERN_AUTOCAST(kFloat32, kFloat32, smooth_l1_loss, input, target, reduction, beta);
  TERN_CHECK(beta >= 0, Error, "does not support negative values for beta, got ", beta);
  if (beta == 0) return l1_loss(input, target, reduction);
  return rounded_l1(
      {"smooth_l1_loss", "SmoothL1LossBackward0", "smooth_l1", ElementwiseOp::smooth_l1, 1 / beta},
      input, target, reduction, beta);
}

Tensor huber_loss(const Tensor& input, const Tensor& target, Reduction reduction,
                  StrictNumber delta) {
  TERN_OP("huber_loss", input, target);
  TERN_AUTOCAST(kFloat32, kFloat32, huber_loss, input, target, reduction, delta);
  TERN_CHECK(delta > 0, Error, "does not support non-positive values for delta, got ", delta);
  return rounded_l1({"huber_loss", "HuberLossBackward0", "huber", ElementwiseOp::huber, 1}, input,
                    target, reduction, delta);
}

Tensor kl_div(const Tensor& input, const Tensor& target, Reduction reduction,
              StrictBool log_target) {
  TERN_OP("kl_div", input, target);
  TERN_AUTOCAST(kFloat32, kFloat32, kl_div, input, target, reduction, log_target);
  detail::common_device({input, target});  // throws in the order of the arguments
  TERN_CHECK(input.is_floating_point() && target.is_floating_point(), DTypeError,
             "Integral inputs not supported. Got input ", input.scalar_type(), " and target ",
             target.scalar_type());
  if (log_target) return reduced(target.exp() * (target - input), reduction);
  return reduced(xlogy(target, target) - target * input, reduction);
}

Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, StrictBool log_input,
                        StrictBool full, StrictNumber eps, Reduction reduction) {
  TERN_OP("poisson_nll_loss", input, target);
  TERN_AUTOCAST(kFloat32, kFloat32, poisson_nll_loss, input, target, log_input, full, eps,
                reduction);
  detail::common_device({input, target});  // throws in the order of the arguments
  Tensor each =
      log_input ? input.exp() - target * input : input - target * log(input + double{eps});
  if (full) {
    constexpr double kTwoPi = 6.28318530717958647693;
    const Tensor stirling = target * log(target) - target + 0.5 * log(kTwoPi * target);
    each.add_(masked_fill(stirling, target <= 1, 0));  // the loss keeps its dtype
  }
  return reduced(each, reduction);
}

}  // namespace tern
