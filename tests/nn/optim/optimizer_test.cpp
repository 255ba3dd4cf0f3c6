#include <tern/core/autograd/grad_mode.h>

#include "nn/optim/golden.h"

namespace tern {
namespace {

using namespace optim;

TEST(Optimizer, StepsManyParametersAsOne) {
  const Tensor whole = parameter_of(golden_start());
  std::vector<Tensor> pieces;
  for (const Tensor& element : whole.split(1)) pieces.push_back(parameter_of(element));
  Adam one({whole}, 0.01), many(pieces, 0.01);
  for (const Tensor& gradient : golden_gradients()) {
    whole.set_grad(gradient);
    const std::vector<Tensor> elements = gradient.clone().split(1);
    for (std::size_t i = 0; i < pieces.size(); ++i) pieces[i].set_grad(elements[i]);
    one.step();
    many.step();
  }
  EXPECT_TRUE(same_bits(cat(pieces), whole));
}

TEST(Optimizer, StepsParametersOfAnyLayout) {
  const Tensor columns = golden_start().narrow(0, 0, 16).reshape({4, 4});
  const Tensor grad = golden_gradients()[0].narrow(0, 0, 16).reshape({4, 4});
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
  SGD sgd({a, b}, 0.5);
  b.set_data(ones({2}));
  b.set_grad(ones({2}));
  sgd.step();
  EXPECT_TRUE(same_bits(b, full({2}, 0.5)));
}

/// Parameters that begin at different steps, and numbers that differ although the steps agree, give
/// what each parameter gives alone.
void expect_steps_as_alone(const testing::AnyOptimizer& optimizer) {
  SCOPED_TRACE(optimizer.name);
  const Tensor start = golden_start().narrow(0, 0, 4).reshape({2, 2});
  const std::vector<Tensor> gradients = golden_gradients();
  std::vector<Tensor> together, apart;
  std::vector<std::unique_ptr<Optimizer>> alone;
  for (int i = 0; i < 3; ++i) {
    together.push_back(parameter_of(start * (i + 1)));
    apart.push_back(parameter_of(start * (i + 1)));
    alone.push_back(optimizer.make({apart.back()}));
  }
  const auto all = optimizer.make(together);
  constexpr bool kHasGradient[][3] = {
      {false, true, false}, {true, true, false}, {true, false, true}, {true, true, true}};
  for (std::size_t step = 0; step < 4; ++step) {
    for (std::size_t i = 0; i < 3; ++i) {
      const Tensor gradient = gradients[step + i].narrow(0, 0, 4).reshape({2, 2});
      for (const Tensor& parameter : {together[i], apart[i]}) {
        parameter.mutable_grad() = kHasGradient[step][i] ? gradient.clone() : Tensor();
      }
      alone[i]->step();
    }
    all->step();
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_TRUE(same_bits(together[i], apart[i])) << "parameter " << i << ", step " << step;
    }
  }
}

TEST(Optimizer, StepsParametersTogetherAsAlone) {
  for (const testing::AnyOptimizer& optimizer : testing::every_optimizer()) {
    if (optimizer.kind != testing::StepKind::kWhole) expect_steps_as_alone(optimizer);
  }
}

// The products of NAdam's momenta differ if the momenta did, although both took one step.
TEST(Optimizer, StepsNAdamByTheProductOfEachParameter) {
  std::vector<Tensor> together, apart;
  for (int i = 0; i < 2; ++i) {
    together.push_back(parameter_of(ones({2})));
    apart.push_back(parameter_of(ones({2})));
  }
  NAdam all(together, 0.1), first({apart[0]}, 0.1), second({apart[1]}, 0.1);
  const auto step = [&] {
    for (const auto& parameters : {together, apart}) {
      for (const Tensor& parameter : parameters) parameter.set_grad(ones({2}));
    }
    all.step();
    first.step();
    second.step();
  };
  step();
  for (NAdam* optimizer : {&all, &second}) {
    const Tensor& last = optimizer->parameters().back();
    static_cast<NAdamParamState&>(*optimizer->state().at(last.unsafeGetTensorImpl()))
        .mu_product(0.25f);
  }
  step();
  for (std::size_t i = 0; i < 2; ++i) EXPECT_TRUE(same_bits(together[i], apart[i])) << i;
  EXPECT_FALSE(equal(together[0], together[1]));
}

// The gradient of a gradient that is zeroed has no history any more, and what was made of it keeps
// its own.
TEST(Optimizer, ZeroesGradientsThatHaveAHistory) {
  for (const bool of_module : {false, true}) {
    const nn::Linear net(2, 1);
    SGD optimizer(net->parameters(), 0.1);
    const Tensor x = ones({3, 2});
    net(x).square().sum().backward({}, {}, /*create_graph=*/true);
    const Tensor weight = net->weight, first = weight.grad();
    ASSERT_TRUE(first.requires_grad());
    const Tensor penalty = first.sum() * 1;
    of_module ? net->zero_grad(/*set_to_none=*/false) : optimizer.zero_grad(false);
    EXPECT_FALSE(weight.grad().requires_grad());
    EXPECT_TRUE(same_bits(weight.grad(), zeros({1, 2})));
    EXPECT_TRUE(weight.grad().is_alias_of(first));
    net(x).sum().backward();
    EXPECT_FALSE(weight.grad().requires_grad());
    EXPECT_TRUE(same_bits(weight.grad(), full({1, 2}, 3.0)));
    // d (sum of 2 x (w x + b)) / dw
    EXPECT_TRUE(same_bits(autograd::grad({penalty}, {weight})[0], full({1, 2}, 12.0)));
    optimizer.zero_grad();
  }
}

// A gradient counts, not whether another one would be wanted.
TEST(Optimizer, StepsAFrozenParameterThatHasAGradient) {
  const Tensor a = parameter_of(ones({2})), b = parameter_of(ones({2}));
  SGD sgd({a}, 0.5);
  Adam adam({b}, 0.5);
  for (const Tensor& parameter : {a, b}) {
    parameter.set_grad(ones({2}));
    Tensor(parameter).requires_grad_(false);
  }
  sgd.step();
  adam.step();
  EXPECT_TRUE(close(a, full({2}, 0.5)));
  EXPECT_TRUE(close(b, full({2}, 0.5)));
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

TEST(Optimizer, ReadsAndSetsTheLearningRate) {
  const Tensor a = parameter_of(ones({1})), b = parameter_of(ones({1}));
  SGD optimizer({a}, 0.5);
  EXPECT_EQ(optimizer.lr(), 0.5);
  optimizer.add_param_group({{b}, std::make_unique<SGDOptions>(0.25)});
  EXPECT_EQ(error_of([&] { optimizer.lr(); }),
            "SGD: lr() of groups with different learning rates, 0.5 and 0.25; use "
            "param_groups()[i].options().get_lr()");
  EXPECT_EQ(error_of([&] { optimizer.set_lr(-1); }), "SGD: Invalid learning rate: -1");
  EXPECT_EQ(optimizer.param_groups()[1].options().get_lr(), 0.25);
  optimizer.set_lr(2);
  EXPECT_EQ(optimizer.lr(), 2);
  for (const Tensor& parameter : {a, b}) parameter.set_grad(ones({1}));
  optimizer.step();
  EXPECT_EQ(a.item<float>(), -1);
  EXPECT_EQ(b.item<float>(), -1);
}

TEST(Optimizer, RefusesWhatIsWrong) {
  const Tensor w = parameter_of(ones({1}));
  EXPECT_EQ(error_of([&] { Adam({w}, -1); }), "Adam: Invalid learning rate: -1");
  EXPECT_EQ(error_of([&] { SGD({w}, -1); }), "SGD: Invalid learning rate: -1");
  EXPECT_EQ(error_of([&] { SGD({w}, SGDOptions(1).momentum(-1)); }),
            "SGD: Invalid momentum value: -1");
  EXPECT_EQ(error_of([&] { SGD({w}, SGDOptions(1).weight_decay(-1)); }),
            "SGD: Invalid weight_decay value: -1");
  EXPECT_EQ(error_of([&] { SGD({w}, SGDOptions(1).nesterov(true)); }),
            "SGD: Nesterov momentum requires a momentum and zero dampening, got 0 and 0");
  EXPECT_EQ(error_of([&] { Adam({w}, AdamOptions().eps(-1)); }), "Adam: Invalid epsilon value: -1");
  EXPECT_EQ(error_of([&] {
              Adam({w}, AdamOptions().betas({1, 0}));
            }),
            "Adam: Invalid beta parameter at index 0: 1");
  EXPECT_EQ(error_of([&] {
              AdamW({w}, AdamWOptions().betas({0, 1.5}));
            }),
            "AdamW: Invalid beta parameter at index 1: 1.5");
  EXPECT_EQ(
      error_of([&] { Adam({w * 2}, 1); }),
      "Adam: can't optimize a non-leaf Tensor; make a leaf with tensor.detach().requires_grad_()");
  EXPECT_EQ(error_of([] { Adam(std::vector<Tensor>{}, 1); }),
            "Adam: optimizer got an empty parameter list; parameters() finds what "
            "register_parameter() and "
            "register_module() have registered, not plain members");
  EXPECT_EQ(error_of([&] {
              Adam({w, w}, 1);
            }),
            "Adam: optimizer contains a parameter group with duplicate parameters");
  Adam optimizer({w}, 1);
  EXPECT_EQ(error_of([&] { optimizer.add_param_group({{w}}); }),
            "Adam: some parameters appear in more than one parameter group");
  EXPECT_EQ(
      error_of([&] {
        optimizer.add_param_group({{parameter_of(ones({1}))}, std::make_unique<SGDOptions>(0.1)});
      }),
      "Adam: the options of a parameter group must have the class tern::optim::AdamOptions, got "
      "tern::optim::SGDOptions");
  EXPECT_EQ(optimizer.size(), 1u);
  w.mutable_grad() = ones({2});
  EXPECT_EQ(error_of<ShapeError>([&] { optimizer.step(); }),
            "Adam: the gradient of size [2] does not fit its parameter of size [1]");
}

}  // namespace
}  // namespace tern
