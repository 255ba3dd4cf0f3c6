#pragma once

#include <cstdint>
#include <optional>

#include <tern/core/base/strict.h>
#include <tern/core/tensor/tensor.h>

// Operations on images, with the names and the results of torchvision.transforms.v2.functional on
// tensors. An image is a tensor [C, H, W] on the CPU, of dtype uint8 (0 to 255) or float32 (0 to
// 1). None of them is differentiable. All throw DTypeError, DeviceError or ShapeError for another
// tensor.

namespace tern::data::transforms {

/// How resize() and rotate() compute a pixel between the pixels of the image.
enum class Interpolation : std::uint8_t { kNearest, kBilinear };

/// Height and width of an image.
struct ImageSize {
  /// A square, or for resize() and Resize the length of the shorter edge.
  template <tern::detail::IntArgument T>
  ImageSize(const T& edge)
      : height(static_cast<std::int64_t>(edge)), width(height), is_edge(true) {}
  /// Height and width.
  ImageSize(StrictInt h, StrictInt w) : height(h), width(w) {}

  /// The height.
  std::int64_t height;
  /// The width.
  std::int64_t width;
  /// True if made from one number.
  bool is_edge = false;
};

namespace functional {

/// Returns the image in another size. With one number the shorter edge gets this length and the
/// other edge keeps the ratio. With `antialias`, an image that becomes smaller is smoothed, as
/// torchvision and PIL do. Throws ShapeError unless the size is positive.
///
/// Example:
///   Tensor small = transforms::functional::resize(image, {64, 64});
TERN_API Tensor resize(const Tensor& image, ImageSize size,
                       Interpolation interpolation = Interpolation::kBilinear,
                       StrictBool antialias = true);
/// Returns the rectangle at (top, left); what lies outside of the image is 0. A view where nothing
/// lies outside.
TERN_API Tensor crop(const Tensor& image, StrictInt top, StrictInt left, StrictInt height,
                     StrictInt width);
/// Returns the rectangle in the middle; what lies outside of the image is 0.
TERN_API Tensor center_crop(const Tensor& image, ImageSize size);
/// Returns crop() of the rectangle, resized.
TERN_API Tensor resized_crop(const Tensor& image, StrictInt top, StrictInt left, StrictInt height,
                             StrictInt width, ImageSize size,
                             Interpolation interpolation = Interpolation::kBilinear,
                             StrictBool antialias = true);
/// Returns the image with a border of `fill`. Throws ShapeError for a negative border.
TERN_API Tensor pad(const Tensor& image, StrictInt left, StrictInt top, StrictInt right,
                    StrictInt bottom, double fill = 0);
/// Returns the mirror image, left to right.
TERN_API Tensor horizontal_flip(const Tensor& image);
/// Returns the mirror image, top to bottom.
TERN_API Tensor vertical_flip(const Tensor& image);
/// Returns the image turned counterclockwise around its centre by `angle` degrees, in its own size.
/// Pixels from outside of the image are `fill`, 0 by default; with bilinear interpolation a given
/// `fill` also blends with the border, as in torchvision.
TERN_API Tensor rotate(const Tensor& image, double angle,
                       Interpolation interpolation = Interpolation::kNearest,
                       std::optional<double> fill = std::nullopt);

/// Returns the image multiplied by `factor`: 0 is black, 1 leaves the image unchanged. Throws Error
/// for a negative factor, ShapeError unless the image has 1 or 3 channels.
TERN_API Tensor adjust_brightness(const Tensor& image, double factor);
/// Returns the image blended with its mean grey: 0 is grey, 1 leaves the image unchanged. Throws
/// like adjust_brightness().
TERN_API Tensor adjust_contrast(const Tensor& image, double factor);
/// Returns the image blended with its grey version: 0 is grey, 1 leaves the image unchanged. Throws
/// like adjust_brightness().
TERN_API Tensor adjust_saturation(const Tensor& image, double factor);
/// Returns the image with all hues turned by `factor`, from -0.5 to 0.5 of the circle. Throws Error
/// for another factor, ShapeError unless the image has 1 or 3 channels.
TERN_API Tensor adjust_hue(const Tensor& image, double factor);
/// Returns the grey image, [channels, H, W]; `channels` is 1 or 3.
TERN_API Tensor rgb_to_grayscale(const Tensor& image, StrictInt channels = 1);

/// Returns the image in another dtype, scaled: uint8 has the range from 0 to 255, float32 the range
/// from 0 to 1.
TERN_API Tensor convert_image_dtype(const Tensor& image, ScalarType dtype = kFloat);

}  // namespace functional
}  // namespace tern::data::transforms
