#pragma once

#include <tern/core/tensor/tensor.h>
#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/options_arg.h>

// Layers that drop random elements in training and return their input in evaluation. The numbers
// are PyTorch's for the same seed on the CPU. Each result has the input's shape.

namespace tern::nn {

/// Options of the dropout layers.
struct DropoutOptions {
  /// Leaves every option at its default.
  DropoutOptions() = default;
  /// Sets p. No bool converts: true would drop everything.
  template <tern::detail::NumberArgument T>
  DropoutOptions(const T& p) : p_(p) {}
  /// The probability that an element, or a channel, is dropped. Default: `0.5`.
  TERN_ARG(double, p) = 0.5;
  /// True: changes the input itself and returns it.
  TERN_ARG(bool, inplace) = false;
};
/// Options of the other dropout layers.
using Dropout1dOptions = DropoutOptions;
using Dropout2dOptions = DropoutOptions;
using Dropout3dOptions = DropoutOptions;
using AlphaDropoutOptions = DropoutOptions;
using FeatureAlphaDropoutOptions = DropoutOptions;

namespace functional {

/// Options of nn::functional::dropout.
struct DropoutFuncOptions {
  /// The probability that an element becomes 0.
  TERN_ARG(double, p) = 0.5;
  /// False: the input is returned unchanged.
  TERN_ARG(bool, training) = true;
  /// True: changes the input itself and returns it.
  TERN_ARG(bool, inplace) = false;
};
/// Options of nn::functional::dropout1d.
using Dropout1dFuncOptions = DropoutFuncOptions;
/// Options of nn::functional::dropout2d.
using Dropout2dFuncOptions = DropoutFuncOptions;
/// Options of nn::functional::dropout3d.
using Dropout3dFuncOptions = DropoutFuncOptions;

/// Options of nn::functional::alpha_dropout.
struct AlphaDropoutFuncOptions {
  /// The probability that an element is dropped.
  TERN_ARG(double, p) = 0.5;
  /// False: the input is returned unchanged.
  TERN_ARG(bool, training) = false;
  /// True: changes the input itself and returns it.
  TERN_ARG(bool, inplace) = false;
};
/// Options of nn::functional::feature_alpha_dropout.
using FeatureAlphaDropoutFuncOptions = AlphaDropoutFuncOptions;

/// Sets each element to 0 with probability p and divides the others by 1 - p, unless `training` is
/// false. Throws Error unless p lies in [0, 1].
TERN_API Tensor dropout(Tensor input, const DropoutFuncOptions& options = {});
/// Does the same as dropout() to whole channels: all elements of a channel are dropped or kept
/// together. Throws ShapeError unless the input has the dimensions below, Error unless p lies in
/// [0, 1].
///
/// Shape: dropout1d [C, L] or [N, C, L]; dropout2d [N, C, H, W] or [N, C, L]; dropout3d [C, D, H,
/// W] or [N, C, D, H, W]
TERN_API Tensor dropout1d(Tensor input, const Dropout1dFuncOptions& options = {});
/// Does the same as dropout1d() to images.
TERN_API Tensor dropout2d(Tensor input, const Dropout2dFuncOptions& options = {});
/// Does the same as dropout1d() to volumes.
TERN_API Tensor dropout3d(Tensor input, const Dropout3dFuncOptions& options = {});
/// Dropout that keeps mean 0 and variance 1, for networks of SELU; see tern::alpha_dropout.
TERN_API Tensor alpha_dropout(Tensor input, const AlphaDropoutFuncOptions& options = {});
/// Does the same as alpha_dropout() to whole channels.
TERN_API Tensor feature_alpha_dropout(Tensor input,
                                      const FeatureAlphaDropoutFuncOptions& options = {});

}  // namespace functional

namespace detail {

/// What all dropout layers have; the layer's class only names the kind.
template <class Derived>
class TERN_API DropoutBase : public Cloneable<Derived> {
 public:
  /// Makes the module; a bare number is p. Throws Error unless p lies in [0, 1].
  explicit DropoutBase(const DropoutOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the input with dropped elements; in evaluation, the input.
  Tensor forward(Tensor input);

  /// The options given to the constructor.
  DropoutOptions options;
};

}  // namespace detail

/// Dropout (Srivastava et al., 2014). In training, sets each element to 0 with probability p and
/// divides the others by 1 - p; in evaluation, returns its input.
class TERN_API DropoutImpl : public detail::DropoutBase<DropoutImpl> {
 public:
  using DropoutBase::DropoutBase;
};
TERN_MODULE(Dropout);

/// Dropout of whole channels of sequences (Tompson et al., 2015).
///
/// Shape: [N, C, L] or [C, L]
class TERN_API Dropout1dImpl : public detail::DropoutBase<Dropout1dImpl> {
 public:
  using DropoutBase::DropoutBase;
};
TERN_MODULE(Dropout1d);

/// Dropout of whole channels of images (Tompson et al., 2015).
///
/// Shape: [N, C, H, W] or [N, C, L]
class TERN_API Dropout2dImpl : public detail::DropoutBase<Dropout2dImpl> {
 public:
  using DropoutBase::DropoutBase;
};
TERN_MODULE(Dropout2d);

/// Dropout of whole channels of volumes (Tompson et al., 2015).
///
/// Shape: [N, C, D, H, W] or [C, D, H, W]
class TERN_API Dropout3dImpl : public detail::DropoutBase<Dropout3dImpl> {
 public:
  using DropoutBase::DropoutBase;
};
TERN_MODULE(Dropout3d);

/// Dropout that keeps mean 0 and variance 1, for networks of SELU (Klambauer et al., 2017); see
/// tern::alpha_dropout().
class TERN_API AlphaDropoutImpl : public detail::DropoutBase<AlphaDropoutImpl> {
 public:
  using DropoutBase::DropoutBase;
};
TERN_MODULE(AlphaDropout);

/// AlphaDropout of whole channels.
///
/// Shape: [N, C, *]
class TERN_API FeatureAlphaDropoutImpl : public detail::DropoutBase<FeatureAlphaDropoutImpl> {
 public:
  using DropoutBase::DropoutBase;
};
TERN_MODULE(FeatureAlphaDropout);

}  // namespace tern::nn
