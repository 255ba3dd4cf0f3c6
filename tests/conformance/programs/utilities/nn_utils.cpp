#include <torch/torch.h>

#include <iostream>

// Utilities of torch::nn::utils and vectors of parameters.
int main() {
  torch::manual_seed(2);
  torch::nn::Linear a(3, 2), b(2, 1);
  auto vec = torch::nn::utils::parameters_to_vector(a->parameters());
  std::cout << vec.sizes() << vec << "\n";
  torch::nn::utils::vector_to_parameters(torch::arange(8, torch::kFloat), a->parameters());
  std::cout << a->weight << a->bias << "\n";
  auto params = a->parameters();
  a(torch::ones({1, 3})).pow(2).sum().backward();
  double norm = torch::nn::utils::clip_grad_norm_(params, 1.0);
  std::cout << norm << " " << a->weight.grad().norm() << "\n";
  torch::nn::utils::clip_grad_value_(params, 0.1);
  std::cout << a->weight.grad().abs().max()
            << torch::nn::utils::clip_grad_norm_(a->bias, 0.5,
                                                 std::numeric_limits<double>::infinity())
            << "\n";
  using namespace torch::nn::utils::rnn;
  auto packed =
      pack_sequence({torch::ones({3, 2}), torch::ones({2, 2}) * 2, torch::ones({1, 2}) * 3});
  std::cout << packed.data() << packed.batch_sizes() << packed.is_cuda() << packed.is_pinned()
            << "\n";
  auto padded = pad_packed_sequence(packed, true, -1);
  std::cout << std::get<0>(padded) << std::get<1>(padded) << "\n";
  std::cout << pad_sequence({torch::ones({2}), torch::ones({3})}, true, 9)
            << pad_sequence({torch::ones({2}), torch::ones({3})}, true, 0, "left") << "\n";
  try {
    pack_padded_sequence(torch::ones({3, 2, 1}), torch::tensor({1, 3}));
  } catch (const c10::Error& e) {
    std::cout << e.what_without_backtrace() << "\n";
  }
  auto same = pack_padded_sequence(torch::ones({3, 2, 1}), torch::tensor({1, 3}), false, false);
  std::cout << same.sorted_indices() << same.unsorted_indices() << "\n";
}
