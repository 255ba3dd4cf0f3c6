#include "data_programs.h"

namespace compat_data {
namespace {

class CompatDatasetsTest : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Workers, CompatDatasetsTest, testing::Values(0, 1, 3));

TEST(CompatDatasets, Streams) {
  struct Stream : datasets::StreamDataset<Stream, std::vector<int>> {
    std::vector<int> get_batch(std::size_t size) override {
      std::vector<int> batch(size);
      for (int& number : batch) number = counter++;
      return batch;
    }
    torch::optional<std::size_t> size() const override { return torch::nullopt; }
    int counter = 0;
  };
  auto loader = make_data_loader(Stream(), samplers::StreamSampler(5), DataLoaderOptions(2));
  EXPECT_EQ(batches_of(loader), (Batches{{0, 1}, {2, 3}, {4}}));
  EXPECT_EQ(batches_of(loader), (Batches{{5, 6}, {7, 8}, {9}}));
  static_assert(!Stream::is_stateful);
}

TEST(CompatDatasets, SharedByAllWorkers) {
  struct Counting : datasets::BatchDataset<Counting, int> {
    Counting() = default;
    Counting(const Counting&) = delete;
    Counting& operator=(const Counting&) = delete;
    int get_batch(torch::ArrayRef<std::size_t> /*request*/) override { return ++count; }
    torch::optional<std::size_t> size() const override { return 12; }
    std::atomic<int> count{0};
  };
  auto shared = datasets::make_shared_dataset<Counting>();
  auto loader = make_data_loader(shared, DataLoaderOptions(3).workers(4));
  int batches = 0;
  for (auto& batch : *loader) batches += batch > 0 ? 1 : 0;
  EXPECT_EQ(batches, 4);
  EXPECT_EQ(shared->count, 4);
  EXPECT_EQ((*shared).size(), 12);
}

/// Counts up to 5.
struct Limited : datasets::StatefulDataset<Limited, int> {
  Limited() = default;
  Limited(Limited&& other) noexcept : next_(other.next_.load()) {}
  torch::optional<int> get_batch(std::size_t /*size*/) override {
    const int number = next_++;
    return number < 5 ? torch::optional<int>(number) : torch::nullopt;
  }
  torch::optional<std::size_t> size() const override { return torch::nullopt; }
  void reset() override { next_ = 0; }
  void save(torch::serialize::OutputArchive& /*archive*/) const override {}
  void load(torch::serialize::InputArchive& /*archive*/) override {}

 private:
  std::atomic<int> next_{0};
};

TEST_P(CompatDatasetsTest, StatefulDatasets) {
  auto loader = make_data_loader(Limited(), DataLoaderOptions(1).workers(GetParam()));
  for (int epoch = 0; epoch < 2; ++epoch) {
    std::vector<int> all;
    for (int batch : *loader) all.push_back(batch);
    std::sort(all.begin(), all.end());
    EXPECT_EQ(all, (std::vector<int>{0, 1, 2, 3, 4}));
  }
  auto squares = make_data_loader(
      Limited().map(transforms::BatchLambda<int>([](int number) { return number * number; })));
  EXPECT_EQ(std::accumulate(squares->begin(), squares->end(), 0), 30);
  static_assert(Limited::is_stateful);
}

struct Chunks : datasets::ChunkDataReader<int> {
  using BatchType = ChunkType;
  BatchType read_chunk(std::size_t chunk) override {
    if (chunk == bad) throw std::runtime_error("bad chunk");
    BatchType examples(chunk == 1 ? 0 : 3);
    std::iota(examples.begin(), examples.end(), static_cast<int>(100 * chunk));
    return examples;
  }
  std::size_t chunk_count() override { return 4; }
  void reset() override {}
  std::size_t bad = 99;
};

using OrderedChunks =
    datasets::ChunkDataset<Chunks, samplers::SequentialSampler, samplers::SequentialSampler>;

auto ordered_chunks(std::size_t bad, datasets::ChunkDatasetOptions options) {
  Chunks reader;
  reader.bad = bad;
  return datasets::make_shared_dataset<OrderedChunks>(reader, samplers::SequentialSampler(0),
                                                      samplers::SequentialSampler(0), options);
}

TEST_P(CompatDatasetsTest, ReadsChunks) {
  auto dataset = ordered_chunks(99, datasets::ChunkDatasetOptions(2, 4));
  auto loader =
      make_data_loader(dataset.map(transforms::Lambda<int>([](int number) { return -number; })),
                       DataLoaderOptions(4).workers(GetParam()).enforce_ordering(false));
  for (int epoch = 0; epoch < 2; ++epoch) {
    Batches batches = batches_of(loader);
    std::sort(batches.begin(), batches.end());
    EXPECT_EQ(batches, (Batches{{-302}, {-201, -202, -300, -301}, {0, -1, -2, -200}}));
  }
}

TEST(CompatDatasets, ErrorsOfChunks) {
  auto dataset = ordered_chunks(2, datasets::ChunkDatasetOptions(1, 4));
  EXPECT_EQ(error_of([&] { dataset->get_batch(); }),
            "Dataset needs to call reset() before calling get_batch().");
  dataset->reset();
  EXPECT_EQ(dataset->get_batch(), (std::vector<int>{0, 1, 2}));
  try {
    dataset->get_batch(4);
    FAIL();
  } catch (const WorkerException& error) {
    EXPECT_STREQ(error.what(),
                 "Caught exception in DataLoader worker thread. Original message: bad chunk");
  }
  EXPECT_EQ(dataset->get_batch(), (std::vector<int>{300, 301, 302}));
  EXPECT_FALSE(dataset->get_batch().has_value());
  EXPECT_EQ(error_of([&] { dataset->get_batch(5); }),
            "The requested batch size does not match with the initialized batch size.\n The "
            "requested batch size is 5, while the dataset is created with batch size equal to 4");
  static_assert(std::is_same_v<OrderedChunks::ChunkSamplerType, samplers::SequentialSampler>);
}

struct Twice : transforms::Transform<int, double> {
  double apply(int input) override { return 2.5 * input; }
};
struct Sum : transforms::Collation<double> {
  double apply_batch(std::vector<double> batch) override {
    return std::accumulate(batch.begin(), batch.end(), 0.0);
  }
};
struct AddOne : transforms::TensorTransform<> {
  torch::Tensor operator()(torch::Tensor input) override { return input + 1; }
};

TEST(CompatTransformsTest, TransformsOfOnesOwn) {
  auto sums = Numbers().map(Twice()).map(Sum());
  EXPECT_EQ(sums.get_batch({1, 2, 3}), 15);
  EXPECT_EQ(sums.size(), 10);
  static_assert(std::is_same_v<decltype(sums)::TransformType, Sum>);
  auto text = datasets::map(Numbers(), transforms::Lambda<int, std::string>(
                                           [](int number) { return std::to_string(number); }))
                  .map(transforms::Collate<std::string>([](std::vector<std::string> batch) {
                    return std::accumulate(batch.begin(), batch.end(), std::string());
                  }));
  EXPECT_EQ(text.get_batch({4, 2}), "42");
  struct Pairs : datasets::Dataset<Pairs> {
    Example<> get(std::size_t index) override {
      const auto number = static_cast<std::int64_t>(index);
      return {torch::full({2}, number, torch::kFloat), torch::tensor(number)};
    }
    torch::optional<std::size_t> size() const override { return 3; }
  };
  auto loader = make_data_loader<samplers::SequentialSampler>(
      Pairs()
          .map(AddOne())
          .map(transforms::TensorLambda<>([](torch::Tensor input) { return input * 2; }))
          .map(transforms::Stack<>()),
      DataLoaderOptions().batch_size(3).workers(2));
  EXPECT_TRUE(loader->begin()->data.select(1, 0).equal(torch::tensor({2.0, 4.0, 6.0})));
  EXPECT_TRUE(loader->options().workers == 2);
}

TEST(CompatTransformsTest, TypesThatProgramsName) {
  using Stacked = datasets::MapDataset<datasets::TensorDataset, transforms::Stack<TensorExample>>;
  const std::unique_ptr<StatelessDataLoader<Stacked, samplers::RandomSampler>> loader =
      make_data_loader(
          datasets::TensorDataset(torch::arange(6)).map(transforms::Stack<TensorExample>()), 4);
  EXPECT_EQ(std::distance(loader->begin(), loader->end()), 2);
  const std::unique_ptr<StatefulDataLoader<Limited>> stateful = make_data_loader(Limited());
  EXPECT_EQ(std::distance(stateful->begin(), stateful->end()), 5);
  std::vector<std::unique_ptr<samplers::Sampler<>>> all;
  all.push_back(std::make_unique<samplers::RandomSampler>(6));
  all.push_back(std::make_unique<samplers::DistributedSequentialSampler>(6, 2, 1));
  for (auto& sampler : all) {
    sampler->reset(2);
    EXPECT_GE(sampler->next(2)->size(), 1);
  }
  auto options = DataLoaderOptions().max_jobs(3).timeout(std::chrono::seconds(10));
  options.batch_size() = 5;
  EXPECT_EQ(FullDataLoaderOptions(options).timeout->count(), 10000);
  EXPECT_EQ(options.batch_size(), 5);
}

TEST(CompatTransformsTest, NormalizeTakesAnyTensor) {
  transforms::Normalize<> normalize(1.0, 2.0);
  const Example<> vector = normalize.apply({torch::tensor({1.0, 3.0}), torch::tensor(0)});
  EXPECT_TRUE(vector.data.equal(torch::tensor({0.0, 1.0}).view({1, 1, 2})));
  transforms::Normalize<> integers({1.0, 2.0}, 2.0);
  const auto numbers = torch::full({2, 1, 1}, 2, torch::kLong);
  EXPECT_TRUE(integers(numbers).flatten().equal(torch::tensor({0.5, 0.0})));
  EXPECT_TRUE(std::isinf(transforms::Normalize<>(0.0, 0.0)(torch::ones({1})).item<float>()));

  datasets::TensorDataset images(torch::rand({6, 2, 3, 3}));
  auto loader = make_data_loader<samplers::SequentialSampler>(
      images
          .map(transforms::Lambda<TensorExample, Example<>>(
              [](TensorExample image) { return Example<>(image.data, torch::tensor(1)); }))
          .map(transforms::Normalize<>({0.5, 0.25}, {0.5, 2.0}))
          .map(transforms::Stack<>()),
      6);
  const auto expected = (images.tensor - torch::tensor({0.5F, 0.25F}).view({2, 1, 1})) /
                        torch::tensor({0.5F, 2.0F}).view({2, 1, 1});
  EXPECT_TRUE(loader->begin()->data.equal(expected));
}

}  // namespace
}  // namespace compat_data
