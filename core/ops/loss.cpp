#include <tern/core/autograd/record.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/kernels/families/require.h>
#include <tern/core/kernels/math_dtype.h>
#include <tern/core/ops/detail/elementwise.h>
#include <tern/core/ops/detail/op.h>
#include <tern/core/ops/ops.h>

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using detail::result_type;
using detail::run_elementwise;
using kernels::ElementwiseOp;

Tensor reduced(const Tensor& each, Reduction reduction) {
  switch (reduction) {
    case Reduction::Mean:
      return each.mean();
    case Reduction::Sum:
      return each.sum();
    case Reduction::None:
      break;
  }
  return each;
}

// Returns the loss from the losses of the elements. Callers disable gradients.
Tensor weighted_loss(const Tensor& each, const Tensor& weight, Reduction reduction) {
  if (!weight.defined()) return reduced(each, reduction);
  const Tensor weighted = each * weight;
  TERN_CHECK(weighted.sizes() == each.sizes(), ShapeError, "output with shape ", each.sizes(),
             " doesn't match the broadcast shape ", weighted.sizes());
  return reduced(weighted, reduction);
}

// Computes the gradient of each element's loss from the gradient of the whole loss: the reverse of
// weighted_loss(). The result may have fewer dimensions than the elements.
class EachGradient {
 public:
  EachGradient(Reduction reduction, std::int64_t count)
      : scale_(reduction == Reduction::Mean ? 1 / static_cast<double>(count) : 1) {}
  Tensor operator()(const Tensor& g, const Tensor& weight = {}) const {
    const Tensor each = scale_ == 1 ? g : g * scale_;
    return weight.defined() ? each * weight : each;
  }

 private:
  double scale_;
};

// The weights of a loss are constants.
void check_constant(const char* function, const char* name, const Tensor& weight) {
  TERN_CHECK(!weight.defined() || !needs_grad(weight), Error, "The function '", function,
             "' is not differentiable with respect to argument '", name,
             "'. This input cannot have requires_grad True.");
}

void check_same_sizes(const Tensor& input, const Tensor& target) {
  TERN_CHECK(input.sizes() == target.sizes(), ShapeError, "Using a target size (", target.sizes(),
             ") that is different to the input size (", input.sizes(),
             ") is deprecated. Please ensure they have the same size.");
}

void check_probabilities(const char* what, const Tensor& values) {
  // On a GPU this check would cost more than the loss: it would wait for all queued work.
  if (values.numel() == 0 || values.is_meta() || values.is_cuda()) return;
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

Tensor mse_loss(const Tensor& input, const Tensor& target, Reduction reduction) {
  TERN_OP("mse_loss", input, target);
  // The dtype of a 0-d tensor counts too, as if both tensors were expanded first.
  const ScalarType dtype = promote_types(input.dtype(), target.dtype());
  TERN_CHECK(is_floating_point(dtype), NotImplementedError, "\"mse_",
             detail::common_device({input, target}).type(), "\" not implemented for '", dtype, "'");
  Tensor each, out;
  {
    const NoGradGuard no_grad;
    each = square(input.to(dtype) - target.to(dtype));
    out = reduced(each, reduction);
  }
  if (!needs_grad(input, target)) return out;
  const EachGradient each_gradient(reduction, each.numel());
  const auto rule = [each_gradient, dtype](const Tensor& g, const Tensor& mine,
                                           const Tensor& other) {
    return (mine.to(dtype) - other.to(dtype)) * (each_gradient(g) * 2);
  };
  return record("MseLossBackward0", out, wrt(input, rule, input, target),
                wrt(target, rule, target, input));
}

Tensor binary_cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight,
                            Reduction reduction) {
  TERN_OP("binary_cross_entropy", input, target);
  check_constant("binary_cross_entropy", "weight", weight);
  check_same_sizes(input, target);
  TERN_CHECK(input.dtype() == target.dtype(), DTypeError, "Found dtype ", target.dtype(),
             " but expected ", input.dtype());
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
  check_constant("binary_cross_entropy_with_logits", "weight", weight);
  check_constant("binary_cross_entropy_with_logits", "pos_weight", pos_weight);
  TERN_CHECK(input.sizes() == target.sizes(), ShapeError, "Target size (", target.sizes(),
             ") must be the same as input size (", input.sizes(), ")");
  TERN_CHECK(target.dtype() != kBool, DTypeError,
             "Subtraction, the `-` operator, with a bool tensor is not supported: the target must "
             "have a floating dtype, got input ",
             input.dtype(), " and target Bool");
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
            const Tensor slope = p.defined() ? (p - 1) * softplus_minus(x) - x : -x;
            return each_gradient(g, w) * slope;
          },
          input, weight, pos_weight));
}

namespace {

std::int64_t class_dim(const Tensor& input) { return input.dim() == 1 ? 0 : 1; }

void check_class_weight(const Tensor& weight, std::int64_t classes) {
  TERN_CHECK(!weight.defined() || (weight.dim() == 1 && weight.numel() == classes), ShapeError,
             "weight tensor should be defined either for all ", classes,
             " classes or no classes but got weight tensor of shape: ", weight.sizes());
}

// A sample without a batch dimension may have its target in a tensor with one element.
bool is_one_target(const Tensor& input, const Tensor& target) {
  return input.dim() == 1 && target.dim() == 1 && target.numel() == 1 &&
         !target.is_floating_point();
}

// The targets of a class loss, in the form that the forward and the backward pass need.
struct Targets {
  Tensor indices;  // the class of each target, 0 where ignored
  Tensor ignored;  // a mask; undefined if certainly no target is ignored
  Tensor weights;  // the weight of each target, 0 where ignored; undefined when all are 1
};

Targets look_up(const Tensor& input, const Tensor& target, const Tensor& weight,
                std::int64_t classes, std::int64_t ignore_index) {
  TERN_CHECK(target.dtype() == kLong, DTypeError,
             "expected target dtype to be Long or Byte, but got ", target.dtype());
  const NoGradGuard no_grad;
  const Tensor counted = target != ignore_index;
  // For a GPU, gather reports a target out of range, later.
  const bool readable = target.numel() != 0 && !target.is_meta() && !target.is_cuda();
  const bool all = readable && counted.all().item<bool>();
  Targets result;
  result.indices = all ? target : where(counted, target, 0);
  if (readable) {
    const std::int64_t low = result.indices.min().item<std::int64_t>();
    const std::int64_t high = result.indices.max().item<std::int64_t>();
    TERN_CHECK(low >= 0 && high < classes, IndexError, "Target ", low < 0 ? low : high,
               " is out of bounds. A target is at least 0 and less than ", classes,
               ", the number of classes.");
  }
  if (!all) result.ignored = ~counted;
  if (all && !weight.defined()) return result;
  result.weights = counted.to(input.dtype());
  if (weight.defined()) {
    const Tensor of_target =
        weight.detach().index_select(0, result.indices.reshape({-1})).reshape(target.sizes());
    result.weights = result.weights * of_target;
  }
  return result;
}

// Returns sum / count. The node has the name that PyTorch shows for this loss.
Tensor quotient(const Tensor& sum, double count) {
  Tensor out = sum.detach() / count;
  if (!needs_grad(sum)) return out;
  return record("DivBackward1", out, wrt(sum, [count](const Tensor& g) { return g / count; }));
}

}  // namespace

Tensor nll_loss(const Tensor& input, const Tensor& target, const Tensor& weight,
                Reduction reduction, StrictInt ignore_index) {
  TERN_OP("nll_loss", input, target);
  TERN_CHECK(input.dim() > 0, ShapeError,
             "input tensor should be 1D or more, got 0-D, for a target of sizes ", target.sizes());
  if (is_one_target(input, target)) {
    return nll_loss(input, target.reshape({}), weight, reduction, ignore_index);
  }
  TERN_CHECK(input.is_floating_point(), NotImplementedError,
             "\"nll_loss_out_frame\" not implemented for '", input.dtype(), "'");
  const std::int64_t dim = class_dim(input), classes = input.size(dim);
  TERN_CHECK(target.dim() == input.dim() - 1, ShapeError,
             "target must have one dimension less than input, got target sizes ", target.sizes(),
             " and input sizes ", input.sizes());
  TERN_CHECK(input.dim() == 1 || input.size(0) == target.size(0), ShapeError,
             "Expected input batch_size (", input.size(0), ") to match target batch_size (",
             target.size(0), ").");
  for (std::int64_t d = 1; d < target.dim(); ++d) {
    TERN_CHECK(target.size(d) == input.size(d + 1), ShapeError,
               "Expected target size to fit input size ", input.sizes(), ", got ", target.sizes());
  }
  check_class_weight(weight, classes);
  detail::check_same_device("nll_loss_forward", {&input, &target, &weight},
                            {"self", "target", "weight"});
  check_constant("nll_loss_forward", "weight", weight);
  const Targets targets = look_up(input, target, weight, classes, ignore_index);
  Tensor out, total;  // the sum of the weights, if the mean needs it
  {
    const NoGradGuard no_grad;
    const Tensor chosen = input.gather(dim, targets.indices.unsqueeze(dim)).squeeze(dim);
    Tensor each = -(targets.weights.defined() ? chosen * targets.weights : chosen);
    // An ignored log-probability of -inf must not become NaN.
    if (targets.ignored.defined()) each = masked_fill(each, targets.ignored, 0);
    if (reduction == Reduction::Mean && targets.weights.defined()) {
      total = targets.weights.sum();
      out = each.sum() / total;
    } else {
      out = reduced(each, reduction);
    }
  }
  if (!needs_grad(input)) return out;
  const EachGradient each_gradient(total.defined() ? Reduction::Sum : reduction, target.numel());
  const char* const node = input.dim() <= 2 ? "NllLossBackward0" : "NllLoss2DBackward0";
  // Target and weight are saved only so that an in-place change of them before backward throws.
  return record(node, out,
                wrt(
                    input,
                    [each_gradient, dim, shape = input.self().sizes](
                        const Tensor& g, const Tensor& /*target*/, const Tensor& /*weight*/,
                        const Tensor& indices, const Tensor& ignored, const Tensor& weights,
                        const Tensor& sum) {
                      const Tensor whole = each_gradient(sum.defined() ? g / sum : g, weights);
                      Tensor each = -whole.expand(indices.sizes());
                      if (ignored.defined()) each = masked_fill(each, ignored, 0);
                      return g.new_zeros(shape).scatter_add(dim, indices.unsqueeze(dim),
                                                            each.unsqueeze(dim));
                    },
                    target, weight, targets.indices, targets.ignored, targets.weights, total));
}

Tensor cross_entropy_loss(const Tensor& input, const Tensor& target, const Tensor& weight,
                          Reduction reduction, StrictInt ignore_index, double label_smoothing) {
  TERN_OP("cross_entropy_loss", input, target);
  TERN_CHECK(label_smoothing >= 0 && label_smoothing <= 1, Error,
             "label_smoothing must be between 0.0 and 1.0. Got: ", label_smoothing);
  TERN_CHECK(input.dim() > 0, ShapeError,
             "input tensor should be 1D or more, got 0-D, for a target of sizes ", target.sizes());
  if (is_one_target(input, target)) {
    return cross_entropy_loss(input, target.reshape({}), weight, reduction, ignore_index,
                              label_smoothing);
  }
  const std::int64_t dim = class_dim(input), classes = input.size(dim);
  check_class_weight(weight, classes);
  const Tensor log_p = log_softmax(input, dim);
  // Class weights along the class dimension of the input.
  Tensor along;
  if (weight.defined()) {
    DimVector shape(input.sizes().size(), 1);
    shape[static_cast<std::size_t>(dim)] = classes;
    along = weight.reshape(shape);
  }
  if (target.is_floating_point() && target.sizes() == input.sizes()) {
    TERN_CHECK(ignore_index < 0, Error,
               "ignore_index is not supported for floating point target, got ", ignore_index);
    Tensor q = target;
    if (label_smoothing > 0) {
      q = q * (1 - label_smoothing) + label_smoothing / static_cast<double>(classes);
    }
    const Tensor weighted = along.defined() ? log_p * along : log_p;
    if (reduction == Reduction::None) return -(weighted * q).sum(dim);
    Tensor sum = -(weighted * q).sum();
    if (reduction == Reduction::Sum) return sum;
    const std::int64_t samples = classes == 0 ? 0 : input.numel() / classes;
    return quotient(sum, static_cast<double>(samples));
  }
  Tensor nll = nll_loss(log_p, target, weight, reduction, ignore_index);
  if (label_smoothing == 0) return nll;
  const Targets targets = look_up(input, target, weight, classes, ignore_index);
  const Tensor every = -(along.defined() ? log_p * along : log_p).sum(dim);
  const Tensor smooth = where(target != std::int64_t{ignore_index}, every, 0);
  const bool weighted = reduction == Reduction::Mean && targets.weights.defined();
  const Tensor total = weighted ? smooth.sum() / targets.weights.sum() : reduced(smooth, reduction);
  return (1 - label_smoothing) * nll + label_smoothing / static_cast<double>(classes) * total;
}

Tensor dropout(const Tensor& input, double p, StrictBool train) {
  TERN_OP("dropout", input);
  TERN_CHECK(p >= 0 && p <= 1, Error, "dropout probability has to be between 0 and 1, but got ", p);
  if (!train || p == 0 || input.numel() == 0) return input;
  if (p == 1) return input * zeros_like(input.detach());
  const double keep = 1 - p;
  Tensor mask = empty_like(input.detach());
  mask.bernoulli_(keep).div_(keep);
  return input * mask;
}

}  // namespace tern
