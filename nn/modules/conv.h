#pragma once

#include <optional>

#include <tern/nn/any_module.h>
#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/conv.h>

// Convolutions; see tern::conv2d() and tern::conv_transpose2d().
//
// Parameters: weight [out_channels, in_channels / groups, kernel_size], for a ConvTranspose
// [in_channels, out_channels / groups, kernel_size], and bias [out_channels], if bias. Both start
// uniform within +-1 / sqrt(weight.size(1) * the product of kernel_size).

namespace tern::nn {

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
  Tensor forward(const Tensor& input, const std::optional<IntArrayRef>& output_size = std::nullopt);

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
