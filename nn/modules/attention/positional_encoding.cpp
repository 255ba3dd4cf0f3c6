#include <tern/nn/modules/attention/positional_encoding.h>

#include <bit>
#include <cmath>
#include <limits>

#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/ops.h>
#include <tern/nn/detail/printing.h>

namespace tern::nn {

namespace functional {
namespace {

/// Returns the dtype in which positions for a dtype are computed.
ScalarType computed(ScalarType dtype) { return dtype == kDouble ? kDouble : kFloat; }

void check_even(const char* name, std::int64_t size) {
  TERN_CHECK(size > 0 && size % 2 == 0, ShapeError, name, " must be even and positive, got ", size);
}

}  // namespace

Tensor sinusoidal_positions(StrictInt length, StrictInt dim, StrictInt offset, double base,
                            const TensorOptions& options) {
  TERN_OP("sinusoidal_positions");
  check_even("dim", dim);
  TERN_CHECK(length >= 0, ShapeError, "length must not be negative, got ", std::int64_t{length});
  const TensorOptions like = options.dtype(computed(options.dtype())).requires_grad(false);
  const std::int64_t size = dim, first = offset;
  const Tensor w = pow(base, arange(0, size, 2, like) / -size);
  const Tensor angles = arange(first, first + length, like).unsqueeze(-1) * w;
  return stack({tern::sin(angles), tern::cos(angles)}, -1).flatten(-2).to(options.dtype());
}

Tensor alibi_slopes(StrictInt num_heads, const TensorOptions& options) {
  TERN_OP("alibi_slopes");
  TERN_CHECK(num_heads > 0, ShapeError, "num_heads must be greater than 0, got ",
             std::int64_t{num_heads});
  const auto power = static_cast<std::int64_t>(
      std::bit_floor(static_cast<std::uint64_t>(std::int64_t{num_heads})));
  std::vector<double> slopes;
  for (std::int64_t head = 0; head < num_heads; ++head) {
    const bool is_extra = head >= power;
    const std::int64_t eighths = is_extra ? 4 * (2 * (head - power) + 1) : 8 * (head + 1);
    slopes.push_back(std::exp2(-static_cast<double>(eighths) / static_cast<double>(power)));
  }
  return tensor(slopes, options);
}

Tensor alibi_bias(StrictInt num_heads, StrictInt queries, StrictInt keys, StrictBool is_causal,
                  const TensorOptions& options) {
  TERN_OP("alibi_bias");
  TERN_CHECK(queries >= 0 && keys >= 0, ShapeError, "queries and keys must not be negative, got ",
             std::int64_t{queries}, " and ", std::int64_t{keys});
  const TensorOptions like = options.dtype(computed(options.dtype())).requires_grad(false);
  const std::int64_t end = keys;
  const Tensor distances =
      (arange(end - queries, end, like).unsqueeze(-1) - arange(end, like)).abs();
  const Tensor bias = distances * -alibi_slopes(num_heads, like).view({num_heads, 1, 1});
  Tensor result = bias.to(options.dtype());
  if (!is_causal) return result;
  return result.masked_fill(causal_lower_right(queries, keys, result.device()).logical_not(),
                            -std::numeric_limits<double>::infinity());
}

Tensor causal_lower_right(StrictInt queries, StrictInt keys, const std::optional<Device>& device) {
  TERN_OP("causal_lower_right");
  TensorOptions options(kBool);
  if (device) options = options.device(*device);
  return ones({queries, keys}, options).tril(keys - queries);
}

}  // namespace functional

PositionalEncodingImpl::PositionalEncodingImpl(StrictInt d_model)
    : PositionalEncodingImpl(PositionalEncodingOptions(d_model)) {}
PositionalEncodingImpl::PositionalEncodingImpl(const PositionalEncodingOptions& options_)
    : options(options_) {
  PositionalEncodingImpl::reset();
}

void PositionalEncodingImpl::reset() {
  functional::check_even("nn::PositionalEncoding: d_model", options.d_model());
  TERN_CHECK(options.dropout() >= 0 && options.dropout() <= 1, Error,
             "nn::PositionalEncoding: dropout probability has to be between 0 and 1, but got ",
             options.dropout());
}

void PositionalEncodingImpl::pretty_print(std::ostream& stream) const {
  detail::print_to(stream, {"tern::nn::PositionalEncoding(", options.d_model(),
                            ", dropout=", options.dropout(), ')'});
}

Tensor PositionalEncodingImpl::forward(const Tensor& input, std::int64_t offset) {
  TERN_CHECK((input.dim() == 2 || input.dim() == 3) && input.size(-1) == options.d_model(),
             ShapeError, "nn::PositionalEncoding: expected an input [.., .., ", options.d_model(),
             "], or [T, ", options.d_model(), "] without a batch, got ", input.sizes());
  TERN_CHECK(input.is_floating_point(), DTypeError,
             "nn::PositionalEncoding: expected a floating input, got ", input.scalar_type());
  const bool is_batch_last = input.dim() == 3 && !options.batch_first();
  const ScalarType dtype = input.dtype() == kDouble ? kDouble : kFloat;
  const Tensor positions = functional::sinusoidal_positions(
      input.size(is_batch_last ? 0 : -2), options.d_model(), offset, options.base(),
      TensorOptions(dtype).device(input.device()));
  const Tensor sum = input + (is_batch_last ? positions.unsqueeze(1) : positions);
  return tern::dropout(sum.to(input.dtype()), options.dropout(), is_training());
}

}  // namespace tern::nn
