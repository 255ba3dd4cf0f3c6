#include <tern/nn/modules/normalization.h>

#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/ops.h>
#include <tern/nn/detail/printing.h>

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

namespace tern::nn {

namespace {

void print_response_norm(std::ostream& stream, const char* name,
                         const LocalResponseNormOptions& options) {
  detail::print_to(stream, {"tern::nn::", name, '(', options.size(), ", alpha=", options.alpha(),
                            ", beta=", options.beta(), ", k=", options.k(), ')'});
}

}  // namespace

LocalResponseNormImpl::LocalResponseNormImpl(const LocalResponseNormOptions& options_)
    : options(options_) {}

void LocalResponseNormImpl::pretty_print(std::ostream& stream) const {
  print_response_norm(stream, "LocalResponseNorm", options);
}
Tensor LocalResponseNormImpl::forward(const Tensor& input) {
  return functional::local_response_norm(input, options);
}

CrossMapLRN2dImpl::CrossMapLRN2dImpl(const CrossMapLRN2dOptions& options_) : options(options_) {}

void CrossMapLRN2dImpl::pretty_print(std::ostream& stream) const {
  print_response_norm(stream, "CrossMapLRN2d", options);
}

Tensor CrossMapLRN2dImpl::forward(const Tensor& input) {
  TERN_CHECK(input.dim() == 4, ShapeError, "CrossMapLRN2d: Expected input to be 4D, got ",
             input.dim(), "D instead.");
  const std::int64_t size = options.size(), channels = input.size(1);
  TERN_CHECK(size > 0, Error, "CrossMapLRN2d: size must be positive, got ", size);
  // Sums over the channel itself and `reach` channels on both sides.
  const std::int64_t reach = (size - 1) / 2;
  const Tensor squares = square(input);
  Tensor sums =
      constant_pad_nd(squares, {0, 0, 0, 0, reach, reach}).unfold(1, 2 * reach + 1, 1).sum(-1);
  if (const std::int64_t later = channels - reach - 1; later > 0) {
    const Tensor first = squares.narrow(1, 0, 1).expand({-1, later, -1, -1});
    sums = sums + constant_pad_nd(first, {0, 0, 0, 0, reach + 1, 0});
  }
  const double factor = options.alpha() / static_cast<double>(size);
  return input * (sums * factor + options.k()).pow(-options.beta());
}

}  // namespace tern::nn
