#include <torch/torch.h>

#include <iostream>

// Generators with a state of their own.
int main() {
  auto gen = at::detail::createCPUGenerator(123);
  torch::Tensor first = torch::rand({3}, gen);
  std::cout << first << "\n" << gen.current_seed() << "\n";
  gen.set_current_seed(123);
  std::cout << torch::rand({3}, gen).equal(first) << "\n";
  auto other = torch::make_generator<at::CPUGeneratorImpl>(5);
  std::cout << torch::randn({2}, other, torch::kDouble) << "\n";
  std::cout << torch::randperm(4, other) << "\n" << torch::randint(10, {3}, other) << "\n";
  torch::manual_seed(1);
  torch::Tensor state = at::detail::getDefaultCPUGenerator().get_state();
  torch::Tensor a = torch::rand({2});
  auto generator = at::detail::getDefaultCPUGenerator();
  generator.set_state(state);
  std::cout << torch::rand({2}).equal(a) << " " << state.dtype() << "\n";
  torch::Tensor t = torch::empty({3}).uniform_(0, 1, gen);
  std::cout << t << "\n" << torch::empty({2}).normal_(0, 1, gen) << "\n";
  auto copy = gen.clone();
  std::cout << torch::rand({2}, copy).equal(torch::rand({2}, gen)) << "\n";
  std::cout << gen.device() << "\n";
}
