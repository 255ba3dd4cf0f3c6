#pragma once

#include <tern/nn/cloneable.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/loss.h>

// Losses reduce to their mean unless the options say otherwise. Weights are buffers: they move and
// are saved with the module.

namespace tern::nn {

/// (input - target)^2.
class TERN_API MSELossImpl : public Cloneable<MSELossImpl> {
 public:
  explicit MSELossImpl(const MSELossOptions& options_ = {}) : options(options_) {}
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input, const Tensor& target);

  MSELossOptions options;
};
TERN_MODULE(MSELoss);

/// -(t log x + (1 - t) log(1 - x)) of probabilities x, logs at least -100.
class TERN_API BCELossImpl : public Cloneable<BCELossImpl> {
 public:
  explicit BCELossImpl(const BCELossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input, const Tensor& target);

  BCELossOptions options;
  Tensor weight;
};
TERN_MODULE(BCELoss);

/// BCELoss of sigmoid(input), computed without overflow.
class TERN_API BCEWithLogitsLossImpl : public Cloneable<BCEWithLogitsLossImpl> {
 public:
  explicit BCEWithLogitsLossImpl(const BCEWithLogitsLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input, const Tensor& target);

  BCEWithLogitsLossOptions options;
  Tensor weight, pos_weight;
};
TERN_MODULE(BCEWithLogitsLoss);

/// -log_softmax(input)[target]; input holds the classes in dimension 1, target class numbers or
/// probabilities.
class TERN_API CrossEntropyLossImpl : public Cloneable<CrossEntropyLossImpl> {
 public:
  explicit CrossEntropyLossImpl(const CrossEntropyLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input, const Tensor& target);

  CrossEntropyLossOptions options;
  Tensor weight;
};
TERN_MODULE(CrossEntropyLoss);

}  // namespace tern::nn
