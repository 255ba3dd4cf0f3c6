#pragma once

#include <cstdint>

#include <tern/core/base/strict.h>
#include <tern/core/ops/nn/pixel_shuffle.h>
#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>
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

}  // namespace functional

/// Moves elements from the channels into height and width (Shi et al., 2016).
///
/// Shape: [.., c * r * r, h, w] -> [.., c, h * r, w * r] with upscale_factor = r
class TERN_API PixelShuffleImpl : public Cloneable<PixelShuffleImpl> {
 public:
  /// Makes the module; a bare number is the option.
  explicit PixelShuffleImpl(const PixelShuffleOptions& options_);
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  /// Returns the rearranged input. Throws ShapeError unless r * r divides the
  /// channels.
  Tensor forward(const Tensor& input);

  /// The options given to the constructor.
  PixelShuffleOptions options;
};
TERN_MODULE(PixelShuffle);

/// Reverses PixelShuffle.
///
/// Shape: [.., c, h * r, w * r] -> [.., c * r * r, h, w] with downscale_factor = r
class TERN_API PixelUnshuffleImpl : public Cloneable<PixelUnshuffleImpl> {
 public:
  /// Makes the module; a bare number is the option.
  explicit PixelUnshuffleImpl(const PixelUnshuffleOptions& options_);
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  /// Returns the rearranged input. Throws ShapeError unless r divides height and
  /// width.
  Tensor forward(const Tensor& input);

  /// The options given to the constructor.
  PixelUnshuffleOptions options;
};
TERN_MODULE(PixelUnshuffle);

/// Cuts the channels into groups and takes one channel of each group in turn (Zhang et al., 2018).
///
/// Shape: [N, C, ...]; the result has the same shape
class TERN_API ChannelShuffleImpl : public Cloneable<ChannelShuffleImpl> {
 public:
  /// Makes the module; a bare number is the option.
  explicit ChannelShuffleImpl(const ChannelShuffleOptions& options_);
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  /// Returns the rearranged input. Throws ShapeError unless the number of groups
  /// divides the channels.
  Tensor forward(const Tensor& input);

  /// The options given to the constructor.
  ChannelShuffleOptions options;
};
TERN_MODULE(ChannelShuffle);

}  // namespace tern::nn
