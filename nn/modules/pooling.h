#pragma once

#include <cstdint>
#include <optional>
#include <tuple>

#include <tern/core/tensor/tensor.h>
#include <tern/nn/module/pool_layer.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/modules/adaptive_pooling.h>
#include <tern/nn/options/expanding_array.h>
#include <tern/nn/options/options_arg.h>

// Layers and functions that reduce windows of the last dimensions to one element each; see
// tern/core/ops/nn/pooling.h.

namespace tern::nn {

/// Options of MaxPool modules of D dimensions.
template <std::size_t D>
struct TERN_API MaxPoolOptions {
  /// Sets kernel_size and, as its default, stride.
  MaxPoolOptions(ExpandingArray<D> kernel_size) : kernel_size_(kernel_size), stride_(kernel_size) {}
  /// The size of a window.
  TERN_ARG(ExpandingArray<D>, kernel_size);
  /// The distance of neighbouring windows.
  TERN_ARG(ExpandingArray<D>, stride);
  /// The padding on both sides, which never wins. At most half of the kernel.
  TERN_ARG(ExpandingArray<D>, padding) = 0;
  /// The distance of neighbouring elements of a window.
  TERN_ARG(ExpandingArray<D>, dilation) = 1;
  /// Whether the last window may hang over the end.
  TERN_ARG(bool, ceil_mode) = false;
};
/// Options of the modules of one, two and three dimensions.
using MaxPool1dOptions = MaxPoolOptions<1>;
using MaxPool2dOptions = MaxPoolOptions<2>;
using MaxPool3dOptions = MaxPoolOptions<3>;

/// Options of AvgPool modules of D dimensions.
template <std::size_t D>
struct TERN_API AvgPoolOptions {
  /// Sets kernel_size and, as its default, stride.
  AvgPoolOptions(ExpandingArray<D> kernel_size) : kernel_size_(kernel_size), stride_(kernel_size) {}
  /// The size of a window.
  TERN_ARG(ExpandingArray<D>, kernel_size);
  /// The distance of neighbouring windows.
  TERN_ARG(ExpandingArray<D>, stride);
  /// The number of zeros on both sides. At most half of the kernel.
  TERN_ARG(ExpandingArray<D>, padding) = 0;
  /// Whether the last window may hang over the end.
  TERN_ARG(bool, ceil_mode) = false;
  /// Whether padding counts as elements.
  TERN_ARG(bool, count_include_pad) = true;
  /// By what sums are divided instead of the number of elements. Not in one dimension.
  TERN_ARG(std::optional<std::int64_t>, divisor_override) = std::nullopt;
};
/// Options of the modules of one, two and three dimensions.
using AvgPool1dOptions = AvgPoolOptions<1>;
using AvgPool2dOptions = AvgPoolOptions<2>;
using AvgPool3dOptions = AvgPoolOptions<3>;

/// Options of LPPool modules of D dimensions.
template <std::size_t D>
struct TERN_API LPPoolOptions {
  /// Sets norm_type, kernel_size and, as its default, stride.
  template <tern::detail::NumberArgument Number>
  LPPoolOptions(const Number& norm_type, ExpandingArray<D> kernel_size)
      : norm_type_(static_cast<double>(norm_type)),
        kernel_size_(kernel_size),
        stride_(kernel_size) {}
  /// The exponent, not 0: 1 gives sums, infinity max pooling.
  TERN_ARG(double, norm_type);
  /// The size of a window.
  TERN_ARG(ExpandingArray<D>, kernel_size);
  /// The distance of neighbouring windows.
  TERN_ARG(ExpandingArray<D>, stride);
  /// Whether the last window may hang over the end.
  TERN_ARG(bool, ceil_mode) = false;
};
/// Options of the modules of one, two and three dimensions.
using LPPool1dOptions = LPPoolOptions<1>;
using LPPool2dOptions = LPPoolOptions<2>;
using LPPool3dOptions = LPPoolOptions<3>;

namespace functional {

/// Options of the functions; the same as those of the layers.
using MaxPool1dFuncOptions = MaxPool1dOptions;
using MaxPool2dFuncOptions = MaxPool2dOptions;
using MaxPool3dFuncOptions = MaxPool3dOptions;
using AvgPool1dFuncOptions = AvgPool1dOptions;
using AvgPool2dFuncOptions = AvgPool2dOptions;
using AvgPool3dFuncOptions = AvgPool3dOptions;
using LPPool1dFuncOptions = LPPool1dOptions;
using LPPool2dFuncOptions = LPPool2dOptions;
using LPPool3dFuncOptions = LPPool3dOptions;

/// Returns the largest element of each window; see tern::max_pool1d().
TERN_API Tensor max_pool1d(const Tensor& input, const MaxPool1dFuncOptions& options);
/// Does the same in two dimensions.
TERN_API Tensor max_pool2d(const Tensor& input, const MaxPool2dFuncOptions& options);
/// Does the same in three dimensions.
TERN_API Tensor max_pool3d(const Tensor& input, const MaxPool3dFuncOptions& options);
/// Does the same and returns the positions of these elements, for max_unpool1d() and others.
TERN_API std::tuple<Tensor, Tensor> max_pool1d_with_indices(const Tensor& input,
                                                            const MaxPool1dFuncOptions& options);
/// Does the same in two dimensions.
TERN_API std::tuple<Tensor, Tensor> max_pool2d_with_indices(const Tensor& input,
                                                            const MaxPool2dFuncOptions& options);
/// Does the same in three dimensions.
TERN_API std::tuple<Tensor, Tensor> max_pool3d_with_indices(const Tensor& input,
                                                            const MaxPool3dFuncOptions& options);
/// Returns the average of each window; see tern::avg_pool1d().
TERN_API Tensor avg_pool1d(const Tensor& input, const AvgPool1dFuncOptions& options);
/// Does the same in two dimensions.
TERN_API Tensor avg_pool2d(const Tensor& input, const AvgPool2dFuncOptions& options);
/// Does the same in three dimensions.
TERN_API Tensor avg_pool3d(const Tensor& input, const AvgPool3dFuncOptions& options);
/// Returns the sum of the p-th powers of each window to the power of 1 / p, for p = norm_type. A
/// window that hangs over the end counts as a full one. Throws Error for p = 0.
TERN_API Tensor lp_pool1d(const Tensor& input, const LPPool1dFuncOptions& options);
/// Does the same in two dimensions.
TERN_API Tensor lp_pool2d(const Tensor& input, const LPPool2dFuncOptions& options);
/// Does the same in three dimensions.
TERN_API Tensor lp_pool3d(const Tensor& input, const LPPool3dFuncOptions& options);

}  // namespace functional

/// Returns the largest element of each window; see tern::max_pool1d().
///
/// Shape: [N, C, L] -> [N, C, windows...], or both without N
class TERN_API MaxPool1dImpl : public detail::IndexedPoolLayer<MaxPool1dImpl, MaxPool1dOptions> {
 public:
  using IndexedPoolLayer::IndexedPoolLayer;
};
TERN_MODULE(MaxPool1d);

/// Returns the largest element of each window; see tern::max_pool2d().
///
/// Shape: [N, C, H, W] -> [N, C, windows...], or both without N
///
/// Example:
///   nn::MaxPool2d pool(nn::MaxPool2dOptions(3).stride(2).padding(1));
class TERN_API MaxPool2dImpl : public detail::IndexedPoolLayer<MaxPool2dImpl, MaxPool2dOptions> {
 public:
  using IndexedPoolLayer::IndexedPoolLayer;
};
TERN_MODULE(MaxPool2d);

/// Returns the largest element of each window; see tern::max_pool3d().
///
/// Shape: [N, C, D, H, W] -> [N, C, windows...], or both without N
class TERN_API MaxPool3dImpl : public detail::IndexedPoolLayer<MaxPool3dImpl, MaxPool3dOptions> {
 public:
  using IndexedPoolLayer::IndexedPoolLayer;
};
TERN_MODULE(MaxPool3d);

/// Returns the average of each window; see tern::avg_pool1d().
///
/// Shape: [N, C, L] -> [N, C, windows...], or both without N
class TERN_API AvgPool1dImpl : public detail::PoolLayer<AvgPool1dImpl, AvgPool1dOptions> {
 public:
  using PoolLayer::PoolLayer;
};
TERN_MODULE(AvgPool1d);

/// Returns the average of each window; see tern::avg_pool2d().
///
/// Shape: [N, C, H, W] -> [N, C, windows...], or both without N
class TERN_API AvgPool2dImpl : public detail::PoolLayer<AvgPool2dImpl, AvgPool2dOptions> {
 public:
  using PoolLayer::PoolLayer;
};
TERN_MODULE(AvgPool2d);

/// Returns the average of each window; see tern::avg_pool3d().
///
/// Shape: [N, C, D, H, W] -> [N, C, windows...], or both without N
class TERN_API AvgPool3dImpl : public detail::PoolLayer<AvgPool3dImpl, AvgPool3dOptions> {
 public:
  using PoolLayer::PoolLayer;
};
TERN_MODULE(AvgPool3d);

/// Returns the p-norm of each window, with p = norm_type.
///
/// Shape: [N, C, L] -> [N, C, windows...], or both without N
class TERN_API LPPool1dImpl : public detail::PoolLayer<LPPool1dImpl, LPPool1dOptions> {
 public:
  using PoolLayer::PoolLayer;
};
TERN_MODULE(LPPool1d);

/// Returns the p-norm of each window, with p = norm_type.
///
/// Shape: [N, C, H, W] -> [N, C, windows...], or both without N
class TERN_API LPPool2dImpl : public detail::PoolLayer<LPPool2dImpl, LPPool2dOptions> {
 public:
  using PoolLayer::PoolLayer;
};
TERN_MODULE(LPPool2d);

/// Returns the p-norm of each window, with p = norm_type.
///
/// Shape: [N, C, D, H, W] -> [N, C, windows...], or both without N
class TERN_API LPPool3dImpl : public detail::PoolLayer<LPPool3dImpl, LPPool3dOptions> {
 public:
  using PoolLayer::PoolLayer;
};
TERN_MODULE(LPPool3d);

}  // namespace tern::nn
