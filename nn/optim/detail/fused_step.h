#pragma once

#include <cstdint>

#include <tern/core/kernels/optim_formulas.h>
#include <tern/nn/optim/detail/update.h>
#include <tern/nn/optim/optimizer.h>

namespace tern::optim::detail {

/// What fused_step() must know of an optimizer.
struct FusedOptimizer {
  const char* name;  // for errors
  /// Writes the rule, form and numbers of a group's options by kernels::set_optim_rule().
  void (*set_rule)(const OptimizerOptions& options, kernels::OptimArgs& args);
  /// Returns what a step uses of a parameter's state. Not called where no state is used.
  StateFields (*fields_of)(OptimizerParamState& state);
  /// Returns true if the options let a CUDA graph capture a step, which then counts on the device.
  /// Null where the rule does not use the number of the step: a graph may always capture it.
  bool (*is_capturable)(const OptimizerOptions& options) = nullptr;
};

/// Calls the closure, if there is one, with gradients enabled and returns its result. Then steps
/// all parameters with gradients by kernels that take many parameters each.
Tensor fused_step(const FusedOptimizer& fused, Optimizer& optimizer,
                  const Optimizer::LossClosure& closure);

}  // namespace tern::optim::detail
