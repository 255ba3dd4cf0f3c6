#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/ops.h>
#include <tern/nn/functional/activation.h>

namespace tern::nn::functional {

namespace {

Tensor converted(const Tensor& input, const SoftmaxFuncOptions& options) {
  return options.dtype() ? input.to(*options.dtype()) : input;
}

}  // namespace

Tensor softsign(const Tensor& input) {
  TERN_OP("softsign", input);
  TERN_AUTOCAST_INNER_OPS();
  return input / (input.abs() + 1);
}

Tensor tanhshrink(const Tensor& input) {
  TERN_OP("tanhshrink", input);
  TERN_AUTOCAST_INNER_OPS();
  return input - input.tanh();
}

Tensor softmax(const Tensor& input, const SoftmaxFuncOptions& options) {
  return tern::softmax(converted(input, options), options.dim());
}

Tensor softmin(const Tensor& input, const SoftminFuncOptions& options) {
  return tern::softmax(converted(-input, options), options.dim());
}

Tensor log_softmax(const Tensor& input, const LogSoftmaxFuncOptions& options) {
  return tern::log_softmax(converted(input, options), options.dim());
}

Tensor gumbel_softmax(const Tensor& logits, const GumbelSoftmaxFuncOptions& options) {
  TERN_OP("gumbel_softmax", logits);
  TERN_AUTOCAST_INNER_OPS();
  Tensor noise = logits.detach().new_empty(logits.sizes());
  noise.exponential_().log_().neg_();
  Tensor soft = tern::softmax((logits + noise) / options.tau(), options.dim());
  if (!options.hard()) return soft;
  const Tensor constant = soft.detach();
  const Tensor index = constant.argmax(options.dim(), true);
  const Tensor one_hot =
      zeros_like(constant).scatter_add(options.dim(), index, ones_like(constant));
  return one_hot - constant + soft;
}

}  // namespace tern::nn::functional
