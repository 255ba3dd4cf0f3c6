#pragma once

#include <string>

#include <tern/nn/optim/optimizer_of.h>

namespace tern::optim {

/// The coefficients a, b and c of a Newton-Schulz iteration: x = a * x + (b * A + c * A^2) * x with
/// A = x * x^T.
using NsCoefficients = std::tuple<double, double, double>;

/// Options of Muon.
struct TERN_API MuonOptions : public OptimizerCloneableOptions<MuonOptions> {
  /// Leaves every option at its default.
  MuonOptions();
  /// Sets the learning rate.
  MuonOptions(double lr);
  /// The learning rate.
  TERN_OPTIM_ARG(double, lr, .newer = "Learning rate") = 1e-3;
  /// The decay of the parameter: each step multiplies it by 1 - lr * weight_decay.
  TERN_OPTIM_ARG(double, weight_decay, .newer = "weight decay") = 0.1;
  /// The decay of the average of the gradient.
  TERN_OPTIM_ARG(double, momentum, .newer = "momentum") = 0.95;
  /// True: Nesterov's momentum.
  TERN_OPTIM_ARG(bool, nesterov) = true;
  /// The coefficients of the Newton-Schulz iteration.
  TERN_OPTIM_ARG(NsCoefficients, ns_coefficients) = NsCoefficients(3.4445, -4.775, 2.0315);
  /// The lower bound of the norm by which the update is divided.
  TERN_OPTIM_ARG(double, eps, .unchecked = true) = 1e-7;
  /// The number of Newton-Schulz iterations, below 100.
  TERN_OPTIM_ARG(std::int64_t, ns_steps, .newer = "ns_steps") = 5;
  /// How the learning rate depends on the rows A and columns B of a matrix. "original" or empty:
  /// sqrt(max(1, A / B)). "match_rms_adamw": 0.2 * sqrt(max(A, B)). "spectral_unclamped":
  /// sqrt(A / B).
  TERN_OPTIM_ARG(std::optional<std::string>, adjust_lr_fn) = std::nullopt;

 public:
  /// Throws Error if a number is out of its range ("Learning rate should be >= 0 but is: -1").
  void check() const override;
};
extern template class OptimizerCloneableOptions<MuonOptions>;

/// The state of Muon for one parameter.
struct TERN_API MuonParamState : public OptimizerCloneableParamState<MuonParamState> {
  /// The average of the gradient.
  TERN_OPTIM_STATE(Tensor, momentum_buffer);
};
extern template class OptimizerCloneableParamState<MuonParamState>;

/// Muon (Jordan et al., 2024), for the matrices in the hidden layers of a network: steps along the
/// momentum, whose singular values a Newton-Schulz iteration in bfloat16 has moved close to 1. Use
/// another optimizer, such as AdamW, for biases, embeddings and the last layer.
///
/// The step is composed of tensor ops.
class TERN_API Muon : public OptimizerOf<MuonOptions, MuonParamState> {
 public:
  /// Optimizes the parameters or groups of parameters. Throws Error like Optimizer's constructor,
  /// for options out of range, and for a parameter that is no matrix.
  explicit Muon(std::vector<OptimizerParamGroup> param_groups, const MuonOptions& defaults = {});
  explicit Muon(std::vector<Tensor> params, const MuonOptions& defaults = {});

  /// Changes every parameter that has a gradient; see Optimizer::step().
  Tensor step(LossClosure closure = nullptr) override;
};

}  // namespace tern::optim
