#include <torch/data.h>

#include <iostream>

// The headers of data sets.
int main() {
  auto dataset = torch::data::datasets::TensorDataset(torch::arange(4))
                     .map(torch::data::transforms::Stack<torch::data::TensorExample>());
  auto loader = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(
      std::move(dataset), 3);
  for (auto& batch : *loader) std::cout << batch.data << "\n";
}
