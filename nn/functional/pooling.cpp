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

/// Returns the norms of the windows.
Tensor lp_pool(const Tensor& input, double p, IntArrayRef kernel, IntArrayRef stride,
               bool ceil_mode) {
  const std::size_t dims = kernel.size();
  TERN_CHECK(p != 0, Error, "lp_pool", dims, "d: norm_type must be a non-zero value, but got 0");
  if (p == std::numeric_limits<double>::infinity()) {
    const auto pool = dims == 1   ? tern::max_pool1d
                      : dims == 2 ? tern::max_pool2d
                                  : tern::max_pool3d;
    return pool(input, kernel, stride, 0, 1, ceil_mode);
  }
  const Tensor powers = input.pow(p);
  Tensor averages = dims == 1   ? tern::avg_pool1d(powers, kernel, stride, 0, ceil_mode)
                    : dims == 2 ? tern::avg_pool2d(powers, kernel, stride, 0, ceil_mode)
                                : tern::avg_pool3d(powers, kernel, stride, 0, ceil_mode);
  std::int64_t size = 1;
  for (const std::int64_t n : kernel) size *= n;
  return (averages.sign() * averages.abs().relu()).mul(size).pow(1 / p);
}

/// Calls fractional_max_pool2d or 3d with the samples of the options, or draws some. Of `size` and
/// `ratio` one is given.
std::tuple<Tensor, Tensor> fractional_max_pool(const Tensor& input, IntArrayRef kernel,
                                               IntArrayRef size, ArrayRef<double> ratio,
                                               Tensor samples) {
  const std::size_t dims = kernel.size(), rank = input.sizes().size();
  TERN_CHECK(!size.empty() || !ratio.empty(), Error, "fractional_max_pool", dims,
             "d requires specifying either an output_size or an output_ratio");
  TERN_CHECK(rank == dims + 1 || rank == dims + 2, ShapeError, "fractional_max_pool", dims,
             "d: Expected ", dims + 1, "D or ", dims + 2, "D tensor, but got: ", input.sizes());
  const IntArrayRef extents = input.sizes().slice(rank - dims, dims);
  DimVector sizes(size);
  if (size.empty()) {
    for (std::size_t d = 0; d < dims; ++d) {
      TERN_CHECK(ratio[d] >= 0 && ratio[d] <= 1, Error, "fractional_max_pool", dims,
                 "d: output_ratio must be between 0 and 1 (got ", ratio, ')');
      sizes.push_back(static_cast<std::int64_t>(static_cast<double>(extents[d]) * ratio[d]));
    }
  }
  if (!samples.defined()) {
    const std::int64_t batch = rank == dims + 2 ? input.size(0) : 1;
    samples = rand({batch, input.sizes()[rank - dims - 1], static_cast<std::int64_t>(dims)},
                   input.options().requires_grad(false));
  }
  return dims == 2 ? tern::fractional_max_pool2d(input, kernel, sizes, samples)
                   : tern::fractional_max_pool3d(input, kernel, sizes, samples);
}

template <class T, std::size_t D>
ArrayRef<T> or_nothing(const std::optional<ExpandingArray<D, T>>& numbers) {
  return numbers ? ArrayRef<T>(*numbers) : ArrayRef<T>();
}

/// Returns the output sizes of an unpooling: `given`, or those that all windows need.
std::vector<std::int64_t> unpooled_sizes(const Tensor& input, IntArrayRef kernel,
                                         IntArrayRef stride, IntArrayRef padding,
                                         const std::optional<std::vector<std::int64_t>>& given) {
  const std::size_t dims = kernel.size(), rank = input.sizes().size();
  TERN_CHECK(rank > dims, ShapeError, "Input to max_unpooling", dims, "d should be a ", dims + 1,
             "d or ", dims + 2, "d Tensor, but got a tensor with ", rank, " dimensions.");
  const bool is_whole = given && given->size() == dims + 2;
  TERN_CHECK(!given || given->size() == dims || is_whole, ShapeError, "max_unpool", dims,
             "d: output_size should be a sequence containing ", dims, " or ", dims + 2,
             " elements, but it has a length of '", given->size(), "'");
  std::vector<std::int64_t> sizes;
  for (std::size_t d = 0; d < dims; ++d) {
    const std::int64_t n = input.sizes()[rank - dims + d];
    std::int64_t usual = 0, least = 0, most = 0;
    const bool overflows = __builtin_mul_overflow(n - 1, stride[d], &usual) ||
                           __builtin_add_overflow(usual, kernel[d], &usual) ||
                           __builtin_sub_overflow(usual, padding[d], &usual) ||
                           __builtin_sub_overflow(usual, padding[d], &usual) ||
                           __builtin_sub_overflow(usual, stride[d], &least) ||
                           __builtin_add_overflow(usual, stride[d], &most);
    TERN_CHECK(!overflows, ShapeError, "max_unpooling: no output size for dimension ", d, " of ", n,
               " elements with kernel_size ", kernel, ", stride ", stride, " and padding ",
               padding);
    sizes.push_back(given ? (*given)[is_whole ? d + 2 : d] : usual);
    TERN_CHECK(!given || (least < sizes[d] && sizes[d] < most), ShapeError, "max_unpool", dims,
               "d: invalid output_size \"", IntArrayRef(*given).slice(is_whole ? 2 : 0, dims),
               "\" (dim ", d, " must be between ", least, " and ", most, ')');
  }
  return sizes;
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
  return lp_pool(input, options.norm_type(), options.kernel_size(), options.stride(),
                 options.ceil_mode());
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
  return lp_pool(input, options.norm_type(), options.kernel_size(), options.stride(),
                 options.ceil_mode());
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
  return lp_pool(input, options.norm_type(), options.kernel_size(), options.stride(),
                 options.ceil_mode());
}
std::tuple<Tensor, Tensor> fractional_max_pool2d_with_indices(
    const Tensor& input, const FractionalMaxPool2dFuncOptions& options) {
  return fractional_max_pool(input, options.kernel_size(), or_nothing(options.output_size()),
                             or_nothing(options.output_ratio()), options._random_samples());
}
Tensor fractional_max_pool2d(const Tensor& input, const FractionalMaxPool2dFuncOptions& options) {
  return std::get<0>(fractional_max_pool2d_with_indices(input, options));
}
std::tuple<Tensor, Tensor> fractional_max_pool3d_with_indices(
    const Tensor& input, const FractionalMaxPool3dFuncOptions& options) {
  return fractional_max_pool(input, options.kernel_size(), or_nothing(options.output_size()),
                             or_nothing(options.output_ratio()), options._random_samples());
}
Tensor fractional_max_pool3d(const Tensor& input, const FractionalMaxPool3dFuncOptions& options) {
  return std::get<0>(fractional_max_pool3d_with_indices(input, options));
}
Tensor max_unpool1d(const Tensor& input, const Tensor& indices,
                    const MaxUnpool1dFuncOptions& options) {
  const std::int64_t size = unpooled_sizes(input, options.kernel_size(), options.stride(),
                                           options.padding(), options.output_size())[0];
  return tern::max_unpool2d(input.unsqueeze(-1), indices.unsqueeze(-1), {size, 1}).squeeze(-1);
}
Tensor max_unpool2d(const Tensor& input, const Tensor& indices,
                    const MaxUnpool2dFuncOptions& options) {
  return tern::max_unpool2d(input, indices,
                            unpooled_sizes(input, options.kernel_size(), options.stride(),
                                           options.padding(), options.output_size()));
}
Tensor max_unpool3d(const Tensor& input, const Tensor& indices,
                    const MaxUnpool3dFuncOptions& options) {
  return tern::max_unpool3d(input, indices,
                            unpooled_sizes(input, options.kernel_size(), options.stride(),
                                           options.padding(), options.output_size()),
                            options.stride(), options.padding());
}

}  // namespace tern::nn::functional
