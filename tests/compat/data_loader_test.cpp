#include "data_programs.h"

namespace compat_data {
namespace {

class CompatLoaderTest : public testing::TestWithParam<std::size_t> {
 protected:
  static auto in_order(std::size_t count, std::size_t batch_size) {
    return make_data_loader<samplers::SequentialSampler>(
        Numbers(count), DataLoaderOptions(batch_size).workers(GetParam()));
  }
};
INSTANTIATE_TEST_SUITE_P(Workers, CompatLoaderTest, testing::Values(0, 1, 3));

TEST_P(CompatLoaderTest, GivesEveryEpoch) {
  auto loader = in_order(5, 2);
  for (int epoch = 0; epoch < 3; ++epoch) {
    EXPECT_EQ(batches_of(loader), (Batches{{0, 1}, {2, 3}, {4}}));
  }
  EXPECT_EQ(loader->options().batch_size, 2);
  EXPECT_EQ(loader->options().workers, GetParam());
  EXPECT_EQ(loader->options().max_jobs, 2 * GetParam());
}

TEST_P(CompatLoaderTest, TheSamplerDecidesNotTheSize) {
  auto loader = make_data_loader(Numbers(1), samplers::SequentialSampler(5),
                                 DataLoaderOptions(2).workers(GetParam()).drop_last(true));
  EXPECT_EQ(batches_of(loader), (Batches{{0, 1}, {2, 3}}));
}

TEST_P(CompatLoaderTest, DrawsAsRandomSampler) {
  torch::manual_seed(0);
  auto loader = make_data_loader(Numbers(6), DataLoaderOptions(6).workers(GetParam()));
  torch::manual_seed(0);
  EXPECT_EQ(batches_of(loader), (Batches{{2, 5, 3, 0, 1, 4}}));  // randperm(6) of seed 0
}

TEST_P(CompatLoaderTest, CopiesOfAnIteratorShareThePosition) {
  auto loader = in_order(10, 3);
  auto it = loader->begin(), copy = it;
  EXPECT_TRUE(it == copy);
  ++copy;
  EXPECT_EQ((*it)[0], 3);
  EXPECT_EQ(it->size(), 3);
  ++it;
  EXPECT_EQ(copy->front(), 6);
  EXPECT_TRUE(it != loader->end());
  while (it != loader->end()) ++it;
  EXPECT_TRUE(copy == loader->end());
  EXPECT_TRUE(loader->end() == copy);
  EXPECT_TRUE(loader->end() == loader->end());
}

TEST_P(CompatLoaderTest, TextsAtTheEnd) {
  auto loader = in_order(1, 1);
  auto it = loader->begin(), end = loader->end();
  ++it;
  EXPECT_EQ(error_of([&] { ++it; }), "Attempted to increment iterator past the end");
  EXPECT_EQ(error_of([&] { *it; }), "Attempted to dereference iterator that was past the end");
  EXPECT_EQ(error_of([&] { it->clear(); }),
            "Attempted to dereference iterator that was past the end");
  EXPECT_EQ(error_of([&] { ++end; }),
            "Incrementing the DataLoader's past-the-end iterator is not allowed");
  EXPECT_EQ(error_of([&] { *end; }),
            "Dereferencing the DataLoader's past-the-end iterator is not allowed");
}

TEST_P(CompatLoaderTest, ASecondEpochInFlightIsAnErrorWithWorkers) {
  auto loader = in_order(100, 3);  // more batches than are fetched ahead
  auto it = loader->begin();
  ++it;
  if (GetParam() > 0) {
    EXPECT_EQ(
        error_of([&] { loader->begin(); }),
        "Attempted to get a new DataLoader iterator while another iterator is not yet exhausted");
    EXPECT_EQ((*it)[0], 3);
    while (it != loader->end()) ++it;
    EXPECT_EQ((*loader->begin())[0], 0);
  } else {
    auto second = loader->begin();
    EXPECT_EQ((*second)[0], 0);
    ++it;  // both draw from one sampler
    EXPECT_EQ((*it)[0], 3);
  }
}

TEST_P(CompatLoaderTest, IteratorsServeAlgorithms) {
  auto loader = in_order(5, 2);
  Batches copied;
  std::copy(loader->begin(), loader->end(), std::back_inserter(copied));
  EXPECT_EQ(copied, (Batches{{0, 1}, {2, 3}, {4}}));
  EXPECT_EQ(std::distance(loader->begin(), loader->end()), 3);
}

TEST_P(CompatLoaderTest, JoinEndsTheWorkers) {
  auto loader = in_order(10, 3);
  auto it = loader->begin();
  EXPECT_EQ((*it)[0], 0);
  loader->join();
  loader->join();
  if (GetParam() == 0) {
    ++it;
    EXPECT_EQ((*it)[0], 3);
  } else {
    ++it;
    EXPECT_TRUE(it == loader->end());
    EXPECT_THROW(loader->begin(), c10::Error);
  }
}

TEST_P(CompatLoaderTest, ADestructorWaitsForTheWorkers) {
  struct Slow : datasets::Dataset<Slow, int> {
    int get(std::size_t index) override {
      std::this_thread::sleep_for(milliseconds(5));
      return static_cast<int>(index);
    }
    torch::optional<std::size_t> size() const override { return 100; }
  };
  auto loader = make_data_loader(Slow(), DataLoaderOptions(1).workers(GetParam()));
  auto it = loader->begin();
  EXPECT_EQ(it->size(), 1);
}

TEST(CompatLoaderOptionsTest, AreFilledIn) {
  const FullDataLoaderOptions none{DataLoaderOptions()};
  EXPECT_EQ(none.batch_size, 1);
  EXPECT_EQ(none.workers, 0);
  EXPECT_EQ(none.max_jobs, 0);
  EXPECT_FALSE(none.timeout.has_value());
  EXPECT_TRUE(none.enforce_ordering);
  EXPECT_FALSE(none.drop_last);
  const auto options = DataLoaderOptions(3).workers(4).timeout(milliseconds(5));
  EXPECT_FALSE(options.max_jobs().has_value());
  EXPECT_EQ(options.timeout()->count(), 5);
  EXPECT_EQ(FullDataLoaderOptions(options).max_jobs, 8);
  EXPECT_EQ(FullDataLoaderOptions(DataLoaderOptions().workers(4).max_jobs(2)).max_jobs, 2);
}

TEST(CompatLoaderOptionsTest, Errors) {
  struct Unsized : Numbers {
    torch::optional<std::size_t> size() const override { return torch::nullopt; }
  };
  EXPECT_EQ(error_of([] { make_data_loader(Unsized()); }),
            "Expected the dataset to be sized in order to construct the Sampler");
  auto loader = make_data_loader(Numbers(), 0);
  EXPECT_EQ(error_of([&] { *loader->begin(); }),
            "DataLoader: the sampler gave an empty batch, for the batch size 0");
}

TEST(CompatLoader, CallsFindOneFunction) {
  datasets::TensorDataset tensors(torch::arange(4));
  const auto stacked = tensors.map(transforms::Stack<TensorExample>());
  auto loader = make_data_loader(stacked, 2);
  EXPECT_EQ(make_data_loader(stacked)->options().batch_size, 1);
  EXPECT_EQ(torch::data::make_data_loader(stacked, {})->options().batch_size, 1);
  auto ordered = make_data_loader<samplers::SequentialSampler>(stacked, 4);
  EXPECT_TRUE(ordered->begin()->data.equal(torch::arange(4)));
  auto loaders = tern::data::make_data_loader(tensors, 2);  // tern's own
  EXPECT_EQ(loaders->options().batch_size(), 2);
}

TEST(CompatLoader, ClassesOfOnesOwn) {
  struct Own : DataLoaderBase<Numbers, std::vector<int>, std::vector<std::size_t>> {
    Own() : DataLoaderBase(DataLoaderOptions(2), std::make_unique<Numbers>(4)) {}
    std::optional<std::vector<std::size_t>> get_batch_request() override {
      if (left == 0) return std::nullopt;
      return std::vector<std::size_t>{--left};
    }
    void reset() override {
      left = 3;
      DataLoaderBase::reset();
    }
    std::size_t left = 0;
  } loader;
  auto* pointer = &loader;
  EXPECT_EQ(batches_of(pointer), (Batches{{2}, {1}, {0}}));
}

}  // namespace
}  // namespace compat_data
