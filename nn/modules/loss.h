#pragma once

#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/loss.h>

// Losses reduce to their mean unless the options say otherwise. Weights are buffers: they move with
// the module and are saved.

namespace tern::nn {

/// Squared error (input - target)^2, by default its mean over all elements.
///
/// Shape: input and target of one shape -> [] (the input's shape with reduction kNone)
class TERN_API MSELossImpl : public Cloneable<MSELossImpl> {
 public:
  /// Makes the module.
  explicit MSELossImpl(const MSELossOptions& options_ = {}) : options(options_) {}
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  /// Returns the loss; see tern::mse_loss().
  Tensor forward(const Tensor& input, const Tensor& target);

  /// The options given to the constructor.
  MSELossOptions options;
};
TERN_MODULE(MSELoss);

/// Binary cross-entropy -(t log x + (1 - t) log(1 - x)) of probabilities x, by default its mean.
/// Each log is at least -100.
///
/// Shape: input and target of one shape -> [] (the input's shape with reduction kNone)
/// Buffers: weight, if given
class TERN_API BCELossImpl : public Cloneable<BCELossImpl> {
 public:
  /// Makes the module and registers the weight.
  explicit BCELossImpl(const BCELossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the loss; see tern::binary_cross_entropy().
  Tensor forward(const Tensor& input, const Tensor& target);

  /// The options given to the constructor.
  BCELossOptions options;
  /// The factor of each element's loss; undefined means 1.
  Tensor weight;
};
TERN_MODULE(BCELoss);

/// Binary cross-entropy of sigmoid(input), computed without overflow, by default its mean.
///
/// Shape: input and target of one shape -> [] (the input's shape with reduction kNone)
/// Buffers: weight and pos_weight, if given
class TERN_API BCEWithLogitsLossImpl : public Cloneable<BCEWithLogitsLossImpl> {
 public:
  /// Makes the module and registers the weights.
  explicit BCEWithLogitsLossImpl(const BCEWithLogitsLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the loss; see tern::binary_cross_entropy_with_logits().
  Tensor forward(const Tensor& input, const Tensor& target);

  /// The options given to the constructor.
  BCEWithLogitsLossOptions options;
  /// The factors of each element's loss and of its positive term; undefined means 1.
  Tensor weight, pos_weight;
};
TERN_MODULE(BCEWithLogitsLoss);

/// Cross-entropy -log_softmax(input)[target], by default its mean.
///
/// Shape: input [C], [N, C] or [N, C, d1, ..]; int64 target [], [N] or [N, d1, ..], or class
/// probabilities of the input's shape
/// Buffers: weight [C], if given
class TERN_API CrossEntropyLossImpl : public Cloneable<CrossEntropyLossImpl> {
 public:
  /// Makes the module and registers the weight.
  explicit CrossEntropyLossImpl(const CrossEntropyLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the loss; see tern::cross_entropy_loss().
  Tensor forward(const Tensor& input, const Tensor& target);

  /// The options given to the constructor.
  CrossEntropyLossOptions options;
  /// The factor of each class; undefined means 1.
  Tensor weight;
};
TERN_MODULE(CrossEntropyLoss);

}  // namespace tern::nn
