#include <torch/torch.h>

#include <iostream>
#include <variant>

// Options that are variants of enum types.
int main() {
  torch::nn::RNNOptions rnn(2, 3);
  std::cout << std::holds_alternative<torch::enumtype::kTanh>(rnn.nonlinearity()) << "\n";
  rnn.nonlinearity(torch::kReLU);
  std::cout << (std::get_if<torch::enumtype::kReLU>(&rnn.nonlinearity()) != nullptr)
            << torch::enumtype::get_enum_name(rnn.nonlinearity()) << "\n";
  torch::nn::MSELossOptions loss(torch::kSum);
  std::cout << torch::enumtype::get_enum_name(loss.reduction())
            << torch::enumtype::reduction_get_enum(loss.reduction()) << "\n";
  torch::nn::UpsampleOptions up;
  std::cout << torch::enumtype::get_enum_name(up.mode())
            << std::holds_alternative<torch::enumtype::kNearest>(up.mode()) << "\n";
  using Choice = std::variant<torch::enumtype::kMean, torch::enumtype::kMax>;
  Choice choice = torch::kMax;
  std::cout << choice.index() << torch::enumtype::get_enum_name(choice) << "\n";
}
