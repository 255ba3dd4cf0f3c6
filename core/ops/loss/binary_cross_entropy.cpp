#include <tern/core/autograd/record.h>
#include <tern/core/base/detail/libtorch.h>
#include <tern/core/kernels/device_traits.h>
#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/kernels/families/require.h>
#include <tern/core/kernels/math/math_dtype.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/loss/detail/loss.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/shape.h>

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using detail::check_constant;
using detail::EachGradient;
using detail::reduced;
using detail::result_type;
using detail::run_elementwise;
using kernels::ElementwiseOp;

// Returns the loss from the losses of the elements. Callers disable gradients.
Tensor weighted_loss(const Tensor& each, const Tensor& weight, Reduction reduction) {
  if (!weight.defined()) return reduced(each, reduction);
  const Tensor weighted = each * weight;
  TERN_CHECK(weighted.sizes() == each.sizes(), ShapeError, "output with shape ", each.sizes(),
             " doesn't match the broadcast shape ", weighted.sizes());
  return reduced(weighted, reduction);
}

// Returns the tensor, broadcast to `sizes`, which must be those that it broadcasts to with them.
Tensor expanded(const Tensor& tensor, IntArrayRef sizes) {
  const DimVector broadcast = broadcast_sizes(sizes, tensor.sizes());
  TERN_CHECK(IntArrayRef(broadcast) == sizes, ShapeError, "output with shape ", sizes,
             " doesn't match the broadcast shape ", IntArrayRef(broadcast));
  return tensor.expand(sizes);
}

void check_probabilities(const char* what, const Tensor& values) {
  // Where work is queued this check would cost more than the loss: it would wait for all of it.
  if (values.numel() == 0 || values.is_meta()) return;
  if (kernels::traits_of(values.device()).queues_work) return;
  const NoGradGuard no_grad;
  // Converted first: then the only error below is a broken rule.
  const Tensor dense = values.to(kernels::math_dtype(values.dtype())).contiguous();
  try {
    detail::require_all("binary_cross_entropy", kernels::RequireOp::kProbability, dense);
    return;
  } catch (const Error&) {
    // The text below says which argument.
  }
  // A NaN is the result of both amin and amax and is rejected, as in PyTorch.
  const double low = values.amin().item<double>(), high = values.amax().item<double>();
  TERN_CHECK(low >= 0 && high <= 1, Error, "all elements of ", what,
             " should be between 0 and 1, got elements from ", low, " to ", high);
}

}  // namespace

void detail::check_bce_sizes(const Tensor& input, const Tensor& target) {
  TERN_CHECK(input.sizes() == target.sizes(), ShapeError, "Using a target size (", target.sizes(),
             ") that is different to the input size (", input.sizes(),
             ") is deprecated. Please ensure they have the same size.");
}

void detail::check_logits_sizes(const Tensor& input, const Tensor& target) {
  TERN_CHECK(input.sizes() == target.sizes(), ShapeError, "Target size (", target.sizes(),
             ") must be the same as input size (", input.sizes(), ")");
}

Tensor binary_cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight,
                            Reduction reduction) {
  TERN_OP("binary_cross_entropy", input, target);
  TERN_AUTOCAST(kFloat32, kBanned, binary_cross_entropy, input, target, weight, reduction);
  check_constant("binary_cross_entropy", "weight", weight);
  if (detail::as_libtorch && input.sizes() != target.sizes()) {
    // Both without their dimensions of size 1.
    const Tensor fitting =
        expanded(target.squeeze(), input.squeeze().sizes()).reshape(input.sizes());
    return binary_cross_entropy(input, fitting, weight, reduction);
  }
  detail::check_bce_sizes(input, target);
  TERN_CHECK(input.dtype() == target.dtype(), DTypeError, "Found dtype ", target.scalar_type(),
             " but expected ", input.scalar_type());
  check_probabilities("input", input);
  check_probabilities("target", target);
  const Tensor each = run_elementwise(
      {"binary_cross_entropy", ElementwiseOp::bce, result_type({input, target})}, {input, target});
  Tensor out;
  {
    const NoGradGuard no_grad;
    out = weighted_loss(each, weight, reduction);
  }
  if (!needs_grad(input, target)) return out;
  const EachGradient each_gradient(reduction, each.numel());
  return record(
      "BinaryCrossEntropyBackward0", out,
      wrt(
          input,
          [each_gradient](const Tensor& g, const Tensor& x, const Tensor& t, const Tensor& w) {
            const Tensor gradient = each_gradient(g, w);
            if (!needs_grad(g, x, t)) {
              return run_elementwise({"binary_cross_entropy_backward", ElementwiseOp::bce_backward,
                                      result_type({x, t, gradient})},
                                     {x, t, gradient});
            }
            return gradient * (x - t) / clamp_min(x * (1 - x), 1e-12);
          },
          input, target, weight),
      wrt(
          target,
          // As in PyTorch, the loss clamps its logarithms and this gradient does not: it is
          // infinite at 0 and 1.
          [each_gradient](const Tensor& g, const Tensor& x, const Tensor& w) {
            return each_gradient(g, w) * (log(1 - x) - log(x));
          },
          input, weight));
}

namespace {

// Returns the loss of each element, recorded, because the rules below call it under create_graph.
Tensor logits_loss(const Tensor& input, const Tensor& target) {
  Tensor out = run_elementwise(
      {"binary_cross_entropy_with_logits", ElementwiseOp::bce_logits, result_type({input, target})},
      {input, target});
  if (!needs_grad(input, target)) return out;
  return record(
      "BinaryCrossEntropyWithLogitsBackward0", out,
      wrt(
          input,
          [](const Tensor& g, const Tensor& x, const Tensor& t) { return g * (sigmoid(x) - t); },
          input, target),
      wrt(
          target, [](const Tensor& g, const Tensor& x) { return -g * x; }, input));
}

// Returns log(1 + e^-x). For an infinite x the kernel would compute infinity minus infinity.
Tensor softplus_minus(const Tensor& x) {
  return where(isinf(x), relu(-x), logits_loss(x, ones_like(x)));
}

}  // namespace

Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                        const Tensor& weight, const Tensor& pos_weight,
                                        Reduction reduction) {
  TERN_OP("binary_cross_entropy_with_logits", input, target);
  TERN_AUTOCAST(kFloat32, kFloat32, binary_cross_entropy_with_logits, input, target, weight,
                pos_weight, reduction);
  check_constant("binary_cross_entropy_with_logits", "weight", weight);
  check_constant("binary_cross_entropy_with_logits", "pos_weight", pos_weight);
  if (detail::as_libtorch && input.sizes() != target.sizes()) {
    return binary_cross_entropy_with_logits(expanded(input, target.sizes()), target, weight,
                                            pos_weight, reduction);
  }
  detail::check_logits_sizes(input, target);
  TERN_CHECK(target.dtype() != kBool, DTypeError,
             "Subtraction, the `-` operator, with a bool tensor is not supported: the target must "
             "have a floating dtype, got input ",
             input.scalar_type(), " and target Bool");
  Tensor each, out;
  {
    const NoGradGuard no_grad;
    if (pos_weight.defined()) {
      detail::common_device({input, target, pos_weight});  // throws in the order of the arguments
      const Tensor log_weight = 1 + (pos_weight - 1) * target;
      each = (1 - target) * input + log_weight * softplus_minus(input);
    } else {
      each = logits_loss(input, target);
    }
    out = weighted_loss(each, weight, reduction);
  }
  if (!needs_grad(input, target)) return out;
  const EachGradient each_gradient(reduction, each.numel());
  return record(
      "BinaryCrossEntropyWithLogitsBackward0", out,
      wrt(
          input,
          [each_gradient](const Tensor& g, const Tensor& x, const Tensor& t, const Tensor& w,
                          const Tensor& p) {
            const Tensor slope =
                p.defined() ? (1 + (p - 1) * t) * sigmoid(x) - t * p : sigmoid(x) - t;
            return each_gradient(g, w) * slope;
          },
          input, target, weight, pos_weight),
      wrt(
          target,
          [each_gradient](const Tensor& g, const Tensor& x, const Tensor& w, const Tensor& p) {
            // With (p - 1) * softplus_minus(x) - x, p = 1 would multiply infinity by 0.
            const Tensor slope = p.defined() ? p * softplus_minus(x) - softplus_minus(-x) : -x;
            return each_gradient(g, w) * slope;
          },
          input, weight, pos_weight));
}

}  // namespace tern
