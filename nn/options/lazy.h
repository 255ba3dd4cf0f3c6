#pragma once

#include <cstdint>
#include <optional>

#include <tern/core/tensor/options.h>
#include <tern/nn/options/conv.h>
#include <tern/nn/options/options_arg.h>

namespace tern::nn {

/// Options of LazyLinear: those of Linear without in_features.
struct LazyLinearOptions {
  /// Sets out_features.
  LazyLinearOptions(std::int64_t out_features) : out_features_(out_features) {}
  template <class T>
  requires tern::detail::kIsBool<T> LazyLinearOptions(T)
  = delete;
  /// The last size of the result.
  TERN_ARG(std::int64_t, out_features);
  /// True: the module has a bias.
  TERN_ARG(bool, bias) = true;
  /// The device of the parameters; the default device unless given.
  TERN_ARG(std::optional<Device>, device);
  /// The dtype of the parameters; the default dtype unless given.
  TERN_ARG(std::optional<ScalarType>, dtype);
};

/// Options of the lazy BatchNorm and InstanceNorm modules: those of BatchNorm without num_features.
struct LazyNormOptions {
  /// A number added to the variance.
  TERN_ARG(double, eps) = 1e-5;
  /// The weight of a batch in the running statistics; see BatchNormOptions.
  TERN_ARG(std::optional<double>, momentum) = 0.1;
  /// True: the module has weight and bias.
  TERN_ARG(bool, affine) = true;
  /// False: an affine module has no bias.
  TERN_ARG(bool, bias) = true;
  /// True: the module has running statistics.
  TERN_ARG(bool, track_running_stats) = true;
  /// The device of parameters and statistics; the default device unless given.
  TERN_ARG(std::optional<Device>, device);
  /// The dtype of parameters and statistics; the default dtype unless given.
  TERN_ARG(std::optional<ScalarType>, dtype);
};
/// Options of each lazy norm.
using LazyBatchNorm1dOptions = LazyNormOptions;
using LazyBatchNorm2dOptions = LazyNormOptions;
using LazyBatchNorm3dOptions = LazyNormOptions;
using LazyInstanceNorm1dOptions = LazyNormOptions;
using LazyInstanceNorm2dOptions = LazyNormOptions;
using LazyInstanceNorm3dOptions = LazyNormOptions;

/// Options of LazyConv1d, LazyConv2d and LazyConv3d: those of Conv without in_channels.
template <std::size_t D>
struct LazyConvOptions : ConvOptions<D> {
  /// Sets the number of channels of the result and the extents of the kernel.
  LazyConvOptions(StrictInt out_channels, ExpandingArray<D> kernel_size)
      : ConvOptions<D>(0, out_channels, kernel_size) {}
  /// Takes options after their setters, which return ConvOptions.
  LazyConvOptions(const ConvOptions<D>& options) : ConvOptions<D>(options) {}
};
/// Options of the lazy modules of one, two and three dimensions.
using LazyConv1dOptions = LazyConvOptions<1>;
using LazyConv2dOptions = LazyConvOptions<2>;
using LazyConv3dOptions = LazyConvOptions<3>;

/// Options of LazyConvTranspose1d, LazyConvTranspose2d and LazyConvTranspose3d: those of
/// ConvTranspose without in_channels.
template <std::size_t D>
struct LazyConvTransposeOptions : ConvTransposeOptions<D> {
  /// Sets the number of channels of the result and the extents of the kernel.
  LazyConvTransposeOptions(StrictInt out_channels, ExpandingArray<D> kernel_size)
      : ConvTransposeOptions<D>(0, out_channels, kernel_size) {}
  /// Takes options after their setters, which return ConvTransposeOptions.
  LazyConvTransposeOptions(const ConvTransposeOptions<D>& options)
      : ConvTransposeOptions<D>(options) {}
};
/// Options of the lazy modules of one, two and three dimensions.
using LazyConvTranspose1dOptions = LazyConvTransposeOptions<1>;
using LazyConvTranspose2dOptions = LazyConvTransposeOptions<2>;
using LazyConvTranspose3dOptions = LazyConvTransposeOptions<3>;

}  // namespace tern::nn
