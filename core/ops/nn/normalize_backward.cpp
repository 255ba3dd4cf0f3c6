// Compiled for size.

#include <tern/core/autograd/record.h>
#include <tern/core/ops/common/detail/memory_format.h>
#include <tern/core/ops/nn/detail/normalize_backward.h>
#include <tern/core/ops/ops.h>

namespace tern::detail {

bool is_mixed_norm(const Tensor& input, std::initializer_list<const Tensor*> parameters) {
  if (input.dtype() != kHalf && input.dtype() != kBFloat16) return false;
  bool any = false;
  for (const Tensor* parameter : parameters) {
    if (!parameter->defined()) continue;
    if (parameter->dtype() != kFloat) return false;
    any = true;
  }
  return any;
}

NormalizeBackward::NormalizeBackward(const char* name, const Tensor& input, const Tensor& weight,
                                     const Tensor& bias, IntArrayRef parameter_sizes,
                                     const Tensor& statistics, MemoryFormat format)
    : NamedNode(name, edges_, 3),
      input_(input, false),
      weight_(weight, false),
      statistics_(statistics, false),
      parameter_sizes_(parameter_sizes),
      format_(format) {
  const Tensor* inputs[] = {&input, &weight, &bias};
  for (std::size_t i = 0; i < 3; ++i) {
    if (inputs[i]->defined()) edges_[i] = autograd::gradient_edge(*inputs[i]);
  }
}

void NormalizeBackward::run(const Tensor* gradients, Tensor* results, autograd::EdgeSet wanted) {
  if (released_) autograd::detail::throw_backward_twice();
  const Tensor& gradient = gradients[0];
  if (!gradient.defined()) return;
  const Tensor input = input_.unpack(this), weight = weight_.unpack(this);
  const Tensor statistics = statistics_.unpack(this);
  // Gradients of an empty input are zeros, but the formulas divide by the count.
  const bool empty = input.numel() == 0 && !takes_empty_;
  if (!empty && autograd::needs_grad(gradient, input, weight)) {
    return compose(gradient, input, weight, statistics, results, wanted);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (!wanted.has(i)) continue;
    const IntArrayRef sizes = i == 0 ? input.sizes() : IntArrayRef(parameter_sizes_);
    results[i] = make_tensor(sizes, i == 0 ? format_ : MemoryFormat::Contiguous, input.dtype(),
                             input.device());
    if (empty) results[i].zero_();
  }
  if (!empty) {
    compute(gradient.contiguous(format_), input.contiguous(format_),
            contiguous_or_undefined(weight), statistics, results);
  }
}

void NormalizeBackward::release_saved() {
  released_ = true;
  input_ = {};
  weight_ = {};
  statistics_ = {};
}

}  // namespace tern::detail
