#include <torch/torch.h>

#include <iostream>

namespace data = torch::data;

// A stateful data set that ends by itself, and a batch data set.
struct Stream : data::datasets::StatefulDataset<Stream, std::vector<int>, size_t> {
  torch::optional<std::vector<int>> get_batch(size_t size) override {
    if (next >= 7) return torch::nullopt;
    std::vector<int> batch;
    for (size_t i = 0; i < size && next < 7; ++i) batch.push_back(next++);
    return batch;
  }
  torch::optional<size_t> size() const override { return torch::nullopt; }
  void reset() override { next = 0; }
  void save(torch::serialize::OutputArchive&) const override {}
  void load(torch::serialize::InputArchive&) override {}
  int next = 0;
};

struct Batches : data::datasets::BatchDataset<Batches, std::vector<size_t>> {
  std::vector<size_t> get_batch(torch::ArrayRef<size_t> indices) override {
    std::vector<size_t> batch;
    for (size_t i : indices) batch.push_back(i * 10);
    return batch;
  }
  torch::optional<size_t> size() const override { return 4; }
};

int main() {
  auto loader = data::make_data_loader(Stream(), data::DataLoaderOptions().batch_size(3));
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (auto& batch : *loader) std::cout << batch << " | ";
    std::cout << "\n";
  }
  auto batches = data::make_data_loader<data::samplers::SequentialSampler>(Batches(), 3);
  for (auto& batch : *batches) std::cout << batch << " | ";
  std::cout << "\n";
  std::vector<torch::Tensor> tensors = {torch::ones({2}), torch::zeros({2})};
  data::datasets::TensorDataset dataset(tensors);
  std::cout << dataset.size().value() << dataset.get(0).data << "\n";
  data::datasets::TensorDataset rows(torch::arange(6).view({3, 2}));
  std::cout << rows.size().value() << rows.get(1).data << "\n";
}
