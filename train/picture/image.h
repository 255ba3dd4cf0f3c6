#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <tern/core/tensor/tensor.h>
#include <tern/nn/options/options_arg.h>

namespace tern::train {

/// The lowest and the highest value of a picture.
using ValueRange = std::pair<double, double>;

/// Options of make_grid() and save_image(): torchvision's names and defaults.
struct GridOptions {
  /// The largest number of images in a row.
  TERN_ARG(std::int64_t, nrow) = 8;
  /// The pixels between and around the images.
  TERN_ARG(std::int64_t, padding) = 2;
  /// True: values from `value_range` are mapped to 0 to 1.
  TERN_ARG(bool, normalize) = false;
  /// The values that become 0 and 1; other values are clipped. nullopt: the lowest and the highest
  /// value of all images.
  TERN_ARG(std::optional<ValueRange>, value_range);
  /// True: each image has its own lowest and highest value.
  TERN_ARG(bool, scale_each) = false;
  /// The value of the pixels between the images.
  TERN_ARG(double, pad_value) = 0.0;
};

/// Returns one picture with all images, row by row, as torchvision's make_grid does. A batch of one
/// image and a single image have no padding. Grey images become RGB. The result is on the device of
/// the images and has their dtype.
///
/// Shape: [H, W], [C, H, W] or [N, C, H, W] -> [C, H, W], where a C of 1 becomes 3
/// Throws: ShapeError for other shapes and for empty images, DTypeError if `normalize` meets an
/// integer dtype, Error for nrow < 1, for a negative padding and for a value_range whose first
/// number is the larger one.
TERN_API Tensor make_grid(const Tensor& images, const GridOptions& options = {});
/// Does the same with a list of images of equal sizes.
TERN_API Tensor make_grid(TensorList images, const GridOptions& options = {});

/// Writes make_grid() as a PNG, completely or not at all. Floating values: 0 is black, 1 is white,
/// others are clipped, NaN is black. uint8 values, unlike torchvision's, are written as they are,
/// and bools as black and white. Images have 1 channel (grey), 3 (RGB) or 4 (RGBA).
///
/// Throws: FileError, also for a name that does not end in .png, DTypeError for other integer
/// dtypes, ShapeError for other channels, and what make_grid() throws.
///
/// Example:
///   train::save_image(net->decode(codes).view({-1, 1, 28, 28}), "sample.png",
///                     train::GridOptions().nrow(8));
TERN_API void save_image(const Tensor& images, const std::string& path,
                         const GridOptions& options = {});
/// Does the same with a list of images of equal sizes.
TERN_API void save_image(TensorList images, const std::string& path,
                         const GridOptions& options = {});

}  // namespace tern::train
