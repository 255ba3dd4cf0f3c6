#include <tern/nn/modules/pooling.h>

#include <limits>

#include <tern/core/ops/ops.h>
#include <tern/nn/detail/pool_layer.h>
#include <tern/nn/detail/printing.h>

namespace tern::nn {

// What the layers and the functions of each kind compute, and how libtorch prints the layers.

template <std::size_t D>
Tensor pool(const Tensor& input, const MaxPoolOptions<D>& options) {
  constexpr auto kOp = D == 1 ? tern::max_pool1d : D == 2 ? tern::max_pool2d : tern::max_pool3d;
  return kOp(input, options.kernel_size(), options.stride(), options.padding(), options.dilation(),
             options.ceil_mode());
}
template <std::size_t D>
std::tuple<Tensor, Tensor> pool_with_indices(const Tensor& input,
                                             const MaxPoolOptions<D>& options) {
  constexpr auto kOp = D == 1   ? tern::max_pool1d_with_indices
                       : D == 2 ? tern::max_pool2d_with_indices
                                : tern::max_pool3d_with_indices;
  return kOp(input, options.kernel_size(), options.stride(), options.padding(), options.dilation(),
             options.ceil_mode());
}
template <std::size_t D>
void print_pool(std::ostream& stream, const MaxPoolOptions<D>& options) {
  detail::print_to(stream, {"tern::nn::MaxPool", D, "d(kernel_size=", options.kernel_size(),
                            ", stride=", options.stride(), ", padding=", options.padding(),
                            ", dilation=", options.dilation(),
                            ", ceil_mode=", detail::text_of_bool(options.ceil_mode()), ')'});
}

template <std::size_t D>
Tensor pool(const Tensor& input, const AvgPoolOptions<D>& options) {
  const auto call = [&](auto op, const auto&... divisor) {
    return op(input, options.kernel_size(), options.stride(), options.padding(),
              options.ceil_mode(), options.count_include_pad(), divisor...);
  };
  if constexpr (D == 1) return call(tern::avg_pool1d);
  std::optional<StrictInt> divisor;
  if (options.divisor_override()) divisor = *options.divisor_override();
  if constexpr (D == 2) return call(tern::avg_pool2d, divisor);
  if constexpr (D == 3) return call(tern::avg_pool3d, divisor);
}
template <std::size_t D>
void print_pool(std::ostream& stream, const AvgPoolOptions<D>& options) {
  detail::print_to(stream, {"tern::nn::AvgPool", D, "d(kernel_size=", options.kernel_size(),
                            ", stride=", options.stride(), ", padding=", options.padding(), ')'});
}

template <std::size_t D>
Tensor pool(const Tensor& input, const LPPoolOptions<D>& options) {
  const double p = options.norm_type();
  const auto& kernel = options.kernel_size();
  TERN_CHECK(p != 0, Error, "lp_pool", D, "d: norm_type must be a non-zero value, but got 0");
  if (p == std::numeric_limits<double>::infinity()) {
    return pool(input,
                MaxPoolOptions<D>(kernel).stride(options.stride()).ceil_mode(options.ceil_mode()));
  }
  const Tensor averages =
      pool(input.pow(p),
           AvgPoolOptions<D>(kernel).stride(options.stride()).ceil_mode(options.ceil_mode()));
  std::int64_t size = 1;
  for (const std::int64_t n : *kernel) size *= n;
  return (averages.sign() * averages.abs().relu()).mul(size).pow(1 / p);
}
template <std::size_t D>
void print_pool(std::ostream& stream, const LPPoolOptions<D>& options) {
  detail::print_to(stream, {"tern::nn::LPPool", D, "d(norm_type=", options.norm_type(),
                            ", kernel_size=", options.kernel_size(), ", stride=", options.stride(),
                            ", ceil_mode=", detail::text_of_bool(options.ceil_mode()), ')'});
}

template class detail::PoolLayer<MaxPool1dImpl, MaxPool1dOptions>;
template class detail::IndexedPoolLayer<MaxPool1dImpl, MaxPool1dOptions>;
template class detail::PoolLayer<MaxPool2dImpl, MaxPool2dOptions>;
template class detail::IndexedPoolLayer<MaxPool2dImpl, MaxPool2dOptions>;
template class detail::PoolLayer<MaxPool3dImpl, MaxPool3dOptions>;
template class detail::IndexedPoolLayer<MaxPool3dImpl, MaxPool3dOptions>;
template class detail::PoolLayer<AvgPool1dImpl, AvgPool1dOptions>;
template class detail::PoolLayer<AvgPool2dImpl, AvgPool2dOptions>;
template class detail::PoolLayer<AvgPool3dImpl, AvgPool3dOptions>;
template class detail::PoolLayer<LPPool1dImpl, LPPool1dOptions>;
template class detail::PoolLayer<LPPool2dImpl, LPPool2dOptions>;
template class detail::PoolLayer<LPPool3dImpl, LPPool3dOptions>;

namespace functional {

Tensor max_pool1d(const Tensor& input, const MaxPool1dFuncOptions& options) {
  return pool(input, options);
}
Tensor max_pool2d(const Tensor& input, const MaxPool2dFuncOptions& options) {
  return pool(input, options);
}
Tensor max_pool3d(const Tensor& input, const MaxPool3dFuncOptions& options) {
  return pool(input, options);
}
Tensor avg_pool1d(const Tensor& input, const AvgPool1dFuncOptions& options) {
  return pool(input, options);
}
Tensor avg_pool2d(const Tensor& input, const AvgPool2dFuncOptions& options) {
  return pool(input, options);
}
Tensor avg_pool3d(const Tensor& input, const AvgPool3dFuncOptions& options) {
  return pool(input, options);
}
Tensor lp_pool1d(const Tensor& input, const LPPool1dFuncOptions& options) {
  return pool(input, options);
}
Tensor lp_pool2d(const Tensor& input, const LPPool2dFuncOptions& options) {
  return pool(input, options);
}
Tensor lp_pool3d(const Tensor& input, const LPPool3dFuncOptions& options) {
  return pool(input, options);
}
std::tuple<Tensor, Tensor> max_pool1d_with_indices(const Tensor& input,
                                                   const MaxPool1dFuncOptions& options) {
  return pool_with_indices(input, options);
}
std::tuple<Tensor, Tensor> max_pool2d_with_indices(const Tensor& input,
                                                   const MaxPool2dFuncOptions& options) {
  return pool_with_indices(input, options);
}
std::tuple<Tensor, Tensor> max_pool3d_with_indices(const Tensor& input,
                                                   const MaxPool3dFuncOptions& options) {
  return pool_with_indices(input, options);
}

}  // namespace functional
}  // namespace tern::nn
