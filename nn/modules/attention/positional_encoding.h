#pragma once

#include <cstdint>
#include <optional>

#include <tern/core/tensor/options.h>
#include <tern/core/tensor/tensor.h>
#include <tern/nn/any_module.h>
#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/options_arg.h>

namespace tern::nn {

/// Options of PositionalEncoding.
struct PositionalEncodingOptions {
  /// Sets the size.
  PositionalEncodingOptions(StrictInt d_model) : d_model_(d_model) {}
  /// The last size of input and result; even.
  TERN_ARG(std::int64_t, d_model);
  /// The probability that an element of the sum becomes 0 in training.
  TERN_ARG(double, dropout) = 0;
  /// The base of the wavelengths.
  TERN_ARG(double, base) = 10000;
  /// True: tensors are [batch, rows, size], not [rows, batch, size].
  TERN_ARG(bool, batch_first) = false;
};

namespace functional {

/// Returns sines and cosines of positions (Vaswani et al., 2017): sin(t w_i) in column 2i and
/// cos(t w_i) in column 2i + 1, with w_i = base^(-2i / dim), for t = offset, offset + 1, ...
/// Half types are computed in float32.
///
/// Shape: [length, dim]
/// Throws: ShapeError for a negative length and unless dim is even and positive.
TERN_API Tensor sinusoidal_positions(StrictInt length, StrictInt dim, StrictInt offset = 0,
                                     double base = 10000, const TensorOptions& options = {});
/// Returns the slope of each head for alibi_bias() (Press et al., 2022): 2^(-8 (h + 1) / n) for a
/// power of two n of heads, otherwise those of the next smaller power m and then
/// 2^(-4 (2k + 1) / m), k = 0, 1, ...
///
/// Shape: [num_heads]
TERN_API Tensor alibi_slopes(StrictInt num_heads, const TensorOptions& options = {});
/// Returns attention with linear biases (Press et al., 2022), a mask for
/// scaled_dot_product_attention(): -slope * |i - j| for query i and key j. The last query has the
/// position of the last key, so the queries may be the newest of cached rows. With `is_causal`
/// later keys have -infinity.
///
/// Shape: [num_heads, queries, keys]
/// Throws: ShapeError for a negative size and unless num_heads is positive.
///
/// Example:
///   auto bias = nn::functional::alibi_bias(q.size(1), q.size(2), k.size(2));
///   auto y = scaled_dot_product_attention(q, k, v, bias);
TERN_API Tensor alibi_bias(StrictInt num_heads, StrictInt queries, StrictInt keys,
                           StrictBool is_causal = true, const TensorOptions& options = {});
/// Returns the mask with which each query attends to the keys up to its own position, where the
/// last query has the position of the last key: true where it may attend. Unlike the `is_causal` of
/// scaled_dot_product_attention() it fits queries that are the newest of cached rows.
///
/// Shape: [queries, keys], bool
TERN_API Tensor causal_lower_right(StrictInt queries, StrictInt keys,
                                   const std::optional<Device>& device = std::nullopt);

}  // namespace functional

/// Adds sines and cosines of the positions to vectors, which gives a Transformer the order of its
/// input (Vaswani et al., 2017); see nn::functional::sinusoidal_positions(). Has no tensors and no
/// longest sequence.
///
/// Shape: [T, B, d_model], or [B, T, d_model] with batch_first, or [T, d_model]; the result has the
/// same shape
///
/// Example:
///   nn::PositionalEncoding positions(nn::PositionalEncodingOptions(64).dropout(0.1));
///   auto y = encoder(positions(embedding(tokens)));
class TERN_API PositionalEncodingImpl : public Cloneable<PositionalEncodingImpl> {
 public:
  /// Takes the size, and the default options.
  explicit PositionalEncodingImpl(StrictInt d_model);
  /// Takes the options. Throws ShapeError unless d_model is even and positive, Error unless dropout
  /// lies in [0, 1].
  explicit PositionalEncodingImpl(const PositionalEncodingOptions& options_);

  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Returns input + positions; the first row has the position `offset`. The result has the dtype
  /// of the input. Throws ShapeError unless the last size is d_model.
  Tensor forward(const Tensor& input, std::int64_t offset = 0);

  /// The options given to the constructor.
  PositionalEncodingOptions options;

 private:
  TERN_FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(std::int64_t{0})})
};
TERN_MODULE(PositionalEncoding);

}  // namespace tern::nn
