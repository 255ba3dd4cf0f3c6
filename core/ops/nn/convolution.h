#pragma once

#include <string_view>
#include <type_traits>

#include <tern/core/tensor/tensor.h>

namespace tern {

/// The name of the padding of a convolution: "valid" adds no zeros; "same" adds as many as give the
/// result the extents of the input, one more behind it than in front where their number is odd.
class PaddingName {
 public:
  /// Takes a text.
  template <class T>
  requires std::is_convertible_v<const T&, std::string_view> PaddingName(const T& name)
      : name_(name) {}
  /// Returns the text, which lives as long as the argument.
  std::string_view text() const { return name_; }

 private:
  std::string_view name_;
};

/// Convolves a sequence: each output channel is the sum over the input channels of its group of the
/// correlation with a kernel, plus a bias. `stride` is the distance of neighbouring positions of
/// the kernel, `dilation` that of its elements, `padding` the number of zeros on both sides of the
/// input. With `groups`, the channels of input and result are cut into so many parts, and each part
/// of the result depends on one part of the input alone. Floating dtypes, all the same.
///
/// Shape: input [N, C, L], weight [O, C / groups, K], bias [O] or undefined -> [N, O, (L + 2 *
/// padding - dilation * (K - 1) - 1) / stride + 1]; input and result may both lack N
/// Throws: ShapeError when the sizes do not fit, Error for numbers that are not positive,
/// DTypeError for different dtypes.
TERN_API Tensor conv1d(const Tensor& input, const Tensor& weight, const Tensor& bias = {},
                       IntArrayRef stride = 1, IntArrayRef padding = 0, IntArrayRef dilation = 1,
                       StrictInt groups = 1);
TERN_API Tensor conv1d(const Tensor& input, const Tensor& weight, const Tensor& bias,
                       IntArrayRef stride, const PaddingName& padding, IntArrayRef dilation = 1,
                       StrictInt groups = 1);
/// Convolves images: as conv1d(), in two dimensions. Each list holds a number for the height and
/// one for the width, or one for both.
///
/// Shape: input [N, C, H, W], weight [O, C / groups, KH, KW], bias [O] or undefined -> [N, O, H',
/// W']; input and result may both lack N
///
/// Example:
///   conv2d(images, weight, bias, 2, {1, 0});
///   conv2d(images, weight, {}, 1, "same");
TERN_API Tensor conv2d(const Tensor& input, const Tensor& weight, const Tensor& bias = {},
                       IntArrayRef stride = 1, IntArrayRef padding = 0, IntArrayRef dilation = 1,
                       StrictInt groups = 1);
TERN_API Tensor conv2d(const Tensor& input, const Tensor& weight, const Tensor& bias,
                       IntArrayRef stride, const PaddingName& padding, IntArrayRef dilation = 1,
                       StrictInt groups = 1);
/// Convolves volumes: as conv1d(), in three dimensions. Each list holds a number for each of them,
/// or one for all.
///
/// Shape: input [N, C, D, H, W], weight [O, C / groups, KD, KH, KW], bias [O] or undefined -> [N,
/// O, D', H', W']; input and result may both lack N
TERN_API Tensor conv3d(const Tensor& input, const Tensor& weight, const Tensor& bias = {},
                       IntArrayRef stride = 1, IntArrayRef padding = 0, IntArrayRef dilation = 1,
                       StrictInt groups = 1);
TERN_API Tensor conv3d(const Tensor& input, const Tensor& weight, const Tensor& bias,
                       IntArrayRef stride, const PaddingName& padding, IntArrayRef dilation = 1,
                       StrictInt groups = 1);

/// Computes the transposed convolution of a sequence: the gradient that conv1d() with this weight
/// gives its input, for `input` as the gradient of its result. `padding` elements are cut from both
/// sides of the result, and `output_padding` are added behind it, since results of several sizes
/// have the same number of positions.
///
/// Shape: input [N, C, L], weight [C, O / groups, K], bias [O] or undefined -> [N, O, (L - 1) *
/// stride - 2 * padding + dilation * (K - 1) + output_padding + 1]; input and result may both lack
/// N
/// Throws: as conv1d(); Error unless output_padding is smaller than stride or dilation.
TERN_API Tensor conv_transpose1d(const Tensor& input, const Tensor& weight, const Tensor& bias = {},
                                 IntArrayRef stride = 1, IntArrayRef padding = 0,
                                 IntArrayRef output_padding = 0, StrictInt groups = 1,
                                 IntArrayRef dilation = 1);
/// Computes the transposed convolution of images; see conv_transpose1d() and conv2d().
///
/// Shape: input [N, C, H, W], weight [C, O / groups, KH, KW], bias [O] or undefined -> [N, O, H',
/// W']; input and result may both lack N
TERN_API Tensor conv_transpose2d(const Tensor& input, const Tensor& weight, const Tensor& bias = {},
                                 IntArrayRef stride = 1, IntArrayRef padding = 0,
                                 IntArrayRef output_padding = 0, StrictInt groups = 1,
                                 IntArrayRef dilation = 1);
/// Computes the transposed convolution of volumes; see conv_transpose1d() and conv3d().
///
/// Shape: input [N, C, D, H, W], weight [C, O / groups, KD, KH, KW], bias [O] or undefined -> [N,
/// O, D', H', W']; input and result may both lack N
TERN_API Tensor conv_transpose3d(const Tensor& input, const Tensor& weight, const Tensor& bias = {},
                                 IntArrayRef stride = 1, IntArrayRef padding = 0,
                                 IntArrayRef output_padding = 0, StrictInt groups = 1,
                                 IntArrayRef dilation = 1);

}  // namespace tern
