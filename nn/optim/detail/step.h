#pragma once

#include <tern/core/kernels/optim/formulas.h>
#include <tern/nn/optim/detail/update.h>
#include <tern/nn/optim/optimizer.h>

namespace tern::optim::detail {

/// How an optimizer steps: by a rule of core/kernels/optim, whose numbers, form bits and states are
/// the options and the state of the optimizer in their order, or by tensor ops.
struct StepRule {
  const char* name = nullptr;  // for error texts
  /// Form bits that no option sets.
  unsigned form = 0;
  /// Returns the value of every element of state `k` before the first step. Null: 0.
  double (*initial_value)(const OptimizerOptions& options, int k) = nullptr;
  /// Writes numbers that depend on floats in the state of each parameter (StateFields::floats).
  /// Null if there are none.
  void (*prepare)(const OptimizerOptions& options, const OptimizerParamState& state,
                  kernels::OptimArgs& args) = nullptr;
  /// Changes these floats after a step, which is counted already.
  void (*advance)(const OptimizerOptions& options, OptimizerParamState& state) = nullptr;
  /// Changes one parameter by tensor ops. `grad` is contiguous. A CUDA graph cannot capture it.
  void (*step_one)(const OptimizerOptions& options, OptimizerParamState& state,
                   const Tensor& parameter, const Tensor& grad) = nullptr;

  // The next three follow from the rule.

  /// Writes the rule, the form and the states of args.numbers.
  void (*set_rule)(kernels::OptimArgs& args, unsigned form) = nullptr;
  /// The form bit of a parameter whose first state is undefined.
  unsigned first = 0;
  /// True if the formula uses the number of the step.
  bool uses_step = false;
};

/// Calls the closure, if any, with gradients enabled, then steps all parameters with gradients, by
/// kernels that take many parameters each. Returns the result of the closure.
Tensor take_step(const StepRule& rule, Optimizer& optimizer, const Optimizer::LossClosure& closure);

/// Returns `rule` with what follows from the kernels' Rule.
template <class Rule>
constexpr StepRule step_by(StepRule rule = {}) {
  if (rule.name == nullptr) rule.name = Rule::kName;
  rule.set_rule = [](kernels::OptimArgs& args, unsigned form) {
    kernels::set_optim_rule<Rule>(args, form, kernels::optim_numbers<Rule>(args));
  };
  if constexpr (requires { Rule::kFirst; }) rule.first = Rule::kFirst;
  rule.uses_step = Rule::kStepNumbers > 0;
  return rule;
}

}  // namespace tern::optim::detail
