#pragma once

#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/batch_norm.h>

namespace tern::nn {

/// Batch normalisation over channels (Ioffe and Szegedy, 2015): (x - mean) / sqrt(var + eps) *
/// weight + bias. Uses the batch's own statistics in training and the running statistics in
/// evaluation.
///
/// Shape: [N, C] or [N, C, L]; the result has the same shape
/// Parameters: weight [C] (ones) and bias [C] (zeros), if affine
/// Buffers: running_mean [C] (zeros), running_var [C] (ones) and num_batches_tracked (int64), if
/// track_running_stats
///
/// Example:
///   nn::BatchNorm1d bn(nn::BatchNorm1dOptions(64).momentum(0.01));
class TERN_API BatchNorm1dImpl : public Cloneable<BatchNorm1dImpl> {
 public:
  /// Makes parameters and buffers. A bare number is num_features.
  explicit BatchNorm1dImpl(const BatchNorm1dOptions& options_);

  void reset() override;
  /// Sets the running statistics to their initial values.
  void reset_running_stats();
  /// Sets parameters and running statistics to their initial values.
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  /// Returns the normalised input; in training, updates the running statistics. Throws ShapeError
  /// for another shape, and in training if a channel has only one value.
  Tensor forward(const Tensor& input);

  /// The options given to the constructor.
  BatchNorm1dOptions options;
  /// The parameters; undefined unless affine.
  Tensor weight, bias;
  /// The buffers; undefined unless track_running_stats.
  Tensor running_mean, running_var, num_batches_tracked;

 protected:
  bool is_optional_in_state(const std::string& name) const override;
};
TERN_MODULE(BatchNorm1d);

}  // namespace tern::nn
