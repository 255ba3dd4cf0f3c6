#include <tern/nn/modules/pooling.h>

#include <tern/nn/detail/printing.h>
#include <tern/nn/functional/pooling.h>

namespace tern::nn {

namespace {

namespace F = functional;

// The options as libtorch prints them.

template <std::size_t D>
void print_pool(std::ostream& stream, const MaxPoolOptions<D>& options) {
  detail::print_to(stream, {"kernel_size=", options.kernel_size(), ", stride=", options.stride(),
                            ", padding=", options.padding(), ", dilation=", options.dilation(),
                            ", ceil_mode=", detail::text_of_bool(options.ceil_mode())});
}
template <std::size_t D>
void print_pool(std::ostream& stream, const AvgPoolOptions<D>& options) {
  detail::print_to(stream, {"kernel_size=", options.kernel_size(), ", stride=", options.stride(),
                            ", padding=", options.padding()});
}
template <std::size_t D>
void print_pool(std::ostream& stream, const MaxUnpoolOptions<D>& options) {
  detail::print_to(stream, {"kernel_size=", options.kernel_size(), ", stride=", options.stride(),
                            ", padding=", options.padding()});
}
template <class OutputSize>
void print_pool(std::ostream& stream, const AdaptiveMaxPoolOptions<OutputSize>& options) {
  detail::print_to(stream, {"output_size=", options.output_size()});
}
template <class OutputSize>
void print_pool(std::ostream& stream, const AdaptiveAvgPoolOptions<OutputSize>& options) {
  detail::print_to(stream, {"output_size=", options.output_size()});
}
template <std::size_t D>
void print_pool(std::ostream& stream, const LPPoolOptions<D>& options) {
  detail::print_to(stream, {"norm_type=", options.norm_type(),
                            ", kernel_size=", options.kernel_size(), ", stride=", options.stride(),
                            ", ceil_mode=", detail::text_of_bool(options.ceil_mode())});
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

}  // namespace

template <class Derived, class Options>
std::vector<std::pair<unsigned, AnyValue>>
detail::UnpoolLayer<Derived, Options>::forward_defaults() {
  return {{2, AnyValue(std::optional<std::vector<std::int64_t>>())}};
}

// What a layer prints and which function it calls. TERN_API: GCC hides a template whose arguments,
// as ExpandingArray, are hidden.
#define TERN_POOL(Name, function)                                                                \
  template <>                                                                                    \
  TERN_API void detail::PoolLayer<Name##Impl, Name##Options>::pretty_print(std::ostream& stream) \
      const {                                                                                    \
    print_pool(stream << "tern::nn::" #Name "(", options);                                       \
    stream << ')';                                                                               \
  }                                                                                              \
  template <>                                                                                    \
  TERN_API Tensor detail::PoolLayer<Name##Impl, Name##Options>::forward(const Tensor& input) {   \
    return F::function(input, options);                                                          \
  }
#define TERN_INDEXED_POOL(Name, function)                                                          \
  TERN_POOL(Name, function)                                                                        \
  template <>                                                                                      \
  TERN_API std::tuple<Tensor, Tensor>                                                              \
  detail::IndexedPoolLayer<Name##Impl, Name##Options>::forward_with_indices(const Tensor& input) { \
    return F::function##_with_indices(input, this->options);                                       \
  }
#define TERN_UNPOOL(Name, function, D)                                                             \
  template <>                                                                                      \
  TERN_API void detail::UnpoolLayer<Name##Impl, Name##Options>::pretty_print(std::ostream& stream) \
      const {                                                                                      \
    print_pool(stream << "tern::nn::" #Name "(", options);                                         \
    stream << ')';                                                                                 \
  }                                                                                                \
  template <>                                                                                      \
  TERN_API Tensor detail::UnpoolLayer<Name##Impl, Name##Options>::forward(                         \
      const Tensor& input, const Tensor& indices,                                                  \
      const std::optional<std::vector<std::int64_t>>& output_size) {                               \
    return F::function(input, indices,                                                             \
                       F::MaxUnpoolFuncOptions<D>(options.kernel_size())                           \
                           .stride(options.stride())                                               \
                           .padding(options.padding())                                             \
                           .output_size(output_size));                                             \
  }

TERN_INDEXED_POOL(MaxPool1d, max_pool1d)
TERN_INDEXED_POOL(MaxPool2d, max_pool2d)
TERN_INDEXED_POOL(MaxPool3d, max_pool3d)
TERN_POOL(AvgPool1d, avg_pool1d)
TERN_POOL(AvgPool2d, avg_pool2d)
TERN_POOL(AvgPool3d, avg_pool3d)
TERN_INDEXED_POOL(AdaptiveMaxPool1d, adaptive_max_pool1d)
TERN_INDEXED_POOL(AdaptiveMaxPool2d, adaptive_max_pool2d)
TERN_INDEXED_POOL(AdaptiveMaxPool3d, adaptive_max_pool3d)
TERN_POOL(AdaptiveAvgPool1d, adaptive_avg_pool1d)
TERN_POOL(AdaptiveAvgPool2d, adaptive_avg_pool2d)
TERN_POOL(AdaptiveAvgPool3d, adaptive_avg_pool3d)
TERN_POOL(LPPool1d, lp_pool1d)
TERN_POOL(LPPool2d, lp_pool2d)
TERN_POOL(LPPool3d, lp_pool3d)
TERN_UNPOOL(MaxUnpool1d, max_unpool1d, 1)
TERN_UNPOOL(MaxUnpool2d, max_unpool2d, 2)
TERN_UNPOOL(MaxUnpool3d, max_unpool3d, 3)

#undef TERN_POOL
#undef TERN_INDEXED_POOL
#undef TERN_UNPOOL

template class detail::PoolLayer<MaxPool1dImpl, MaxPool1dOptions>;
template class detail::IndexedPoolLayer<MaxPool1dImpl, MaxPool1dOptions>;
template class detail::PoolLayer<MaxPool2dImpl, MaxPool2dOptions>;
template class detail::IndexedPoolLayer<MaxPool2dImpl, MaxPool2dOptions>;
template class detail::PoolLayer<MaxPool3dImpl, MaxPool3dOptions>;
template class detail::IndexedPoolLayer<MaxPool3dImpl, MaxPool3dOptions>;
template class detail::PoolLayer<AvgPool1dImpl, AvgPool1dOptions>;
template class detail::PoolLayer<AvgPool2dImpl, AvgPool2dOptions>;
template class detail::PoolLayer<AvgPool3dImpl, AvgPool3dOptions>;
template class detail::PoolLayer<AdaptiveMaxPool1dImpl, AdaptiveMaxPool1dOptions>;
template class detail::IndexedPoolLayer<AdaptiveMaxPool1dImpl, AdaptiveMaxPool1dOptions>;
template class detail::PoolLayer<AdaptiveMaxPool2dImpl, AdaptiveMaxPool2dOptions>;
template class detail::IndexedPoolLayer<AdaptiveMaxPool2dImpl, AdaptiveMaxPool2dOptions>;
template class detail::PoolLayer<AdaptiveMaxPool3dImpl, AdaptiveMaxPool3dOptions>;
template class detail::IndexedPoolLayer<AdaptiveMaxPool3dImpl, AdaptiveMaxPool3dOptions>;
template class detail::PoolLayer<AdaptiveAvgPool1dImpl, AdaptiveAvgPool1dOptions>;
template class detail::PoolLayer<AdaptiveAvgPool2dImpl, AdaptiveAvgPool2dOptions>;
template class detail::PoolLayer<AdaptiveAvgPool3dImpl, AdaptiveAvgPool3dOptions>;
template class detail::PoolLayer<LPPool1dImpl, LPPool1dOptions>;
template class detail::PoolLayer<LPPool2dImpl, LPPool2dOptions>;
template class detail::PoolLayer<LPPool3dImpl, LPPool3dOptions>;
template class detail::UnpoolLayer<MaxUnpool1dImpl, MaxUnpool1dOptions>;
template class detail::UnpoolLayer<MaxUnpool2dImpl, MaxUnpool2dOptions>;
template class detail::UnpoolLayer<MaxUnpool3dImpl, MaxUnpool3dOptions>;

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
  return F::fractional_max_pool2d_with_indices(
      input, F::FractionalMaxPool2dFuncOptions(options)._random_samples(_random_samples));
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
  return F::fractional_max_pool3d_with_indices(
      input, F::FractionalMaxPool3dFuncOptions(options)._random_samples(_random_samples));
}

}  // namespace tern::nn
