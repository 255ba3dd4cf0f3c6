#include <tern/core/ops/creation.h>
#include <tern/core/ops/normalize.h>
#include <tern/nn/detail/factory.h>
#include <tern/nn/detail/printing.h>
#include <tern/nn/init.h>
#include <tern/nn/modules/layer_norm.h>

namespace tern::nn {

LayerNormImpl::LayerNormImpl(const LayerNormOptions& options_) : options(options_) {
  LayerNormImpl::reset();
}

void LayerNormImpl::reset() {
  const auto parameter = [&](bool wanted) {
    if (!wanted) return Tensor();
    for (const std::int64_t size : options.normalized_shape()) {
      detail::check_size("nn::LayerNorm", "normalized_shape", size);
    }
    return empty(options.normalized_shape(), detail::factory_options(options));
  };
  bind_parameter("weight", weight, parameter(options.elementwise_affine()));
  bind_parameter("bias", bias, parameter(options.elementwise_affine() && options.bias()));
  reset_parameters();
}

void LayerNormImpl::reset_parameters() {
  if (weight.defined()) init::ones_(weight);
  if (bias.defined()) init::zeros_(bias);
}

void LayerNormImpl::pretty_print(std::ostream& stream) const {
  stream << "tern::nn::LayerNorm(" << IntArrayRef(options.normalized_shape())
         << ", eps=" << options.eps()
         << ", elementwise_affine=" << detail::text_of_bool(options.elementwise_affine());
  if (!options.bias()) stream << ", bias=false";
  stream << ')';
}

Tensor LayerNormImpl::forward(const Tensor& input) {
  return layer_norm(input, options.normalized_shape(), weight, bias, options.eps());
}

}  // namespace tern::nn
