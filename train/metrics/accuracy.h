#pragma once

#include <cstdint>
#include <optional>

#include <tern/nn/options/options_arg.h>
#include <tern/train/metrics/metric.h>

namespace tern::metrics {

/// Options of Accuracy.
struct AccuracyOptions {
  /// A sample is right if its class is among the `top_k` classes with the largest scores. Of equal
  /// scores, that of the lower class counts as larger. A class whose score is NaN is never among
  /// them if `top_k` is above 1.
  TERN_ARG(std::int64_t, top_k) = 1;
  /// The lowest probability that means class 1. For logits, 0.
  TERN_ARG(double, threshold) = 0.5;
  /// Targets with this value do not count.
  TERN_ARG(std::optional<std::int64_t>, ignore_index);
};

/// The share of right predictions.
///
/// Shape: scores [N, C] or [N, C, d1, ..] with targets [N] or [N, d1, ..]; or predicted classes of
/// an integer dtype, or probabilities of class 1 of a floating dtype, with targets of equal sizes.
/// Throws: ShapeError and DTypeError for other arguments; IndexError for a target out of range, on
/// a GPU from compute().
///
/// Example:
///   metrics::Accuracy accuracy;
///   for (auto& batch : *loader) accuracy.update(net(batch.data), batch.target);
///   double share = accuracy.value();
class TERN_API Accuracy : public TargetMetric {
 public:
  /// Throws Error unless top_k is positive.
  explicit Accuracy(const AccuracyOptions& options = {});

  void update(const Tensor& input, const Tensor& target) override;
  /// Returns the share of right predictions, float64 [].
  Tensor compute() const override;
  void reset() override;
  State state_dict() const override;
  void load_state_dict(const State& state) override;

  /// Returns the options.
  const AccuracyOptions& options() const { return options_; }

 private:
  AccuracyOptions options_;
  Tensor sums_;  // int64 [3]: right, counted, out of range
};

}  // namespace tern::metrics
