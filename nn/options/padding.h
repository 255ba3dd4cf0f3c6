#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <tern/nn/options/expanding_array.h>
#include <tern/nn/options/options_arg.h>

namespace tern {

/// What the elements of a padding are: a number, those on the other side of the border, the border
/// itself, or those at the other end.
enum class PaddingMode : std::uint8_t { Constant, Reflect, Replicate, Circular };
/// Short names of the modes.
constexpr PaddingMode kConstant = PaddingMode::Constant;
constexpr PaddingMode kReflect = PaddingMode::Reflect;
constexpr PaddingMode kReplicate = PaddingMode::Replicate;
constexpr PaddingMode kCircular = PaddingMode::Circular;

namespace nn {

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
  /// Sets pad.
  PadFuncOptions(std::vector<std::int64_t> pad) : pad_(std::move(pad)) {}
  /// The number of elements before and after those of each dimension, the last dimension first.
  TERN_ARG(std::vector<std::int64_t>, pad);
  /// What the new elements are.
  TERN_ARG(PaddingMode, mode) = kConstant;
  /// The new elements of the mode kConstant.
  TERN_ARG(double, value) = 0;
};
}  // namespace functional
}  // namespace nn
}  // namespace tern
