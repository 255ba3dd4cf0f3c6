#pragma once

#include <cstdint>

#include <tern/nn/containers/sequential.h>
#include <tern/nn/options/options_arg.h>

namespace tern::models {

/// Options of MobileNetV2.
struct MobileNetV2Options {
  /// The number of results.
  TERN_ARG(std::int64_t, num_classes) = 1000;
  /// Multiplies the channels of each layer.
  TERN_ARG(double, width_mult) = 1;
  /// What the numbers of channels are rounded to a multiple of.
  TERN_ARG(std::int64_t, round_nearest) = 8;
  /// The probability that the classifier drops an element in training.
  TERN_ARG(double, dropout) = 0.2;
};

/// MobileNetV2 (Sandler et al., 2018), as torchvision's.
///
/// Shape: [N, 3, H, W] -> [N, num_classes]; made for 224 x 224, any size works
class TERN_API MobileNetV2Impl : public nn::Cloneable<MobileNetV2Impl> {
 public:
  /// Makes the layers. Throws Error unless width_mult and round_nearest are positive.
  explicit MobileNetV2Impl(const MobileNetV2Options& options_ = {});

  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the scores of the classes (logits).
  Tensor forward(const Tensor& x);

  /// The options given to the constructor.
  MobileNetV2Options options;
  /// The convolutions; forward() averages the images that they return.
  nn::Sequential features{nullptr};
  /// Dropout and the linear layer.
  nn::Sequential classifier{nullptr};
};
TERN_MODULE(MobileNetV2);

/// Makes a MobileNetV2: 3.5 million parameters.
TERN_API MobileNetV2 mobilenet_v2(StrictInt num_classes = 1000);

}  // namespace tern::models
