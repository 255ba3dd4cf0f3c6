#pragma once

#include <tern/core/tensor/tensor.h>

// Pooling to a given size, pooling over random windows, and the inverse of max pooling. See
// pooling.h for errors.

namespace tern {

/// Returns averages of windows that divide the input as evenly as possible: window i of n begins at
/// element floor(i * L / n) and ends before ceil((i + 1) * L / n). Floating dtypes.
///
/// Shape: [N, C, L] -> [N, C, output_size]; N may be missing
TERN_API Tensor adaptive_avg_pool1d(const Tensor& input, IntArrayRef output_size);
/// Does the same for two dimensions.
///
/// Shape: [N, C, H, W] -> [N, C, output_size]; N may be missing
/// Example:
///   tern::adaptive_avg_pool2d(features, {1, 1}).flatten(1);  // the mean of each channel
TERN_API Tensor adaptive_avg_pool2d(const Tensor& input, IntArrayRef output_size);
/// Does the same for three dimensions.
///
/// Shape: [N, C, D, H, W] -> [N, C, output_size]; N may be missing
TERN_API Tensor adaptive_avg_pool3d(const Tensor& input, IntArrayRef output_size);
/// Returns the largest elements of the windows of adaptive_avg_pool1d(), and their positions as
/// max_pool1d_with_indices() does.
TERN_API std::tuple<Tensor, Tensor> adaptive_max_pool1d(const Tensor& input,
                                                        IntArrayRef output_size);
/// Does the same for two dimensions.
TERN_API std::tuple<Tensor, Tensor> adaptive_max_pool2d(const Tensor& input,
                                                        IntArrayRef output_size);
/// Does the same for three dimensions.
TERN_API std::tuple<Tensor, Tensor> adaptive_max_pool3d(const Tensor& input,
                                                        IntArrayRef output_size);
/// Returns the largest elements of windows at random distances (Graham, 2014), and their positions
/// as max_pool2d_with_indices() does. `random_samples` holds numbers in [0, 1) of the dtype of the
/// input, those of x first: they shift the windows of a channel. Floating dtypes.
///
/// Shape: input [N, C, H, W], random_samples [N, C, 2] -> [N, C, output_size]; N of the input may
/// be missing
TERN_API std::tuple<Tensor, Tensor> fractional_max_pool2d(const Tensor& input,
                                                          IntArrayRef kernel_size,
                                                          IntArrayRef output_size,
                                                          const Tensor& random_samples);
/// Does the same for three dimensions. The samples are those of z, y and x.
///
/// Shape: input [N, C, D, H, W], random_samples [N, C, 3] -> [N, C, output_size]; N of the input
/// may be missing
TERN_API std::tuple<Tensor, Tensor> fractional_max_pool3d(const Tensor& input,
                                                          IntArrayRef kernel_size,
                                                          IntArrayRef output_size,
                                                          const Tensor& random_samples);
/// Reverses max_pool2d_with_indices(): returns zeros with the elements of the input at the
/// positions `indices`. If positions repeat, one of their elements stays. Floating dtypes. Throws
/// IndexError for a position that is not below H * W; a GPU reports it at the next wait.
///
/// Shape: input and indices [N, C, h, w] -> [N, C, output_size]; N may be missing
TERN_API Tensor max_unpool2d(const Tensor& input, const Tensor& indices, IntArrayRef output_size);
/// Does the same for three dimensions. `stride` and `padding` change nothing; `stride` must be
/// positive.
///
/// Shape: input and indices [N, C, d, h, w] -> [N, C, output_size]; N may be missing
TERN_API Tensor max_unpool3d(const Tensor& input, const Tensor& indices, IntArrayRef output_size,
                             IntArrayRef stride, IntArrayRef padding);

}  // namespace tern
