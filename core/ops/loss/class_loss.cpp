// Compiled for size.

#include <algorithm>
#include <cstdint>

#include <tern/core/autograd/record.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/loss/detail/loss.h>
#include <tern/core/ops/ops.h>

// Losses whose target is the number of a class.

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using detail::check_constant;
using detail::EachGradient;
using detail::reduced;

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
             "expected target dtype to be Long or Byte, but got ", target.scalar_type(),
             "; convert it with target.to(kLong)");
  const NoGradGuard no_grad;
  Targets result;
  bool all = false;  // certainly no target is ignored
  // For a GPU, gather reports a target out of range, later.
  if (target.numel() != 0 && target.is_cpu()) {
    const Tensor dense = target.contiguous();
    const std::int64_t* const first = dense.data_ptr<std::int64_t>();
    std::int64_t low = INT64_MAX, high = INT64_MIN;
    all = true;
    for (const std::int64_t* at = first; at != first + dense.numel(); ++at) {
      const bool counts = *at != ignore_index;
      all &= counts;
      low = std::min(low, counts ? *at : 0);
      high = std::max(high, counts ? *at : 0);
    }
    TERN_CHECK(low >= 0 && high < classes, IndexError, "Target ", low < 0 ? low : high,
               " is out of bounds. A target is at least 0 and less than ", classes,
               ", the number of classes.");
  }
  result.indices = target;
  if (all && !weight.defined()) return result;
  const Tensor counted = target != ignore_index;
  if (!all) {
    result.indices = where(counted, target, 0);
    result.ignored = ~counted;
  }
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
  TERN_AUTOCAST(kFloat32, kFloat32, nll_loss, input, target, weight, reduction, ignore_index);
  TERN_CHECK(input.dim() > 0, ShapeError,
             "input tensor should be 1D or more, got 0-D, for a target of sizes ", target.sizes());
  if (is_one_target(input, target)) {
    return nll_loss(input, target.reshape({}), weight, reduction, ignore_index);
  }
  TERN_CHECK(input.is_floating_point(), NotImplementedError,
             "\"nll_loss_out_frame\" not implemented for '", input.scalar_type(), "'");
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
  TERN_CHECK(!weight.defined() || weight.dtype() == input.dtype(), DTypeError,
             "expected scalar type ", input.scalar_type(),
             " for the weight of the classes but found ", weight.scalar_type());
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
  TERN_AUTOCAST(kFloat32, kUnchanged, cross_entropy_loss, input, target, weight, reduction,
                ignore_index, label_smoothing);
  TERN_AUTOCAST_INNER_OPS();
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

}  // namespace tern
