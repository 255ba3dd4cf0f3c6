#pragma once

#include <cstdint>

#include <tern/core/kernels/optim_formulas.h>
#include <tern/nn/optim/detail/update.h>
#include <tern/nn/optim/optimizer.h>

namespace tern::optim::detail {

/// The properties of an optimizer that fused_step() needs.
struct FusedOptimizer {
  const char* name;  // for error texts
  /// Writes the rule, form and numbers of a group's options with kernels::set_optim_rule().
  void (*set_rule)(const OptimizerOptions& options, kernels::OptimArgs& args);
  /// Returns the parts of a parameter's state that a step uses. Not called if a step uses no state.
  StateFields (*fields_of)(OptimizerParamState& state);
  /// Returns true if the options allow a CUDA graph to capture a step, which then counts on the
  /// device. Null if the rule does not use the step number; a graph may then always capture a step.
  bool (*is_capturable)(const OptimizerOptions& options) = nullptr;
};

/// Calls the closure, if any, with gradients enabled, then steps all parameters with gradients by
/// kernels that take many parameters each. Returns the result of the closure.
Tensor fused_step(const FusedOptimizer& fused, Optimizer& optimizer,
                  const Optimizer::LossClosure& closure);

}  // namespace tern::optim::detail
