#include <tern/nn/modules/attention/rotary_embedding.h>

#include <numbers>

#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/ops.h>
#include <tern/nn/detail/printing.h>

namespace tern::nn {

namespace functional {

Tensor rotary_embedding(const Tensor& input, const Tensor& cos, const Tensor& sin,
                        StrictBool interleaved) {
  TERN_OP("rotary_embedding", input, cos, sin);
  TERN_CHECK(input.is_floating_point(), DTypeError, "expected a floating input, got ",
             input.scalar_type());
  TERN_CHECK(input.dim() > 0 && cos.dim() > 0 && cos.sizes() == sin.sizes(), ShapeError,
             "expected an input [..., D] and cos and sin of the same sizes [..., R / 2], got ",
             input.sizes(), ", ", cos.sizes(), " and ", sin.sizes());
  const std::int64_t size = input.size(-1), half = cos.size(-1), rest = size - 2 * half;
  TERN_CHECK(rest >= 0, ShapeError, "cos and sin of sizes ", cos.sizes(), " rotate ", 2 * half,
             " elements, but the last size of the input is ", size);
  const Tensor rotated = rest == 0 ? input : input.narrow(-1, 0, 2 * half);
  // [..., R / 2, 2] or [..., 2, R / 2]
  const std::int64_t pair_dim = interleaved ? -1 : -2;
  const Tensor pairs =
      interleaved ? rotated.unflatten(-1, {half, 2}) : rotated.unflatten(-1, {2, half});
  const Tensor a = pairs.select(pair_dim, 0), b = pairs.select(pair_dim, 1);
  const Tensor result =
      stack({a * cos - b * sin, b * cos + a * sin}, pair_dim).flatten(-2).to(input.dtype());
  TERN_CHECK(result.sizes() == rotated.sizes(), ShapeError, "cos and sin of sizes ", cos.sizes(),
             " do not broadcast to the input of sizes ", input.sizes());
  return rest == 0 ? result : cat({result, input.narrow(-1, 2 * half, rest)}, -1);
}

}  // namespace functional

RotaryEmbeddingImpl::RotaryEmbeddingImpl(StrictInt dim)
    : RotaryEmbeddingImpl(RotaryEmbeddingOptions(dim)) {}
RotaryEmbeddingImpl::RotaryEmbeddingImpl(const RotaryEmbeddingOptions& options_)
    : options(options_) {
  RotaryEmbeddingImpl::reset();
}

void RotaryEmbeddingImpl::reset() {
  const std::int64_t dim = options.dim(), rotary = options.rotary_dim();
  TERN_CHECK(rotary > 0 && rotary <= dim && rotary % 2 == 0, ShapeError,
             "nn::RotaryEmbedding: rotary_dim must be even, positive and at most dim, got "
             "rotary_dim=",
             rotary, " and dim=", dim);
  TERN_CHECK(options.base() > 0, Error, "nn::RotaryEmbedding: base must be positive, got ",
             options.base());
  if (!options.scaling()) return;
  const RotaryScalingOptions& scaling = *options.scaling();
  TERN_CHECK(scaling.factor() > 0 && scaling.high_freq_factor() > scaling.low_freq_factor() &&
                 scaling.original_max_position_embeddings() > 0,
             Error,
             "nn::RotaryEmbedding: Llama 3's scaling needs a positive factor and context and "
             "low_freq_factor < high_freq_factor, got factor=",
             scaling.factor(), ", low_freq_factor=", scaling.low_freq_factor(),
             ", high_freq_factor=", scaling.high_freq_factor(),
             ", original_max_position_embeddings=", scaling.original_max_position_embeddings());
}

void RotaryEmbeddingImpl::pretty_print(std::ostream& stream) const {
  detail::print_to(stream, {"tern::nn::RotaryEmbedding(", options.dim()});
  if (options.rotary_dim() != options.dim()) {
    detail::print_to(stream, {", rotary_dim=", options.rotary_dim()});
  }
  detail::print_to(stream, {", base=", options.base(),
                            ", interleaved=", detail::text_of_bool(options.interleaved())});
  if (options.scaling()) detail::print_to(stream, {", factor=", options.scaling()->factor()});
  stream << ')';
}

/// Returns the angles of position 1, [rotary_dim / 2]. They are computed anew for each call: a
/// buffer would lose digits in to(kBFloat16).
Tensor RotaryEmbeddingImpl::frequencies(Device device) const {
  const std::int64_t rotary = options.rotary_dim();
  const Tensor exponents = arange(0, rotary, 2, TensorOptions(kFloat).device(device)) / rotary;
  Tensor w = pow(options.base(), -exponents);
  if (!options.scaling()) return w;
  const RotaryScalingOptions& scaling = *options.scaling();
  const double low = scaling.low_freq_factor(), width = scaling.high_freq_factor() - low;
  const auto context = static_cast<double>(scaling.original_max_position_embeddings());
  // context / wavelength, which is 0 at long wavelengths and 1 at short ones
  const Tensor s = ((w * (context / (2 * std::numbers::pi)) - low) / width).clamp(0, 1);
  return (1 - s) * w / scaling.factor() + s * w;
}

std::tuple<Tensor, Tensor> RotaryEmbeddingImpl::tables(const Tensor& positions) const {
  const Tensor angles = positions.to(kFloat).unsqueeze(-1) * frequencies(positions.device());
  return {tern::cos(angles), tern::sin(angles)};
}

Tensor RotaryEmbeddingImpl::forward(const Tensor& input, std::int64_t offset,
                                    const Tensor& positions) {
  TERN_CHECK(input.dim() >= 2 && input.size(-1) == options.dim(), ShapeError,
             "nn::RotaryEmbedding: expected an input [..., T, ", options.dim(), "], got ",
             input.sizes());
  const std::int64_t rows = input.size(-2);
  Tensor where = positions;
  if (where.defined()) {
    TERN_CHECK((where.dim() == 1 || where.dim() == input.dim() - 1) && where.size(-1) == rows,
               ShapeError, "nn::RotaryEmbedding: expected positions of sizes [", rows,
               "], or one for each row of the input of sizes ", input.sizes(), ", got ",
               where.sizes());
    if (offset != 0) where = where + offset;
  } else {
    where = arange(offset, offset + rows, TensorOptions(kLong).device(input.device()));
  }
  const auto [cos, sin] = tables(where);
  return functional::rotary_embedding(input, cos, sin, options.interleaved());
}

}  // namespace tern::nn
