#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <tern/nn/optim/optim.h>

// All optimizers of nn/optim. Tests of what every optimizer does walk this list, so a new optimizer
// is one line here; every_optimizer_test.cpp fails without it.

namespace tern::testing {

/// How an optimizer steps, which tells the tests that apply to it.
enum class StepKind {
  kCapturedRule,  // by a rule of core/kernels/optim. A CUDA graph can capture the step; if there is
                  // an option `capturable`, it must be true
  kRule,          // by a rule whose numbers the host computes at each step: no graph can capture it
  kTensorOps,     // by tensor ops, one parameter after the other
  kWhole,         // changes all parameters as one vector
};

/// An optimizer of any class, with options that need most of its states.
struct AnyOptimizer {
  using Maker =
      std::function<std::unique_ptr<optim::Optimizer>(std::vector<Tensor> parameters, bool)>;

  std::string name;
  StepKind kind;
  bool has_capturable;  // an option
  Maker maker;

  bool has_rule() const { return kind <= StepKind::kRule; }
  /// Returns a new optimizer with the learning rate 0.1. Muon takes only matrices.
  std::unique_ptr<optim::Optimizer> make(std::vector<Tensor> parameters,
                                         bool capturable = false) const {
    return maker(std::move(parameters), capturable);
  }
};

template <class Optimizer, class Options>
AnyOptimizer any_optimizer(const char* name, const Options& options,
                           StepKind kind = StepKind::kCapturedRule) {
  constexpr bool kHasCapturable = requires(Options o) { o.capturable(true); };
  return {name, kind, kHasCapturable, [options](std::vector<Tensor> parameters, bool capturable) {
            Options chosen = options;
            if constexpr (kHasCapturable) chosen.capturable(capturable);
            return std::make_unique<Optimizer>(std::move(parameters), chosen);
          }};
}

inline const std::vector<AnyOptimizer>& every_optimizer() {
  using namespace optim;
  static const std::vector<AnyOptimizer> all = {
      any_optimizer<Adadelta>("Adadelta", AdadeltaOptions(0.1)),
      any_optimizer<Adafactor>("Adafactor", AdafactorOptions(0.1), StepKind::kTensorOps),
      any_optimizer<Adagrad>("Adagrad", AdagradOptions(0.1).lr_decay(0.1), StepKind::kRule),
      any_optimizer<Adam>("Adam", AdamOptions(0.1).amsgrad(true).weight_decay(0.01)),
      any_optimizer<Adamax>("Adamax", AdamaxOptions(0.1)),
      any_optimizer<AdamW>("AdamW", AdamWOptions(0.1)),
      any_optimizer<ASGD>("ASGD", ASGDOptions(0.1).t0(1).alpha(0.5), StepKind::kRule),
      any_optimizer<LBFGS>("LBFGS", LBFGSOptions(0.1), StepKind::kWhole),
      any_optimizer<Lion>("Lion", LionOptions(0.1)),
      any_optimizer<Muon>("Muon", MuonOptions(0.1), StepKind::kTensorOps),
      any_optimizer<NAdam>("NAdam", NAdamOptions(0.1), StepKind::kRule),
      any_optimizer<RAdam>("RAdam", RAdamOptions(0.1)),
      any_optimizer<RMSprop>("RMSprop", RMSpropOptions(0.1).momentum(0.5).centered(true)),
      any_optimizer<Rprop>("Rprop", RpropOptions(0.1)),
      any_optimizer<SGD>("SGD", SGDOptions(0.1).momentum(0.9).dampening(0.5)),
  };
  return all;
}

/// Returns the optimizer with this name.
inline const AnyOptimizer& optimizer_named(const std::string& name) {
  for (const AnyOptimizer& optimizer : every_optimizer()) {
    if (optimizer.name == name) return optimizer;
  }
  throw std::out_of_range("no optimizer in every_optimizer(): " + name);
}

}  // namespace tern::testing
