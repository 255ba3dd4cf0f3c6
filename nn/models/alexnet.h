#pragma once

#include <cstdint>

#include <tern/nn/containers/sequential.h>
#include <tern/nn/modules/adaptive.h>
#include <tern/nn/modules/pooling.h>
#include <tern/nn/options/options_arg.h>

namespace tern::models {

/// Options of AlexNet.
struct AlexNetOptions {
  /// The number of results.
  TERN_ARG(std::int64_t, num_classes) = 1000;
  /// The probability that the classifier drops an element in training.
  TERN_ARG(double, dropout) = 0.5;
};

/// AlexNet (Krizhevsky, 2014), as torchvision's.
///
/// Shape: [N, 3, H, W] -> [N, num_classes]; made for 224 x 224, at least 63 x 63
class TERN_API AlexNetImpl : public nn::Cloneable<AlexNetImpl> {
 public:
  /// Makes the layers.
  explicit AlexNetImpl(const AlexNetOptions& options_ = {});

  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the scores of the classes (logits).
  Tensor forward(const Tensor& x);

  /// The options given to the constructor.
  AlexNetOptions options;
  /// The convolutions.
  nn::Sequential features{nullptr};
  /// Makes images of a fixed size of their results.
  nn::AdaptiveAvgPool2d avgpool{nullptr};
  /// The linear layers.
  nn::Sequential classifier{nullptr};
};
TERN_MODULE(AlexNet);

/// Makes an AlexNet: 61.1 million parameters.
TERN_API AlexNet alexnet(StrictInt num_classes = 1000);

}  // namespace tern::models
