#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include <tern/nn/any_module.h>
#include <tern/nn/init.h>
#include <tern/nn/modules/attention/multihead_attention.h>
#include <tern/nn/modules/dropout.h>
#include <tern/nn/modules/layer_norm.h>

namespace tern {

namespace nn {

/// The type of kGELU.
struct GELUActivation {};

}  // namespace nn

/// The exact GELU as the activation of a Transformer layer.
constexpr nn::GELUActivation kGELU{};

namespace nn {

/// The activation of a Transformer layer: kReLU, kGELU, their names "relu" and "gelu", or a
/// function.
class TERN_API TransformerActivation {
 public:
  /// Any function of a tensor.
  using Function = std::function<Tensor(const Tensor&)>;

  /// Takes kReLU. Throws Error for other kinds.
  TransformerActivation(init::NonlinearityType kind);
  /// Takes kGELU.
  TransformerActivation(GELUActivation kind);
  template <detail::ConstantOf<TransformerActivation> T>
  TransformerActivation(const T& /*kind*/) : TransformerActivation(T::value) {}
  /// Takes "relu" or "gelu". Throws Error for other names.
  TransformerActivation(const char* name);
  /// Takes a function. Throws Error for an empty one.
  template <class F>
  requires std::is_convertible_v<F, Function> TransformerActivation(F function)
      : function_(checked(std::move(function))) {}

  /// Returns the activation of the input.
  Tensor operator()(const Tensor& input) const { return function_(input); }

 private:
  static Function checked(Function function);

  Function function_;
};

/// Options of TransformerEncoderLayer.
struct TransformerEncoderLayerOptions {
  /// Sets the size and the number of heads.
  TransformerEncoderLayerOptions(StrictInt d_model, StrictInt nhead)
      : d_model_(d_model), nhead_(nhead) {}
  /// The last size of input and result.
  TERN_ARG(std::int64_t, d_model);
  /// The number of heads of the attention.
  TERN_ARG(std::int64_t, nhead);
  /// The size between the two linear maps.
  TERN_ARG(std::int64_t, dim_feedforward) = 2048;
  /// The probability of all dropouts.
  TERN_ARG(double, dropout) = 0.1;
  /// The function between the two linear maps: kReLU, kGELU or any other.
  TERN_ARG(TransformerActivation, activation) = kReLU;
  /// A number added to the variances.
  TERN_ARG(double, layer_norm_eps) = 1e-5;
  /// True: tensors are [batch, rows, size], not [rows, batch, size].
  TERN_ARG(bool, batch_first) = false;
  /// True: the input of each part is normalised, not its result.
  TERN_ARG(bool, norm_first) = false;
  /// False: no part has a bias.
  TERN_ARG(bool, bias) = true;
  /// The device of the parameters; the default device unless given.
  TERN_ARG(std::optional<Device>, device);
  /// The dtype of the parameters; the default dtype unless given.
  TERN_ARG(std::optional<ScalarType>, dtype);
};

/// Options of TransformerDecoderLayer.
using TransformerDecoderLayerOptions = TransformerEncoderLayerOptions;

/// A layer of a Transformer's encoder (Vaswani et al., 2017): self-attention, then two linear maps
/// with an activation. Each part is added to its input.
///
/// Shape: src [S, B, d_model], or [B, S, d_model] with batch_first, or [S, d_model]; the result has
/// the same shape
/// Parameters: those of self_attn, linear1, linear2, norm1 and norm2
///
/// Example:
///   nn::TransformerEncoderLayer layer(nn::TransformerEncoderLayerOptions(64, 8).norm_first(true));
class TERN_API TransformerEncoderLayerImpl : public Cloneable<TransformerEncoderLayerImpl> {
 public:
  /// Makes the parts.
  TransformerEncoderLayerImpl(StrictInt d_model, StrictInt nhead);
  /// Makes the parts.
  explicit TransformerEncoderLayerImpl(const TransformerEncoderLayerOptions& options_);

  void reset() override;
  /// Returns the result of the layer. The masks and `is_causal` are those of MultiheadAttention.
  Tensor forward(const Tensor& src, const Tensor& src_mask = {},
                 const Tensor& src_key_padding_mask = {}, bool is_causal = false);
  /// Returns the result for rows that follow those in a layer of the cache, with a causal mask; see
  /// MultiheadAttention::forward_with_cache().
  Tensor forward_with_cache(const Tensor& src, KVCache& cache, std::int64_t layer,
                            const Tensor& src_key_padding_mask = {});

  /// The options given to the constructor.
  TransformerEncoderLayerOptions options;
  /// The attention.
  MultiheadAttention self_attn{nullptr};
  /// The first linear map of the feed-forward part.
  Linear linear1{nullptr};
  /// The second linear map of the feed-forward part.
  Linear linear2{nullptr};
  /// The normalisation of the attention's result, or with norm_first of its input.
  LayerNorm norm1{nullptr};
  /// The normalisation of the feed-forward part's result, or input.
  LayerNorm norm2{nullptr};
  /// The dropout between the linear maps.
  Dropout dropout{nullptr};
  /// The dropout after the attention.
  Dropout dropout1{nullptr};
  /// The dropout after the linear maps.
  Dropout dropout2{nullptr};

 private:
  TERN_FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(Tensor())}, {2, AnyValue(Tensor())},
                                {3, AnyValue(false)})

  template <class Attention>
  Tensor run(const Tensor& src, const Attention& attend);
  Tensor feed_forward(const Tensor& x);
};
TERN_MODULE(TransformerEncoderLayer);

/// A layer of a Transformer's decoder (Vaswani et al., 2017): self-attention, attention to the
/// result of the encoder, then two linear maps with an activation. Each part is added to its input.
///
/// Shape: tgt [T, B, d_model] and memory [S, B, d_model], B first with batch_first, or without B;
/// the result has the shape of tgt
/// Parameters: those of self_attn, multihead_attn, linear1, linear2 and norm1 to norm3
class TERN_API TransformerDecoderLayerImpl : public Cloneable<TransformerDecoderLayerImpl> {
 public:
  /// Makes the parts.
  TransformerDecoderLayerImpl(StrictInt d_model, StrictInt nhead);
  /// Makes the parts.
  explicit TransformerDecoderLayerImpl(const TransformerDecoderLayerOptions& options_);

  void reset() override;
  /// Returns the result of the layer. The masks and hints are those of MultiheadAttention.
  Tensor forward(const Tensor& tgt, const Tensor& memory, const Tensor& tgt_mask = {},
                 const Tensor& memory_mask = {}, const Tensor& tgt_key_padding_mask = {},
                 const Tensor& memory_key_padding_mask = {}, bool tgt_is_causal = false,
                 bool memory_is_causal = false);
  /// Returns the result for rows that follow those in a layer of the cache, with a causal mask; see
  /// MultiheadAttention::forward_with_cache(). The cache has the keys and values of the
  /// self-attention alone.
  Tensor forward_with_cache(const Tensor& tgt, const Tensor& memory, KVCache& cache,
                            std::int64_t layer, const Tensor& tgt_key_padding_mask = {},
                            const Tensor& memory_key_padding_mask = {});

  /// The options given to the constructor.
  TransformerDecoderLayerOptions options;
  /// The attention to the input.
  MultiheadAttention self_attn{nullptr};
  /// The attention to the encoder's result.
  MultiheadAttention multihead_attn{nullptr};
  /// The first linear map of the feed-forward part.
  Linear linear1{nullptr};
  /// The second linear map of the feed-forward part.
  Linear linear2{nullptr};
  /// The normalisation of the first attention's result, or with norm_first of its input.
  LayerNorm norm1{nullptr};
  /// The normalisation of the second attention's result, or input.
  LayerNorm norm2{nullptr};
  /// The normalisation of the feed-forward part's result, or input.
  LayerNorm norm3{nullptr};
  /// The dropout between the linear maps.
  Dropout dropout{nullptr};
  /// The dropout after the first attention.
  Dropout dropout1{nullptr};
  /// The dropout after the second attention.
  Dropout dropout2{nullptr};
  /// The dropout after the linear maps.
  Dropout dropout3{nullptr};

 private:
  TERN_FORWARD_HAS_DEFAULT_ARGS({2, AnyValue(Tensor())}, {3, AnyValue(Tensor())},
                                {4, AnyValue(Tensor())}, {5, AnyValue(Tensor())},
                                {6, AnyValue(false)}, {7, AnyValue(false)})

  template <class Attention, class MemoryAttention>
  Tensor run(const Tensor& tgt, const Attention& attend, const MemoryAttention& attend_memory);
  Tensor feed_forward(const Tensor& x);
};
TERN_MODULE(TransformerDecoderLayer);

}  // namespace nn
}  // namespace tern
