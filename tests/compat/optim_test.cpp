#include <tern/compat/torch/torch.h>

#include <gtest/gtest.h>

// Optimizers and schedulers as programs for libtorch use them.

namespace optim = torch::optim;

namespace {

torch::Tensor parameter() { return torch::ones({1}, torch::requires_grad()); }

TEST(TorchOptimizer, MayGetItsParametersLater) {
  optim::SGD optimizer(std::vector<torch::Tensor>{}, optim::SGDOptions(0.5));
  EXPECT_EQ(optimizer.size(), 0u);
  const auto p = parameter();
  optimizer.add_parameters({p});
  optimizer.add_parameters({parameter()});
  EXPECT_EQ(optimizer.param_groups().size(), 1u);
  EXPECT_EQ(optimizer.parameters().size(), 2u);
  p.sum().backward();
  optimizer.step();
  EXPECT_EQ(p.item<float>(), 0.5F);
  optimizer.add_param_group({{parameter()}});
  EXPECT_EQ(optimizer.param_groups().size(), 2u);
}

TEST(TorchOptimizer, HasOptionsAndStatesThatCompare) {
  EXPECT_TRUE(optim::SGDOptions(0.1) == optim::SGDOptions(0.1));
  EXPECT_FALSE(optim::SGDOptions(0.1) == optim::SGDOptions(0.1).momentum(0.3));
  EXPECT_TRUE(optim::AdamOptions() == optim::AdamOptions(1e-3));
  const auto p = parameter();
  optim::Adam adam({p}, optim::AdamOptions(0.1));
  (p * 2).sum().backward();
  adam.step();
  auto& state = static_cast<optim::AdamParamState&>(*adam.state().at(p.unsafeGetTensorImpl()));
  const auto copy = state.clone();
  EXPECT_TRUE(static_cast<const optim::AdamParamState&>(*copy) == state);
  state.step(7);
  EXPECT_FALSE(static_cast<const optim::AdamParamState&>(*copy) == state);
}

class Halving : public optim::LRScheduler {
 public:
  using optim::LRScheduler::LRScheduler;

 private:
  std::vector<double> get_lrs() override {
    std::vector<double> lrs = get_current_lrs();
    for (double& lr : lrs) lr /= 2;
    return lrs;
  }
};

TEST(TorchScheduler, IsDerivedFrom) {
  optim::SGD optimizer({parameter()}, 1.0);
  Halving scheduler(optimizer);
  scheduler.step();
  scheduler.step();
  EXPECT_EQ(optimizer.param_groups()[0].options().get_lr(), 0.25);
}

struct PlainOptions : optim::OptimizerCloneableOptions<PlainOptions> {
  PlainOptions(double lr = 0.1) : lr_(lr) {}
  TORCH_ARG(double, lr);

 public:
  double get_lr() const override { return lr_; }
  void set_lr(const double lr) override { lr_ = lr; }
};

class Plain : public optim::Optimizer {
 public:
  Plain(std::vector<torch::Tensor> parameters, PlainOptions defaults = {})
      : optim::Optimizer({optim::OptimizerParamGroup(std::move(parameters))},
                         std::make_unique<PlainOptions>(defaults)) {}
  torch::Tensor step(LossClosure /*closure*/ = nullptr) override {
    torch::NoGradGuard no_grad;
    for (auto& group : param_groups_) {
      for (auto& p : group.params()) p.sub_(p.grad() * group.options().get_lr());
    }
    return {};
  }
};

TEST(TorchOptimizer, IsDerivedFrom) {
  const auto p = parameter();
  Plain optimizer({p}, 0.5);
  p.sum().backward();
  optimizer.step();
  EXPECT_EQ(p.item<float>(), 0.5F);
}

// libtorch looks for a parameter among those with a state.
TEST(TorchOptimizer, MayHaveAParameterTwiceBeforeItsState) {
  const auto p = parameter();
  optim::SGD sgd({p}, optim::SGDOptions(0.25));
  sgd.add_param_group(optim::OptimizerParamGroup({p}));
  EXPECT_EQ(sgd.param_groups().size(), 2u);
  optim::Adam adam({p}, optim::AdamOptions());
  p.sum().backward();
  sgd.step();
  EXPECT_EQ(p.item<float>(), 0.5F);
  adam.step();
  EXPECT_THROW(adam.add_param_group(optim::OptimizerParamGroup({p})), c10::Error);
}

}  // namespace
