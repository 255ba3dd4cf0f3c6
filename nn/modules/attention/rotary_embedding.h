#pragma once

#include <cstdint>
#include <optional>
#include <tuple>

#include <tern/core/tensor/tensor.h>
#include <tern/nn/any_module.h>
#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/options_arg.h>

namespace tern::nn {

/// Options of the scaling of Llama 3, which stretches the frequencies of RotaryEmbedding to a
/// longer context ("rope_type" is "llama3" in Hugging Face's files). Wavelengths above
/// original_max_position_embeddings / low_freq_factor grow by `factor`, those below
/// original_max_position_embeddings / high_freq_factor stay, and those between are interpolated.
struct RotaryScalingOptions {
  /// The number by which long wavelengths grow.
  TERN_ARG(double, factor) = 8;
  /// Sets where long wavelengths begin.
  TERN_ARG(double, low_freq_factor) = 1;
  /// Sets where short wavelengths end; greater than low_freq_factor.
  TERN_ARG(double, high_freq_factor) = 4;
  /// The length of the context that the model was trained with first.
  TERN_ARG(std::int64_t, original_max_position_embeddings) = 8192;
};

/// Options of RotaryEmbedding.
struct RotaryEmbeddingOptions {
  /// Sets the size of a head, and rotates all of it.
  RotaryEmbeddingOptions(StrictInt dim) : dim_(dim), rotary_dim_(dim) {}
  /// The last size of the input: the size of a head.
  TERN_ARG(std::int64_t, dim);
  /// The number of elements that are rotated, the first ones; even. The others stay as they are.
  /// Default: dim.
  TERN_ARG(std::int64_t, rotary_dim);
  /// The base of the wavelengths, "rope_theta" in Hugging Face's files.
  TERN_ARG(double, base) = 10000;
  /// True: neighbours are pairs, as in Meta's Llama, GPT-J and GGUF files. False: element i and
  /// element i + rotary_dim / 2, as in Hugging Face's Llama, GPT-NeoX and Qwen.
  TERN_ARG(bool, interleaved) = false;
  /// Stretches the wavelengths as Llama 3 does, if given.
  TERN_ARG(std::optional<RotaryScalingOptions>, scaling);
};

namespace functional {

/// Rotates pairs of elements: (a, b) -> (a cos - b sin, b cos + a sin). Pairs are neighbours if
/// `interleaved`, else elements i and i + R / 2. Elements from R on stay as they are. Half types
/// are computed in float32 and rounded once; the result has the dtype of the input.
///
/// Shape: input [..., D], cos and sin [..., R / 2], which broadcast -> [..., D]
/// Throws: ShapeError when the sizes do not fit, DTypeError unless the input is floating.
TERN_API Tensor rotary_embedding(const Tensor& input, const Tensor& cos, const Tensor& sin,
                                 StrictBool interleaved = false);

}  // namespace functional

/// Rotary position embedding (Su et al., 2021): rotates the pairs of elements of queries and keys
/// by angles that grow with the position, so that scores depend on distances alone. Pair i has the
/// angle position * base^(-2i / rotary_dim).
///
/// Angles, cosines and sines are float32, as in Hugging Face's models, also for other dtypes of the
/// input. There is no longest sequence, and the module has no tensors.
///
/// Shape: [..., T, dim] -> [..., T, dim], in attention [batch, heads, T, dim]
///
/// Example:
///   nn::RotaryEmbedding rope(nn::RotaryEmbeddingOptions(64).base(500000));
///   q = rope(q, cache.length()), k = rope(k, cache.length());
class TERN_API RotaryEmbeddingImpl : public Cloneable<RotaryEmbeddingImpl> {
 public:
  /// Rotates heads of size dim, with the default options.
  explicit RotaryEmbeddingImpl(StrictInt dim);
  /// Takes the options. Throws ShapeError unless rotary_dim is even, positive and at most dim,
  /// Error for numbers out of range.
  explicit RotaryEmbeddingImpl(const RotaryEmbeddingOptions& options_);

  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the rotated input. The rows have the positions `offset`, `offset` + 1, and so on, or
  /// those of the tensor `positions`, to which `offset` is added: [T], or as many dimensions as
  /// the input without the last one, with sizes 1 where they are shared ([batch, 1, T]).
  ///
  /// Throws: ShapeError unless the last size is dim and the positions fit.
  Tensor forward(const Tensor& input, std::int64_t offset = 0, const Tensor& positions = {});
  /// Returns cosines and sines of positions, [..., T] -> [..., T, rotary_dim / 2] in float32, for
  /// nn::functional::rotary_embedding(). A model computes them once for all its layers.
  std::tuple<Tensor, Tensor> tables(const Tensor& positions) const;

  /// The options given to the constructor.
  RotaryEmbeddingOptions options;

 private:
  TERN_FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(std::int64_t{0})}, {2, AnyValue(Tensor())})

  Tensor frequencies(Device device) const;
};
TERN_MODULE(RotaryEmbedding);

}  // namespace tern::nn
