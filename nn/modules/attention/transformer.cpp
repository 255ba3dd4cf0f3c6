#include <tern/nn/modules/attention/transformer.h>

#include <limits>

#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/create/creation.h>
#include <tern/core/ops/shape/diagonal.h>

namespace tern::nn {

TransformerImpl::TransformerImpl(const TransformerOptions& options_) : options(options_) {
  TransformerImpl::reset();
}

void TransformerImpl::reset() {
  const TransformerEncoderLayerOptions layer =
      TransformerEncoderLayerOptions(options.d_model(), options.nhead())
          .dim_feedforward(options.dim_feedforward())
          .dropout(options.dropout())
          .activation(options.activation())
          .layer_norm_eps(options.layer_norm_eps())
          .batch_first(options.batch_first())
          .norm_first(options.norm_first())
          .bias(options.bias())
          .device(options.device())
          .dtype(options.dtype());
  const auto norm = [&] {
    return AnyModule(LayerNorm(LayerNormOptions(options.d_model())
                                   .eps(options.layer_norm_eps())
                                   .bias(options.bias())
                                   .device(options.device())
                                   .dtype(options.dtype())));
  };
  encoder = options.custom_encoder().is_empty()
                ? AnyModule(TransformerEncoder(
                      TransformerEncoderOptions(layer, options.num_encoder_layers()).norm(norm())))
                : options.custom_encoder().clone();
  register_module("encoder", encoder.ptr());
  decoder = options.custom_decoder().is_empty()
                ? AnyModule(TransformerDecoder(
                      TransformerDecoderOptions(layer, options.num_decoder_layers()).norm(norm())))
                : options.custom_decoder().clone();
  register_module("decoder", decoder.ptr());
  reset_parameters();
}

void TransformerImpl::reset_parameters() {
  for (const Tensor& parameter : parameters()) {
    if (parameter.dim() > 1) init::xavier_uniform_(parameter);
  }
}

Tensor TransformerImpl::forward(const Tensor& src, const Tensor& tgt, const Tensor& src_mask,
                                const Tensor& tgt_mask, const Tensor& memory_mask,
                                const Tensor& src_key_padding_mask,
                                const Tensor& tgt_key_padding_mask,
                                const Tensor& memory_key_padding_mask, bool src_is_causal,
                                bool tgt_is_causal, bool memory_is_causal) {
  tern::detail::check_arguments("src, tgt", src, tgt);
  TERN_CHECK(
      src.dim() == tgt.dim() && (src.dim() == 2 || src.dim() == 3), ShapeError,
      "nn::Transformer: src and tgt should both have 3 dimensions, or 2 without a batch, but "
      "got ",
      src.dim(), " and ", tgt.dim());
  const std::int64_t batch = options.batch_first() ? 0 : 1;
  TERN_CHECK(src.dim() == 2 || src.size(batch) == tgt.size(batch), ShapeError,
             "nn::Transformer: the batch number of src and tgt must be equal, got ",
             src.size(batch), " and ", tgt.size(batch));
  TERN_CHECK(src.size(-1) == options.d_model() && tgt.size(-1) == options.d_model(), ShapeError,
             "nn::Transformer: the feature number of src and tgt must be equal to d_model, got ",
             src.size(-1), " and ", tgt.size(-1), " while d_model is ", options.d_model());
  // A module of the caller need not know the hints.
  const Tensor memory = src_is_causal
                            ? encoder.forward(src, src_mask, src_key_padding_mask, src_is_causal)
                            : encoder.forward(src, src_mask, src_key_padding_mask);
  if (!tgt_is_causal && !memory_is_causal) {
    return decoder.forward(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask,
                           memory_key_padding_mask);
  }
  return decoder.forward(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask,
                         memory_key_padding_mask, tgt_is_causal, memory_is_causal);
}

Tensor TransformerImpl::generate_square_subsequent_mask(StrictInt sz,
                                                        const TensorOptions& mask_options) {
  TERN_CHECK(sz >= 0, Error,
             "Input size must be non-negative to generate a valid square subsequent mask, but got ",
             std::int64_t{sz});
  return full({sz, sz}, -std::numeric_limits<double>::infinity(), mask_options).triu(1);
}

}  // namespace tern::nn
