#pragma once

#include <tern/train/metrics/confusion_matrix.h>

namespace tern::metrics {

/// What Precision, Recall, F1 and IoU share: a confusion matrix and an average.
class TERN_API ClassScore : public TargetMetric {
 public:
  /// Throws Error unless there are at least 2 classes, exactly 2 for Average::Binary.
  explicit ClassScore(StrictInt num_classes, Average average = Average::Macro,
                      const ConfusionMatrixOptions& options = {});

  void update(const Tensor& input, const Tensor& target) override;
  void reset() override;
  State state_dict() const override;
  void load_state_dict(const State& state) override;

  /// Returns the counts.
  const ConfusionMatrix& matrix() const { return matrix_; }
  /// Returns how the classes become one value.
  Average average() const { return average_; }

 private:
  ConfusionMatrix matrix_;
  Average average_;
};

/// The precision of ConfusionMatrix::precision() as a metric of its own.
///
/// Example:
///   metrics::Precision precision(10);  // of 10 classes
///   precision.update(net(batch.data), batch.target);
class TERN_API Precision : public ClassScore {
 public:
  using ClassScore::ClassScore;
  /// Returns the precision, float64 [], or [C] for Average::None.
  Tensor compute() const override;
};

/// The recall of ConfusionMatrix::recall() as a metric of its own.
class TERN_API Recall : public ClassScore {
 public:
  using ClassScore::ClassScore;
  /// Returns the recall, float64 [], or [C] for Average::None.
  Tensor compute() const override;
};

/// The F1 score of ConfusionMatrix::f1() as a metric of its own.
class TERN_API F1 : public ClassScore {
 public:
  using ClassScore::ClassScore;
  /// Returns the F1 score, float64 [], or [C] for Average::None.
  Tensor compute() const override;
};

/// The mean intersection over union of ConfusionMatrix::iou() as a metric of its own: the usual
/// score of segmentation, over all pixels of all batches.
///
/// Shape: input logits [N, C, H, W] or classes [N, H, W], target [N, H, W]
///
/// Example:
///   metrics::IoU iou(21, metrics::Average::Macro,
///                    metrics::ConfusionMatrixOptions().ignore_index(255));
class TERN_API IoU : public ClassScore {
 public:
  using ClassScore::ClassScore;
  /// Returns the intersection over union, float64 [], or [C] for Average::None.
  Tensor compute() const override;
};

/// The Dice coefficient over all pixels of all batches: 2 * intersection / (predicted + targets),
/// which is F1.
class TERN_API Dice : public F1 {
 public:
  using F1::F1;
};

}  // namespace tern::metrics
