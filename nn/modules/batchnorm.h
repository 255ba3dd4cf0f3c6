#pragma once

#include <tern/nn/cloneable.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/batchnorm.h>

namespace tern::nn {

/// Batch normalisation over channels: (x - mean) / sqrt(var + eps) * weight + bias, with the
/// batch's own statistics in training and the running ones in evaluation.
///
/// Shape:      [N, C] or [N, C, L].
/// Parameters: weight [C] (ones) and bias [C] (zeros), if affine.
/// Buffers:    running_mean [C] (zeros), running_var [C] (ones) and num_batches_tracked (int64),
///             if track_running_stats.
class TERN_API BatchNorm1dImpl : public Cloneable<BatchNorm1dImpl> {
 public:
  explicit BatchNorm1dImpl(const BatchNorm1dOptions& options_);

  void reset() override;
  /// Running statistics as at the start.
  void reset_running_stats();
  /// Parameters and statistics as at the start.
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);

  BatchNorm1dOptions options;
  Tensor weight, bias;
  Tensor running_mean, running_var, num_batches_tracked;

 protected:
  bool is_optional_in_state(const std::string& name) const override;
};
TERN_MODULE(BatchNorm1d);

}  // namespace tern::nn
