#pragma once

#include <tern/core/tensor/tensor.h>

// Resampling: ops that give the last dimensions of a tensor [N, C, ...] other sizes. Result o of n
// lies at o * L / n in a dimension of L elements, or, with align_corners, at o * (L - 1) / (n - 1).
// A scale given by the caller replaces n / L. Dtypes are floating; comments name the ops that also
// take uint8. All ops throw ShapeError for sizes that do not fit or are not positive, and
// NotImplementedError for other dtypes.

namespace tern {

/// Returns the element at or before each position. Also uint8.
///
/// Shape: [N, C, L] -> [N, C, output_size]
TERN_API Tensor upsample_nearest1d(const Tensor& input, IntArrayRef output_size,
                                   std::optional<double> scales = std::nullopt);
/// Does the same in two dimensions.
///
/// Shape: [N, C, H, W] -> [N, C, output_size]
TERN_API Tensor upsample_nearest2d(const Tensor& input, IntArrayRef output_size,
                                   std::optional<double> scales_h = std::nullopt,
                                   std::optional<double> scales_w = std::nullopt);
/// Does the same in three dimensions.
///
/// Shape: [N, C, D, H, W] -> [N, C, output_size]
TERN_API Tensor upsample_nearest3d(const Tensor& input, IntArrayRef output_size,
                                   std::optional<double> scales_d = std::nullopt,
                                   std::optional<double> scales_h = std::nullopt,
                                   std::optional<double> scales_w = std::nullopt);
/// Returns the element whose center is nearest to the center of each result, as other image
/// libraries do. Also uint8.
///
/// Shape: [N, C, L] -> [N, C, output_size]
TERN_API Tensor _upsample_nearest_exact1d(const Tensor& input, IntArrayRef output_size,
                                          std::optional<double> scales = std::nullopt);
/// Does the same in two dimensions.
///
/// Shape: [N, C, H, W] -> [N, C, output_size]
TERN_API Tensor _upsample_nearest_exact2d(const Tensor& input, IntArrayRef output_size,
                                          std::optional<double> scales_h = std::nullopt,
                                          std::optional<double> scales_w = std::nullopt);
/// Does the same in three dimensions.
///
/// Shape: [N, C, D, H, W] -> [N, C, output_size]
TERN_API Tensor _upsample_nearest_exact3d(const Tensor& input, IntArrayRef output_size,
                                          std::optional<double> scales_d = std::nullopt,
                                          std::optional<double> scales_h = std::nullopt,
                                          std::optional<double> scales_w = std::nullopt);
/// Interpolates linearly between the two elements around each position.
///
/// Shape: [N, C, L] -> [N, C, output_size]
TERN_API Tensor upsample_linear1d(const Tensor& input, IntArrayRef output_size,
                                  StrictBool align_corners,
                                  std::optional<double> scales = std::nullopt);
/// Does the same in two dimensions. Also uint8, rounded after each dimension.
///
/// Shape: [N, C, H, W] -> [N, C, output_size]
TERN_API Tensor upsample_bilinear2d(const Tensor& input, IntArrayRef output_size,
                                    StrictBool align_corners,
                                    std::optional<double> scales_h = std::nullopt,
                                    std::optional<double> scales_w = std::nullopt);
/// Does the same in three dimensions.
///
/// Shape: [N, C, D, H, W] -> [N, C, output_size]
TERN_API Tensor upsample_trilinear3d(const Tensor& input, IntArrayRef output_size,
                                     StrictBool align_corners,
                                     std::optional<double> scales_d = std::nullopt,
                                     std::optional<double> scales_h = std::nullopt,
                                     std::optional<double> scales_w = std::nullopt);
/// Interpolates with the cubic kernel of parameter -0.75 in two dimensions: results may exceed the
/// range of the elements. Also uint8, rounded after each dimension.
///
/// Shape: [N, C, H, W] -> [N, C, output_size]
TERN_API Tensor upsample_bicubic2d(const Tensor& input, IntArrayRef output_size,
                                   StrictBool align_corners,
                                   std::optional<double> scales_h = std::nullopt,
                                   std::optional<double> scales_w = std::nullopt);
/// Averages with a triangle as wide as the distance of the results when it makes an image smaller:
/// what Pillow calls bilinear. Also uint8, rounded after each dimension.
///
/// Shape: [N, C, H, W] -> [N, C, output_size]
TERN_API Tensor _upsample_bilinear2d_aa(const Tensor& input, IntArrayRef output_size,
                                        StrictBool align_corners,
                                        std::optional<double> scales_h = std::nullopt,
                                        std::optional<double> scales_w = std::nullopt);
/// Does the same with the cubic kernel of parameter -0.5: what Pillow calls bicubic.
///
/// Shape: [N, C, H, W] -> [N, C, output_size]
TERN_API Tensor _upsample_bicubic2d_aa(const Tensor& input, IntArrayRef output_size,
                                       StrictBool align_corners,
                                       std::optional<double> scales_h = std::nullopt,
                                       std::optional<double> scales_w = std::nullopt);

}  // namespace tern
