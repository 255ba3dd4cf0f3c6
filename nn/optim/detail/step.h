#pragma once

#include <cstdint>

#include <tern/core/kernels/optim/formulas.h>
#include <tern/nn/optim/detail/update.h>
#include <tern/nn/optim/optimizer.h>

namespace tern::optim::detail {

/// The properties of an optimizer that fused_step() needs.
struct FusedOptimizer {
  const char* name;  // for error texts
  /// Writes the rule, form and numbers of a group's options with kernels::set_optim_rule().
  void (*set_rule)(const OptimizerOptions& options, kernels::OptimArgs& args) = nullptr;
  /// Returns the parts of a parameter's state that a step uses. Not called if a step uses no state.
  StateFields (*fields_of)(OptimizerParamState& state) = nullptr;
  /// Returns true if the options allow a CUDA graph to capture a step, which then counts on the
  /// device. Null if the rule does not use the step number; a graph may then always capture a step.
  bool (*is_capturable)(const OptimizerOptions& options) = nullptr;
  /// Returns the value of every element of state `k` before the first step. Null: 0.
  double (*initial_value)(const OptimizerOptions& options, int k) = nullptr;
  /// Writes the rule again, with numbers that are kept with each parameter (StateFields::kept).
  /// Null if there are none.
  void (*prepare)(const OptimizerOptions& options, OptimizerParamState& state,
                  kernels::OptimArgs& args) = nullptr;
  /// Changes the kept numbers after a step, which is counted already.
  void (*advance)(const OptimizerOptions& options, OptimizerParamState& state) = nullptr;
};

/// Calls the closure, if any, with gradients enabled, then steps all parameters with gradients by
/// kernels that take many parameters each. Returns the result of the closure.
Tensor fused_step(const FusedOptimizer& fused, Optimizer& optimizer,
                  const Optimizer::LossClosure& closure);

/// Changes one parameter by tensor ops. `grad` is contiguous.
using StepOfOne = void (*)(const OptimizerOptions& options, OptimizerParamState& state,
                           const Tensor& parameter, const Tensor& grad);

/// Does the same as fused_step() by one call of `step` for each parameter with a gradient: for
/// rules that are no formula of single elements. A CUDA graph cannot capture such a step.
Tensor composed_step(const char* name, Optimizer& optimizer, const Optimizer::LossClosure& closure,
                     StepOfOne step);

}  // namespace tern::optim::detail
