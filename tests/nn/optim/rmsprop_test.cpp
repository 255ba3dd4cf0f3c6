#include <tern/backends/cuda/host/graphed_step.h>

#include "error_of.h"
#include "nn/optim/golden.h"

namespace tern {
namespace {

using optim::RMSprop;
using optim::RMSpropOptions;

TEST(RmsPropOptimizer, TakesPythonsSteps) { check_golden_runs("RMSprop"); }

TEST(RmsPropOptimizer, HasPythonsDefaults) {
  const RMSpropOptions options;
  EXPECT_EQ(options.lr(), 1e-2);
  EXPECT_EQ(options.alpha(), 0.99);
  EXPECT_EQ(options.eps(), 1e-8);
  EXPECT_EQ(options.weight_decay(), 0);
  EXPECT_EQ(options.momentum(), 0);
  EXPECT_FALSE(options.centered());
  EXPECT_FALSE(options.maximize());
}

TEST(RmsPropOptimizer, SavesStateAndOptionsUnderPythonsNames) {
  const Tensor w = parameter_of(ones({2}));
  const auto keys = [&](const RMSpropOptions& options) {
    RMSprop optimizer({w}, options);
    w.set_grad(ones({2}));
    optimizer.step();
    return optimizer.state_dict()["state"]["0"].keys();
  };
  using Keys = std::vector<std::string>;
  EXPECT_EQ(keys({}), (Keys{"step", "square_avg"}));
  EXPECT_EQ(keys(RMSpropOptions().momentum(0.9).centered(true)),
            (Keys{"step", "square_avg", "momentum_buffer", "grad_avg"}));
  EXPECT_EQ(
      RMSprop({w}).state_dict()["param_groups"][std::size_t{0}].keys(),
      (Keys{"lr", "momentum", "alpha", "eps", "centered", "weight_decay", "maximize", "params"}));
}

TEST(RmsPropOptimizer, ResumesToTheBit) {
  const Tensor a = parameter_of(ones({3})), b = parameter_of(ones({3}));
  const auto step = [](RMSprop& optimizer, int i) {
    optimizer.parameters()[0].set_grad(full({3}, 0.5 + i));
    optimizer.step();
  };
  RMSprop whole({a}, RMSpropOptions(0.1).momentum(0.5).centered(true)), rest({b}, 9);
  for (int i = 0; i < 3; ++i) step(whole, i);
  b.set_data(a.detach().clone());
  rest.load_state_dict(whole.state_dict());
  for (int i = 3; i < 6; ++i) {
    step(whole, i);
    step(rest, i);
  }
  EXPECT_TRUE(same_bits(a, b));
  EXPECT_TRUE(identical(whole.state_dict(), rest.state_dict()));
}

// The learning rate changes on the way.
TEST(RmsPropOptimizer, StepsInAGraphAsWithoutOne) {
  const auto train = [](bool uses_graph) {
    const Tensor w = parameter_of(ones({3}, kCUDA));
    Tensor x = zeros({3}, kCUDA);
    RMSprop optimizer({w}, RMSpropOptions(0.1).momentum(0.5).centered(true));
    const auto step = [&] {
      w.set_grad(x * 2);
      optimizer.step();
      return x;
    };
    cuda::GraphedStep graphed({x}, step);
    for (int i = 0; i < 10; ++i) {
      if (i == 6) optimizer.param_groups()[0].options().set_lr(0.01);
      const Tensor value = full({3}, 0.5 * i - 2, kFloat);
      if (uses_graph) {
        graphed(value);
      } else {
        x.copy_(value);
        step();
      }
    }
    State state = copy_of(optimizer.state_dict()["state"]);
    state.insert("w", w.detach().cpu());
    return state;
  };
  const State state = train(true);
  EXPECT_EQ(state["0"]["step"].tensor().item<int>(), 10);
  EXPECT_TRUE(identical(state, train(false)));
}

TEST(RmsPropOptimizer, RefusesWhatIsWrong) {
  const Tensor w = parameter_of(ones({1}));
  const auto refusal = [&](const RMSpropOptions& options) {
    return error_of([&] { RMSprop({w}, options); });
  };
  EXPECT_EQ(refusal(-1), "RMSprop: Invalid learning rate: -1");
  EXPECT_EQ(refusal(RMSpropOptions().eps(-1)), "RMSprop: Invalid epsilon value: -1");
  EXPECT_EQ(refusal(RMSpropOptions().momentum(-1)), "RMSprop: Invalid momentum value: -1");
  EXPECT_EQ(refusal(RMSpropOptions().weight_decay(-1)), "RMSprop: Invalid weight_decay value: -1");
  EXPECT_EQ(refusal(RMSpropOptions().alpha(-1)), "RMSprop: Invalid alpha value: -1");
  RMSprop optimizer({w});
  w.set_grad(ones({1}));
  optimizer.step();
  State state = optimizer.state_dict(), entries = state["state"], entry = entries["0"];
  entry.erase("square_avg");
  entries.set("0", entry);
  state.set("state", entries);
  EXPECT_EQ(error_of([&] { optimizer.load_state_dict(state); }),
            "tern::optim::RMSprop::load_state_dict: loaded state dict has no square_avg for a "
            "parameter at step 1");
}

}  // namespace
}  // namespace tern
