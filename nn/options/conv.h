#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include <tern/core/tensor/options.h>
#include <tern/core/tensor/tensor.h>
#include <tern/nn/options/expanding_array.h>
#include <tern/nn/options/options_arg.h>
#include <tern/nn/options/padding.h>

namespace tern {

/// Padding of a convolution by a rule: none, or as much as keeps the extents of the input.
enum class ConvPaddingRule : std::uint8_t { Valid, Same };
/// Short names of the rules.
constexpr ConvPaddingRule kValid = ConvPaddingRule::Valid;
constexpr ConvPaddingRule kSame = ConvPaddingRule::Same;
/// The mode of a convolution that pads with zeros.
constexpr PaddingMode kZeros = PaddingMode::Constant;

namespace nn {

/// The padding of a convolution of D dimensions: a number for each dimension, one number for all,
/// or a rule, as kSame or as the text "same".
template <std::size_t D>
class ConvPadding {
 public:
  /// Takes a list of D integers.
  ConvPadding(std::initializer_list<std::int64_t> list) : numbers_(list) {}
  ConvPadding(const std::vector<std::int64_t>& list) : numbers_(list) {}
  ConvPadding(const ExpandingArray<D>& numbers) : numbers_(numbers) {}
  /// Takes one integer for all.
  template <tern::detail::IntArgument T>
  ConvPadding(const T& all) : numbers_(all) {}
  /// Takes a rule.
  ConvPadding(ConvPaddingRule rule) : rule_(rule) {}
  /// Takes the name of a rule. Throws Error unless it is "valid" or "same".
  template <tern::detail::TextArgument T>
  ConvPadding(const T& name) : rule_(rule_of(name)) {}

  /// Returns the rule; nothing if there are numbers.
  const std::optional<ConvPaddingRule>& rule() const { return rule_; }
  /// Returns the numbers; zeros if there is a rule.
  const ExpandingArray<D>& numbers() const { return numbers_; }

 private:
  static ConvPaddingRule rule_of(std::string_view name) {
    TERN_CHECK(name == "valid" || name == "same", Error, "nn::Conv: Invalid padding string '", name,
               "', should be one of {'same', 'valid'}");
    return name == "same" ? kSame : kValid;
  }

  std::optional<ConvPaddingRule> rule_;
  ExpandingArray<D> numbers_ = 0;
};

/// Options of Conv1d, Conv2d and Conv3d. A list has a number for each dimension.
template <std::size_t D>
struct ConvOptions {
  /// Sets the numbers of channels and the extents of the kernel.
  ConvOptions(StrictInt in_channels, StrictInt out_channels, ExpandingArray<D> kernel_size)
      : in_channels_(in_channels), out_channels_(out_channels), kernel_size_(kernel_size) {}
  /// The number of channels of the input.
  TERN_ARG(std::int64_t, in_channels);
  /// The number of channels of the result.
  TERN_ARG(std::int64_t, out_channels);
  /// The extents of the kernel.
  TERN_ARG(ExpandingArray<D>, kernel_size);
  /// The distance of neighbouring positions of the kernel.
  TERN_ARG(ExpandingArray<D>, stride) = 1;
  /// The number of elements added on both sides of the input, or a rule.
  TERN_ARG(ConvPadding<D>, padding) = 0;
  /// The distance of neighbouring elements of the kernel.
  TERN_ARG(ExpandingArray<D>, dilation) = 1;
  /// The number of parts of the channels that do not meet.
  TERN_ARG(std::int64_t, groups) = 1;
  /// True: the module has a bias.
  TERN_ARG(bool, bias) = true;
  /// What the added elements are.
  TERN_ARG(PaddingMode, padding_mode) = kZeros;
  /// The device of the parameters; the default device unless given.
  TERN_ARG(std::optional<Device>, device);
  /// The dtype of the parameters; the default dtype unless given.
  TERN_ARG(std::optional<ScalarType>, dtype);
};
/// Options of the modules of one, two and three dimensions.
using Conv1dOptions = ConvOptions<1>;
using Conv2dOptions = ConvOptions<2>;
using Conv3dOptions = ConvOptions<3>;

/// Options of ConvTranspose1d, ConvTranspose2d and ConvTranspose3d. A list has a number for each
/// dimension.
template <std::size_t D>
struct ConvTransposeOptions {
  /// Sets the numbers of channels and the extents of the kernel.
  ConvTransposeOptions(StrictInt in_channels, StrictInt out_channels, ExpandingArray<D> kernel_size)
      : in_channels_(in_channels), out_channels_(out_channels), kernel_size_(kernel_size) {}
  /// The number of channels of the input.
  TERN_ARG(std::int64_t, in_channels);
  /// The number of channels of the result.
  TERN_ARG(std::int64_t, out_channels);
  /// The extents of the kernel.
  TERN_ARG(ExpandingArray<D>, kernel_size);
  /// The distance of the positions in the result to which neighbouring elements add.
  TERN_ARG(ExpandingArray<D>, stride) = 1;
  /// The number of elements cut from both sides of the result.
  TERN_ARG(ExpandingArray<D>, padding) = 0;
  /// The number of elements added behind the result.
  TERN_ARG(ExpandingArray<D>, output_padding) = 0;
  /// The number of parts of the channels that do not meet.
  TERN_ARG(std::int64_t, groups) = 1;
  /// True: the module has a bias.
  TERN_ARG(bool, bias) = true;
  /// The distance of neighbouring elements of the kernel.
  TERN_ARG(ExpandingArray<D>, dilation) = 1;
  /// Only kZeros is possible.
  TERN_ARG(PaddingMode, padding_mode) = kZeros;
  /// The device of the parameters; the default device unless given.
  TERN_ARG(std::optional<Device>, device);
  /// The dtype of the parameters; the default dtype unless given.
  TERN_ARG(std::optional<ScalarType>, dtype);
};
/// Options of the modules of one, two and three dimensions.
using ConvTranspose1dOptions = ConvTransposeOptions<1>;
using ConvTranspose2dOptions = ConvTransposeOptions<2>;
using ConvTranspose3dOptions = ConvTransposeOptions<3>;

namespace functional {

/// Options of nn::functional::conv1d, conv2d and conv3d.
template <std::size_t D>
struct ConvFuncOptions {
  /// The bias; undefined for none.
  TERN_ARG(Tensor, bias);
  /// The distance of neighbouring positions of the kernel.
  TERN_ARG(ExpandingArray<D>, stride) = 1;
  /// The number of zeros on both sides of the input, or a rule.
  TERN_ARG(ConvPadding<D>, padding) = 0;
  /// The distance of neighbouring elements of the kernel.
  TERN_ARG(ExpandingArray<D>, dilation) = 1;
  /// The number of parts of the channels that do not meet.
  TERN_ARG(std::int64_t, groups) = 1;
};
/// Options of the functions of one, two and three dimensions.
using Conv1dFuncOptions = ConvFuncOptions<1>;
using Conv2dFuncOptions = ConvFuncOptions<2>;
using Conv3dFuncOptions = ConvFuncOptions<3>;

/// Options of nn::functional::conv_transpose1d, conv_transpose2d and conv_transpose3d.
template <std::size_t D>
struct ConvTransposeFuncOptions {
  /// The bias; undefined for none.
  TERN_ARG(Tensor, bias);
  /// The distance of the positions in the result to which neighbouring elements add.
  TERN_ARG(ExpandingArray<D>, stride) = 1;
  /// The number of elements cut from both sides of the result.
  TERN_ARG(ExpandingArray<D>, padding) = 0;
  /// The number of elements added behind the result.
  TERN_ARG(ExpandingArray<D>, output_padding) = 0;
  /// The number of parts of the channels that do not meet.
  TERN_ARG(std::int64_t, groups) = 1;
  /// The distance of neighbouring elements of the kernel.
  TERN_ARG(ExpandingArray<D>, dilation) = 1;
};
/// Options of the functions of one, two and three dimensions.
using ConvTranspose1dFuncOptions = ConvTransposeFuncOptions<1>;
using ConvTranspose2dFuncOptions = ConvTransposeFuncOptions<2>;
using ConvTranspose3dFuncOptions = ConvTransposeFuncOptions<3>;

}  // namespace functional
}  // namespace nn
}  // namespace tern
