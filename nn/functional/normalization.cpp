#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/ops.h>
#include <tern/nn/functional/normalization.h>

namespace tern::nn::functional {

Tensor normalize(const Tensor& input, const NormalizeFuncOptions& options) {
  TERN_OP("normalize", input);
  TERN_AUTOCAST_INNER_OPS();
  const Tensor lengths = norm(input, options.p(), options.dim(), true).clamp_min(options.eps());
  if (!options.out()) return input / lengths;
  Tensor out = *options.out();
  return div_out(out, input, lengths);
}

Tensor local_response_norm(const Tensor& input, const LocalResponseNormFuncOptions& options) {
  TERN_OP("local_response_norm", input);
  TERN_AUTOCAST_INNER_OPS();
  TERN_CHECK(input.dim() >= 3, ShapeError, "Expected 3D or higher dimensionality input (got ",
             input.dim(), " dimensions)");
  const std::int64_t size = options.size();
  TERN_CHECK(size > 0, Error, "kernel size should be greater than zero, but got ", size);
  DimVector pad(2 * input.sizes().size() - 2, 0);
  pad[pad.size() - 2] = size / 2;
  pad[pad.size() - 1] = (size - 1) / 2;
  const Tensor average = constant_pad_nd(square(input), pad).unfold(1, size, 1).mean(-1);
  return input / (average * options.alpha() + options.k()).pow(options.beta());
}

}  // namespace tern::nn::functional
