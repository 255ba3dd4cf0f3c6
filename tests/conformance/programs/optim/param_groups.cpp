#include <torch/torch.h>

#include <iostream>

// Groups of parameters with options of their own.
int main() {
  torch::Tensor a = torch::ones({2}, torch::requires_grad());
  torch::Tensor b = torch::ones({2}, torch::requires_grad());
  std::vector<torch::optim::OptimizerParamGroup> groups;
  groups.emplace_back(std::vector<torch::Tensor>{a});
  groups.emplace_back(std::vector<torch::Tensor>{b},
                      std::make_unique<torch::optim::SGDOptions>(0.5));
  torch::optim::SGD sgd(groups, torch::optim::SGDOptions(0.1));
  (a + b).sum().backward();
  sgd.step();
  std::cout << a << "\n" << b << "\n";
  std::cout << sgd.param_groups().size() << sgd.param_groups()[1].params().size() << sgd.size()
            << "\n";
  for (auto& group : sgd.param_groups()) {
    auto& options = static_cast<torch::optim::SGDOptions&>(group.options());
    options.lr(options.lr() * 0.5);
    std::cout << group.options().get_lr() << " " << group.has_options() << "\n";
  }
  sgd.param_groups()[0].options().set_lr(1.0);
  sgd.step();
  std::cout << a << "\n";
  torch::Tensor c = torch::zeros({1}, torch::requires_grad());
  sgd.add_param_group(torch::optim::OptimizerParamGroup({c}));
  std::cout << sgd.param_groups().size() << sgd.state().size() << "\n";
  sgd.zero_grad();
  std::cout << a.grad().defined() << "\n";
  auto& defaults = static_cast<torch::optim::SGDOptions&>(sgd.defaults());
  std::cout << defaults.lr() << defaults.nesterov() << "\n";
  try {
    sgd.add_param_group(torch::optim::OptimizerParamGroup({a}));
  } catch (const c10::Error& e) {
    std::cout << e.what_without_backtrace() << "\n";
  }
}
