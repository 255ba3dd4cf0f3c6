#include "brief.h"
#include "nn/optim/golden.h"

// 1,000 steps of the optimizers that optim.json does not have, beside PyTorch's
// (golden/optim/optim_long.json, made by optim_long.py).

namespace tern {
namespace {

using namespace optim;

constexpr int kLongSteps = 1000, kSavedStep = 500;

std::int64_t count_of(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return count;
}

Tensor long_start(const std::vector<std::int64_t>& shape) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < count_of(shape); ++i) {
    values.push_back(static_cast<double>(i * 577 % 101 - 50) / 64);
  }
  return tensor(values, kDouble).reshape(shape);
}

Tensor long_gradient(const std::vector<std::int64_t>& shape, std::int64_t t) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < count_of(shape); ++i) {
    const auto value = (t * 7919 + i * 104729 + t * t * (31 * i + 7)) % 2001 - 1000 + 40 * i;
    values.push_back(i == 5 && t % 2 == 0 ? 0 : static_cast<double>(value) / 1024);
  }
  return tensor(values, kDouble).reshape(shape);
}

/// Takes the steps of one run on `device`. At the saved step the state must be PyTorch's; a second
/// optimizer continues from PyTorch's state.
void check_long_run(const nlohmann::json& run, Device device) {
  const ScalarType dtype = testing::golden_dtype(run["dtype"]);
  const auto shape = run["shape"].get<std::vector<std::int64_t>>();
  // The simulated device computes in float64 and rounds once a step.
  const double tolerance = dtype == kDouble ? 1e-10 : device.is_cpu() ? 1e-5 : 1e-4;
  const auto make = [&] {
    auto optimizer = testing::optimizer_named(run["optimizer"])
                         .make({parameter_of(long_start(shape).to(device, dtype))});
    optimizer->param_groups()[0].options().load(golden_state(run["options"]));
    return optimizer;
  };
  const auto optimizer = make(), resumed = make();
  State options;
  optimizer->param_groups()[0].options().save(options);
  for (const auto& [key, value] : options) {
    EXPECT_TRUE(key == "capturable" || run["options"].contains(key)) << key;
  }
  const Tensor parameter = optimizer->parameters()[0], other = resumed->parameters()[0];
  const auto step = [&](Optimizer& one, int t) {
    one.parameters()[0].set_grad(long_gradient(shape, t).to(device, dtype));
    one.step();
  };
  // All steps run the same code. A brief run sees it in the first ones and in ten that continue
  // from PyTorch's state.
  const int steps = testing::is_brief_run() ? kSavedStep + 10 : kLongSteps;
  for (int t = 1; t <= steps; ++t) {
    if (testing::is_brief_run() && t > 3 && t < kSavedStep) continue;
    step(*optimizer, t);
    if (t > kSavedStep) step(*resumed, t);
    const auto want = run["steps"].find(std::to_string(t));
    if (want == run["steps"].end()) continue;
    const Tensor golden = testing::golden_tensor(*want, dtype).reshape(shape);
    const bool took_all = !testing::is_brief_run() || t <= 3;
    EXPECT_TRUE(!took_all || close(parameter, golden, tolerance)) << "after step " << t;
    if (t > kSavedStep) {
      EXPECT_TRUE(close(other, golden, tolerance)) << "resumed, step " << t;
    }
    if (t != kSavedStep) continue;
    State saved = optimizer->state_dict(), states, loaded;
    const State state = saved["state"]["0"];
    EXPECT_EQ(state.size(), run["state"].size());
    for (const auto& [name, entry] : run["state"].items()) {
      const Tensor value = testing::golden_tensor(entry);
      ASSERT_TRUE(state.contains(name)) << name;
      EXPECT_TRUE(!took_all || close(state[name].tensor(), value, tolerance)) << name;
      EXPECT_EQ(state[name].tensor().dtype(), value.dtype()) << name;
      loaded.insert(name, value);
    }
    states.insert("0", loaded);
    saved.set("state", states);
    const NoGradGuard no_grad;
    Tensor(other).copy_(golden);
    resumed->load_state_dict(saved);
  }
}

TEST(OptimizerTrajectories, OfMostOptimizers) {
  // Other tests have the first four (optim.json) and the last two, whose runs look different.
  std::map<std::string, int> runs = {{"SGD", 4},     {"Adam", 4}, {"AdamW", 4},
                                     {"RMSprop", 4}, {"Muon", 4}, {"LBFGS", 4}};
  for (const nlohmann::json& run : testing::golden("optim/optim_long")["runs"]) {
    const auto name = run["optimizer"].get<std::string>();
    SCOPED_TRACE(name + " in " + run["dtype"].dump() + " with " + run["options"].dump());
    ++runs[name];
    check_long_run(run, kCPU);
    check_long_run(run, Device("cuda:1"));
  }
  for (const auto& optimizer : testing::every_optimizer()) {
    EXPECT_GE(runs[optimizer.name], 4) << optimizer.name;
  }
}

TEST(OptimizerTrajectories, OfMuon) {
  // The iteration computes in bfloat16, whose last bits differ from PyTorch's.
  for (const nlohmann::json& run : testing::golden("optim/optim_long")["muon"]) {
    SCOPED_TRACE(run["options"].dump());
    const auto shape = run["shape"].get<std::vector<std::int64_t>>();
    for (const Device device : {Device("cpu"), Device("cuda:1")}) {
      Muon optimizer({parameter_of(long_start(shape).to(device, kFloat))});
      optimizer.param_groups()[0].options().load(golden_state(run["options"]));
      const int steps = testing::is_brief_run() ? 20 : kLongSteps;
      for (int t = 1; t <= steps; ++t) {
        optimizer.parameters()[0].set_grad(long_gradient(shape, t).to(device, kFloat));
        optimizer.step();
        const auto want = run["steps"].find(std::to_string(t));
        if (want == run["steps"].end()) continue;
        const Tensor golden = testing::golden_tensor(*want, kFloat).reshape(shape);
        EXPECT_TRUE(close(optimizer.parameters()[0], golden, 2e-2)) << "after step " << t;
      }
      const State state = optimizer.state_dict()["state"]["0"];
      EXPECT_EQ(state.keys(), std::vector<std::string>{"momentum_buffer"});
      EXPECT_TRUE(testing::is_brief_run() ||
                  close(state["momentum_buffer"].tensor().reshape({-1}),
                        testing::golden_tensor(run["buffer"], kFloat), 1e-4));
    }
  }
  EXPECT_EQ(error_of<ShapeError>([] { Muon({ones({3}, kFloat)}); }),
            "Muon only supports 2D parameters whereas we found a parameter with size: [3]");
}

/// Rosenbrock's function of all elements.
struct Rosenbrock {
  std::vector<Tensor> parameters;
  double sign = 1;

  Rosenbrock(double sign_) : sign(sign_) {
    parameters.push_back(tensor(std::vector<double>{-1.2, 1.0}, kDouble).requires_grad_());
    parameters.push_back(tensor(std::vector<double>{0.5, -0.75}, kDouble).requires_grad_());
  }
  Tensor operator()(Optimizer& optimizer) const {
    optimizer.zero_grad();
    const Tensor x = cat(parameters);
    const Tensor a = x.narrow(0, 0, 3), b = x.narrow(0, 1, 3);
    const Tensor loss = sign * (100 * (b - a.square()).square() + (1 - a).square()).sum();
    loss.backward();
    return loss;
  }
};

LBFGSOptions lbfgs_options(const nlohmann::json& given) {
  LBFGSOptions options;
  State all;
  options.save(all);
  for (const auto& [key, value] : given.items()) all.set(key, golden_state(value));
  options.load(all);
  return options;
}

TEST(OptimizerTrajectories, OfLBFGS) {
  for (const nlohmann::json& run : testing::golden("optim/optim_long")["lbfgs"]) {
    SCOPED_TRACE(run["options"].dump());
    const double sign = run["options"].contains("maximize") ? -1 : 1;
    const Rosenbrock f(sign), g(sign);
    LBFGS optimizer(f.parameters, lbfgs_options(run["options"]));
    LBFGS resumed(g.parameters, lbfgs_options(run["options"]));
    for (std::size_t t = 0; t < run["steps"].size(); ++t) {
      const Tensor golden = testing::golden_tensor(run["steps"][t], kDouble);
      const Tensor loss = optimizer.step([&] { return f(optimizer); });
      EXPECT_NEAR(loss.item<double>(), run["losses"][t].get<double>(),
                  1e-10 + 1e-8 * std::abs(loss.item<double>()));
      EXPECT_TRUE(close(cat(f.parameters), golden, 1e-8)) << "after step " << t + 1;
      if (t > 1) {
        resumed.step([&] { return g(resumed); });
        EXPECT_TRUE(close(cat(g.parameters), golden, 1e-8)) << "resumed, step " << t + 1;
      }
      if (t != 1) continue;
      const State saved = optimizer.state_dict();
      const auto& want = run["state"];
      const State state = saved["state"]["0"];
      EXPECT_EQ(state.size(), want.size());
      for (const auto& [key, value] : want.items()) EXPECT_TRUE(state.contains(key)) << key;
      EXPECT_EQ(state.get<std::int64_t>("func_evals"), want["func_evals"].get<std::int64_t>());
      EXPECT_EQ(state.get<std::int64_t>("n_iter"), want["n_iter"].get<std::int64_t>());
      EXPECT_EQ(state["old_dirs"].size(), want["old_dirs"].size());
      EXPECT_TRUE(close(state["d"].tensor(), testing::golden_tensor(want["d"], kDouble), 1e-8));
      for (std::size_t i = 0; i < 2; ++i) {
        const NoGradGuard no_grad;
        Tensor(g.parameters[i]).copy_(f.parameters[i]);
      }
      resumed.load_state_dict(copy_of(saved));
    }
  }
}

TEST(OptimizerOptionsOf, LBFGSAndItsStepAreChecked) {
  const auto text = [](const LBFGSOptions& options) {
    return error_of([&] { LBFGS({parameter_of(ones({2}))}, options); });
  };
  EXPECT_EQ(text(LBFGSOptions(-1)), "LBFGS: Invalid learning rate: -1");
  EXPECT_EQ(text(LBFGSOptions().line_search_fn("armijo")),
            "LBFGS: only 'strong_wolfe' is supported, got 'armijo'");
  LBFGS optimizer({parameter_of(ones({2}))});
  EXPECT_EQ(error_of([&] { optimizer.step(); }), "LBFGS requires a closure function");
  optimizer.add_parameters({parameter_of(ones({2}))});
  EXPECT_EQ(error_of([&] { optimizer.step([] { return ones({}); }); }),
            "LBFGS doesn't support per-parameter options (parameter groups)");
}

/// Returns the error of an optimizer with these options.
template <class O, class Options>
std::string refused(const Options& options) {
  return error_of([&] { O({parameter_of(ones({2}))}, options); });
}

TEST(OptimizerOptionsOf, AreCheckedLikePythons) {
  EXPECT_EQ(refused<Adagrad>(AdagradOptions(-1)), "Adagrad: Invalid learning rate: -1");
  EXPECT_EQ(refused<Adagrad>(AdagradOptions().lr_decay(-1)), "Adagrad: Invalid lr_decay value: -1");
  EXPECT_EQ(refused<Adagrad>(AdagradOptions().initial_accumulator_value(-1)),
            "Adagrad: Invalid initial_accumulator_value value: -1");
  EXPECT_EQ(refused<Adagrad>(AdagradOptions().eps(-1)), "Adagrad: Invalid epsilon value: -1");
  EXPECT_EQ(refused<Adadelta>(AdadeltaOptions().rho(1.5)), "Adadelta: Invalid rho value: 1.5");
  EXPECT_EQ(refused<Adadelta>(AdadeltaOptions().weight_decay(-1)),
            "Adadelta: Invalid weight_decay value: -1");
  EXPECT_EQ(refused<Adamax>(AdamaxOptions().betas({1, 0.5})),
            "Adamax: Invalid beta parameter at index 0: 1");
  EXPECT_EQ(refused<NAdam>(NAdamOptions().betas({0.5, -0.5})),
            "NAdam: Invalid beta parameter at index 1: -0.5");
  EXPECT_EQ(refused<NAdam>(NAdamOptions().momentum_decay(-1)),
            "NAdam: Invalid momentum_decay value: -1");
  EXPECT_EQ(refused<RAdam>(RAdamOptions().eps(-1)), "RAdam: Invalid epsilon value: -1");
  EXPECT_EQ(refused<ASGD>(ASGDOptions().lambd(-1)), "ASGD: Invalid lambd value: -1");
  EXPECT_EQ(refused<ASGD>(ASGDOptions().alpha(-1)), "ASGD: Invalid alpha value: -1");
  EXPECT_EQ(refused<Rprop>(RpropOptions().etas({0.5, 0.9})), "Rprop: Invalid eta values: 0.5, 0.9");
  EXPECT_EQ(refused<Rprop>(RpropOptions().step_sizes({1, 0.5})),
            "Rprop: Invalid step_sizes: 1, 0.5");
  EXPECT_EQ(refused<Adafactor>(AdafactorOptions(-1)),
            "Adafactor: Learning rate should be >= 0 but is: -1");
  EXPECT_EQ(refused<Adafactor>(AdafactorOptions().beta2_decay(1)),
            "Adafactor: beta2_decay should be <= 0 but is: 1");
  EXPECT_EQ(refused<Adafactor>(AdafactorOptions().d(0.5)),
            "Adafactor: Clipping threshold d should be >= 1 but is: 0.5");
  EXPECT_EQ(refused<Muon>(MuonOptions().adjust_lr_fn("none")),
            "Muon: Adjust learning rate function none is not supported");
  EXPECT_EQ(refused<Lion>(LionOptions(-1)), "Lion: Invalid learning rate: -1");
}

TEST(OptimizerTrajectories, GroupParametersWhoseFloatsDiffer) {
  // b joins when a has taken a step, and the learning rate has changed since.
  const Tensor a = parameter_of(ones({3})), b = parameter_of(ones({3}));
  const Tensor alone = parameter_of(ones({3}));
  ASGD optimizer({a, b}, ASGDOptions(0.5).lambd(0.1)), single({alone}, ASGDOptions(0.5).lambd(0.1));
  const auto step = [](ASGD& one, const std::vector<Tensor>& parameters) {
    for (const Tensor& parameter : parameters) parameter.set_grad(full({3}, 0.25));
    one.step();
    one.zero_grad();
  };
  step(optimizer, {a});
  optimizer.param_groups()[0].options().set_lr(0.1);
  single.param_groups()[0].options().set_lr(0.1);
  for (int i = 0; i < 3; ++i) {
    step(optimizer, {a, b});
    step(single, {alone});
  }
  EXPECT_TRUE(same_bits(b, alone));
  EXPECT_FALSE(equal(a, b));
}

}  // namespace
}  // namespace tern
