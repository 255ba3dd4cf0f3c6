#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <tern/train/metrics/confusion_matrix.h>

namespace tern::metrics {

/// The area under the ROC curve: the probability that a random sample of a class has a larger score
/// for this class than a random sample of another class; equal scores count half. Exact, because it
/// stores all scores: 4 bytes per float32 score and 8 per target.
///
/// Shape: without num_classes, scores of class 1 and targets of equal sizes, where targets are 0 or
/// 1 in an integer dtype or bool; with num_classes C, scores [N, C] and targets [N], each class
/// against all others
/// Throws: ShapeError and DTypeError for other arguments; IndexError for a target out of range, on
/// a GPU from compute(); Error from compute() for a NaN among the scores.
///
/// Example:
///   metrics::AUROC auroc;
///   auroc.update(net(batch.data).squeeze(1), batch.target);
///   double area = auroc.value();
class TERN_API AUROC : public TargetMetric {
 public:
  /// For two classes.
  AUROC();
  /// For C classes; the average is Macro, Weighted or None. Throws Error for another average and
  /// unless there are at least 2 classes.
  explicit AUROC(StrictInt num_classes, Average average = Average::Macro);

  void update(const Tensor& input, const Tensor& target) override;
  /// Returns the area, float64 [], or [C] for Average::None. A class without a sample, or without a
  /// sample of another class, has NaN and does not count in averages.
  Tensor compute() const override;
  void reset() override;
  /// Returns all scores and targets.
  State state_dict() const override;
  void load_state_dict(const State& state) override;
  void all_reduce(const distributed::ProcessGroup& group) override;

 private:
  Tensor all_scores() const;
  Tensor all_targets() const;

  std::int64_t columns_ = 1;  // classes with scores
  Average average_ = Average::Macro;
  std::vector<Tensor> scores_;   // [N, columns] each
  std::vector<Tensor> targets_;  // int64 [N] each
};

}  // namespace tern::metrics
