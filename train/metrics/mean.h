#pragma once

#include <tern/core/base/strict.h>
#include <tern/train/metrics/metric.h>

namespace tern::metrics {

/// The weighted mean of numbers and tensors, summed in float64: for losses, times and rates.
///
/// Example:
///   metrics::Mean loss_mean;
///   loss_mean.update(loss, batch.data.size(0));  // the mean loss of a batch, by its samples
///   double mean = loss_mean.value();
class TERN_API Mean : public Metric {
 public:
  /// Adds a number. Throws Error for a negative or NaN weight.
  void update(StrictNumber value, StrictNumber weight = 1);
  /// Adds all elements of `values`, each with this weight. Does not wait for the device. Throws
  /// Error for a negative or NaN weight.
  void update(const Tensor& values, StrictNumber weight = 1);
  /// Adds all elements of `values` with the weights that belong to them. Throws ShapeError unless
  /// `weights` broadcasts to the sizes of `values`.
  void update(const Tensor& values, const Tensor& weights);

  /// Returns the sum of weight * value divided by the sum of the weights, float64 [].
  Tensor compute() const override;
  void reset() override;
  State state_dict() const override;
  void load_state_dict(const State& state) override;

 private:
  Tensor host_sums() const;

  double sum_ = 0;     // of the numbers, by weight
  double weight_ = 0;  // of the numbers
  Tensor sums_;        // float64 [2]: the same of the tensors
};

}  // namespace tern::metrics
