#pragma once

#include <cstdint>

#include <tern/nn/modules/conv.h>
#include <tern/nn/modules/linear.h>
#include <tern/nn/options/options_arg.h>

namespace tern::models {

/// Options of LeNet.
struct LeNetOptions {
  /// The number of results.
  TERN_ARG(std::int64_t, num_classes) = 10;
  /// The channels of the images.
  TERN_ARG(std::int64_t, in_channels) = 1;
  /// The height and width of the images: 28, or 32 for images that have a border.
  TERN_ARG(std::int64_t, image_size) = 28;
};

/// LeNet-5 (LeCun et al., 1998) with ReLU and max pooling, as in PyTorch's tutorials.
///
/// Shape: [N, in_channels, image_size, image_size] -> [N, num_classes]
class TERN_API LeNetImpl : public nn::Cloneable<LeNetImpl> {
 public:
  /// Makes the layers. Throws Error unless image_size is 28 or 32.
  explicit LeNetImpl(const LeNetOptions& options_ = {});

  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the scores of the classes (logits).
  Tensor forward(Tensor x);

  /// The options given to the constructor.
  LeNetOptions options;
  /// The first convolution: 6 channels.
  nn::Conv2d conv1{nullptr};
  /// The second convolution: 16 channels.
  nn::Conv2d conv2{nullptr};
  /// The first linear layer: 120 numbers.
  nn::Linear fc1{nullptr};
  /// The second linear layer: 84 numbers.
  nn::Linear fc2{nullptr};
  /// The scores.
  nn::Linear fc3{nullptr};
};
TERN_MODULE(LeNet);

/// Makes a LeNet for digits of 28 x 28: 61,706 parameters.
TERN_API LeNet lenet(StrictInt num_classes = 10);

}  // namespace tern::models
