#pragma once

#include <tern/core/ops/nn/pixel_shuffle.h>
#include <tern/nn/options/pixel_shuffle.h>

namespace tern::nn::functional {

/// Moves elements from the channels into height and width; see tern::pixel_shuffle().
inline Tensor pixel_shuffle(const Tensor& input, const PixelShuffleFuncOptions& options) {
  return tern::pixel_shuffle(input, options.upscale_factor());
}
/// Reverses pixel_shuffle(); see tern::pixel_unshuffle().
inline Tensor pixel_unshuffle(const Tensor& input, const PixelUnshuffleFuncOptions& options) {
  return tern::pixel_unshuffle(input, options.downscale_factor());
}
/// Takes one channel of each group in turn; see tern::channel_shuffle().
inline Tensor channel_shuffle(const Tensor& input, const ChannelShuffleFuncOptions& options) {
  return tern::channel_shuffle(input, options.groups());
}

}  // namespace tern::nn::functional
