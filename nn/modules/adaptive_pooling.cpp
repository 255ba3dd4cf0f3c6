#include <tern/nn/modules/adaptive_pooling.h>

#include <tern/core/ops/create/random.h>
#include <tern/core/ops/nn/adaptive_pooling.h>
#include <tern/core/ops/shape/arrange_dims.h>
#include <tern/nn/detail/pool_layer.h>
#include <tern/nn/detail/printing.h>

namespace tern::nn {

namespace {

/// Returns the sizes of the result of an adaptive pooling.
IntArrayRef adaptive_sizes(const Tensor& /*input*/, const ExpandingArray<1>& wanted) {
  return wanted;
}
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

template <class OutputSize>
constexpr std::size_t kDims = 1;
template <std::size_t D>
constexpr std::size_t kDims<ExpandingArrayWithOptionalElem<D>> = D;

}  // namespace

// What the layers and the functions of each kind compute, and how libtorch prints the layers.

template <class OutputSize>
std::tuple<Tensor, Tensor> pool_with_indices(const Tensor& input,
                                             const AdaptiveMaxPoolOptions<OutputSize>& options) {
  constexpr std::size_t D = kDims<OutputSize>;
  constexpr auto kOp = D == 1   ? tern::adaptive_max_pool1d
                       : D == 2 ? tern::adaptive_max_pool2d
                                : tern::adaptive_max_pool3d;
  return kOp(input, adaptive_sizes(input, options.output_size()));
}
template <class OutputSize>
Tensor pool(const Tensor& input, const AdaptiveMaxPoolOptions<OutputSize>& options) {
  return std::get<0>(pool_with_indices(input, options));
}
template <class OutputSize>
void print_pool(std::ostream& stream, const AdaptiveMaxPoolOptions<OutputSize>& options) {
  detail::print_to(stream, {"tern::nn::AdaptiveMaxPool", kDims<OutputSize>,
                            "d(output_size=", options.output_size(), ')'});
}

template <class OutputSize>
Tensor pool(const Tensor& input, const AdaptiveAvgPoolOptions<OutputSize>& options) {
  constexpr std::size_t D = kDims<OutputSize>;
  constexpr auto kOp = D == 1   ? tern::adaptive_avg_pool1d
                       : D == 2 ? tern::adaptive_avg_pool2d
                                : tern::adaptive_avg_pool3d;
  return kOp(input, adaptive_sizes(input, options.output_size()));
}
template <class OutputSize>
void print_pool(std::ostream& stream, const AdaptiveAvgPoolOptions<OutputSize>& options) {
  detail::print_to(stream, {"tern::nn::AdaptiveAvgPool", kDims<OutputSize>,
                            "d(output_size=", options.output_size(), ')'});
}

template class detail::PoolLayer<AdaptiveMaxPool1dImpl, AdaptiveMaxPool1dOptions>;
template class detail::IndexedPoolLayer<AdaptiveMaxPool1dImpl, AdaptiveMaxPool1dOptions>;
template class detail::PoolLayer<AdaptiveMaxPool2dImpl, AdaptiveMaxPool2dOptions>;
template class detail::IndexedPoolLayer<AdaptiveMaxPool2dImpl, AdaptiveMaxPool2dOptions>;
template class detail::PoolLayer<AdaptiveMaxPool3dImpl, AdaptiveMaxPool3dOptions>;
template class detail::IndexedPoolLayer<AdaptiveMaxPool3dImpl, AdaptiveMaxPool3dOptions>;
template class detail::PoolLayer<AdaptiveAvgPool1dImpl, AdaptiveAvgPool1dOptions>;
template class detail::PoolLayer<AdaptiveAvgPool2dImpl, AdaptiveAvgPool2dOptions>;
template class detail::PoolLayer<AdaptiveAvgPool3dImpl, AdaptiveAvgPool3dOptions>;

namespace {

/// Draws the samples unless the options have some.
template <std::size_t D>
std::tuple<Tensor, Tensor> fractional_max_pool(const Tensor& input,
                                               const FractionalMaxPoolOptions<D>& options,
                                               Tensor samples) {
  const std::size_t rank = input.sizes().size();
  TERN_CHECK(options.output_size() || options.output_ratio(), Error, "fractional_max_pool", D,
             "d requires specifying either an output_size or an output_ratio");
  TERN_CHECK(rank == D + 1 || rank == D + 2, ShapeError, "fractional_max_pool", D, "d: Expected ",
             D + 1, "D or ", D + 2, "D tensor, but got: ", input.sizes());
  DimVector sizes;
  for (std::size_t d = 0; d < D; ++d) {
    if (options.output_size()) {
      sizes.push_back((**options.output_size())[d]);
      continue;
    }
    const double ratio = (**options.output_ratio())[d];
    TERN_CHECK(ratio >= 0 && ratio <= 1, Error, "fractional_max_pool", D,
               "d: output_ratio must be between 0 and 1 (got ", *options.output_ratio(), ')');
    sizes.push_back(
        static_cast<std::int64_t>(static_cast<double>(input.sizes()[rank - D + d]) * ratio));
  }
  if (!samples.defined()) {
    const std::int64_t batch = rank == D + 2 ? input.size(0) : 1;
    samples = rand({batch, input.sizes()[rank - D - 1], static_cast<std::int64_t>(D)},
                   input.options().requires_grad(false));
  }
  constexpr auto kOp = D == 2 ? tern::fractional_max_pool2d : tern::fractional_max_pool3d;
  return kOp(input, options.kernel_size(), sizes, samples);
}

template <std::size_t D>
void check_fractions(const FractionalMaxPoolOptions<D>& options) {
  TERN_CHECK(options.output_size() || options.output_ratio(), Error, "nn::FractionalMaxPool", D,
             "d requires specifying either an output size, or a pooling ratio");
  TERN_CHECK(!options.output_size() || !options.output_ratio(), Error, "nn::FractionalMaxPool", D,
             "d: only one of output_size and output_ratio may be specified");
  for (const std::int64_t size : *options.kernel_size()) {
    TERN_CHECK(size > 0, Error, "nn::FractionalMaxPool", D,
               "d: kernel_size must be greater than 0, but got ", options.kernel_size());
  }
  if (!options.output_ratio()) return;
  for (const double ratio : **options.output_ratio()) {
    TERN_CHECK(ratio > 0 && ratio < 1, Error, "nn::FractionalMaxPool", D,
               "d: output_ratio must be between 0 and 1 (got ", *options.output_ratio(), ')');
  }
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

/// Unpools with the options of a function or of a module.
template <std::size_t D, class Options>
Tensor unpool(const Tensor& input, const Tensor& indices, const Options& options,
              const std::optional<std::vector<std::int64_t>>& output_size) {
  const std::vector<std::int64_t> sizes = unpooled_sizes(
      input, options.kernel_size(), options.stride(), options.padding(), output_size);
  if constexpr (D == 1) {
    return tern::max_unpool2d(input.unsqueeze(-1), indices.unsqueeze(-1), {sizes[0], 1})
        .squeeze(-1);
  }
  if constexpr (D == 2) return tern::max_unpool2d(input, indices, sizes);
  if constexpr (D == 3) {
    return tern::max_unpool3d(input, indices, sizes, options.stride(), options.padding());
  }
}

template <std::size_t D>
Tensor unpool_layer(const Tensor& input, const Tensor& indices, const MaxUnpoolOptions<D>& options,
                    const std::optional<std::vector<std::int64_t>>& output_size) {
  return unpool<D>(input, indices, options, output_size);
}
template <std::size_t D>
void print_unpool(std::ostream& stream, const MaxUnpoolOptions<D>& options) {
  detail::print_to(stream, {"tern::nn::MaxUnpool", D, "d(kernel_size=", options.kernel_size(),
                            ", stride=", options.stride(), ", padding=", options.padding(), ')'});
}

}  // namespace

namespace detail {

template <class Derived, class Options>
void UnpoolLayer<Derived, Options>::pretty_print(std::ostream& stream) const {
  print_unpool(stream, options);
}

template <class Derived, class Options>
Tensor UnpoolLayer<Derived, Options>::forward(
    const Tensor& input, const Tensor& indices,
    const std::optional<std::vector<std::int64_t>>& output_size) {
  return unpool_layer(input, indices, options, output_size);
}

template <class Derived, class Options>
std::vector<std::pair<unsigned, AnyValue>> UnpoolLayer<Derived, Options>::forward_defaults() {
  return {{2, AnyValue(std::optional<std::vector<std::int64_t>>())}};
}

template class UnpoolLayer<MaxUnpool1dImpl, MaxUnpool1dOptions>;
template class UnpoolLayer<MaxUnpool2dImpl, MaxUnpool2dOptions>;
template class UnpoolLayer<MaxUnpool3dImpl, MaxUnpool3dOptions>;

}  // namespace detail

FractionalMaxPool2dImpl::FractionalMaxPool2dImpl(ExpandingArray<2> kernel_size)
    : FractionalMaxPool2dImpl(FractionalMaxPool2dOptions(kernel_size)) {}
FractionalMaxPool2dImpl::FractionalMaxPool2dImpl(const FractionalMaxPool2dOptions& options_)
    : options(options_) {
  FractionalMaxPool2dImpl::reset();
}
void FractionalMaxPool2dImpl::reset() {
  check_fractions(options);
  _random_samples = register_buffer("_random_samples", options._random_samples());
}
void FractionalMaxPool2dImpl::pretty_print(std::ostream& stream) const {
  stream << "tern::nn::FractionalMaxPool2d()";
}
Tensor FractionalMaxPool2dImpl::forward(const Tensor& input) {
  return std::get<0>(forward_with_indices(input));
}
std::tuple<Tensor, Tensor> FractionalMaxPool2dImpl::forward_with_indices(const Tensor& input) {
  return fractional_max_pool(input, options, _random_samples);
}

FractionalMaxPool3dImpl::FractionalMaxPool3dImpl(ExpandingArray<3> kernel_size)
    : FractionalMaxPool3dImpl(FractionalMaxPool3dOptions(kernel_size)) {}
FractionalMaxPool3dImpl::FractionalMaxPool3dImpl(const FractionalMaxPool3dOptions& options_)
    : options(options_) {
  FractionalMaxPool3dImpl::reset();
}
void FractionalMaxPool3dImpl::reset() {
  check_fractions(options);
  _random_samples = register_buffer("_random_samples", options._random_samples());
}
void FractionalMaxPool3dImpl::pretty_print(std::ostream& stream) const {
  stream << "tern::nn::FractionalMaxPool3d()";
}
Tensor FractionalMaxPool3dImpl::forward(const Tensor& input) {
  return std::get<0>(forward_with_indices(input));
}
std::tuple<Tensor, Tensor> FractionalMaxPool3dImpl::forward_with_indices(const Tensor& input) {
  return fractional_max_pool(input, options, _random_samples);
}

namespace functional {

Tensor adaptive_max_pool1d(const Tensor& input, const AdaptiveMaxPool1dFuncOptions& options) {
  return pool(input, options);
}
Tensor adaptive_max_pool2d(const Tensor& input, const AdaptiveMaxPool2dFuncOptions& options) {
  return pool(input, options);
}
Tensor adaptive_max_pool3d(const Tensor& input, const AdaptiveMaxPool3dFuncOptions& options) {
  return pool(input, options);
}
Tensor adaptive_avg_pool1d(const Tensor& input, const AdaptiveAvgPool1dFuncOptions& options) {
  return pool(input, options);
}
Tensor adaptive_avg_pool2d(const Tensor& input, const AdaptiveAvgPool2dFuncOptions& options) {
  return pool(input, options);
}
Tensor adaptive_avg_pool3d(const Tensor& input, const AdaptiveAvgPool3dFuncOptions& options) {
  return pool(input, options);
}
std::tuple<Tensor, Tensor> adaptive_max_pool1d_with_indices(
    const Tensor& input, const AdaptiveMaxPool1dFuncOptions& options) {
  return pool_with_indices(input, options);
}
std::tuple<Tensor, Tensor> adaptive_max_pool2d_with_indices(
    const Tensor& input, const AdaptiveMaxPool2dFuncOptions& options) {
  return pool_with_indices(input, options);
}
std::tuple<Tensor, Tensor> adaptive_max_pool3d_with_indices(
    const Tensor& input, const AdaptiveMaxPool3dFuncOptions& options) {
  return pool_with_indices(input, options);
}
Tensor fractional_max_pool2d(const Tensor& input, const FractionalMaxPool2dFuncOptions& options) {
  return std::get<0>(fractional_max_pool2d_with_indices(input, options));
}
Tensor fractional_max_pool3d(const Tensor& input, const FractionalMaxPool3dFuncOptions& options) {
  return std::get<0>(fractional_max_pool3d_with_indices(input, options));
}
std::tuple<Tensor, Tensor> fractional_max_pool2d_with_indices(
    const Tensor& input, const FractionalMaxPool2dFuncOptions& options) {
  return fractional_max_pool(input, options, options._random_samples());
}
std::tuple<Tensor, Tensor> fractional_max_pool3d_with_indices(
    const Tensor& input, const FractionalMaxPool3dFuncOptions& options) {
  return fractional_max_pool(input, options, options._random_samples());
}
Tensor max_unpool1d(const Tensor& input, const Tensor& indices,
                    const MaxUnpool1dFuncOptions& options) {
  return unpool<1>(input, indices, options, options.output_size());
}
Tensor max_unpool2d(const Tensor& input, const Tensor& indices,
                    const MaxUnpool2dFuncOptions& options) {
  return unpool<2>(input, indices, options, options.output_size());
}
Tensor max_unpool3d(const Tensor& input, const Tensor& indices,
                    const MaxUnpool3dFuncOptions& options) {
  return unpool<3>(input, indices, options, options.output_size());
}

}  // namespace functional
}  // namespace tern::nn
