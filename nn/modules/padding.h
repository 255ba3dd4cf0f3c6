#pragma once

#include <type_traits>

#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/padding.h>

// Layers that add elements before and after those of the last dimensions; see tern::pad(). Negative
// numbers remove elements.
//
// Shape: [..., W] -> [..., padding[0] + W + padding[1]] for one dimension, and so on

namespace tern::nn {

namespace detail {

/// What the padding layers have in common. A layer is made from the arguments of its options: the
/// padding, and the value of a ConstantPad.
template <class Derived, class Options>
class TERN_API PadLayer : public Cloneable<Derived> {
 public:
  /// Makes the module.
  explicit PadLayer(const Options& options_) : options(options_) {}
  template <class... Args>
  requires std::is_constructible_v<Options, const Args&...>
  explicit PadLayer(const Args&... args) : options(args...) {}
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  /// Returns the padded input. Throws ShapeError where the numbers do not fit the input.
  Tensor forward(const Tensor& input);

  /// The options given to the constructor.
  Options options;
};

}  // namespace detail

/// Pads the last dimension with a number.
///
/// Example:
///   nn::ConstantPad1d(2, 3.5)(x);  // two elements of 3.5 on both sides
class TERN_API ConstantPad1dImpl
    : public detail::PadLayer<ConstantPad1dImpl, ConstantPadOptions<1>> {
 public:
  using PadLayer::PadLayer;
};
TERN_MODULE(ConstantPad1d);

/// Pads the last two dimensions with a number.
class TERN_API ConstantPad2dImpl
    : public detail::PadLayer<ConstantPad2dImpl, ConstantPadOptions<2>> {
 public:
  using PadLayer::PadLayer;
};
TERN_MODULE(ConstantPad2d);

/// Pads the last three dimensions with a number.
class TERN_API ConstantPad3dImpl
    : public detail::PadLayer<ConstantPad3dImpl, ConstantPadOptions<3>> {
 public:
  using PadLayer::PadLayer;
};
TERN_MODULE(ConstantPad3d);

/// Pads the last dimension with zeros.
class TERN_API ZeroPad1dImpl : public detail::PadLayer<ZeroPad1dImpl, PadOptions<1>> {
 public:
  using PadLayer::PadLayer;
};
TERN_MODULE(ZeroPad1d);

/// Pads the last two dimensions with zeros.
class TERN_API ZeroPad2dImpl : public detail::PadLayer<ZeroPad2dImpl, PadOptions<2>> {
 public:
  using PadLayer::PadLayer;
};
TERN_MODULE(ZeroPad2d);

/// Pads the last three dimensions with zeros.
class TERN_API ZeroPad3dImpl : public detail::PadLayer<ZeroPad3dImpl, PadOptions<3>> {
 public:
  using PadLayer::PadLayer;
};
TERN_MODULE(ZeroPad3d);

/// Pads the last dimension with the elements on the other side of the border, which is not
/// repeated.
class TERN_API ReflectionPad1dImpl : public detail::PadLayer<ReflectionPad1dImpl, PadOptions<1>> {
 public:
  using PadLayer::PadLayer;
};
TERN_MODULE(ReflectionPad1d);

/// Pads the last two dimensions with the elements on the other side of the border, which is not
/// repeated.
///
/// Example:
///   nn::ReflectionPad2d pad(nn::ReflectionPad2dOptions({1, 1, 2, 0}));  // left, right, top,
///   bottom
class TERN_API ReflectionPad2dImpl : public detail::PadLayer<ReflectionPad2dImpl, PadOptions<2>> {
 public:
  using PadLayer::PadLayer;
};
TERN_MODULE(ReflectionPad2d);

/// Pads the last three dimensions with the elements on the other side of the border, which is not
/// repeated.
class TERN_API ReflectionPad3dImpl : public detail::PadLayer<ReflectionPad3dImpl, PadOptions<3>> {
 public:
  using PadLayer::PadLayer;
};
TERN_MODULE(ReflectionPad3d);

/// Pads the last dimension with the elements at the border.
class TERN_API ReplicationPad1dImpl : public detail::PadLayer<ReplicationPad1dImpl, PadOptions<1>> {
 public:
  using PadLayer::PadLayer;
};
TERN_MODULE(ReplicationPad1d);

/// Pads the last two dimensions with the elements at the border.
class TERN_API ReplicationPad2dImpl : public detail::PadLayer<ReplicationPad2dImpl, PadOptions<2>> {
 public:
  using PadLayer::PadLayer;
};
TERN_MODULE(ReplicationPad2d);

/// Pads the last three dimensions with the elements at the border.
class TERN_API ReplicationPad3dImpl : public detail::PadLayer<ReplicationPad3dImpl, PadOptions<3>> {
 public:
  using PadLayer::PadLayer;
};
TERN_MODULE(ReplicationPad3d);

/// Pads the last dimension with the elements at the other end.
class TERN_API CircularPad1dImpl : public detail::PadLayer<CircularPad1dImpl, PadOptions<1>> {
 public:
  using PadLayer::PadLayer;
};
TERN_MODULE(CircularPad1d);

/// Pads the last two dimensions with the elements at the other end.
class TERN_API CircularPad2dImpl : public detail::PadLayer<CircularPad2dImpl, PadOptions<2>> {
 public:
  using PadLayer::PadLayer;
};
TERN_MODULE(CircularPad2d);

/// Pads the last three dimensions with the elements at the other end.
class TERN_API CircularPad3dImpl : public detail::PadLayer<CircularPad3dImpl, PadOptions<3>> {
 public:
  using PadLayer::PadLayer;
};
TERN_MODULE(CircularPad3d);

}  // namespace tern::nn
