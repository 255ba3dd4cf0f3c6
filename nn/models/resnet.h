#pragma once

#include <cstdint>
#include <vector>

#include <tern/nn/containers/sequential.h>
#include <tern/nn/modules/activation.h>
#include <tern/nn/modules/adaptive.h>
#include <tern/nn/modules/batch_norm.h>
#include <tern/nn/modules/conv.h>
#include <tern/nn/modules/linear.h>
#include <tern/nn/modules/pooling.h>
#include <tern/nn/options/options_arg.h>

namespace tern::models {

/// The residual blocks: two convolutions of 3 x 3, or one of 3 x 3 between two of 1 x 1, whose
/// result has four times the channels.
enum class ResNetBlock : std::uint8_t { kBasic, kBottleneck };

/// Options of ResNet.
struct ResNetOptions {
  /// Sets the kind of the blocks and the number of blocks of each of the four layers.
  ResNetOptions(ResNetBlock block, std::vector<std::int64_t> layers)
      : block_(block), layers_(std::move(layers)) {}
  /// The kind of the blocks.
  TERN_ARG(ResNetBlock, block);
  /// The number of blocks of each of the four layers.
  TERN_ARG(std::vector<std::int64_t>, layers);
  /// The number of results.
  TERN_ARG(std::int64_t, num_classes) = 1000;
  /// True: the last norm of each block starts with weight 0, so that the block is the identity.
  TERN_ARG(bool, zero_init_residual) = false;
  /// The groups of the convolutions of 3 x 3; other than 1 makes a ResNeXt of bottlenecks.
  TERN_ARG(std::int64_t, groups) = 1;
  /// The channels of a group in the first layer; 128 makes a wide ResNet of bottlenecks.
  TERN_ARG(std::int64_t, width_per_group) = 64;
};

/// Residual network (He et al., 2015), with the stride of a bottleneck in its convolution of 3 x 3,
/// as torchvision's.
///
/// Shape: [N, 3, H, W] -> [N, num_classes]; made for 224 x 224, any size works
///
/// Example:
///   models::ResNet net = models::resnet18();
///   net->fc = net->replace_module("fc", nn::Linear(512, 10).ptr());  // another task
class TERN_API ResNetImpl : public nn::Cloneable<ResNetImpl> {
 public:
  /// Makes the layers. Throws Error unless there are four layers with a block each, and for groups
  /// or another width with basic blocks.
  explicit ResNetImpl(ResNetOptions options_);

  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the scores of the classes (logits).
  Tensor forward(Tensor x);

  /// The options given to the constructor.
  ResNetOptions options;
  /// The first convolution, of 7 x 7.
  nn::Conv2d conv1{nullptr};
  /// Normalises its result.
  nn::BatchNorm2d bn1{nullptr};
  /// Follows bn1.
  nn::ReLU relu{nullptr};
  /// Halves the images before the blocks.
  nn::MaxPool2d maxpool{nullptr};
  /// Blocks of 64 channels, for bottlenecks 256.
  nn::Sequential layer1{nullptr};
  /// Blocks of 128 channels, for bottlenecks 512; half as high and wide.
  nn::Sequential layer2{nullptr};
  /// Blocks of 256 channels, for bottlenecks 1024; half as high and wide.
  nn::Sequential layer3{nullptr};
  /// Blocks of 512 channels, for bottlenecks 2048; half as high and wide.
  nn::Sequential layer4{nullptr};
  /// Averages the images.
  nn::AdaptiveAvgPool2d avgpool{nullptr};
  /// The scores of the classes.
  nn::Linear fc{nullptr};
};
TERN_MODULE(ResNet);

/// Makes a ResNet of 18 layers: 11.7 million parameters.
TERN_API ResNet resnet18(StrictInt num_classes = 1000);
/// Makes a ResNet of 34 layers: 21.8 million parameters.
TERN_API ResNet resnet34(StrictInt num_classes = 1000);
/// Makes a ResNet of 50 layers: 25.6 million parameters.
TERN_API ResNet resnet50(StrictInt num_classes = 1000);
/// Makes a ResNet of 101 layers: 44.5 million parameters.
TERN_API ResNet resnet101(StrictInt num_classes = 1000);
/// Makes a ResNet of 152 layers: 60.2 million parameters.
TERN_API ResNet resnet152(StrictInt num_classes = 1000);

}  // namespace tern::models
