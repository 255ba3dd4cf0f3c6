#pragma once

#include <optional>
#include <vector>

#include <tern/core/tensor/tensor.h>
#include <tern/nn/options/expanding_array.h>
#include <tern/nn/options/options_arg.h>

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

/// Options of AdaptiveMaxPool modules.
template <class OutputSize>
struct TERN_API AdaptiveMaxPoolOptions {
  /// Sets output_size.
  AdaptiveMaxPoolOptions(OutputSize output_size) : output_size_(output_size) {}
  /// The sizes of the result; std::nullopt keeps that of the input.
  TERN_ARG(OutputSize, output_size);
};
/// Options of the modules of one, two and three dimensions.
using AdaptiveMaxPool1dOptions = AdaptiveMaxPoolOptions<ExpandingArray<1>>;
using AdaptiveMaxPool2dOptions = AdaptiveMaxPoolOptions<ExpandingArrayWithOptionalElem<2>>;
using AdaptiveMaxPool3dOptions = AdaptiveMaxPoolOptions<ExpandingArrayWithOptionalElem<3>>;

/// Options of AdaptiveAvgPool modules.
template <class OutputSize>
struct TERN_API AdaptiveAvgPoolOptions {
  /// Sets output_size.
  AdaptiveAvgPoolOptions(OutputSize output_size) : output_size_(output_size) {}
  /// The sizes of the result; std::nullopt keeps that of the input.
  TERN_ARG(OutputSize, output_size);
};
/// Options of the modules of one, two and three dimensions.
using AdaptiveAvgPool1dOptions = AdaptiveAvgPoolOptions<ExpandingArray<1>>;
using AdaptiveAvgPool2dOptions = AdaptiveAvgPoolOptions<ExpandingArrayWithOptionalElem<2>>;
using AdaptiveAvgPool3dOptions = AdaptiveAvgPoolOptions<ExpandingArrayWithOptionalElem<3>>;

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

/// Options of FractionalMaxPool modules of D dimensions. Either output_size or output_ratio is set.
template <std::size_t D>
struct TERN_API FractionalMaxPoolOptions {
  /// Sets kernel_size.
  FractionalMaxPoolOptions(ExpandingArray<D> kernel_size) : kernel_size_(kernel_size) {}
  /// The size of a window.
  TERN_ARG(ExpandingArray<D>, kernel_size);
  /// The sizes of the result.
  TERN_ARG(std::optional<ExpandingArray<D>>, output_size) = std::nullopt;
  /// D numbers between 0 and 1.
  using ExpandingArrayDouble = ExpandingArray<D, double>;
  /// The sizes of the result as parts of those of the input.
  TERN_ARG(std::optional<ExpandingArrayDouble>, output_ratio) = std::nullopt;
  /// The random numbers [N, C, D] that shift the windows. Undefined: each call draws others.
  TERN_ARG(Tensor, _random_samples);
};
/// Options of the modules of two and three dimensions.
using FractionalMaxPool2dOptions = FractionalMaxPoolOptions<2>;
using FractionalMaxPool3dOptions = FractionalMaxPoolOptions<3>;

/// Options of MaxUnpool modules of D dimensions: those of the pooling that they reverse.
template <std::size_t D>
struct TERN_API MaxUnpoolOptions {
  /// Sets kernel_size and, as its default, stride.
  MaxUnpoolOptions(ExpandingArray<D> kernel_size)
      : kernel_size_(kernel_size), stride_(kernel_size) {}
  /// The size of a window.
  TERN_ARG(ExpandingArray<D>, kernel_size);
  /// The distance of neighbouring windows.
  TERN_ARG(ExpandingArray<D>, stride);
  /// The padding on both sides.
  TERN_ARG(ExpandingArray<D>, padding) = 0;
};
/// Options of the modules of one, two and three dimensions.
using MaxUnpool1dOptions = MaxUnpoolOptions<1>;
using MaxUnpool2dOptions = MaxUnpoolOptions<2>;
using MaxUnpool3dOptions = MaxUnpoolOptions<3>;

namespace functional {

/// Options of the functions; the same as those of the layers.
using MaxPool1dFuncOptions = MaxPool1dOptions;
using MaxPool2dFuncOptions = MaxPool2dOptions;
using MaxPool3dFuncOptions = MaxPool3dOptions;
using AvgPool1dFuncOptions = AvgPool1dOptions;
using AvgPool2dFuncOptions = AvgPool2dOptions;
using AvgPool3dFuncOptions = AvgPool3dOptions;
using AdaptiveMaxPool1dFuncOptions = AdaptiveMaxPool1dOptions;
using AdaptiveMaxPool2dFuncOptions = AdaptiveMaxPool2dOptions;
using AdaptiveMaxPool3dFuncOptions = AdaptiveMaxPool3dOptions;
using AdaptiveAvgPool1dFuncOptions = AdaptiveAvgPool1dOptions;
using AdaptiveAvgPool2dFuncOptions = AdaptiveAvgPool2dOptions;
using AdaptiveAvgPool3dFuncOptions = AdaptiveAvgPool3dOptions;
using LPPool1dFuncOptions = LPPool1dOptions;
using LPPool2dFuncOptions = LPPool2dOptions;
using LPPool3dFuncOptions = LPPool3dOptions;
using FractionalMaxPool2dFuncOptions = FractionalMaxPool2dOptions;
using FractionalMaxPool3dFuncOptions = FractionalMaxPool3dOptions;

/// Options of max_unpool1d() to max_unpool3d().
template <std::size_t D>
struct TERN_API MaxUnpoolFuncOptions {
  /// Sets kernel_size and, as its default, stride.
  MaxUnpoolFuncOptions(ExpandingArray<D> kernel_size)
      : kernel_size_(kernel_size), stride_(kernel_size) {}
  /// The size of a window.
  TERN_ARG(ExpandingArray<D>, kernel_size);
  /// The distance of neighbouring windows.
  TERN_ARG(ExpandingArray<D>, stride);
  /// The padding on both sides.
  TERN_ARG(ExpandingArray<D>, padding) = 0;
  /// The sizes of the result, if several fit: those of the last D dimensions, or of all.
  TERN_ARG(std::optional<std::vector<std::int64_t>>, output_size) = std::nullopt;
};
/// Options of the functions of one, two and three dimensions.
using MaxUnpool1dFuncOptions = MaxUnpoolFuncOptions<1>;
using MaxUnpool2dFuncOptions = MaxUnpoolFuncOptions<2>;
using MaxUnpool3dFuncOptions = MaxUnpoolFuncOptions<3>;

}  // namespace functional
}  // namespace tern::nn
