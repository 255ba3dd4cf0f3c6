#pragma once

#include <cstdint>
#include <vector>

#include <tern/nn/containers/sequential.h>
#include <tern/nn/modules/adaptive.h>
#include <tern/nn/modules/pooling.h>
#include <tern/nn/options/options_arg.h>

namespace tern::models {

/// Options of VGG.
struct VGGOptions {
  /// Sets the number of convolutions of each of the five stages.
  explicit VGGOptions(std::vector<std::int64_t> stages) : stages_(std::move(stages)) {}
  /// The number of convolutions of each of the five stages.
  TERN_ARG(std::vector<std::int64_t>, stages);
  /// True: a BatchNorm2d follows each convolution.
  TERN_ARG(bool, batch_norm) = false;
  /// The number of results.
  TERN_ARG(std::int64_t, num_classes) = 1000;
  /// The probability that the classifier drops an element in training.
  TERN_ARG(double, dropout) = 0.5;
};

/// VGG (Simonyan and Zisserman, 2014), as torchvision's.
///
/// Shape: [N, 3, H, W] -> [N, num_classes]; made for 224 x 224, at least 32 x 32
class TERN_API VGGImpl : public nn::Cloneable<VGGImpl> {
 public:
  /// Makes the layers. Throws Error unless there are five stages with a convolution each.
  explicit VGGImpl(VGGOptions options_);

  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the scores of the classes (logits).
  Tensor forward(const Tensor& x);

  /// The options given to the constructor.
  VGGOptions options;
  /// The convolutions.
  nn::Sequential features{nullptr};
  /// Makes images of a fixed size of their results.
  nn::AdaptiveAvgPool2d avgpool{nullptr};
  /// The linear layers.
  nn::Sequential classifier{nullptr};
};
TERN_MODULE(VGG);

/// Makes a VGG of 11 layers: 132.9 million parameters.
TERN_API VGG vgg11(StrictInt num_classes = 1000);
/// Makes a VGG of 11 layers with batch normalisation.
TERN_API VGG vgg11_bn(StrictInt num_classes = 1000);
/// Makes a VGG of 13 layers: 133.0 million parameters.
TERN_API VGG vgg13(StrictInt num_classes = 1000);
/// Makes a VGG of 13 layers with batch normalisation.
TERN_API VGG vgg13_bn(StrictInt num_classes = 1000);
/// Makes a VGG of 16 layers: 138.4 million parameters.
TERN_API VGG vgg16(StrictInt num_classes = 1000);
/// Makes a VGG of 16 layers with batch normalisation.
TERN_API VGG vgg16_bn(StrictInt num_classes = 1000);
/// Makes a VGG of 19 layers: 143.7 million parameters.
TERN_API VGG vgg19(StrictInt num_classes = 1000);
/// Makes a VGG of 19 layers with batch normalisation.
TERN_API VGG vgg19_bn(StrictInt num_classes = 1000);

}  // namespace tern::models
