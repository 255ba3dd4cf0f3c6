#pragma once

#include <tern/core/tensor/tensor.h>

// Elements moved between channels and pixels.

namespace tern {

/// Moves elements from the channels into the last two dimensions, which grow by the factor. Throws
/// Error when the square of the factor does not divide the channels.
///
/// Shape: [.., c * r * r, h, w] -> [.., c, h * r, w * r] with upscale_factor = r
TERN_API Tensor pixel_shuffle(const Tensor& input, StrictInt upscale_factor);
/// Reverses pixel_shuffle(). Throws Error when the factor does not divide the last two dimensions.
///
/// Shape: [.., c, h * r, w * r] -> [.., c * r * r, h, w] with downscale_factor = r
TERN_API Tensor pixel_unshuffle(const Tensor& input, StrictInt downscale_factor);
/// Cuts dimension 1, the channels, into groups and takes one channel of each group in turn. Throws
/// Error unless `groups` divides the channels.
TERN_API Tensor channel_shuffle(const Tensor& input, StrictInt groups);

}  // namespace tern
