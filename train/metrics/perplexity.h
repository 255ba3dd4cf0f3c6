#pragma once

#include <cstdint>
#include <optional>

#include <tern/nn/options/options_arg.h>
#include <tern/train/metrics/metric.h>

namespace tern::metrics {

/// Options of Perplexity.
struct PerplexityOptions {
  /// Targets with this value do not count, for padding.
  TERN_ARG(std::optional<std::int64_t>, ignore_index);
};

/// The perplexity of a language model: e to the mean cross-entropy of all targets.
///
/// Shape: input [V], [N, V] or [N, L, V], logits of V tokens in the last dimension, where
/// cross_entropy has classes in dimension 1; target [], [N] or [N, L] of an integer dtype
/// Throws: ShapeError and DTypeError for other arguments; IndexError for a target out of range, on
/// a GPU from compute().
class TERN_API Perplexity : public TargetMetric {
 public:
  /// Starts without a batch.
  explicit Perplexity(const PerplexityOptions& options = {});

  void update(const Tensor& input, const Tensor& target) override;
  /// Returns the perplexity, float64 [].
  Tensor compute() const override;
  void reset() override;
  State state_dict() const override;
  void load_state_dict(const State& state) override;

 private:
  PerplexityOptions options_;
  Tensor sums_;  // float64 [3]: cross-entropy, counted targets, targets out of range
};

}  // namespace tern::metrics
