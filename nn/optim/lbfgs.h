#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tern/nn/optim/optimizer_of.h>

namespace tern::optim {

/// Options of LBFGS.
struct TERN_API LBFGSOptions : public OptimizerCloneableOptions<LBFGSOptions> {
  /// Leaves every option at its default.
  LBFGSOptions();
  /// Sets the learning rate.
  LBFGSOptions(double lr);
  /// The learning rate: the first trial of a line search, and the step size without one.
  TERN_OPTIM_ARG(double, lr) = 1;
  /// The most iterations of a step.
  TERN_OPTIM_ARG(std::int64_t, max_iter) = 20;
  /// The most calls of the closure in a step. Empty: max_iter * 5 / 4.
  TERN_OPTIM_ARG(std::optional<std::int64_t>, max_eval) = std::nullopt;
  /// A step ends when no element of the gradient is larger.
  TERN_OPTIM_ARG(double, tolerance_grad, .unchecked = true) = 1e-7;
  /// A step ends when the parameters or the loss change by less.
  TERN_OPTIM_ARG(double, tolerance_change, .unchecked = true) = 1e-9;
  /// The number of past changes that are stored.
  TERN_OPTIM_ARG(std::int64_t, history_size, .least = 1) = 100;
  /// "strong_wolfe", or empty for steps of a fixed size.
  TERN_OPTIM_ARG(std::optional<std::string>, line_search_fn) = std::nullopt;
  /// True: steps go up the gradient.
  TERN_OPTIM_ARG(bool, maximize, .later = true) = false;

 public:
  /// Throws Error if a number is out of its range ("Invalid learning rate: -1").
  void check() const override;
};
extern template class OptimizerCloneableOptions<LBFGSOptions>;

/// The state of LBFGS. All parameters share it; the first one has it. Tensors contain the elements
/// of all parameters in one dimension.
struct TERN_API LBFGSParamState : public OptimizerCloneableParamState<LBFGSParamState> {
  /// The number of calls of the closure.
  TERN_ARG(std::int64_t, func_evals) = 0;
  /// The number of iterations.
  TERN_ARG(std::int64_t, n_iter) = 0;
  /// The last direction.
  TERN_ARG(Tensor, d);
  /// The last step size.
  TERN_ARG(double, t) = 0;
  /// The past changes of the gradient, the oldest first.
  TERN_ARG(std::vector<Tensor>, old_dirs);
  /// The past changes of the parameters.
  TERN_ARG(std::vector<Tensor>, old_stps);
  /// 1 / (change of the gradient * change of the parameters).
  TERN_ARG(std::vector<double>, ro);
  /// The scale of the first approximation of the inverse Hessian.
  TERN_ARG(double, H_diag) = 1;
  /// The last gradient.
  TERN_ARG(Tensor, prev_flat_grad);
  /// The last loss.
  TERN_ARG(double, prev_loss) = 0;
  /// The number of elements of all parameters, which each tensor must have; not saved. Empty: the
  /// number of elements of `d`.
  TERN_ARG(std::optional<std::int64_t>, numel) = std::nullopt;

 public:
  /// Returns every entry under Python's name.
  State save() const override;
  /// Copies the entries of `state` to the device and dtype of `parameter`.
  void load(const State& state, const Tensor& parameter) override;
  /// Throws Error if iterations were done but a tensor is missing, ShapeError if a tensor has
  /// another size than [numel].
  void check() const override;
};
extern template class OptimizerCloneableParamState<LBFGSParamState>;

/// L-BFGS (Nocedal, 1980), a quasi-Newton method for whole batches, in float64 if possible. Each
/// step() does several iterations and calls the closure once or more for each. There is one group
/// of parameters.
///
/// Example:
///   optim::LBFGS optimizer(parameters, optim::LBFGSOptions().line_search_fn("strong_wolfe"));
///   optimizer.step([&] {
///     optimizer.zero_grad();
///     const Tensor loss = f();
///     loss.backward();
///     return loss;
///   });
class TERN_API LBFGS : public OptimizerOf<LBFGSOptions, LBFGSParamState> {
 public:
  /// Optimizes the parameters. Throws Error like Optimizer's constructor, for options out of range,
  /// and for more than one group.
  explicit LBFGS(std::vector<OptimizerParamGroup> param_groups, const LBFGSOptions& defaults = {});
  explicit LBFGS(std::vector<Tensor> params, const LBFGSOptions& defaults = {});

  /// Minimizes the loss that the closure computes, and returns its first result. Throws Error
  /// without a closure.
  Tensor step(LossClosure closure = nullptr) override;

 protected:
  /// Returns a state for the elements of all parameters.
  std::unique_ptr<OptimizerParamState> make_param_state() const override;
};

}  // namespace tern::optim
