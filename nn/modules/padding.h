#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <tern/core/tensor/tensor.h>
#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/expanding_array.h>
#include <tern/nn/options/options_arg.h>

// Layers that add elements before and after those of the last dimensions; see tern::pad(). Negative
// numbers remove elements.
//
// Shape: [..., W] -> [..., padding[0] + W + padding[1]] for one dimension, and so on

namespace tern {

/// What the elements of a padding are: a number, those on the other side of the border, the border
/// itself, or those at the other end.
enum class PaddingMode : std::uint8_t { Constant, Reflect, Replicate, Circular };
/// Short names of the modes.
constexpr PaddingMode kConstant = PaddingMode::Constant;
constexpr PaddingMode kReflect = PaddingMode::Reflect;
constexpr PaddingMode kReplicate = PaddingMode::Replicate;
constexpr PaddingMode kCircular = PaddingMode::Circular;

}  // namespace tern

namespace tern::nn {

/// Options of ZeroPad, ReflectionPad, ReplicationPad and CircularPad modules of D dimensions.
template <std::size_t D>
struct TERN_API PadOptions {
  /// Sets padding.
  PadOptions(ExpandingArray<2 * D> padding) : padding_(padding) {}
  /// The number of elements before and after those of each dimension, the last dimension first. One
  /// number stands for all.
  TERN_ARG(ExpandingArray<2 * D>, padding);
};
/// Options of the modules of one, two and three dimensions.
using ZeroPad1dOptions = PadOptions<1>;
using ZeroPad2dOptions = PadOptions<2>;
using ZeroPad3dOptions = PadOptions<3>;
using ReflectionPad1dOptions = PadOptions<1>;
using ReflectionPad2dOptions = PadOptions<2>;
using ReflectionPad3dOptions = PadOptions<3>;
using ReplicationPad1dOptions = PadOptions<1>;
using ReplicationPad2dOptions = PadOptions<2>;
using ReplicationPad3dOptions = PadOptions<3>;
using CircularPad1dOptions = PadOptions<1>;
using CircularPad2dOptions = PadOptions<2>;
using CircularPad3dOptions = PadOptions<3>;

/// Options of ConstantPad modules of D dimensions.
template <std::size_t D>
struct TERN_API ConstantPadOptions {
  /// Sets padding and value.
  template <tern::detail::NumberArgument T>
  ConstantPadOptions(ExpandingArray<2 * D> padding, const T& value)
      : padding_(padding), value_(static_cast<double>(value)) {}
  /// The number of elements before and after those of each dimension, the last dimension first. One
  /// number stands for all.
  TERN_ARG(ExpandingArray<2 * D>, padding);
  /// The new elements.
  TERN_ARG(double, value);
};
/// Options of the modules of one, two and three dimensions.
using ConstantPad1dOptions = ConstantPadOptions<1>;
using ConstantPad2dOptions = ConstantPadOptions<2>;
using ConstantPad3dOptions = ConstantPadOptions<3>;

namespace functional {

/// Options of nn::functional::pad.
struct PadFuncOptions {
  /// libtorch's name of the type of `mode`.
  using mode_t = PaddingMode;
  /// Sets pad.
  PadFuncOptions(std::vector<std::int64_t> pad) : pad_(std::move(pad)) {}
  /// The number of elements before and after those of each dimension, the last dimension first.
  TERN_ARG(std::vector<std::int64_t>, pad);
  /// What the new elements are.
  TERN_ARG(PaddingMode, mode) = kConstant;
  /// The new elements of the mode kConstant.
  TERN_ARG(double, value) = 0;
};

/// Adds elements before and after those of the last dimensions; see tern::pad().
TERN_API Tensor pad(const Tensor& input, const PadFuncOptions& options);

}  // namespace functional

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
