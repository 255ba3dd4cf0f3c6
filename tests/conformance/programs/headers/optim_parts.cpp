#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/optimizer.h>
#include <torch/optim/schedulers/step_lr.h>
#include <torch/optim/sgd.h>
#include <torch/types.h>

#include <iostream>

// An optimizer of the program is derived from torch::optim::Optimizer.
struct Half : torch::optim::Optimizer {
  explicit Half(std::vector<torch::Tensor> params)
      : Optimizer({torch::optim::OptimizerParamGroup(std::move(params))},
                  std::make_unique<torch::optim::SGDOptions>(0.1)) {}
  torch::Tensor step(LossClosure closure = nullptr) override {
    torch::NoGradGuard no_grad;
    for (auto& group : param_groups()) {
      for (auto& p : group.params()) {
        if (p.grad().defined()) p.sub_(p.grad(), 0.5);
      }
    }
    return {};
  }
};

int main() {
  torch::Tensor w = torch::full({2}, 4.0, torch::requires_grad());
  Half half({w});
  (w * w).sum().backward();
  half.step();
  std::cout << w << "\n";
  half.zero_grad();
  torch::optim::Adam adam({w}, torch::optim::AdamOptions(0.1));
  torch::optim::StepLR scheduler(adam, 1, 0.1);
  scheduler.step();
  std::cout << adam.param_groups()[0].options().get_lr() << "\n";
}
