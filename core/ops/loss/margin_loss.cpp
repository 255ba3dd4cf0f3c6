// Compiled for size.

#include <algorithm>
#include <cstdint>

#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/loss/detail/loss.h>
#include <tern/core/ops/ops.h>

// Losses that want a score, a distance or an angle beyond a margin.

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using detail::check_constant;
using detail::EachGradient;
using detail::named;
using detail::reduced;

// Returns the margin in the dtype of the tensor it is compared with.
Scalar margin_of(const Tensor& values, double margin) {
  if (values.is_floating_point()) return margin;
  if (values.dtype() == kBool) return margin != 0;
  return static_cast<std::int64_t>(margin);
}

// Checks the scores of classes for multi_margin_loss and multilabel_margin_loss.
void check_scores(const char* kernel, const Tensor& input) {
  const bool has_classes = input.dim() == 0 || input.size(-1) != 0;
  TERN_CHECK(input.dim() <= 2 && has_classes, ShapeError,
             "Expected non-empty vector or matrix with optional 0-dim batch size, but got: ",
             input.sizes());
  TERN_CHECK(input.dtype() == kFloat || input.dtype() == kDouble, NotImplementedError, '"', kernel,
             "\" not implemented for '", input.scalar_type(), "'");
}

void check_labels(const Tensor& target) {
  TERN_CHECK(target.dtype() == kLong, DTypeError, "expected scalar type Long but found ",
             target.scalar_type());
}

// Throws IndexError for a label outside [low, classes). On a GPU, gather reports one later.
void check_label_range(const Tensor& target, std::int64_t low, std::int64_t classes,
                       const char* text) {
  if (target.numel() == 0 || !target.is_cpu()) return;
  const Tensor dense = target.contiguous();
  const std::int64_t* const first = dense.data_ptr<std::int64_t>();
  const auto [least, most] = std::minmax_element(first, first + dense.numel());
  TERN_CHECK(*least >= low && *most < classes, IndexError, text, ": got ",
             *least < low ? *least : *most, ", with ", classes, " classes");
}

// Returns x where x > 0, else 0: the difference of two infinite scores, NaN, is no violation.
Tensor positive_part(const Tensor& x) { return where(x > 0, x, 0); }

// Returns the number of leading columns with a label. Without data, all may have one.
std::int64_t label_columns(const Tensor& is_label) {
  if (!is_label.is_cpu() || is_label.numel() == 0) return is_label.size(1);
  return is_label.any(0).sum().item<std::int64_t>();
}

}  // namespace

Tensor soft_margin_loss(const Tensor& input, const Tensor& target, Reduction reduction) {
  TERN_OP("soft_margin_loss", input, target);
  TERN_AUTOCAST(kFloat32, kFloat32, soft_margin_loss, input, target, reduction);
  check_constant("soft_margin_loss", "target", target);
  Tensor each, out;
  {
    const NoGradGuard no_grad;
    each = (-input).mul_(target).exp_().log1p_();
    out = reduced(each, reduction);
  }
  if (!needs_grad(input)) return out;
  const EachGradient each_gradient(reduction, each.numel(), -1);
  return record("SoftMarginLossBackward0", out,
                wrt(
                    input,
                    [each_gradient](const Tensor& g, const Tensor& x, const Tensor& t) {
                      return each_gradient(g) * t * sigmoid(-x * t);
                    },
                    input, target));
}

Tensor hinge_embedding_loss(const Tensor& input, const Tensor& target, StrictNumber margin,
                            Reduction reduction) {
  TERN_OP("hinge_embedding_loss", input, target);
  TERN_AUTOCAST(kFloat32, kFloat32, hinge_embedding_loss, input, target, margin, reduction);
  detail::common_device({input, target});  // throws in the order of the arguments
  const Tensor rest = clamp_min(margin_of(input, margin) - input, 0);
  return reduced(where(target != 1, rest, 0) + where(target != -1, input, 0), reduction);
}

Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                           StrictNumber margin, Reduction reduction) {
  TERN_OP("margin_ranking_loss", input1, input2, target);
  TERN_AUTOCAST(kFloat32, kFloat32, margin_ranking_loss, input1, input2, target, margin, reduction);
  detail::common_device({input1, input2, target});  // throws in the order of the arguments
  return reduced(clamp_min(-target * (input1 - input2) + double{margin}, 0), reduction);
}

Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                             StrictNumber margin, Reduction reduction) {
  TERN_OP("cosine_embedding_loss", input1, input2, target);
  TERN_AUTOCAST(kFloat32, kFloat32, cosine_embedding_loss, input1, input2, target, margin,
                reduction);
  detail::common_device({input1, input2, target});  // throws in the order of the arguments
  const std::int64_t dim = target.dim();
  TERN_CHECK(dim <= 1, ShapeError,
             "0D or 1D target tensor expected, multi-target not supported, got sizes ",
             target.sizes());
  TERN_CHECK(input1.dim() == dim + 1 && input2.dim() == dim + 1, ShapeError, dim,
             "D target tensor expects ", dim + 1, "D input tensors, but found inputs with sizes ",
             input1.sizes(), " and ", input2.sizes(), ".");
  constexpr double kEps = 1e-12;
  const Tensor squares = ((input1 * input1).sum(dim) + kEps) * ((input2 * input2).sum(dim) + kEps);
  const Tensor cosine = (input1 * input2).sum(dim) / sqrt(squares);
  const Tensor apart = clamp_min(cosine - double{margin}, 0);
  return reduced(where(target == 1, 1 - cosine, 0) + where(target == -1, apart, 0), reduction);
}

Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           StrictNumber margin, StrictNumber p, StrictNumber eps, StrictBool swap,
                           Reduction reduction) {
  TERN_OP("triplet_margin_loss", anchor, positive, negative);
  TERN_AUTOCAST(kFloat32, kFloat32, triplet_margin_loss, anchor, positive, negative, margin, p, eps,
                swap, reduction);
  const auto distance = [&](const Tensor& a, const Tensor& b) {
    return pairwise_distance(a, b, p, eps);
  };
  return detail::triplet_loss(distance, anchor, positive, negative, margin, swap, reduction);
}

Tensor multi_margin_loss(const Tensor& input, const Tensor& target, const Scalar& p,
                         const Scalar& margin, const Tensor& weight, Reduction reduction) {
  TERN_OP("multi_margin_loss", input, target);
  TERN_AUTOCAST(kFloat32, kFloat32, multi_margin_loss, input, target, p, margin, weight, reduction);
  const double power = p.toDouble();
  TERN_CHECK(power == 1 || power == 2, Error, "only p == 1 and p == 2 supported, got ", p);
  check_scores("multi_margin_loss_cpu_kernel", input);
  check_labels(target);
  const std::int64_t samples = input.dim() == 2 ? input.size(0) : 1;
  const std::int64_t classes = input.dim() == 0 ? 1 : input.size(-1);
  TERN_CHECK(target.dim() <= 1 && target.numel() == samples, ShapeError,
             "target tensor should be 1-D with size equal to the number of input samples (batch "
             "size). Expected target size [",
             samples, "], but got ", target.sizes(), ". Input has shape ", input.sizes(), ".");
  if (weight.defined()) {
    TERN_CHECK(weight.dim() == 1 && weight.numel() == classes, ShapeError,
               "inconsistent weight size, expected ", classes, " but got ", weight.sizes());
    TERN_CHECK(weight.dtype() == input.dtype(), DTypeError, "expected scalar type ",
               input.scalar_type(), " but found ", weight.scalar_type());
  }
  detail::check_same_device("multi_margin_loss", {&input, &target, &weight},
                            {"self", "target", "weight"});
  check_constant("multi_margin_loss", "weight", weight);
  check_label_range(target, 0, classes, "target out of range");
  const Tensor x = input.reshape({samples, classes}), label = target.reshape({samples, 1});
  Tensor violation = positive_part(margin - x.gather(1, label) + x);
  if (power == 2) violation = square(violation);
  if (weight.defined())
    violation = violation * weight.index_select(0, label.view({-1})).view({-1, 1});
  const Tensor is_label = arange(classes, label.options()) == label;
  const Tensor each = masked_fill(violation, is_label, 0).sum(1) / classes;
  return named("MultiMarginLossBackward0", reduced(each.reshape(target.sizes()), reduction));
}

Tensor multilabel_margin_loss(const Tensor& input, const Tensor& target, Reduction reduction) {
  TERN_OP("multilabel_margin_loss", input, target);
  TERN_AUTOCAST(kFloat32, kFloat32, multilabel_margin_loss, input, target, reduction);
  check_scores("multilabel_margin_loss_forward_out_frame", input);
  check_labels(target);
  const std::int64_t samples = input.dim() == 2 ? input.size(0) : 1;
  const std::int64_t classes = input.dim() == 0 ? 1 : input.size(-1);
  TERN_CHECK(target.numel() == input.numel() && target.dim() <= 2 &&
                 (input.dim() < 2 || target.sizes() == input.sizes()),
             ShapeError, "inconsistent target size: ", target.sizes(),
             " for input of size: ", input.sizes());
  detail::check_same_device("multilabel_margin_loss_forward", {&input, &target},
                            {"self", "target"});
  check_label_range(target, -1, classes, "argument #2 'target' is out of range");
  const Tensor x = input.reshape({samples, classes}), listed = target.reshape({samples, classes});
  Tensor is_label = listed.lt(0).cumsum(1).eq(0);  // up to the first -1
  Tensor labels = listed.masked_fill(~is_label, 0);
  const Tensor is_other = zeros_like(labels).scatter_add(1, labels, is_label.to(kLong)).eq(0);
  const std::int64_t columns = label_columns(is_label);
  is_label = is_label.narrow(1, 0, columns);
  labels = labels.narrow(1, 0, columns);
  const Tensor violation = positive_part(1 - x.gather(1, labels).unsqueeze(2) + x.unsqueeze(1));
  const Tensor counts = is_label.unsqueeze(2).logical_and(is_other.unsqueeze(1));
  const Tensor each = where(counts, violation, 0).sum({1, 2}) / classes;
  return named("MultilabelMarginLossBackward0",
               reduced(input.dim() == 2 ? each : each.reshape({}), reduction));
}

}  // namespace tern
