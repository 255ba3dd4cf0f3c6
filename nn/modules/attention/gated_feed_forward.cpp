#include <tern/nn/modules/attention/gated_feed_forward.h>

#include <tern/core/ops/elementwise/activation.h>
#include <tern/core/ops/elementwise/arithmetic.h>
#include <tern/nn/detail/factory.h>

namespace tern::nn {
namespace {

/// Makes one of the three maps. `module` is the name of the layer, for errors.
template <class Options>
Linear gated_linear(const char* module, const Options& options, bool is_down) {
  detail::check_size(module, "in_features", options.in_features());
  detail::check_size(module, "hidden_features", options.hidden_features());
  const std::int64_t wide = options.hidden_features(), narrow = options.in_features();
  return Linear(LinearOptions(is_down ? wide : narrow, is_down ? narrow : wide)
                    .bias(options.bias())
                    .device(options.device())
                    .dtype(options.dtype()));
}

}  // namespace

SwiGLUImpl::SwiGLUImpl(StrictInt in_features, StrictInt hidden_features)
    : SwiGLUImpl(SwiGLUOptions(in_features, hidden_features)) {}
SwiGLUImpl::SwiGLUImpl(const SwiGLUOptions& options_) : options(options_) { SwiGLUImpl::reset(); }

void SwiGLUImpl::reset() {
  gate_proj = register_module("gate_proj", gated_linear("nn::SwiGLU", options, false));
  up_proj = register_module("up_proj", gated_linear("nn::SwiGLU", options, false));
  down_proj = register_module("down_proj", gated_linear("nn::SwiGLU", options, true));
}

Tensor SwiGLUImpl::forward(const Tensor& input) {
  const Tensor gate = tern::silu(gate_proj(input));  // before up_proj, in every compiler
  return down_proj(gate * up_proj(input));
}

GEGLUImpl::GEGLUImpl(StrictInt in_features, StrictInt hidden_features)
    : GEGLUImpl(GEGLUOptions(in_features, hidden_features)) {}
GEGLUImpl::GEGLUImpl(const GEGLUOptions& options_) : options(options_) { GEGLUImpl::reset(); }

void GEGLUImpl::reset() {
  gate_proj = register_module("gate_proj", gated_linear("nn::GEGLU", options, false));
  up_proj = register_module("up_proj", gated_linear("nn::GEGLU", options, false));
  down_proj = register_module("down_proj", gated_linear("nn::GEGLU", options, true));
}

Tensor GEGLUImpl::forward(const Tensor& input) {
  const Tensor gate = tern::gelu(gate_proj(input), options.approximate());
  return down_proj(gate * up_proj(input));
}

}  // namespace tern::nn
