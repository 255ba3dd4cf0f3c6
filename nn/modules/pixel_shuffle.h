#pragma once

#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/pixel_shuffle.h>

namespace tern::nn {

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
