#include <torch/torch.h>

#include <iostream>

namespace data = torch::data;

struct Squares : data::datasets::Dataset<Squares> {
  data::Example<> get(size_t i) override {
    const auto v = static_cast<float>(i);
    return {torch::tensor({v}), torch::tensor({v * v})};
  }
  c10::optional<size_t> size() const override { return 10; }
};

// Loaders with samplers, batch sizes and workers.
int main() {
  auto loader = data::make_data_loader<data::samplers::SequentialSampler>(
      Squares().map(data::transforms::Stack<>()), data::DataLoaderOptions().batch_size(4));
  for (auto& batch : *loader)
    std::cout << batch.data.sizes() << batch.target.sum().item<float>() << "\n";
  auto dropped = data::make_data_loader<data::samplers::SequentialSampler>(
      Squares().map(data::transforms::Stack<>()), data::DataLoaderOptions(4).drop_last(true));
  int batches = 0;
  for (const auto& batch : *dropped) batches += batch.data.size(0) == 4;
  std::cout << batches << "\n";
  torch::manual_seed(3);
  auto random =
      data::make_data_loader(Squares().map(data::transforms::Stack<>()), /*batch_size=*/5);
  float sum = 0;
  for (const auto& batch : *random) sum += batch.data.sum().item<float>();
  std::cout << sum << "\n";
  auto workers = data::make_data_loader<data::samplers::SequentialSampler>(
      Squares().map(data::transforms::Stack<>()),
      data::DataLoaderOptions().batch_size(3).workers(2).enforce_ordering(true));
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (auto& batch : *workers) std::cout << batch.target.sum().item<float>() << " ";
  }
  std::cout << "\n" << workers->options().workers << " " << workers->options().batch_size << "\n";
  auto plain = data::make_data_loader(Squares(), data::samplers::SequentialSampler(3), 2);
  for (auto& batch : *plain) std::cout << batch.size() << batch[0].data.item<float>() << "\n";
  for (auto i = loader->begin(); i != loader->end(); ++i)
    std::cout << i->data[0].item<float>() << " ";
  std::cout << "\n";
}
