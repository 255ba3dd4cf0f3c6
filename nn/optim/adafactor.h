#pragma once

#include <tern/nn/optim/optimizer_of.h>

namespace tern::optim {

/// epsilon1 and epsilon2 of Adafactor. An empty epsilon1 is the epsilon of the parameter's dtype.
using AdafactorEps = std::tuple<std::optional<double>, double>;

/// Options of Adafactor.
struct TERN_API AdafactorOptions : public OptimizerCloneableOptions<AdafactorOptions> {
  /// Leaves every option at its default.
  AdafactorOptions();
  /// Sets the learning rate.
  AdafactorOptions(double lr);
  /// The largest relative step size, and the factor of the weight decay.
  TERN_OPTIM_ARG(double, lr, .newer = "Learning rate") = 1e-2;
  /// The power by which the weight of new squares decays: it is t^beta2_decay in step t.
  TERN_OPTIM_ARG(double, beta2_decay, .least = -kInf, .most = 0, .newer = "beta2_decay") = -0.8;
  /// The lower bounds of the estimated variance and of the parameter's size.
  TERN_OPTIM_ARG(AdafactorEps, eps) = AdafactorEps(std::nullopt, 1e-3);
  /// The largest root mean square of an update.
  TERN_OPTIM_ARG(double, d, .least = 1, .most = kInf, .newer = "Clipping threshold d") = 1.0;
  /// The decay of the parameter: each step multiplies it by 1 - lr * weight_decay.
  TERN_OPTIM_ARG(double, weight_decay, .newer = "weight_decay") = 0;
  /// True: steps go up the gradient.
  TERN_OPTIM_ARG(bool, maximize) = false;

 public:
  /// Throws Error if a number is out of its range ("Learning rate should be >= 0 but is: -1").
  void check() const override;
};
extern template class OptimizerCloneableOptions<AdafactorOptions>;

/// The state of Adafactor for one parameter.
struct TERN_API AdafactorParamState : public OptimizerCloneableParamState<AdafactorParamState> {
  /// The number of steps so far.
  TERN_OPTIM_STATE(std::int64_t, step) = 0;
  /// The average of the squared gradient over the last dimension; for two dimensions and more.
  TERN_OPTIM_STATE(Tensor, row_var);
  /// The same over the dimension before the last.
  TERN_OPTIM_STATE(Tensor, col_var);
  /// The average of the squared gradient; for fewer dimensions.
  TERN_OPTIM_STATE(Tensor, variance);

 public:
  /// Copies the entries of `state` to the device and dtype of `parameter`.
  void load(const State& state, const Tensor& parameter) override;
  /// Throws Error if steps were taken but a tensor is missing.
  void check() const override;
};
extern template class OptimizerCloneableParamState<AdafactorParamState>;

/// Adafactor (Shazeer and Stern, 2018) as in PyTorch: stores the variance of a matrix as one row
/// and one column.
///
///   v += t^beta2_decay * (g^2 - v)      // of a matrix: row * column / mean of the row
///   u = g / max(sqrt(v), epsilon1)
///   p -= lr * weight_decay * p
///   p -= min(lr, 1 / sqrt(t)) * max(epsilon2, RMS(p)) * u / max(1, RMS(u) / d)
///
/// The step is composed of tensor ops and waits for the device.
class TERN_API Adafactor : public OptimizerOf<AdafactorOptions, AdafactorParamState> {
 public:
  using OptimizerOf::OptimizerOf;

  /// Changes every parameter that has a gradient; see Optimizer::step().
  Tensor step(LossClosure closure = nullptr) override;
};

}  // namespace tern::optim
