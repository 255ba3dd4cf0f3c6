#include <tern/nn/functional/pooling.h>

#include <algorithm>
#include <limits>

#include <tern/core/ops/ops.h>

namespace tern::nn::functional {

namespace {

/// Returns the output sizes of an adaptive pooling.
template <std::size_t D>
std::vector<std::int64_t> adaptive_sizes(const Tensor& input,
                                         const ExpandingArrayWithOptionalElem<D>& wanted) {
  TERN_CHECK(input.dim() > static_cast<std::int64_t>(D), ShapeError, "Expected ", D + 1, "D or ",
             D + 2, "D tensor, but got ", input.sizes());
  std::vector<std::int64_t> sizes;
  for (std::size_t d = 0; d < D; ++d) {
    sizes.push_back((*wanted)[d].value_or(input.sizes()[input.sizes().size() - D + d]));
  }
  return sizes;
}

std::optional<StrictInt> divisor_of(const std::optional<std::int64_t>& divisor) {
  return divisor ? std::optional<StrictInt>(*divisor) : std::nullopt;
}

/// Returns the norms of windows for the averages of their powers and the size of a window.
Tensor norms_of(const Tensor& averages, IntArrayRef kernel, double p) {
  std::int64_t size = 1;
  for (const std::int64_t n : kernel) size *= n;
  return (averages.sign() * averages.abs().relu()).mul(size).pow(1 / p);
}

bool is_infinite(double p) {
  TERN_CHECK(p != 0, Error, "norm_type must be a non-zero value, but got 0");
  return p == std::numeric_limits<double>::infinity();
}

/// Returns the samples of the options, or draws some, and the output sizes.
template <std::size_t D>
struct Fractions {
  std::vector<std::int64_t> sizes;
  Tensor samples;

  Fractions(const Tensor& input, const FractionalMaxPoolOptions<D>& options) {
    constexpr auto kDims = static_cast<std::int64_t>(D);
    TERN_CHECK(options.output_size() || options.output_ratio(), Error, "fractional_max_pool", D,
               "d requires specifying either an output_size or an output_ratio");
    TERN_CHECK(input.dim() == kDims + 1 || input.dim() == kDims + 2, ShapeError, "Expected ", D + 1,
               "D or ", D + 2, "D tensor, but got: ", input.sizes());
    for (std::size_t d = 0; d < D; ++d) {
      const auto size = static_cast<double>(input.sizes()[input.sizes().size() - D + d]);
      sizes.push_back(options.output_size()
                          ? (**options.output_size())[d]
                          : static_cast<std::int64_t>(size * (**options.output_ratio())[d]));
    }
    samples = options._random_samples();
    if (samples.defined()) return;
    const std::int64_t batch = input.dim() == kDims + 2 ? input.size(0) : 1;
    samples = rand({batch, input.size(-kDims - 1), kDims}, input.options().requires_grad(false));
  }
};

/// Returns the output size of an unpooling.
template <std::size_t D>
std::vector<std::int64_t> unpooled_sizes(const Tensor& input,
                                         const MaxUnpoolFuncOptions<D>& options) {
  TERN_CHECK(input.dim() > static_cast<std::int64_t>(D), ShapeError, "Input to max_unpooling", D,
             "d should be a ", D + 1, "d or ", D + 2, "d Tensor, but got a tensor with ",
             input.dim(), " dimensions.");
  std::vector<std::int64_t> usual;
  for (std::size_t d = 0; d < D; ++d) {
    const std::int64_t n = input.sizes()[input.sizes().size() - D + d];
    usual.push_back((n - 1) * (*options.stride())[d] + (*options.kernel_size())[d] -
                    2 * (*options.padding())[d]);
  }
  if (!options.output_size()) return usual;
  IntArrayRef given = *options.output_size();
  TERN_CHECK(given.size() == D || given.size() == D + 2, ShapeError,
             "output_size should be a sequence containing ", D, " or ", D + 2,
             " elements, but it has a length of '", given.size(), "'");
  if (given.size() == D + 2) given = given.slice(2, D);
  for (std::size_t d = 0; d < D; ++d) {
    const std::int64_t least = usual[d] - (*options.stride())[d];
    const std::int64_t most = usual[d] + (*options.stride())[d];
    TERN_CHECK(least < given[d] && given[d] < most, ShapeError, "invalid output_size \"", given,
               "\" (dim ", d, " must be between ", least, " and ", most, ')');
  }
  return given.vec();
}

}  // namespace

Tensor max_pool1d(const Tensor& input, const MaxPool1dFuncOptions& options) {
  return tern::max_pool1d(input, options.kernel_size(), options.stride(), options.padding(),
                          options.dilation(), options.ceil_mode());
}
std::tuple<Tensor, Tensor> max_pool1d_with_indices(const Tensor& input,
                                                   const MaxPool1dFuncOptions& options) {
  return tern::max_pool1d_with_indices(input, options.kernel_size(), options.stride(),
                                       options.padding(), options.dilation(), options.ceil_mode());
}
Tensor avg_pool1d(const Tensor& input, const AvgPool1dFuncOptions& options) {
  return tern::avg_pool1d(input, options.kernel_size(), options.stride(), options.padding(),
                          options.ceil_mode(), options.count_include_pad());
}
Tensor adaptive_max_pool1d(const Tensor& input, const AdaptiveMaxPool1dFuncOptions& options) {
  return std::get<0>(tern::adaptive_max_pool1d(input, options.output_size()));
}
std::tuple<Tensor, Tensor> adaptive_max_pool1d_with_indices(
    const Tensor& input, const AdaptiveMaxPool1dFuncOptions& options) {
  return tern::adaptive_max_pool1d(input, options.output_size());
}
Tensor adaptive_avg_pool1d(const Tensor& input, const AdaptiveAvgPool1dFuncOptions& options) {
  return tern::adaptive_avg_pool1d(input, options.output_size());
}
Tensor lp_pool1d(const Tensor& input, const LPPool1dFuncOptions& options) {
  if (is_infinite(options.norm_type())) {
    return tern::max_pool1d(input, options.kernel_size(), options.stride(), 0, 1,
                            options.ceil_mode());
  }
  const Tensor powers = input.pow(options.norm_type());
  return norms_of(
      tern::avg_pool1d(powers, options.kernel_size(), options.stride(), 0, options.ceil_mode()),
      options.kernel_size(), options.norm_type());
}
Tensor max_pool2d(const Tensor& input, const MaxPool2dFuncOptions& options) {
  return tern::max_pool2d(input, options.kernel_size(), options.stride(), options.padding(),
                          options.dilation(), options.ceil_mode());
}
std::tuple<Tensor, Tensor> max_pool2d_with_indices(const Tensor& input,
                                                   const MaxPool2dFuncOptions& options) {
  return tern::max_pool2d_with_indices(input, options.kernel_size(), options.stride(),
                                       options.padding(), options.dilation(), options.ceil_mode());
}
Tensor avg_pool2d(const Tensor& input, const AvgPool2dFuncOptions& options) {
  return tern::avg_pool2d(input, options.kernel_size(), options.stride(), options.padding(),
                          options.ceil_mode(), options.count_include_pad(),
                          divisor_of(options.divisor_override()));
}
Tensor adaptive_max_pool2d(const Tensor& input, const AdaptiveMaxPool2dFuncOptions& options) {
  return std::get<0>(
      tern::adaptive_max_pool2d(input, adaptive_sizes(input, options.output_size())));
}
std::tuple<Tensor, Tensor> adaptive_max_pool2d_with_indices(
    const Tensor& input, const AdaptiveMaxPool2dFuncOptions& options) {
  return tern::adaptive_max_pool2d(input, adaptive_sizes(input, options.output_size()));
}
Tensor adaptive_avg_pool2d(const Tensor& input, const AdaptiveAvgPool2dFuncOptions& options) {
  return tern::adaptive_avg_pool2d(input, adaptive_sizes(input, options.output_size()));
}
Tensor lp_pool2d(const Tensor& input, const LPPool2dFuncOptions& options) {
  if (is_infinite(options.norm_type())) {
    return tern::max_pool2d(input, options.kernel_size(), options.stride(), 0, 1,
                            options.ceil_mode());
  }
  const Tensor powers = input.pow(options.norm_type());
  return norms_of(
      tern::avg_pool2d(powers, options.kernel_size(), options.stride(), 0, options.ceil_mode()),
      options.kernel_size(), options.norm_type());
}
Tensor max_pool3d(const Tensor& input, const MaxPool3dFuncOptions& options) {
  return tern::max_pool3d(input, options.kernel_size(), options.stride(), options.padding(),
                          options.dilation(), options.ceil_mode());
}
std::tuple<Tensor, Tensor> max_pool3d_with_indices(const Tensor& input,
                                                   const MaxPool3dFuncOptions& options) {
  return tern::max_pool3d_with_indices(input, options.kernel_size(), options.stride(),
                                       options.padding(), options.dilation(), options.ceil_mode());
}
Tensor avg_pool3d(const Tensor& input, const AvgPool3dFuncOptions& options) {
  return tern::avg_pool3d(input, options.kernel_size(), options.stride(), options.padding(),
                          options.ceil_mode(), options.count_include_pad(),
                          divisor_of(options.divisor_override()));
}
Tensor adaptive_max_pool3d(const Tensor& input, const AdaptiveMaxPool3dFuncOptions& options) {
  return std::get<0>(
      tern::adaptive_max_pool3d(input, adaptive_sizes(input, options.output_size())));
}
std::tuple<Tensor, Tensor> adaptive_max_pool3d_with_indices(
    const Tensor& input, const AdaptiveMaxPool3dFuncOptions& options) {
  return tern::adaptive_max_pool3d(input, adaptive_sizes(input, options.output_size()));
}
Tensor adaptive_avg_pool3d(const Tensor& input, const AdaptiveAvgPool3dFuncOptions& options) {
  return tern::adaptive_avg_pool3d(input, adaptive_sizes(input, options.output_size()));
}
Tensor lp_pool3d(const Tensor& input, const LPPool3dFuncOptions& options) {
  if (is_infinite(options.norm_type())) {
    return tern::max_pool3d(input, options.kernel_size(), options.stride(), 0, 1,
                            options.ceil_mode());
  }
  const Tensor powers = input.pow(options.norm_type());
  return norms_of(
      tern::avg_pool3d(powers, options.kernel_size(), options.stride(), 0, options.ceil_mode()),
      options.kernel_size(), options.norm_type());
}
std::tuple<Tensor, Tensor> fractional_max_pool2d_with_indices(
    const Tensor& input, const FractionalMaxPool2dFuncOptions& options) {
  const Fractions<2> fractions(input, options);
  return tern::fractional_max_pool2d(input, options.kernel_size(), fractions.sizes,
                                     fractions.samples);
}
Tensor fractional_max_pool2d(const Tensor& input, const FractionalMaxPool2dFuncOptions& options) {
  return std::get<0>(fractional_max_pool2d_with_indices(input, options));
}
std::tuple<Tensor, Tensor> fractional_max_pool3d_with_indices(
    const Tensor& input, const FractionalMaxPool3dFuncOptions& options) {
  const Fractions<3> fractions(input, options);
  return tern::fractional_max_pool3d(input, options.kernel_size(), fractions.sizes,
                                     fractions.samples);
}
Tensor fractional_max_pool3d(const Tensor& input, const FractionalMaxPool3dFuncOptions& options) {
  return std::get<0>(fractional_max_pool3d_with_indices(input, options));
}
Tensor max_unpool1d(const Tensor& input, const Tensor& indices,
                    const MaxUnpool1dFuncOptions& options) {
  const std::int64_t size = unpooled_sizes(input, options)[0];
  return tern::max_unpool2d(input.unsqueeze(-1), indices.unsqueeze(-1), {size, 1}).squeeze(-1);
}
Tensor max_unpool2d(const Tensor& input, const Tensor& indices,
                    const MaxUnpool2dFuncOptions& options) {
  return tern::max_unpool2d(input, indices, unpooled_sizes(input, options));
}
Tensor max_unpool3d(const Tensor& input, const Tensor& indices,
                    const MaxUnpool3dFuncOptions& options) {
  return tern::max_unpool3d(input, indices, unpooled_sizes(input, options), options.stride(),
                            options.padding());
}

}  // namespace tern::nn::functional
