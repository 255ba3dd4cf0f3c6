#include <functional>
#include <map>
#include <memory>

#include "nn/optim/golden.h"

// States as PyTorch 1.0 to 2.15 wrote them (golden/optim/old_states.json, made by old_states.py):
// options that came later get their defaults, learning rates may be tensors.

namespace tern {
namespace {

using namespace optim;
using nlohmann::json;

/// Returns a saved state; an object with a dtype is a tensor.
State old_state(const json& value) {
  if (value.is_object() && value.contains("dtype")) return testing::golden_tensor(value);
  if (value.is_object()) {
    State state;
    for (const auto& [key, element] : value.items()) state.insert(key, old_state(element));
    return state;
  }
  if (value.is_array()) {
    State state = State::list();
    for (const json& element : value) state.push_back(old_state(element));
    return state;
  }
  return golden_state(value);
}

/// Changes every option of an optimizer, so that a test sees which ones a state replaces.
void disturb_options(Optimizer& optimizer) {
  State options;
  optimizer.param_groups()[0].options().save(options);
  for (const auto& [key, value] : State(options)) {
    if (value.is_bool()) options.set(key, true);
    if (value.is_double()) options.set(key, 0.25);
  }
  optimizer.param_groups()[0].options().load(options);
}

bool is_near(const State& option, const State& golden) {
  if (option.is_list()) {
    bool all = option.size() == golden.size();
    for (std::size_t i = 0; all && i < option.size(); ++i) all = is_near(option[i], golden[i]);
    return all;
  }
  if (!option.is_double() || golden.is_null()) return identical(option, golden);
  const double want = golden.is_tensor() ? golden.tensor().item<double>() : golden.to<double>();
  return std::abs(option.to<double>() - want) <= 1e-7 * std::abs(want);
}

TEST(OldStates, OfOptimizersAreRead) {
  const json& file = testing::golden("optim/old_states");
  std::map<std::string, int> forms;
  for (const json& run : file["optimizers"]) {
    const auto name = run["class"].get<std::string>();
    SCOPED_TRACE(name + " of " + run["version"].get<std::string>());
    ++forms[name];
    const Tensor parameter = parameter_of(testing::golden_tensor(run["start"]));
    const auto optimizer = testing::optimizer_named(name).make({parameter});
    disturb_options(*optimizer);
    optimizer->load_state_dict(old_state(run["state"]));
    State options;
    optimizer->param_groups()[0].options().save(options);
    for (const auto& [key, value] : options) {
      if (key == "capturable") continue;
      EXPECT_TRUE(is_near(value, old_state(run["options"].at(key)))) << key;
    }
    for (const json& entry : file["gradients"]) {
      const Tensor gradient = testing::golden_tensor(entry);
      const auto closure = [&] {
        parameter.set_grad(gradient.clone());
        return (parameter.detach() * gradient).sum();
      };
      closure();
      optimizer->step(closure);
    }
    // Muon multiplies in bfloat16.
    const double tolerance = name == "Muon" ? 1e-2 : 1e-5;
    EXPECT_TRUE(close(parameter, testing::golden_tensor(run["end"]), tolerance));
  }
  EXPECT_EQ(forms.size(), 14u);
  for (const auto& [name, count] : forms) EXPECT_GE(count, 2) << name;
}

/// A scheduler of any class and its step.
struct AnyScheduler {
  std::function<void(const State&)> load;
  std::function<void()> step;
};

template <class S, class... Args>
std::function<AnyScheduler(SGD&)> scheduler_with(Args... args) {
  return [=](SGD& optimizer) -> AnyScheduler {
    const auto scheduler = std::make_shared<S>(optimizer, args...);
    return {[=](const State& state) { scheduler->load_state_dict(state); },
            [=] {
              if constexpr (std::is_same_v<S, ReduceLROnPlateau>) {
                scheduler->step(1.0);
              } else {
                scheduler->step();
              }
            }};
  };
}

std::map<std::string, std::function<AnyScheduler(SGD&)>> loading_schedulers() {
  using List = std::vector<std::int64_t>;
  const LRLambda power = [](std::int64_t epoch) { return std::pow(0.5, epoch); };
  const LRLambda half = [](std::int64_t) { return 0.5; };
  const auto two = [](SGD& o) {
    return LRSchedulerList{std::make_shared<ConstantLR>(o, 0.1, 2),
                           std::make_shared<ExponentialLR>(o, 0.9)};
  };
  const auto any = [](auto scheduler) -> AnyScheduler {
    return {[=](const State& state) { scheduler->load_state_dict(state); },
            [=] { scheduler->step(); }};
  };
  return {
      {"LambdaLR", scheduler_with<LambdaLR>(power)},
      {"MultiplicativeLR", scheduler_with<MultiplicativeLR>(half)},
      {"StepLR", scheduler_with<StepLR>(2, 0.5)},
      {"MultiStepLR", scheduler_with<MultiStepLR>(List{2, 4, 4}, 0.5)},
      {"ConstantLR", scheduler_with<ConstantLR>(0.5, 5)},
      {"LinearLR", scheduler_with<LinearLR>(0.5, 1.0, 5)},
      {"ExponentialLR", scheduler_with<ExponentialLR>(0.9)},
      {"PolynomialLR", scheduler_with<PolynomialLR>(6, 2.0)},
      {"CosineAnnealingLR", scheduler_with<CosineAnnealingLR>(7)},
      {"CosineAnnealingWarmRestarts", scheduler_with<CosineAnnealingWarmRestarts>(2, 2)},
      {"CyclicLR", scheduler_with<CyclicLR>(CyclicLROptions(0.01, 0.1).step_size_up(3))},
      {"OneCycleLR", scheduler_with<OneCycleLR>(OneCycleLROptions(0.5).total_steps(10))},
      {"SWALR", scheduler_with<SWALR>(0.05, 4)},
      {"SequentialLR",
       [=](SGD& o) { return any(std::make_shared<SequentialLR>(o, two(o), List{2})); }},
      {"ChainedScheduler", [=](SGD& o) { return any(std::make_shared<ChainedScheduler>(two(o))); }},
      {"ReduceLROnPlateau", scheduler_with<ReduceLROnPlateau>(ReduceLROnPlateau::min, 0.5, 0)},
  };
}

TEST(OldStates, OfSchedulersAreRead) {
  const auto makers = loading_schedulers();
  std::map<std::string, int> forms;
  for (const json& run : testing::golden("optim/old_states")["schedulers"]) {
    const auto name = run["class"].get<std::string>();
    SCOPED_TRACE(name + " of " + run["version"].get<std::string>());
    ++forms[name];
    SGD optimizer({parameter_of(ones({1}))}, SGDOptions(0.1).momentum(0.9));
    const AnyScheduler scheduler = makers.at(name)(optimizer);
    State state;
    state.insert("state", State());
    state.insert("param_groups", old_state(run["groups"]));
    optimizer.load_state_dict(state);
    scheduler.load(old_state(run["state"]));
    for (const json& step : run["steps"]) {
      scheduler.step();
      EXPECT_NEAR(optimizer.lr(), step[0].get<double>(), 1e-7);
      EXPECT_NEAR(*optimizer.param_groups()[0].options().get_momentum(), step[1].get<double>(),
                  1e-7);
    }
  }
  EXPECT_EQ(forms.size(), makers.size());
  for (const auto& [name, count] : forms) EXPECT_GE(count, 3) << name;
}

}  // namespace
}  // namespace tern
