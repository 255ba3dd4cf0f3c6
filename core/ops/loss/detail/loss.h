#pragma once

#include <tern/core/autograd/record.h>
#include <tern/core/ops/loss/reduction.h>
#include <tern/core/ops/ops.h>

// Reduces the losses of the elements, for all losses.

namespace tern::detail {

/// Returns the mean, the sum or the losses themselves.
inline Tensor reduced(const Tensor& each, Reduction reduction) {
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

/// Computes the gradient of each element's loss from the gradient of the whole loss, which was
/// reduced() after an optional weighting, times a factor. The result may have fewer dimensions than
/// the elements.
class EachGradient {
 public:
  EachGradient(Reduction reduction, std::int64_t count, double factor = 1)
      // Without elements there is no gradient: infinity would make its derivative NaN.
      : scale_(reduction == Reduction::Mean && count > 0 ? factor / static_cast<double>(count)
                                                         : factor) {}
  Tensor operator()(const Tensor& g, const Tensor& weight = {}) const {
    const Tensor each = scale_ == 1 ? g : g * scale_;
    return weight.defined() ? each * weight : each;
  }

 private:
  double scale_;
};

// What PyTorch's functional asks of a loss and its op does not. In a program written for libtorch
// the functions of namespace torch are the ops, so only tern::nn::functional asks for it there.

/// Warns unless the sizes are the same.
void warn_about_sizes(const Tensor& input, const Tensor& target);
/// Throws ShapeError unless the sizes are the same, as binary_cross_entropy() does.
void check_bce_sizes(const Tensor& input, const Tensor& target);
/// Throws ShapeError unless the sizes are the same, as binary_cross_entropy_with_logits() does.
void check_logits_sizes(const Tensor& input, const Tensor& target);

/// Returns the loss, no view of another tensor, behind a node of PyTorch's name. The nodes below it
/// are tern's own.
inline Tensor named(const char* node, const Tensor& loss) {
  Tensor out = make_alias(loss);
  if (!autograd::needs_grad(loss)) return out;
  return autograd::record(node, out, autograd::wrt(loss, [](const Tensor& g) { return g; }));
}

/// Returns max(0, d(anchor, positive) - d(anchor, negative) + margin), reduced. Throws ShapeError
/// unless the tensors have the same number of dimensions.
template <class Distance>
Tensor triplet_loss(const Distance& distance, const Tensor& anchor, const Tensor& positive,
                    const Tensor& negative, double margin, bool swap, Reduction reduction) {
  TERN_CHECK(anchor.dim() == positive.dim() && positive.dim() == negative.dim(), ShapeError,
             "The anchor, positive, and negative tensors are expected to have the same number of "
             "dimensions, but got: anchor ",
             anchor.dim(), "D, positive ", positive.dim(), "D, and negative ", negative.dim(),
             "D inputs");
  const Tensor near = distance(anchor, positive);
  Tensor far = distance(anchor, negative);
  if (swap) far = minimum(far, distance(positive, negative));
  return reduced(clamp_min(margin + near - far, 0), reduction);
}

/// Throws Error if the weight of a loss requires grad: weights are constants.
inline void check_constant(const char* function, const char* name, const Tensor& weight) {
  TERN_CHECK(!weight.defined() || !autograd::needs_grad(weight), Error, "The function '", function,
             "' is not differentiable with respect to argument '", name,
             "'. This input cannot have requires_grad True.");
}

}  // namespace tern::detail
