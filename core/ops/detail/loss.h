#pragma once

#include <tern/core/autograd/record.h>
#include <tern/core/ops/loss.h>
#include <tern/core/ops/ops.h>

// What all losses do with the losses of the elements.

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
/// reduced() after an optional weighting. The result may have fewer dimensions than the elements.
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

/// Throws Error if the weight of a loss requires grad: weights are constants.
inline void check_constant(const char* function, const char* name, const Tensor& weight) {
  TERN_CHECK(!weight.defined() || !autograd::needs_grad(weight), Error, "The function '", function,
             "' is not differentiable with respect to argument '", name,
             "'. This input cannot have requires_grad True.");
}

}  // namespace tern::detail
