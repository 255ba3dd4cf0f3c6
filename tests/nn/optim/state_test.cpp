#include <limits>
#include <optional>
#include <string>

#include "nn/optim/golden.h"

// What optimizers save and load.

namespace tern {
namespace {

/// A text of load_state_dict without the optimizer's name, which comes first.
std::string without_name(const std::string& text) {
  const std::size_t end = text.find("::load_state_dict: ");
  EXPECT_EQ(text.find("tern::optim::"), 0u) << text;
  return end == std::string::npos ? text : text.substr(end + 19);
}

using namespace optim;

TEST(OptimizerState, LoadingLeavesCapturable) {
  const Tensor a = ones({2}).requires_grad_();
  Adam plain({a}, 0.1), capturable({a}, AdamOptions(0.1).capturable(true));
  const auto is_capturable = [](const Adam& adam) {
    return adam.state_dict()["param_groups"][std::size_t{0}]["capturable"].to<bool>("it");
  };
  const State saved = capturable.state_dict();
  capturable.load_state_dict(plain.state_dict());
  plain.load_state_dict(saved);
  EXPECT_TRUE(is_capturable(capturable));
  EXPECT_FALSE(is_capturable(plain));
}

// What a file does not set is kept group by group.
TEST(OptimizerState, GroupsKeepTheirOwnOptions) {
  const auto make = [](double first, double second) {
    std::vector<optim::OptimizerParamGroup> groups;
    for (const double lr : {first, second}) {
      groups.emplace_back(std::vector<Tensor>{parameter_of(ones({2}))},
                          std::make_unique<AdamOptions>(AdamOptions(lr).capturable(lr > 1)));
    }
    return Adam(std::move(groups));
  };
  Adam adam = make(0.5, 2);
  adam.load_state_dict(make(0.25, 0.125).state_dict());
  const auto options = [&](std::size_t i) {
    return static_cast<const AdamOptions&>(adam.param_groups()[i].options());
  };
  EXPECT_EQ(options(0).lr(), 0.25);
  EXPECT_EQ(options(1).lr(), 0.125);
  EXPECT_FALSE(options(0).capturable());
  EXPECT_TRUE(options(1).capturable());
}

TEST(OptimizerState, HasPythonsForm) {
  const Tensor a = parameter_of(ones({2})), b = parameter_of(ones({2}));
  Adam adam({a, b}, AdamOptions(0.1).amsgrad(true));
  b.set_grad(ones({2}));
  adam.step();
  const State state = adam.state_dict();
  EXPECT_EQ(state.keys(), (std::vector<std::string>{"state", "param_groups"}));
  EXPECT_EQ(state["state"].keys(), std::vector<std::string>{"1"});
  EXPECT_EQ(state["state"]["1"].keys(),
            (std::vector<std::string>{"step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq"}));
  EXPECT_TRUE(same_bits(state["state"]["1"]["step"], tensor(1.0f)));
  const State group = state["param_groups"][std::size_t{0}];
  EXPECT_EQ(group.keys(), (std::vector<std::string>{"lr", "betas", "eps", "weight_decay", "amsgrad",
                                                    "maximize", "capturable", "params"}));
  EXPECT_EQ(group["params"].size(), 2u);
  SGD sgd({a}, 0.1);
  a.set_grad(ones({2}));
  sgd.step();
  EXPECT_TRUE(sgd.state_dict()["state"].empty());
}

/// The golden steps, with a change of optimizer through its state after `stop` of them.
template <class O, class Options>
Tensor resumed(const Options& options, const Options& other_options, std::size_t stop) {
  const std::vector<Tensor> gradients = golden_gradients();
  Tensor parameter = parameter_of(golden_start());
  auto optimizer = std::make_unique<O>(std::vector<Tensor>{parameter}, options);
  for (std::size_t step = 0; step < gradients.size(); ++step) {
    if (step == stop) {
      const State state = optimizer->state_dict();
      parameter = parameter_of(parameter);
      optimizer = std::make_unique<O>(std::vector<Tensor>{parameter}, other_options);
      optimizer->load_state_dict(state);
    }
    parameter.set_grad(gradients[step]);
    optimizer->step();
  }
  return parameter;
}

TEST(OptimizerState, ResumesToTheBit) {
  constexpr std::size_t kNever = 99;
  const SGDOptions momentum = SGDOptions(0.1).momentum(0.9);
  EXPECT_TRUE(same_bits(resumed<SGD>(momentum, SGDOptions(9), 4),
                        resumed<SGD>(momentum, SGDOptions(9), kNever)));
  const AdamOptions amsgrad = AdamOptions(0.02).amsgrad(true);
  EXPECT_TRUE(same_bits(resumed<Adam>(amsgrad, AdamOptions(9), 4),
                        resumed<Adam>(amsgrad, AdamOptions(9), kNever)));
}

TEST(OptimizerState, IsCopiedWhenLoaded) {
  const Tensor a = parameter_of(ones({2})), b = parameter_of(ones({2}, Device("cuda:1")));
  Adam source({a}, 0.1), target({b}, 0.2);
  a.set_grad(ones({2}));
  source.step();
  target.load_state_dict(source.state_dict());
  const auto& state = static_cast<optim::AdamParamState&>(
      *target.state().at(target.parameters()[0].unsafeGetTensorImpl()));
  EXPECT_EQ(state.exp_avg().device(), Device("cuda:1"));
  EXPECT_EQ(state.step(), 1);
  EXPECT_EQ(target.param_groups()[0].options().get_lr(), 0.1);
  for (int i = 0; i < 3; ++i) target.load_state_dict(source.state_dict());
  EXPECT_EQ(target.state().size(), 1u);
}

// On the very device and dtype of the parameter, too: what was saved stays what it was.
TEST(OptimizerState, SharesNothingWithWhatItWasLoadedFrom) {
  const auto check = [](auto make) {
    const Tensor a = parameter_of(ones({2})), b = parameter_of(ones({2}));
    auto source = make(a), target = make(b);
    a.set_grad(ones({2}));
    b.set_grad(full({2}, 3.0));
    source.step();
    const State saved = source.state_dict(), before = copy_of(saved);
    target.load_state_dict(saved);
    for (int i = 0; i < 2; ++i) target.step();
    EXPECT_TRUE(identical(saved, before));
    EXPECT_FALSE(identical(target.state_dict()["state"], before["state"]));
    // A program may go back to its own state.
    source.load_state_dict(source.state_dict());
    source.step();
    EXPECT_TRUE(identical(saved, before));
  };
  check([](const Tensor& w) { return Adam({w}, AdamOptions(0.1).amsgrad(true)); });
  check([](const Tensor& w) { return SGD({w}, SGDOptions(0.1).momentum(0.9)); });
}

TEST(OptimizerState, IsCheckedBeforeAnythingChanges) {
  const Tensor a = parameter_of(ones({2})), b = parameter_of(ones({3}));
  Adam optimizer({a, b}, 0.1);
  a.set_grad(ones({2}));
  b.set_grad(ones({3}));
  optimizer.step();
  const State before = optimizer.state_dict();

  Adam smaller({parameter_of(ones({2}))}, 0.1);
  EXPECT_EQ(error_of([&] { optimizer.load_state_dict(smaller.state_dict()); }),
            "tern::optim::Adam::load_state_dict: loaded state dict contains a parameter group that "
            "doesn't match the size of optimizer's group: 1 parameters in group 0, the optimizer "
            "has 2");
  State no_groups;
  no_groups.insert("state", State());
  no_groups.insert("param_groups", State::list());
  EXPECT_EQ(error_of([&] { optimizer.load_state_dict(no_groups); }),
            "tern::optim::Adam::load_state_dict: loaded state dict has a different number of "
            "parameter groups: 0, the optimizer has 1");
  Adam swapped({parameter_of(ones({3})), parameter_of(ones({2}))}, 0.5);
  for (const Tensor& parameter : swapped.parameters()) parameter.set_grad(ones_like(parameter));
  swapped.step();
  EXPECT_EQ(
      without_name(error_of<ShapeError>([&] { optimizer.load_state_dict(swapped.state_dict()); })),
      "loaded state dict has exp_avg of size [3] for a parameter of size [2]");
  SGD sgd({parameter_of(ones({2})), parameter_of(ones({3}))}, 0.1);
  EXPECT_EQ(error_of<IndexError>([&] {
              optimizer.load_state_dict(sgd.state_dict());
            }).find("tern::optim::Adam::load_state_dict: Key 'betas' is not defined"),
            0u);
  EXPECT_EQ(error_of<IndexError>([&] {
              sgd.load_state_dict(before);
            }).find("tern::optim::SGD::load_state_dict: Key 'momentum' is not defined"),
            0u);
  EXPECT_TRUE(identical(before, optimizer.state_dict()));
}

/// `state` with another entry `name` for parameter 0; without one when `value` is none.
State with_entry(const State& state, const char* name, const std::optional<State>& value) {
  State entry = state["state"]["0"];
  if (value) {
    entry.set(name, *value);
  } else {
    entry.erase(name);
  }
  State entries = state["state"], result = state;
  entries.set("0", entry);
  result.set("state", entries);
  return result;
}

template <class O, class Options>
void expect_checked_entries(const Options& options) {
  const Tensor a = parameter_of(ones({2}));
  O optimizer({a}, options);
  a.set_grad(ones({2}));
  optimizer.step();
  const State before = optimizer.state_dict();
  State faster = before, group = before["param_groups"][std::size_t{0}];
  group.set("lr", 0.5);
  faster.set("param_groups", State::list({group}));
  const auto refusal = [&](const State& state) {
    const std::string text = error_of([&] { optimizer.load_state_dict(state); });
    EXPECT_TRUE(identical(before, optimizer.state_dict())) << text;
    return without_name(text);
  };

  EXPECT_EQ(refusal(with_entry(faster, "step", std::nullopt)).find("Key 'step' is not defined"),
            0u);
  for (const char* name : {"exp_avg", "exp_avg_sq", "max_exp_avg_sq"}) {
    const std::string missing =
        std::string("loaded state dict has no ") + name + " for a parameter at step 1";
    if (std::string_view(name) != "max_exp_avg_sq") {  // amsgrad may be on since a moment ago
      EXPECT_EQ(refusal(with_entry(faster, name, std::nullopt)), missing);
      EXPECT_EQ(refusal(with_entry(faster, name, nullptr)), missing);
    }
    for (const ScalarType dtype : {kBool, kLong}) {
      const Tensor wrong = ones({2}, dtype);
      EXPECT_NE(refusal(with_entry(faster, name, wrong)).find("expected a floating point dtype"),
                std::string::npos);
    }
    EXPECT_EQ(
        refusal(with_entry(faster, name, ones({3}))),
        std::string("loaded state dict has ") + name + " of size [3] for a parameter of size [2]");
  }
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  for (const double step : {-3.0, 2.5, 1e30, kNaN}) {
    for (const State& value : {State(step), State(tensor(static_cast<float>(step)))}) {
      EXPECT_NE(
          refusal(with_entry(faster, "step", value)).find(", expected an integer from 0 to 2^53"),
          std::string::npos);
    }
  }
  refusal(with_entry(faster, "step", "3"));
  refusal(with_entry(faster, "step", ones({2})));

  State entries = before["state"], foreign = faster;
  entries.insert("7", entries["0"]);
  foreign.set("state", entries);
  EXPECT_EQ(refusal(foreign),
            "loaded state dict has a state for parameter 7, which is in none of its parameter "
            "groups");
}

TEST(OptimizerState, HasAllThatAStepGoesOnFrom) {
  expect_checked_entries<Adam>(AdamOptions(0.1).amsgrad(true));
  expect_checked_entries<AdamW>(AdamWOptions(0.1).amsgrad(true));
}

// Vectors of LBFGS have the elements of all parameters.
TEST(OptimizerState, OfLBFGSHasTheSizeOfAllParameters) {
  const Tensor a = parameter_of(ones({2, 3})), b = parameter_of(full({4}, 2.0));
  const auto closure = [&] {
    const Tensor loss = (a * a * a).sum() + (b * b).sum();
    a.mutable_grad().reset();
    b.mutable_grad().reset();
    loss.backward();
    return loss;
  };
  LBFGS optimizer({a, b}, LBFGSOptions(0.1).max_iter(3));
  optimizer.step(closure);
  const State before = copy_of(optimizer.state_dict());
  ASSERT_GT(before["state"]["0"]["old_dirs"].size(), 0u);
  for (const char* name : {"d", "prev_flat_grad", "old_dirs", "old_stps"}) {
    const State& value = before["state"]["0"][name];
    for (const auto& sizes : std::vector<std::vector<std::int64_t>>{{6}, {11}, {1, 10}}) {
      State wrong = ones(sizes);
      if (value.is_list()) {
        std::vector<State> elements = value.elements();
        elements.back() = wrong;
        wrong = State::list(elements);
      }
      EXPECT_EQ(
          without_name(error_of<ShapeError>(
              [&] { optimizer.load_state_dict(with_entry(before, name, wrong)); })),
          tern::detail::text_of("loaded state dict has ", name, " of size ", IntArrayRef(sizes),
                                ", expected [10], one number for each element of the parameters"));
      EXPECT_TRUE(identical(optimizer.state_dict(), before));
    }
  }
  // A whole state of other parameters.
  const Tensor c = parameter_of(ones({2, 3})), d = parameter_of(ones({5}));
  LBFGS other({c, d}, LBFGSOptions(0.1));
  EXPECT_THROW(other.load_state_dict(before), ShapeError);
  EXPECT_TRUE(other.state().empty());
  optimizer.load_state_dict(before);
  optimizer.step(closure);
}

TEST(OptimizerState, NumbersEveryParameterOnce) {
  Adam optimizer({parameter_of(ones({2})), parameter_of(ones({2}))}, 0.1);
  State state = optimizer.state_dict(), group = state["param_groups"][std::size_t{0}];
  group.set("params", State::list({4, 4}));
  state.set("param_groups", State::list({group}));
  EXPECT_EQ(error_of([&] { optimizer.load_state_dict(state); }),
            "tern::optim::Adam::load_state_dict: loaded state dict has parameter 4 twice in its "
            "parameter groups");
}

TEST(OptimizerState, MayBeInAnyFormOfPythons) {
  const Tensor a = parameter_of(ones({2}));
  Adam adam({a}, 0.1);
  a.set_grad(ones({2}));
  adam.step();
  const State saved = adam.state_dict();
  for (const State& step : {State(3), State(3.0), State(tensor(3.0f)), State(full({1}, 3, kFloat)),
                            State(full({}, 3, kLong))}) {
    adam.load_state_dict(with_entry(saved, "step", step));
    EXPECT_EQ(adam.state_dict()["state"]["0"]["step"].tensor().item<int>(), 3);
  }
  adam.load_state_dict(with_entry(saved, "exp_avg", ones({2}, kHalf)));
  EXPECT_TRUE(same_bits(adam.state_dict()["state"]["0"]["exp_avg"], ones({2})));
  adam.load_state_dict(with_entry(saved, "max_exp_avg_sq", ones({2})));  // when amsgrad was on

  SGD sgd({a}, SGDOptions(0.1).momentum(0.9));
  sgd.step();
  for (const auto& none : {std::optional<State>(nullptr), std::optional<State>()}) {
    sgd.load_state_dict(with_entry(sgd.state_dict(), "momentum_buffer", none));
    sgd.step();  // takes the gradient as it is, as a first step does
    EXPECT_TRUE(same_bits(sgd.state_dict()["state"]["0"]["momentum_buffer"], ones({2})));
  }
}

TEST(OptimizerState, KeepsTheNumbersOfAnyScheduler) {
  const Tensor a = parameter_of(ones({2}));
  Adam adam({a}, 0.1);
  adam.param_groups()[0].schedule().set("initial_lr", 0.5);
  adam.param_groups()[0].schedule().set("warmup_until", 100.0);  // a scheduler of the program
  Adam other({a}, 0.2);
  other.param_groups()[0].schedule().set("forgotten", 1.0);
  other.load_state_dict(adam.state_dict());
  EXPECT_TRUE(identical(other.param_groups()[0].schedule(), adam.param_groups()[0].schedule()));
  // Python's groups have members that are no numbers, and numbers that are options.
  State state = adam.state_dict(), group = state["param_groups"][std::size_t{0}];
  group.set("foreach", State(nullptr));
  group.set("fused", true);
  group.set("total", 7);
  state.set("param_groups", State::list({group}));
  other.load_state_dict(state);
  const State& schedule = other.param_groups()[0].schedule();
  EXPECT_EQ(schedule.size(), 3u);
  EXPECT_EQ(schedule.get<double>("total"), 7.0);
  EXPECT_EQ(schedule.find("lr"), nullptr);
}

TEST(OptimizerState, OfAStepThatFailedIsLoaded) {
  const Tensor a = parameter_of(ones({2})), b = parameter_of(ones({2}));
  Adam adam({a, b}, 0.1);
  a.set_grad(ones({2}));
  b.mutable_grad() = ones({3});
  EXPECT_THROW(adam.step(), ShapeError);
  const State state = adam.state_dict();
  adam.load_state_dict(state);
  EXPECT_TRUE(identical(adam.state_dict(), state));
}

TEST(OptimizerState, OfAStepThatFailedIsNotBegun) {
  const Tensor a = parameter_of(ones({2})), b = parameter_of(ones({2}));
  SGD sgd({a, b}, SGDOptions(0.1).momentum(0.9).dampening(0.5));
  a.set_grad(ones({2}));
  b.mutable_grad() = ones({3});
  EXPECT_THROW(sgd.step(), ShapeError);
  EXPECT_TRUE(sgd.state_dict()["state"]["0"].empty());
  b.mutable_grad() = ones({2});
  sgd.step();  // the first one, which dampens nothing
  EXPECT_TRUE(same_bits(sgd.state_dict()["state"]["0"]["momentum_buffer"], ones({2})));
}

}  // namespace
}  // namespace tern
