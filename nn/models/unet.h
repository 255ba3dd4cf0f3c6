#pragma once

#include <cstdint>

#include <tern/nn/containers/sequential.h>
#include <tern/nn/options/options_arg.h>

namespace tern::models {

/// Options of UNet.
struct UNetOptions {
  /// Sets the channels of the images and of the result.
  UNetOptions(StrictInt n_channels, StrictInt n_classes)
      : n_channels_(n_channels), n_classes_(n_classes) {}
  /// The channels of the images.
  TERN_ARG(std::int64_t, n_channels);
  /// The channels of the result.
  TERN_ARG(std::int64_t, n_classes);
  /// True: enlarges by interpolation; false: by transposed convolutions.
  TERN_ARG(bool, bilinear) = false;
  /// The channels of the first level; each of the four levels below has twice as many.
  TERN_ARG(std::int64_t, width) = 64;
};

/// U-Net (Ronneberger et al., 2015) with padding and batch normalisation: a class for each pixel.
/// torchvision has none; names and keys are those of github.com/milesial/Pytorch-UNet.
///
/// Shape: [N, n_channels, H, W] -> [N, n_classes, H, W], at least 16 x 16
class TERN_API UNetImpl : public nn::Cloneable<UNetImpl> {
 public:
  /// Makes the layers.
  UNetImpl(StrictInt n_channels, StrictInt n_classes)
      : UNetImpl(UNetOptions(n_channels, n_classes)) {}
  explicit UNetImpl(const UNetOptions& options_);

  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the scores of the classes (logits) of each pixel.
  Tensor forward(const Tensor& x);

  /// The options given to the constructor.
  UNetOptions options;
  /// The first level: two convolutions.
  nn::Sequential inc{nullptr};
  /// The second level: halves the images, and two convolutions.
  nn::Sequential down1{nullptr};
  /// The third level.
  nn::Sequential down2{nullptr};
  /// The fourth level.
  nn::Sequential down3{nullptr};
  /// The lowest level.
  nn::Sequential down4{nullptr};
  /// Up to the fourth level: "up" enlarges, "conv" joins the result with that of the way down.
  nn::Sequential up1{nullptr};
  /// Up to the third level.
  nn::Sequential up2{nullptr};
  /// Up to the second level.
  nn::Sequential up3{nullptr};
  /// Up to the first level.
  nn::Sequential up4{nullptr};
  /// The classes.
  nn::Sequential outc{nullptr};
};
TERN_MODULE(UNet);

/// Makes a U-Net: 31.0 million parameters.
TERN_API UNet unet(StrictInt n_channels = 3, StrictInt n_classes = 2);

}  // namespace tern::models
