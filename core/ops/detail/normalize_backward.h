#pragma once

#include <tern/core/autograd/node.h>
#include <tern/core/autograd/saved_tensor.h>

namespace tern::detail {

/// The rule of a normalisation of an input with an optional weight and bias: a kernel gives all
/// gradients in one pass; where the rule is itself recorded, ordinary ops do.
class NormalizeBackward : public autograd::Node {
 public:
  void apply(const Tensor* gradients, Tensor* results) override;
  std::string name() const override { return name_; }
  void release_saved() override;

 protected:
  /// `name` is a literal. weight and bias, where defined, have `parameter_sizes`. `statistics` is
  /// what the forward kernel left for the backward one.
  NormalizeBackward(const char* name, const Tensor& input, const Tensor& weight, const Tensor& bias,
                    IntArrayRef parameter_sizes, Tensor statistics);

  /// Runs the kernel into the defined ones of `results`; all tensors are contiguous and not empty.
  virtual void compute(const Tensor& gradient, const Tensor& input, const Tensor& weight,
                       const Tensor* results) const = 0;
  /// The same by ops, for the wanted ones.
  virtual void compose(const Tensor& gradient, const Tensor& input, const Tensor& weight,
                       Tensor* results) const = 0;

  /// 0 is the input, 1 the weight, 2 the bias.
  bool wants(std::size_t i) const { return static_cast<bool>(edges_[i].node); }
  const Tensor& statistics() const { return statistics_; }

 private:
  const char* name_;
  autograd::Edge edges_[3];
  autograd::SavedTensor input_, weight_;
  DimVector parameter_sizes_;
  Tensor statistics_;
  bool released_ = false;
};

/// The address of the elements, null for an undefined tensor.
inline void* data_or_null(const Tensor& tensor) {
  return tensor.defined() ? tensor.data_ptr() : nullptr;
}

/// contiguous(), for a tensor that may be undefined.
inline Tensor contiguous_or_undefined(const Tensor& tensor) {
  return tensor.defined() ? tensor.contiguous() : tensor;
}

/// Where a backward kernel reads the gradient and writes those of input, weight and bias.
template <class Args>
void set_gradients(Args& args, const Tensor& gradient, const Tensor* results) {
  args.grad = gradient.data_ptr();
  args.grad_in = data_or_null(results[0]);
  args.grad_weight = data_or_null(results[1]);
  args.grad_bias = data_or_null(results[2]);
}

}  // namespace tern::detail
