#include <tern/core/autograd/record.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/ops/elementwise.h>
#include <tern/core/ops/op.h>
#include <tern/core/ops/ops.h>

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
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

void check_same_sizes(const Tensor& input, const Tensor& target) {
  TERN_CHECK(input.sizes() == target.sizes(), ShapeError, "Using a target size (", target.sizes(),
             ") that is different to the input size (", input.sizes(),
             ") is deprecated. Please ensure they have the same size.");
}

void check_probabilities(const char* what, const Tensor& values) {
  // On a GPU the look would cost more than the loss: it would wait for all that was queued.
  if (values.numel() == 0 || values.is_meta() || values.is_cuda()) return;
  const NoGradGuard no_grad;
  // NaN wins in both extremes and is refused, as in PyTorch.
  const double low = values.amin().item<double>(), high = values.amax().item<double>();
  TERN_CHECK(low >= 0 && high <= 1, Error, "all elements of ", what,
             " should be between 0 and 1, got elements from ", low, " to ", high);
}

}  // namespace

Tensor mse_loss(const Tensor& input, const Tensor& target, Reduction reduction) {
  TERN_OP("mse_loss", input, target);
  // The dtype counts of a 0-d tensor too, as if both were expanded first.
  const ScalarType dtype = promote_types(input.dtype(), target.dtype());
  return reduced(square(input.to(dtype) - target.to(dtype)), reduction);
}

namespace detail {

Tensor bce(const Tensor& input, const Tensor& target) {
  Tensor out = run_elementwise(
      {"binary_cross_entropy", ElementwiseOp::bce, result_type({input, target})}, {input, target});
  if (!needs_grad(input, target)) return out;
  return record("BinaryCrossEntropyBackward0", out,
                wrt(
                    input,
                    [](const Tensor& g, const Tensor& x, const Tensor& t) {
                      if (!needs_grad(g, x, t)) {
                        return run_elementwise(
                            {"binary_cross_entropy_backward", ElementwiseOp::bce_backward,
                             result_type({x, t, g})},
                            {x, t, g});
                      }
                      return g * (x - t) / clamp_min(x * (1 - x), 1e-12);
                    },
                    input, target),
                wrt(
                    target,
                    [](const Tensor& g, const Tensor& x) {
                      return g * (clamp_min(log(1 - x), -100) - clamp_min(log(x), -100));
                    },
                    input));
}

Tensor bce_logits(const Tensor& input, const Tensor& target) {
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

}  // namespace detail

Tensor binary_cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight,
                            Reduction reduction) {
  TERN_OP("binary_cross_entropy", input, target);
  check_same_sizes(input, target);
  check_probabilities("input", input);
  check_probabilities("target", target);
  const Tensor each = detail::bce(input, target);
  return reduced(weight.defined() ? each * weight : each, reduction);
}

Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                        const Tensor& weight, const Tensor& pos_weight,
                                        Reduction reduction) {
  TERN_OP("binary_cross_entropy_with_logits", input, target);
  TERN_CHECK(input.sizes() == target.sizes(), ShapeError, "Target size (", target.sizes(),
             ") must be the same as input size (", input.sizes(), ")");
  Tensor each;
  if (pos_weight.defined()) {
    detail::common_device({input, target, pos_weight});  // in the order of the arguments
    // (1 - t) x + (1 + (p - 1) t) softplus(-x), of which bce_logits(x, 1) is softplus(-x).
    const Tensor log_weight = 1 + (pos_weight - 1) * target;
    each = (1 - target) * input + log_weight * detail::bce_logits(input, ones_like(input));
  } else {
    each = detail::bce_logits(input, target);
  }
  return reduced(weight.defined() ? each * weight : each, reduction);
}

namespace {

std::int64_t class_dim(const Tensor& input) { return input.dim() == 1 ? 0 : 1; }

void check_class_weight(const Tensor& weight, std::int64_t classes) {
  TERN_CHECK(!weight.defined() || (weight.dim() == 1 && weight.numel() == classes), ShapeError,
             "weight tensor should be defined either for all ", classes,
             " classes or no classes but got weight tensor of shape: ", weight.sizes());
}

// What both halves of a class loss need: who is counted, whom to look at, and how much it weighs.
struct Targets {
  Tensor places;   // target, 0 where ignored
  Tensor weights;  // of each target, 0 where ignored; undefined when all are 1
};

Targets look_up(const Tensor& input, const Tensor& target, const Tensor& weight,
                std::int64_t classes, std::int64_t ignore_index) {
  TERN_CHECK(target.dtype() == kLong, DTypeError,
             "expected target dtype to be Long or Byte, but got ", target.dtype());
  const NoGradGuard no_grad;
  const Tensor counted = target != ignore_index;
  // A GPU reports a target out of range later, from gather.
  const bool readable = target.numel() != 0 && !target.is_meta() && !target.is_cuda();
  const bool all = readable && counted.all().item<bool>();
  Targets result;
  result.places = all ? target : where(counted, target, 0);
  if (readable) {
    const std::int64_t low = result.places.min().item<std::int64_t>();
    const std::int64_t high = result.places.max().item<std::int64_t>();
    TERN_CHECK(low >= 0 && high < classes, IndexError, "Target ", low < 0 ? low : high,
               " is out of bounds. A target is at least 0 and less than ", classes,
               ", the number of classes.");
  }
  if (all && !weight.defined()) return result;
  result.weights = counted.to(input.dtype());
  if (weight.defined()) {
    const Tensor of_target =
        weight.detach().index_select(0, result.places.reshape({-1})).reshape(target.sizes());
    result.weights = result.weights * of_target;
  }
  return result;
}

}  // namespace

Tensor nll_loss(const Tensor& input, const Tensor& target, const Tensor& weight,
                Reduction reduction, StrictInt ignore_index) {
  TERN_OP("nll_loss", input, target);
  TERN_CHECK(input.dim() > 0, ShapeError,
             "input tensor should be 1D or more, got 0-D, for a target of sizes ", target.sizes());
  const std::int64_t dim = class_dim(input), classes = input.size(dim);
  TERN_CHECK(target.dim() == input.dim() - 1, ShapeError,
             "target must have one dimension less than input, got ", target.sizes(), " for ",
             input.sizes());
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
  const Targets targets = look_up(input, target, weight, classes, ignore_index);
  const Tensor chosen = input.gather(dim, targets.places.unsqueeze(dim)).squeeze(dim);
  if (!targets.weights.defined()) return reduced(-chosen, reduction);
  // An ignored log-probability of -inf must not become NaN.
  const Tensor each = where(targets.weights == 0, 0, -(chosen * targets.weights));
  return reduction == Reduction::Mean ? each.sum() / targets.weights.sum()
                                      : reduced(each, reduction);
}

Tensor cross_entropy_loss(const Tensor& input, const Tensor& target, const Tensor& weight,
                          Reduction reduction, StrictInt ignore_index, double label_smoothing) {
  TERN_OP("cross_entropy_loss", input, target);
  TERN_CHECK(label_smoothing >= 0 && label_smoothing <= 1, Error,
             "label_smoothing must be between 0.0 and 1.0. Got: ", label_smoothing);
  TERN_CHECK(input.dim() > 0, ShapeError,
             "input tensor should be 1D or more, got 0-D, for a target of sizes ", target.sizes());
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
    Tensor q = target;
    if (label_smoothing > 0) {
      q = q * (1 - label_smoothing) + label_smoothing / static_cast<double>(classes);
    }
    const Tensor weighted = along.defined() ? log_p * along : log_p;
    const Tensor each = -(weighted * q).sum(dim);
    if (reduction != Reduction::Mean) return reduced(each, reduction);
    const std::int64_t samples = classes == 0 ? 0 : input.numel() / classes;
    return each.sum() / static_cast<double>(samples);
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
