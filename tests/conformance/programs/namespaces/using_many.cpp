#include <torch/torch.h>

#include <iostream>

using namespace torch::nn;
using namespace torch::autograd;
using namespace torch::data;
using namespace torch::optim;

namespace F = torch::nn::functional;
namespace idx = torch::indexing;

// Several namespaces at once.
int main() {
  torch::manual_seed(2);
  Sequential net(Linear(2, 2), ReLU());
  Variable x = torch::ones({1, 2});
  variable_list grads = grad({net->forward(x).sum()}, net->parameters());
  std::cout << grads.size() << F::softmax(x, 1) << x.index({idx::Slice(), 0}) << "\n";
  Adam adam(net->parameters(), AdamOptions(0.1));
  auto loader = make_data_loader<samplers::SequentialSampler>(
      datasets::TensorDataset(x).map(transforms::Stack<TensorExample>()), 1);
  for (auto& batch : *loader) std::cout << batch.data.sizes() << "\n";
}
