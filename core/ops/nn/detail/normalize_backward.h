#pragma once

#include <initializer_list>

#include <tern/core/autograd/node.h>
#include <tern/core/autograd/saved_tensor.h>

namespace tern::detail {

/// The rule of a normalisation with an optional weight and bias. A kernel computes all gradients in
/// one pass; ordinary ops compute them if the rule is itself recorded.
class NormalizeBackward : public autograd::NamedNode {
 public:
  void run(const Tensor* gradients, Tensor* results, autograd::EdgeSet wanted) override;
  void release_saved() override;

 protected:
  /// `name` must be a string literal. weight and bias, if defined, have `parameter_sizes`.
  /// `statistics` is what the forward kernel computed for the backward kernel, whose tensors have
  /// the memory format `format`.
  NormalizeBackward(const char* name, const Tensor& input, const Tensor& weight, const Tensor& bias,
                    IntArrayRef parameter_sizes, const Tensor& statistics,
                    MemoryFormat format = MemoryFormat::Contiguous);

  /// Runs the kernel, which writes to the defined `results`. All tensors are without gaps and not
  /// empty; gradient, input and its gradient have the memory format.
  virtual void compute(const Tensor& gradient, const Tensor& input, const Tensor& weight,
                       const Tensor& statistics, const Tensor* results) const = 0;
  /// Computes the wanted results with ordinary ops: 0 is the input, 1 the weight, 2 the bias.
  virtual void compose(const Tensor& gradient, const Tensor& input, const Tensor& weight,
                       const Tensor& statistics, Tensor* results,
                       autograd::EdgeSet wanted) const = 0;

  MemoryFormat format() const { return format_; }
  /// Also calls compute() and compose() for an empty input.
  void take_empty() { takes_empty_ = true; }

 private:
  autograd::Edge edges_[3];
  autograd::SavedTensor input_, weight_, statistics_;
  DimVector parameter_sizes_;
  MemoryFormat format_;
  bool released_ = false, takes_empty_ = false;
};

/// Returns true for a float16 or bfloat16 input whose parameters are all float32, as autocast
/// leaves them. Such an input is normalised in float32. Undefined parameters do not count.
bool is_mixed_norm(const Tensor& input, std::initializer_list<const Tensor*> parameters);

/// Returns the address of the elements; null for an undefined tensor.
inline void* data_or_null(const Tensor& tensor) {
  return tensor.defined() ? tensor.data_ptr() : nullptr;
}

/// Returns contiguous(), for a tensor that may be undefined.
inline Tensor contiguous_or_undefined(const Tensor& tensor) {
  return tensor.defined() ? tensor.contiguous() : tensor;
}

/// Sets the pointers of a backward kernel: the gradient, and the results for input, weight and
/// bias.
template <class Args>
void set_gradients(Args& args, const Tensor& gradient, const Tensor* results) {
  args.grad = gradient.data_ptr();
  args.grad_in = data_or_null(results[0]);
  args.grad_weight = data_or_null(results[1]);
  args.grad_bias = data_or_null(results[2]);
}

}  // namespace tern::detail
