#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include <tern/core/tensor/options.h>
#include <tern/core/tensor/tensor.h>
#include <tern/nn/any_module.h>
#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/modules/padding.h>
#include <tern/nn/options/expanding_array.h>
#include <tern/nn/options/options_arg.h>

// Convolutions; see tern::conv2d() and tern::conv_transpose2d().
//
// Parameters: weight [out_channels, in_channels / groups, kernel_size], for a ConvTranspose
// [in_channels, out_channels / groups, kernel_size], and bias [out_channels], if bias. Both start
// uniform within +-1 / sqrt(weight.size(1) * the product of kernel_size).

namespace tern {

/// Padding of a convolution by a rule: none, or as much as keeps the extents of the input.
enum class ConvPaddingRule : std::uint8_t { Valid, Same };
/// Short names of the rules.
constexpr ConvPaddingRule kValid = ConvPaddingRule::Valid;
constexpr ConvPaddingRule kSame = ConvPaddingRule::Same;
/// The mode of a convolution that pads with zeros.
constexpr PaddingMode kZeros = PaddingMode::Constant;

}  // namespace tern

namespace tern::nn {

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
  template <detail::ConstantOf<ConvPadding> T>
  ConvPadding(const T& /*rule*/) : ConvPadding(T::value) {}
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
  /// libtorch's name of the type of `padding`.
  using padding_t = ConvPadding<D>;
  /// libtorch's name of the type of `padding_mode`.
  using padding_mode_t = PaddingMode;
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

 public:
  /// Returns false: the convolution is not transposed.
  static constexpr bool transposed() { return false; }
  /// Returns zeros: only a transposed convolution has another value.
  static ExpandingArray<D> output_padding() { return 0; }
};
/// Options of the modules of one, two and three dimensions.
using Conv1dOptions = ConvOptions<1>;
using Conv2dOptions = ConvOptions<2>;
using Conv3dOptions = ConvOptions<3>;

/// Options of ConvTranspose1d, ConvTranspose2d and ConvTranspose3d. A list has a number for each
/// dimension.
template <std::size_t D>
struct ConvTransposeOptions {
  /// libtorch's name of the type of `padding_mode`.
  using padding_mode_t = PaddingMode;
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

 public:
  /// Returns true: the convolution is transposed.
  static constexpr bool transposed() { return true; }
};
/// Options of the modules of one, two and three dimensions.
using ConvTranspose1dOptions = ConvTransposeOptions<1>;
using ConvTranspose2dOptions = ConvTransposeOptions<2>;
using ConvTranspose3dOptions = ConvTransposeOptions<3>;

namespace functional {

/// Options of nn::functional::conv1d, conv2d and conv3d.
template <std::size_t D>
struct ConvFuncOptions {
  /// libtorch's name of the type of `padding`.
  using padding_t = ConvPadding<D>;
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

/// Convolves a sequence; see tern::conv1d().
TERN_API Tensor conv1d(const Tensor& input, const Tensor& weight,
                       const Conv1dFuncOptions& options = {});
/// Convolves images; see tern::conv2d().
TERN_API Tensor conv2d(const Tensor& input, const Tensor& weight,
                       const Conv2dFuncOptions& options = {});
/// Convolves volumes; see tern::conv3d().
TERN_API Tensor conv3d(const Tensor& input, const Tensor& weight,
                       const Conv3dFuncOptions& options = {});
/// Computes the transposed convolution of a sequence; see tern::conv_transpose1d().
TERN_API Tensor conv_transpose1d(const Tensor& input, const Tensor& weight,
                                 const ConvTranspose1dFuncOptions& options = {});
/// Computes the transposed convolution of images; see tern::conv_transpose2d().
TERN_API Tensor conv_transpose2d(const Tensor& input, const Tensor& weight,
                                 const ConvTranspose2dFuncOptions& options = {});
/// Computes the transposed convolution of volumes; see tern::conv_transpose3d().
TERN_API Tensor conv_transpose3d(const Tensor& input, const Tensor& weight,
                                 const ConvTranspose3dFuncOptions& options = {});

}  // namespace functional

namespace detail {

/// What Conv1d, Conv2d and Conv3d have in common.
template <class Derived, std::size_t D>
class TERN_API ConvLayer : public Cloneable<Derived> {
 public:
  /// Makes the parameters. Throws Error unless `groups` divides both numbers of channels.
  ConvLayer(StrictInt in_channels, StrictInt out_channels, ExpandingArray<D> kernel_size)
      : ConvLayer(ConvOptions<D>(in_channels, out_channels, kernel_size)) {}
  explicit ConvLayer(const ConvOptions<D>& options_);

  void reset() override;
  /// Draws new parameters.
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  /// Returns the convolution of the input. Throws ShapeError when the sizes do not fit, DTypeError
  /// unless input and weight have the same dtype.
  Tensor forward(const Tensor& input);

  /// The options given to the constructor.
  ConvOptions<D> options;
  /// The parameter [out_channels, in_channels / groups, kernel_size].
  Tensor weight;
  /// The parameter [out_channels]; undefined without bias.
  Tensor bias;

 protected:
  /// Registers nothing.
  ConvLayer(const ConvOptions<D>& options_, Unregistered) : options(options_) {}
};

/// What ConvTranspose1d, ConvTranspose2d and ConvTranspose3d have in common.
template <class Derived, std::size_t D>
class TERN_API ConvTransposeLayer : public Cloneable<Derived> {
 public:
  /// Makes the parameters. Throws Error unless `groups` divides both numbers of channels.
  ConvTransposeLayer(StrictInt in_channels, StrictInt out_channels, ExpandingArray<D> kernel_size)
      : ConvTransposeLayer(ConvTransposeOptions<D>(in_channels, out_channels, kernel_size)) {}
  explicit ConvTransposeLayer(const ConvTransposeOptions<D>& options_);

  void reset() override;
  /// Draws new parameters.
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  /// Returns the transposed convolution of the input. With `output_size`, the last D sizes of the
  /// result or all of them, the output padding of the options does not count. Throws ShapeError
  /// when the sizes do not fit, DTypeError unless input and weight have the same dtype.
  Tensor forward(const Tensor& input, const OptionalIntArrayRef& output_size = std::nullopt);

  /// The options given to the constructor.
  ConvTransposeOptions<D> options;
  /// The parameter [in_channels, out_channels / groups, kernel_size].
  Tensor weight;
  /// The parameter [out_channels]; undefined without bias.
  Tensor bias;

 protected:
  /// Registers nothing.
  ConvTransposeLayer(const ConvTransposeOptions<D>& options_, Unregistered) : options(options_) {}

  // TERN_FORWARD_HAS_DEFAULT_ARGS with the values in the source: each program would compile them.
  friend struct ::tern::nn::detail::ForwardDefaults;
  static std::vector<std::pair<unsigned, AnyValue>> forward_defaults();
};

}  // namespace detail

/// Convolution of sequences.
///
/// Shape: [N, C, L] -> [N, O, L'], or both without N; see tern::conv1d()
///
/// Example:
///   nn::Conv1d conv(nn::Conv1dOptions(16, 33, 3).stride(2));
class TERN_API Conv1dImpl : public detail::ConvLayer<Conv1dImpl, 1> {
 public:
  using ConvLayer::ConvLayer;
};
TERN_MODULE(Conv1d);

/// Convolution of images.
///
/// Shape: [N, C, H, W] -> [N, O, H', W'], or both without N; see tern::conv2d()
///
/// Example:
///   nn::Conv2d conv(3, 64, 7);
///   nn::Conv2d same(nn::Conv2dOptions(3, 64, {3, 5}).padding(kSame).padding_mode(kReflect));
class TERN_API Conv2dImpl : public detail::ConvLayer<Conv2dImpl, 2> {
 public:
  using ConvLayer::ConvLayer;
};
TERN_MODULE(Conv2d);

/// Convolution of volumes.
///
/// Shape: [N, C, D, H, W] -> [N, O, D', H', W'], or both without N; see tern::conv3d()
class TERN_API Conv3dImpl : public detail::ConvLayer<Conv3dImpl, 3> {
 public:
  using ConvLayer::ConvLayer;
};
TERN_MODULE(Conv3d);

/// Transposed convolution of sequences.
///
/// Shape: [N, C, L] -> [N, O, L'], or both without N; see tern::conv_transpose1d()
class TERN_API ConvTranspose1dImpl : public detail::ConvTransposeLayer<ConvTranspose1dImpl, 1> {
 public:
  using ConvTransposeLayer::ConvTransposeLayer;
};
TERN_MODULE(ConvTranspose1d);

/// Transposed convolution of images.
///
/// Shape: [N, C, H, W] -> [N, O, H', W'], or both without N; see tern::conv_transpose2d()
///
/// Example:
///   nn::ConvTranspose2d up(nn::ConvTranspose2dOptions(64, 32, 4).stride(2).padding(1));
///   up->forward(images, IntArrayRef({57, 57}));  // the extents of the result
class TERN_API ConvTranspose2dImpl : public detail::ConvTransposeLayer<ConvTranspose2dImpl, 2> {
 public:
  using ConvTransposeLayer::ConvTransposeLayer;
};
TERN_MODULE(ConvTranspose2d);

/// Transposed convolution of volumes.
///
/// Shape: [N, C, D, H, W] -> [N, O, D', H', W'], or both without N; see tern::conv_transpose3d()
class TERN_API ConvTranspose3dImpl : public detail::ConvTransposeLayer<ConvTranspose3dImpl, 3> {
 public:
  using ConvTransposeLayer::ConvTransposeLayer;
};
TERN_MODULE(ConvTranspose3d);

}  // namespace tern::nn
