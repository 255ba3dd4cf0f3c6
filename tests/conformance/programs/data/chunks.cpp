#include <torch/torch.h>

#include <iostream>
#include <numeric>

namespace datasets = torch::data::datasets;
namespace samplers = torch::data::samplers;

// A ChunkDataset that reads numbers chunk by chunk.
struct Reader : datasets::ChunkDataReader<int> {
  using BatchType = std::vector<int>;
  using DataType = int;
  std::vector<int> read_chunk(size_t chunk) override {
    std::vector<int> values(4);
    std::iota(values.begin(), values.end(), static_cast<int>(chunk) * 4);
    return values;
  }
  size_t chunk_count() override { return 3; }
  void reset() override {}
};

int main() {
  datasets::ChunkDatasetOptions options(/*preloader_count=*/1, /*batch_size=*/5);
  auto dataset = datasets::make_shared_dataset<
      datasets::ChunkDataset<Reader, samplers::SequentialSampler, samplers::SequentialSampler>>(
      Reader(), samplers::SequentialSampler(0), samplers::SequentialSampler(0), options);
  auto loader =
      torch::data::make_data_loader(dataset, torch::data::DataLoaderOptions(5).workers(0));
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (auto& batch : *loader) std::cout << std::vector<int>(batch.begin(), batch.end()) << " | ";
    std::cout << "\n";
  }
}
