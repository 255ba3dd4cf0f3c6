#pragma once

#include <cstdint>

#include <tern/core/base/strict.h>
#include <tern/nn/options/options_arg.h>

namespace tern::nn {

/// Options of PixelShuffle.
struct PixelShuffleOptions {
  /// Sets upscale_factor.
  template <tern::detail::IntArgument T>
  PixelShuffleOptions(const T& upscale_factor) : upscale_factor_(upscale_factor) {}
  /// The factor by which height and width grow.
  TERN_ARG(std::int64_t, upscale_factor);
};

/// Options of PixelUnshuffle.
struct PixelUnshuffleOptions {
  /// Sets downscale_factor.
  template <tern::detail::IntArgument T>
  PixelUnshuffleOptions(const T& downscale_factor) : downscale_factor_(downscale_factor) {}
  /// The factor by which height and width shrink.
  TERN_ARG(std::int64_t, downscale_factor);
};

/// Options of ChannelShuffle.
struct ChannelShuffleOptions {
  /// Sets groups.
  template <tern::detail::IntArgument T>
  ChannelShuffleOptions(const T& groups) : groups_(groups) {}
  /// The number of groups; divides the number of channels.
  TERN_ARG(std::int64_t, groups);
};

namespace functional {
/// Options of the functions; the same as those of the layers.
using PixelShuffleFuncOptions = PixelShuffleOptions;
using PixelUnshuffleFuncOptions = PixelUnshuffleOptions;
using ChannelShuffleFuncOptions = ChannelShuffleOptions;
}  // namespace functional
}  // namespace tern::nn
