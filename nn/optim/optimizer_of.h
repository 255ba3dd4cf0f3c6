#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <tern/nn/optim/optimizer.h>

namespace tern::optim {

/// The base of an optimizer with these classes of options and state. Implements everything except
/// step().
template <class Options, class ParamState>
class TERN_API OptimizerOf : public Optimizer {
 public:
  /// Optimizes the parameters or groups of parameters. Throws Error like Optimizer's constructor,
  /// and for options out of range.
  explicit OptimizerOf(std::vector<OptimizerParamGroup> param_groups, const Options& defaults = {})
      : Optimizer(std::move(param_groups), defaults.clone()) {}
  explicit OptimizerOf(std::vector<Tensor> params, const Options& defaults = {})
      : Optimizer(std::move(params), defaults.clone()) {}

 protected:
  /// Returns the state of a parameter before its first step.
  typename detail::ClonePointer<OptimizerParamState, ParamState>::type make_param_state()
      const override {
    return std::make_unique<ParamState>();
  }
};

}  // namespace tern::optim
