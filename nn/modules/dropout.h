#pragma once

#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/dropout.h>

// Layers that drop random elements in training and return their input in evaluation. The numbers
// are PyTorch's for the same seed on the CPU. Each result has the input's shape.

namespace tern::nn {

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
