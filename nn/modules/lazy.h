#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <tern/core/tensor/options.h>
#include <tern/nn/module/lazy_tensor.h>
#include <tern/nn/modules/batch_norm.h>
#include <tern/nn/modules/conv.h>
#include <tern/nn/modules/linear.h>
#include <tern/nn/options/options_arg.h>

// Modules that take the size of their input from their first call, which makes and initialises
// their tensors with the numbers that their base class would draw. Before this call the tensors are
// uninitialized (is_lazy()): parameters() lists them, so an optimizer can be made, and to() and
// load_state_dict() work, but state_dict() and nn::init throw. After it the module behaves like its
// base class.

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

namespace detail {

/// What all lazy modules have. Base is the module that Derived becomes.
template <class Derived, class Base>
class TERN_API LazyModule : public Base {
 public:
  void reset() override;
  /// Returns a deep copy, which is as lazy as this module.
  std::shared_ptr<Module> clone(const std::optional<Device>& device = std::nullopt) const override;
  void pretty_print(std::ostream& stream) const override;
  /// Returns true until the first call, or until a state was loaded.
  bool has_uninitialized_params() const;
  /// Draws new parameters. Does nothing while the parameters are uninitialized.
  void reset_parameters();
  /// Gives the uninitialized tensors the sizes that `input` needs, and initialises them. Others
  /// keep their numbers. The first call does this.
  void initialize_parameters(const Tensor& input);

 protected:
  using Base::Base;
  Module::Assign assignment() const override;
};

}  // namespace detail

/// A Linear that takes in_features from its first input.
///
/// Example:
///   nn::Sequential net{nn::Flatten(), nn::LazyLinear(10)};
///   net(images);
class TERN_API LazyLinearImpl : public detail::LazyModule<LazyLinearImpl, LinearImpl> {
 public:
  /// Makes uninitialized parameters. A bare number is out_features.
  explicit LazyLinearImpl(const LazyLinearOptions& options_);
  /// Returns what Linear returns; see LinearImpl::forward().
  Tensor forward(const Tensor& input);
};
TERN_MODULE(LazyLinear);

/// A BatchNorm1d that takes num_features from its first input.
class TERN_API LazyBatchNorm1dImpl
    : public detail::LazyModule<LazyBatchNorm1dImpl, BatchNorm1dImpl> {
 public:
  /// Makes uninitialized parameters and statistics.
  explicit LazyBatchNorm1dImpl(const LazyNormOptions& options_ = {});
  /// Returns what BatchNorm1d returns; see BatchNorm1dImpl::forward().
  Tensor forward(const Tensor& input);
};
TERN_MODULE(LazyBatchNorm1d);

/// A BatchNorm2d that takes num_features from its first input.
class TERN_API LazyBatchNorm2dImpl
    : public detail::LazyModule<LazyBatchNorm2dImpl, BatchNorm2dImpl> {
 public:
  /// Makes uninitialized parameters and statistics.
  explicit LazyBatchNorm2dImpl(const LazyNormOptions& options_ = {});
  /// Returns what BatchNorm2d returns; see BatchNorm2dImpl::forward().
  Tensor forward(const Tensor& input);
};
TERN_MODULE(LazyBatchNorm2d);

/// A BatchNorm3d that takes num_features from its first input.
class TERN_API LazyBatchNorm3dImpl
    : public detail::LazyModule<LazyBatchNorm3dImpl, BatchNorm3dImpl> {
 public:
  /// Makes uninitialized parameters and statistics.
  explicit LazyBatchNorm3dImpl(const LazyNormOptions& options_ = {});
  /// Returns what BatchNorm3d returns; see BatchNorm3dImpl::forward().
  Tensor forward(const Tensor& input);
};
TERN_MODULE(LazyBatchNorm3d);

/// An InstanceNorm1d that takes num_features from its first input. Unlike in InstanceNorm1d, affine
/// and track_running_stats are true by default.
class TERN_API LazyInstanceNorm1dImpl
    : public detail::LazyModule<LazyInstanceNorm1dImpl, InstanceNorm1dImpl> {
 public:
  /// Makes uninitialized parameters and statistics.
  explicit LazyInstanceNorm1dImpl(const LazyNormOptions& options_ = {});
  /// Returns what InstanceNorm1d returns; see InstanceNorm1dImpl::forward().
  Tensor forward(const Tensor& input);
};
TERN_MODULE(LazyInstanceNorm1d);

/// An InstanceNorm2d that takes num_features from its first input. Unlike in InstanceNorm2d, affine
/// and track_running_stats are true by default.
class TERN_API LazyInstanceNorm2dImpl
    : public detail::LazyModule<LazyInstanceNorm2dImpl, InstanceNorm2dImpl> {
 public:
  /// Makes uninitialized parameters and statistics.
  explicit LazyInstanceNorm2dImpl(const LazyNormOptions& options_ = {});
  /// Returns what InstanceNorm2d returns; see InstanceNorm2dImpl::forward().
  Tensor forward(const Tensor& input);
};
TERN_MODULE(LazyInstanceNorm2d);

/// An InstanceNorm3d that takes num_features from its first input. Unlike in InstanceNorm3d, affine
/// and track_running_stats are true by default.
class TERN_API LazyInstanceNorm3dImpl
    : public detail::LazyModule<LazyInstanceNorm3dImpl, InstanceNorm3dImpl> {
 public:
  /// Makes uninitialized parameters and statistics.
  explicit LazyInstanceNorm3dImpl(const LazyNormOptions& options_ = {});
  /// Returns what InstanceNorm3d returns; see InstanceNorm3dImpl::forward().
  Tensor forward(const Tensor& input);
};
TERN_MODULE(LazyInstanceNorm3d);

/// A Conv1d that takes in_channels from its first input.
class TERN_API LazyConv1dImpl : public detail::LazyModule<LazyConv1dImpl, Conv1dImpl> {
 public:
  /// Makes uninitialized parameters.
  LazyConv1dImpl(StrictInt out_channels, ExpandingArray<1> kernel_size);
  explicit LazyConv1dImpl(const LazyConv1dOptions& options_);
  /// Returns what Conv1d returns; see Conv1dImpl::forward().
  Tensor forward(const Tensor& input);
};
TERN_MODULE(LazyConv1d);

/// A Conv2d that takes in_channels from its first input.
class TERN_API LazyConv2dImpl : public detail::LazyModule<LazyConv2dImpl, Conv2dImpl> {
 public:
  /// Makes uninitialized parameters.
  LazyConv2dImpl(StrictInt out_channels, ExpandingArray<2> kernel_size);
  explicit LazyConv2dImpl(const LazyConv2dOptions& options_);
  /// Returns what Conv2d returns; see Conv2dImpl::forward().
  Tensor forward(const Tensor& input);
};
TERN_MODULE(LazyConv2d);

/// A Conv3d that takes in_channels from its first input.
class TERN_API LazyConv3dImpl : public detail::LazyModule<LazyConv3dImpl, Conv3dImpl> {
 public:
  /// Makes uninitialized parameters.
  LazyConv3dImpl(StrictInt out_channels, ExpandingArray<3> kernel_size);
  explicit LazyConv3dImpl(const LazyConv3dOptions& options_);
  /// Returns what Conv3d returns; see Conv3dImpl::forward().
  Tensor forward(const Tensor& input);
};
TERN_MODULE(LazyConv3d);

/// A ConvTranspose1d that takes in_channels from its first input.
class TERN_API LazyConvTranspose1dImpl
    : public detail::LazyModule<LazyConvTranspose1dImpl, ConvTranspose1dImpl> {
 public:
  /// Makes uninitialized parameters.
  LazyConvTranspose1dImpl(StrictInt out_channels, ExpandingArray<1> kernel_size);
  explicit LazyConvTranspose1dImpl(const LazyConvTranspose1dOptions& options_);
  /// Returns what ConvTranspose1d returns; see ConvTranspose1dImpl::forward().
  Tensor forward(const Tensor& input, const OptionalIntArrayRef& output_size = std::nullopt);
};
TERN_MODULE(LazyConvTranspose1d);

/// A ConvTranspose2d that takes in_channels from its first input.
class TERN_API LazyConvTranspose2dImpl
    : public detail::LazyModule<LazyConvTranspose2dImpl, ConvTranspose2dImpl> {
 public:
  /// Makes uninitialized parameters.
  LazyConvTranspose2dImpl(StrictInt out_channels, ExpandingArray<2> kernel_size);
  explicit LazyConvTranspose2dImpl(const LazyConvTranspose2dOptions& options_);
  /// Returns what ConvTranspose2d returns; see ConvTranspose2dImpl::forward().
  Tensor forward(const Tensor& input, const OptionalIntArrayRef& output_size = std::nullopt);
};
TERN_MODULE(LazyConvTranspose2d);

/// A ConvTranspose3d that takes in_channels from its first input.
class TERN_API LazyConvTranspose3dImpl
    : public detail::LazyModule<LazyConvTranspose3dImpl, ConvTranspose3dImpl> {
 public:
  /// Makes uninitialized parameters.
  LazyConvTranspose3dImpl(StrictInt out_channels, ExpandingArray<3> kernel_size);
  explicit LazyConvTranspose3dImpl(const LazyConvTranspose3dOptions& options_);
  /// Returns what ConvTranspose3d returns; see ConvTranspose3dImpl::forward().
  Tensor forward(const Tensor& input, const OptionalIntArrayRef& output_size = std::nullopt);
};
TERN_MODULE(LazyConvTranspose3d);

}  // namespace tern::nn
