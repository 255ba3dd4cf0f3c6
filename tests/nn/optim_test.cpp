#include <tern/core/autograd/grad_mode.h>
#include <tern/nn/optim/optim.h>

#include "golden/nn.h"
#include "nn/nn_test.h"

namespace tern {
namespace {

using optim::Adam;
using optim::AdamOptions;
using optim::AdamW;
using optim::AdamWOptions;
using optim::SGD;
using optim::SGDOptions;

Tensor parameter_of(const Tensor& values) { return values.detach().clone().requires_grad_(); }

/// Ten steps with the golden gradients, from the golden start.
template <class O, class Options>
Tensor run(const Options& options, Device device = Device("cpu")) {
  const Tensor parameter =
      golden_tensor(golden::kStart).to(device).detach().clone().requires_grad_();
  const Tensor gradients = golden_tensor(golden::kGradients, {10, 37}).to(device);
  O optimizer({parameter}, options);
  for (std::int64_t step = 0; step < 10; ++step) {
    parameter.set_grad(gradients[step].clone());
    optimizer.step();
  }
  return parameter;
}

template <class O, class Options>
void expect_golden(const Options& options, const float (&expected)[37]) {
  EXPECT_TRUE(same_bits(run<O>(options), golden_tensor(expected)));
  EXPECT_TRUE(close(run<O>(options, Device("cuda:1")), golden_tensor(expected), 1e-5));
}

TEST(Sgd, TakesPythonsSteps) {
  expect_golden<SGD>(SGDOptions(0.1), golden::kSgd);
  expect_golden<SGD>(SGDOptions(0.1).weight_decay(0.02), golden::kSgdDecay);
  expect_golden<SGD>(SGDOptions(0.1).momentum(0.9), golden::kSgdMomentum);
  expect_golden<SGD>(SGDOptions(0.05).momentum(0.8).dampening(0.3).weight_decay(0.01),
                     golden::kSgdDampening);
  expect_golden<SGD>(SGDOptions(0.05).momentum(0.8).nesterov(true), golden::kSgdNesterov);
  expect_golden<SGD>(SGDOptions(0.1).momentum(0.9).maximize(true), golden::kSgdMaximize);
}

TEST(Adam, TakesPythonsSteps) {
  expect_golden<Adam>(AdamOptions(0.01), golden::kAdam);
  expect_golden<Adam>(
      AdamOptions(0.01).betas(std::make_tuple(0.8, 0.99)).eps(1e-6).weight_decay(0.1),
      golden::kAdamDecay);
  expect_golden<Adam>(AdamOptions(0.02).amsgrad(true), golden::kAdamAmsgrad);
  expect_golden<Adam>(AdamOptions(0.01).maximize(true), golden::kAdamMaximize);
  expect_golden<AdamW>(AdamWOptions(0.01).weight_decay(0.1), golden::kAdamW);
}

TEST(Optimizer, StepsManyParametersAsOne) {
  const Tensor all = golden_tensor(golden::kStart),
               grads = golden_tensor(golden::kGradients, {10, 37});
  std::vector<Tensor> pieces;
  for (std::int64_t i = 0; i < 37; ++i) pieces.push_back(parameter_of(all.narrow(0, i, 1)));
  Adam optimizer(pieces, 0.01);
  for (std::int64_t step = 0; step < 10; ++step) {
    for (std::int64_t i = 0; i < 37; ++i) {
      pieces[static_cast<std::size_t>(i)].set_grad(grads[step].narrow(0, i, 1).clone());
    }
    optimizer.step();
  }
  EXPECT_TRUE(same_bits(cat(pieces), golden_tensor(golden::kAdam)));
}

TEST(Optimizer, StepsParametersOfAnyLayout) {
  const Tensor columns = golden_tensor(golden::kStart).narrow(0, 0, 36).reshape({6, 6});
  const Tensor grad = golden_tensor(golden::kGradients).narrow(0, 0, 36).reshape({6, 6});
  const Tensor plain = parameter_of(columns);
  const Tensor turned = columns.t().contiguous().t().detach().requires_grad_();
  ASSERT_FALSE(turned.is_contiguous());
  Adam a({plain}, 0.1), b({turned}, 0.1);
  for (int step = 0; step < 3; ++step) {
    plain.set_grad(grad.clone());
    turned.set_grad(grad.t().contiguous().t());
    a.step();
    b.step();
  }
  EXPECT_TRUE(same_bits(turned.contiguous(), plain));
}

TEST(Optimizer, SkipsWhatHasNoGradient) {
  const Tensor a = parameter_of(ones({2})), b = parameter_of(ones({2}));
  Adam optimizer({a, b}, 0.1);
  a.set_grad(ones({2}));
  optimizer.step();
  EXPECT_TRUE(same_bits(b, ones({2})));
  EXPECT_FALSE(equal(a, ones({2})));
  b.set_grad(ones({2}));
  optimizer.step();  // b takes its first step while a takes its second
  EXPECT_EQ(optimizer.state_dict()["state"]["0"]["step"].tensor().item<int>(), 2);
  EXPECT_EQ(optimizer.state_dict()["state"]["1"]["step"].tensor().item<int>(), 1);
  Adam alone({parameter_of(ones({2}))}, 0.1);
  alone.parameters()[0].set_grad(ones({2}));
  alone.step();
  EXPECT_TRUE(same_bits(alone.parameters()[0], b));
  optimizer.zero_grad();
  EXPECT_FALSE(a.grad().defined());
}

TEST(Optimizer, MarksParametersAsChanged) {
  const Tensor w = parameter_of(ones({2}));
  SGD optimizer({w}, 0.1);
  const Tensor loss = (w * w).sum();
  w.set_grad(ones({2}));
  optimizer.step();
  EXPECT_NE(error_of([&] { loss.backward(); }).find("has been modified by an inplace operation"),
            std::string::npos);
}

TEST(Optimizer, CallsAClosureWithGradients) {
  const Tensor w = parameter_of(ones({2}));
  SGD optimizer({w}, 0.5);
  const NoGradGuard no_grad;
  const Tensor loss = optimizer.step([&] {
    optimizer.zero_grad();
    Tensor result = (w * w).sum();
    result.backward();
    return result;
  });
  EXPECT_EQ(loss.item<float>(), 2);
  EXPECT_TRUE(same_bits(w, zeros({2})));
}

TEST(Optimizer, HasGroupsWithOptionsOfTheirOwn) {
  std::vector<optim::OptimizerParamGroup> groups;
  groups.emplace_back(std::vector<Tensor>{parameter_of(ones({1}))});
  groups.emplace_back(std::vector<Tensor>{parameter_of(ones({1}))},
                      std::make_unique<AdamOptions>(AdamOptions().weight_decay(0.5).lr(1e-3)));
  Adam optimizer(groups, AdamOptions(0.1).eps(1e-4));
  const auto& first = static_cast<AdamOptions&>(optimizer.param_groups()[0].options());
  auto& second = static_cast<AdamOptions&>(optimizer.param_groups()[1].options());
  EXPECT_EQ(first.lr(), 0.1);
  EXPECT_EQ(second.lr(), 1e-3);  // chosen, though it is what AdamOptions starts with
  EXPECT_EQ(second.weight_decay(), 0.5);
  EXPECT_EQ(second.eps(), 1e-4);
  second.lr(0.3);
  EXPECT_EQ(optimizer.param_groups()[1].options().get_lr(), 0.3);
  optimizer.defaults().set_lr(0.7);
  EXPECT_EQ(optimizer.defaults().get_lr(), 0.7);
  optimizer.add_param_group({{parameter_of(ones({1}))}});
  EXPECT_EQ(optimizer.param_groups()[2].options().get_lr(), 0.7);
  EXPECT_EQ(optimizer.size(), 3u);
}

TEST(Optimizer, RefusesWhatIsWrong) {
  const Tensor w = parameter_of(ones({1}));
  EXPECT_EQ(error_of([&] { Adam({w}, -1); }), "Invalid learning rate: -1");
  EXPECT_EQ(error_of([&] { SGD({w}, -1); }), "Invalid learning rate: -1");
  EXPECT_EQ(error_of([&] { SGD({w}, SGDOptions(1).momentum(-1)); }), "Invalid momentum value: -1");
  EXPECT_EQ(error_of([&] { SGD({w}, SGDOptions(1).weight_decay(-1)); }),
            "Invalid weight_decay value: -1");
  EXPECT_EQ(error_of([&] { SGD({w}, SGDOptions(1).nesterov(true)); }),
            "Nesterov momentum requires a momentum and zero dampening");
  EXPECT_EQ(error_of([&] { Adam({w}, AdamOptions().eps(-1)); }), "Invalid epsilon value: -1");
  EXPECT_EQ(error_of([&] {
              Adam({w}, AdamOptions().betas({1, 0}));
            }),
            "Invalid beta parameter at index 0: 1");
  EXPECT_EQ(error_of([&] {
              AdamW({w}, AdamWOptions().betas({0, 1.5}));
            }),
            "Invalid beta parameter at index 1: 1.5");
  EXPECT_EQ(error_of([&] { Adam({w * 2}, 1); }), "can't optimize a non-leaf Tensor");
  EXPECT_EQ(error_of([] { Adam(std::vector<Tensor>{}, 1); }),
            "optimizer got an empty parameter list");
  EXPECT_EQ(error_of([&] {
              Adam({w, w}, 1);
            }),
            "optimizer contains a parameter group with duplicate parameters");
  Adam optimizer({w}, 1);
  EXPECT_EQ(error_of([&] { optimizer.add_param_group({{w}}); }),
            "some parameters appear in more than one parameter group");
  EXPECT_THROW(
      optimizer.add_param_group({{parameter_of(ones({1}))}, std::make_unique<SGDOptions>(0.1)}),
      Error);
  EXPECT_EQ(optimizer.size(), 1u);
  w.mutable_grad() = ones({2});
  EXPECT_EQ(error_of<ShapeError>([&] { optimizer.step(); }),
            "Adam: the gradient of size [2] does not fit its parameter of size [1]");
}

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

/// Ten steps, with a change of optimizer through its state after `stop` of them.
template <class O, class Options>
Tensor resumed(const Options& options, const Options& other_options, std::int64_t stop) {
  const Tensor gradients = golden_tensor(golden::kGradients, {10, 37});
  Tensor parameter = parameter_of(golden_tensor(golden::kStart));
  auto optimizer = std::make_unique<O>(std::vector<Tensor>{parameter}, options);
  for (std::int64_t step = 0; step < 10; ++step) {
    if (step == stop) {
      const State state = optimizer->state_dict();
      parameter = parameter_of(parameter);
      optimizer = std::make_unique<O>(std::vector<Tensor>{parameter}, other_options);
      optimizer->load_state_dict(state);
    }
    parameter.set_grad(gradients[step].clone());
    optimizer->step();
  }
  return parameter;
}

TEST(OptimizerState, ResumesToTheBit) {
  EXPECT_TRUE(same_bits(resumed<SGD>(SGDOptions(0.1).momentum(0.9), SGDOptions(9), 4),
                        golden_tensor(golden::kSgdMomentum)));
  EXPECT_TRUE(same_bits(resumed<Adam>(AdamOptions(0.02).amsgrad(true), AdamOptions(9), 4),
                        golden_tensor(golden::kAdamAmsgrad)));
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

TEST(OptimizerState, IsCheckedBeforeAnythingChanges) {
  const Tensor a = parameter_of(ones({2})), b = parameter_of(ones({3}));
  Adam optimizer({a, b}, 0.1);
  a.set_grad(ones({2}));
  b.set_grad(ones({3}));
  optimizer.step();
  const State before = optimizer.state_dict();

  Adam smaller({parameter_of(ones({2}))}, 0.1);
  EXPECT_EQ(error_of([&] { optimizer.load_state_dict(smaller.state_dict()); }),
            "loaded state dict contains a parameter group that doesn't match the size of "
            "optimizer's group");
  State no_groups;
  no_groups.insert("state", State());
  no_groups.insert("param_groups", State::list());
  EXPECT_EQ(error_of([&] { optimizer.load_state_dict(no_groups); }),
            "loaded state dict has a different number of parameter groups");
  Adam swapped({parameter_of(ones({3})), parameter_of(ones({2}))}, 0.5);
  for (const Tensor& parameter : swapped.parameters()) parameter.set_grad(ones_like(parameter));
  swapped.step();
  EXPECT_EQ(error_of<ShapeError>([&] { optimizer.load_state_dict(swapped.state_dict()); }),
            "loaded state dict has exp_avg of size [3] for a parameter of size [2]");
  SGD sgd({parameter_of(ones({2})), parameter_of(ones({3}))}, 0.1);
  EXPECT_EQ(error_of<IndexError>([&] {
              optimizer.load_state_dict(sgd.state_dict());
            }).find("Key 'betas' is not defined"),
            0u);
  EXPECT_TRUE(identical(before, optimizer.state_dict()));
}

}  // namespace
}  // namespace tern
