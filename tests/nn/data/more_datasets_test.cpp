#include <atomic>
#include <set>

#include <gtest/gtest.h>

#include <tern/core/ops/ops.h>
#include <tern/nn/data/data.h>
#include <tern/nn/data/datasets/chunk.h>

#include "error_of.h"
#include "golden/golden.h"
#include "hang_guard.h"

namespace tern::data {
namespace {

using IndexList = std::vector<std::size_t>;
using datasets::PairDataset;
using datasets::TensorDataset;
using samplers::SequentialSampler;
using testing::golden;

PairDataset pairs(std::int64_t count) {
  return {arange(2 * count, kFloat).reshape({count, 2}), arange(count)};
}

struct Numbers : Dataset<Numbers, std::size_t> {
  explicit Numbers(std::size_t count, std::size_t first = 0) : count_(count), first_(first) {}
  std::size_t get(std::size_t i) override { return first_ + i; }
  std::optional<std::size_t> size() const override { return count_; }

 private:
  std::size_t count_, first_;
};

template <class Loader>
IndexList all_of(Loader& loader) {
  IndexList all;
  for (const auto& batch : loader) all.insert(all.end(), batch.begin(), batch.end());
  return all;
}

TEST(SubsetTest, TakesChosenExamples) {
  Subset subset(pairs(6), {4, 1, 5});
  EXPECT_EQ(subset.size(), 3u);
  EXPECT_EQ(subset.get(0).target.item<std::int64_t>(), 4);
  const IndexList request = {2, 0};
  EXPECT_TRUE(
      subset.map(transforms::Stack<>()).get_batch(request).target.equal(tensor({5, 4}, kLong)));
  EXPECT_EQ(subset.get_batch(request)[1].data[0].item<float>(), 8);
  EXPECT_EQ(error_of<IndexError>([&] { subset.get(3); }),
            "Subset: index 3 is out of range for a subset of 3 examples");
  EXPECT_EQ(error_of<IndexError>([] { Subset(pairs(6), {6}); }),
            "Subset: index 6 is out of range for a dataset of 6 examples");
  // Of a dataset with a transform of batches.
  Subset stacked(pairs(6).map(transforms::Stack<>()), {3, 2});
  EXPECT_TRUE(stacked.get_batch(IndexList{0, 1}).target.equal(tensor({3, 2}, kLong)));
  // Of a dataset with a transform of examples.
  const auto doubled = [](Example<> e) { return Example<>(e.data * 2, e.target); };
  Subset mapped(pairs(6).map(transforms::Lambda<Example<>>(doubled)), {3});
  EXPECT_EQ(mapped.get(0).data[0].item<float>(), 12);
}

TEST(RandomSplitTest, SplitsAsPython) {
  for (const auto& entry : golden("data/data").at("splits")) {
    manual_seed(3);
    const auto lengths = entry.at("lengths").get<std::vector<double>>();
    const auto parts = random_split(Numbers(entry.at("size").get<std::size_t>()), lengths);
    ASSERT_EQ(parts.size(), lengths.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      EXPECT_EQ(parts[i].indices(), entry.at("parts").at(i).get<IndexList>()) << entry;
    }
  }
}

TEST(RandomSplitTest, TakesCountsFractionsAndAGenerator) {
  Generator generator;
  generator.manual_seed(42);
  const auto parts = random_split(Numbers(10), {3, 7}, generator);
  const std::size_t train = 4;
  EXPECT_EQ(random_split(Numbers(10), {train, 10 - train})[1].size(), 6u);
  EXPECT_EQ(random_split(Numbers(10), {0.9, 0.1})[0].size(), 9u);
  std::set<std::size_t> all(parts[0].indices().begin(), parts[0].indices().end());
  all.insert(parts[1].indices().begin(), parts[1].indices().end());
  EXPECT_EQ(all.size(), 10u);
  EXPECT_EQ(error_of([] {
              random_split(Numbers(10), {3, 8});
            }),
            "random_split: Sum of input lengths does not equal the length of the input dataset! "
            "The lengths sum "
            "up to 11, the dataset has 10 examples");
  EXPECT_NE(error_of([] {
              random_split(Numbers(10), {0.5, 0.4});
            }).find("fractions that sum up"),
            std::string::npos);
  EXPECT_EQ(error_of([] {
              random_split(Numbers(10), {1.5, -0.5});
            }),
            "random_split: Fraction at index 0 is not between 0 and 1, got 1.5");
}

TEST(ConcatDatasetTest, JoinsDatasets) {
  ConcatDataset<Numbers> all({Numbers(2), Numbers(0), Numbers(3, 10)});
  EXPECT_EQ(all.size(), 5u);
  EXPECT_EQ(all.get_batch(IndexList{4, 0, 2}), (IndexList{12, 0, 10}));
  EXPECT_EQ(all.cumulative_sizes(), (IndexList{2, 2, 5}));
  EXPECT_EQ(error_of<IndexError>([&] { all.get(5); }),
            "ConcatDataset: index 5 is out of range for 5 examples");
  EXPECT_EQ(error_of([] { ConcatDataset<Numbers>({}); }),
            "ConcatDataset: datasets should not be an empty iterable");
  ConcatDataset<PairDataset> tensors({pairs(2), pairs(3)});
  EXPECT_EQ(tensors.map(transforms::Stack<>()).get_batch(IndexList{0, 4}).data.sizes(),
            IntArrayRef({2, 2}));
}

TEST(SharedDatasetTest, AllCopiesAreOneObject) {
  auto shared = datasets::make_shared_dataset<TensorDataset>(arange(4));
  auto copy = shared;
  EXPECT_EQ(&*shared, &*copy);
  EXPECT_EQ(shared->size(), 4u);
  EXPECT_EQ(shared.get(2).data.item<std::int64_t>(), 2);
}

/// A stream that counts.
struct Counter : StreamDataset<Counter, IndexList> {
  IndexList get_batch(std::size_t count) override {
    IndexList batch;
    while (batch.size() < count) batch.push_back(next++);
    return batch;
  }
  std::optional<std::size_t> size() const override { return std::nullopt; }
  std::size_t next = 0;
};

TEST(StreamDatasetTest, GivesWhatComesNext) {
  auto loader = make_data_loader(Counter(), samplers::StreamSampler(7), 3);
  EXPECT_EQ(all_of(*loader), (IndexList{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(all_of(*loader), (IndexList{7, 8, 9, 10, 11, 12, 13}));
  struct NoSize : Numbers {
    NoSize() : Numbers(3) {}
    std::optional<std::size_t> size() const override { return std::nullopt; }
  };
  EXPECT_EQ(error_of([] { make_data_loader(NoSize(), 3); }),
            "DataLoader: Expected the dataset to be sized in order to construct the Sampler; pass "
            "a sampler, for "
            "example samplers::StreamSampler(epoch_size)");
}

/// Counts to a limit in each epoch.
struct Limited : StatefulDataset<Limited, IndexList> {
  explicit Limited(std::size_t limit) : limit_(limit) {}
  std::optional<IndexList> get_batch(std::size_t count) override {
    IndexList batch;
    while (batch.size() < count) {
      const std::size_t i = next_->fetch_add(1);
      if (i >= limit_) break;
      batch.push_back(i);
    }
    if (batch.empty()) return std::nullopt;
    return batch;
  }
  std::optional<std::size_t> size() const override { return std::nullopt; }
  void reset() override {
    if (!resumes_) *next_ = 0;
    resumes_ = false;
  }
  State state_dict() const override {
    State state;
    state.insert("next", next_->load());
    return state;
  }
  void load_state_dict(const State& state) override {
    *next_ = state.get<std::size_t>("next");
    resumes_ = true;
  }

 private:
  std::size_t limit_;
  bool resumes_ = false;
  std::shared_ptr<std::atomic<std::size_t>> next_ = std::make_shared<std::atomic<std::size_t>>(0);
};

TEST(StatefulDatasetTest, SaysWhenAnEpochEnds) {
  testing::HangGuard guard("a batch of a stateful dataset");
  for (const std::size_t workers : {0u, 1u, 4u}) {
    auto loader = make_data_loader(Limited(20), DataLoaderOptions(3).workers(workers));
    for (int epoch = 0; epoch < 3; ++epoch) {
      const IndexList all = all_of(*loader);
      EXPECT_EQ(std::set<std::size_t>(all.begin(), all.end()).size(), 20u);
      EXPECT_EQ(all.size(), 20u);
    }
    auto dropping =
        make_data_loader(Limited(20), DataLoaderOptions(3).workers(workers % 2).drop_last(true));
    EXPECT_EQ(all_of(*dropping).size(), 18u);
  }
  const auto sum = [](IndexList batch) { return batch.size(); };
  auto mapped =
      make_data_loader(Limited(7).map(transforms::BatchLambda<IndexList, std::size_t>(sum)), 5);
  std::vector<std::size_t> sizes;
  for (const std::size_t size : *mapped) sizes.push_back(size);
  EXPECT_EQ(sizes, (IndexList{5, 2}));
}

TEST(StatefulDatasetTest, ContinuesInTheMiddleOfAnEpoch) {
  auto loader = make_data_loader(Limited(10), 3);
  auto it = loader->begin();
  ++it;
  auto other = make_data_loader(Limited(10), 3);
  other->load_state_dict(loader->state_dict());
  EXPECT_EQ(all_of(*other), (IndexList{6, 7, 8, 9}));
  EXPECT_EQ(all_of(*other).size(), 10u);
  auto ahead = make_data_loader(Limited(10), DataLoaderOptions(3).workers(1));
  EXPECT_NE(error_of([&] { ahead->state_dict(); }).find("needs workers(0)"), std::string::npos);
}

/// Chunk c has the numbers from 10 c on; chunk 3 is empty.
struct Reader : datasets::ChunkDataReader<std::size_t> {
  IndexList read_chunk(std::size_t chunk) override {
    if (chunk == bad) throw std::runtime_error("cannot read the chunk");
    IndexList numbers;
    for (std::size_t i = 0; i < (chunk == 3 ? 0 : 4 + chunk); ++i)
      numbers.push_back(10 * chunk + i);
    return numbers;
  }
  std::size_t chunk_count() override { return 6; }
  void reset() override {}
  std::size_t bad = 99;
};

using Sequential = datasets::ChunkDataset<Reader, SequentialSampler, SequentialSampler>;
using Random = datasets::ChunkDataset<Reader>;
using datasets::ChunkDatasetOptions;

IndexList in_order() {
  IndexList all;
  for (std::size_t chunk = 0; chunk < 6; ++chunk) {
    for (const std::size_t i : Reader().read_chunk(chunk)) all.push_back(i);
  }
  return all;
}

TEST(ChunkDatasetTest, ReadsEveryChunkInOrder) {
  testing::HangGuard guard("a batch of a chunk dataset");
  for (const std::size_t preloaders : {1u, 2u, 5u}) {
    for (const std::size_t cache : {4u, 5u, 100u}) {
      auto dataset = datasets::make_shared_dataset<Sequential>(
          Reader(), SequentialSampler(0), SequentialSampler(0),
          ChunkDatasetOptions(preloaders, 4, cache));
      auto loader = make_data_loader(dataset, 4);
      EXPECT_EQ(all_of(*loader), in_order());
      for (const auto& batch : *loader) {
        EXPECT_EQ(batch.size(), 4u);
        break;  // the next epoch begins anew
      }
      EXPECT_EQ(all_of(*loader), in_order());
    }
  }
}

TEST(ChunkDatasetTest, ShufflesTheSameWithAnyNumberOfPreloaders) {
  testing::HangGuard guard("a batch of a chunk dataset");
  for (const std::size_t together : {1u, 2u, 6u}) {
    std::vector<IndexList> orders;
    for (const std::size_t preloaders : {1u, 3u}) {
      manual_seed(1);
      auto dataset = datasets::make_shared_dataset<Random>(
          Reader(), samplers::RandomSampler(6), samplers::RandomSampler(0),
          ChunkDatasetOptions(preloaders, 3).cross_chunk_shuffle_count(together));
      auto loader = make_data_loader(dataset, 3);
      for (int epoch = 0; epoch < 2; ++epoch) {
        orders.push_back(all_of(*loader));
        IndexList sorted = orders.back();
        std::ranges::sort(sorted);
        EXPECT_EQ(sorted, in_order());
      }
    }
    EXPECT_EQ(orders[0], orders[2]);
    EXPECT_EQ(orders[1], orders[3]);
    EXPECT_NE(orders[0], orders[1]);
  }
}

TEST(ChunkDatasetTest, PreprocessesChunksAndStacks) {
  const auto reverse = [](IndexList& chunk) { std::ranges::reverse(chunk); };
  Sequential dataset(Reader(), SequentialSampler(0), SequentialSampler(0),
                     ChunkDatasetOptions(1, 4), reverse);
  EXPECT_EQ(error_of([&] { dataset.get_batch(); }),
            "Dataset needs to call reset() before calling get_batch().");
  dataset.reset();
  EXPECT_EQ(dataset.get_batch(), (IndexList{3, 2, 1, 0}));
  EXPECT_NE(error_of([&] { dataset.get_batch(3); }).find("does not match"), std::string::npos);
}

TEST(ChunkDatasetTest, ContinuesBehindABadChunk) {
  testing::HangGuard guard("a batch of a chunk dataset");
  Reader reader;
  reader.bad = 1;
  Sequential dataset(reader, SequentialSampler(0), SequentialSampler(0), ChunkDatasetOptions(2, 4));
  dataset.reset();
  EXPECT_EQ(dataset.get_batch(), (IndexList{0, 1, 2, 3}));
  EXPECT_EQ(
      error_of<WorkerException>([&] { dataset.get_batch(); }),
      "Caught exception in DataLoader worker thread. Original message: cannot read the chunk");
  EXPECT_EQ(dataset.get_batch(), (IndexList{20, 21, 22, 23}));
}

TEST(ChunkDatasetTest, ContinuesAtAChunk) {
  testing::HangGuard guard("a batch of a chunk dataset");
  const auto make = [] {
    return datasets::make_shared_dataset<Sequential>(
        Reader(), SequentialSampler(6), SequentialSampler(0), ChunkDatasetOptions(2, 4));
  };
  auto dataset = make();
  dataset.reset();
  dataset.get_batch(4);
  dataset.get_batch(4);  // four of the five numbers of chunk 1
  const State state = dataset.state_dict();
  auto other = make();
  other.load_state_dict(state);
  other.reset();
  EXPECT_EQ(other.get_batch(4), (IndexList{10, 11, 12, 13}));
  other.reset();
  EXPECT_EQ(other.get_batch(4), (IndexList{0, 1, 2, 3}));
}

TEST(ChunkDatasetTest, SamplersCanBeSavedByDerivedClasses) {
  testing::HangGuard guard("a batch of a chunk dataset");
  struct Stateless : SequentialSampler {
    using SequentialSampler::SequentialSampler;
    State state_dict(std::optional<std::size_t> given) const override {
      return samplers::Sampler<>::state_dict(given);
    }
    void load_state_dict(const State& state) override {
      samplers::Sampler<>::load_state_dict(state);
    }
  };
  const auto check = []<class Chunks>(Chunks from, Chunks to, std::size_t index) {
    from->reset();
    from->get_batch(4);
    from->get_batch(4);  // four of the five numbers of chunk 1
    auto sampler = from->sampler_of_rest();
    EXPECT_GE(sampler.index(), index);  // without a state where reading ahead has come to
    sampler.reset();
    sampler.next(2);
    to->continue_with(std::move(sampler));
    for (int epoch = 0; epoch < 2; ++epoch) {
      to->reset();
      EXPECT_EQ(to->get_batch(4)->front(), epoch == 0 ? 20 : 0);
    }
  };
  const auto make = []<class Sampler>(Sampler sampler) {
    struct Open : datasets::ChunkDataset<Reader, Sampler, SequentialSampler> {
      using Open::ChunkDataset::ChunkDataset;
      using Open::ChunkDataset::continue_with;
      using Open::ChunkDataset::sampler_of_rest;
    };
    return std::make_unique<Open>(Reader(), sampler, SequentialSampler(0),
                                  ChunkDatasetOptions(2, 4));
  };
  check(make(SequentialSampler(6)), make(SequentialSampler(6)), 1);
  check(make(Stateless(6)), make(Stateless(6)), 0);
}

TEST(ChunkDatasetTest, Options) {
  EXPECT_EQ(error_of([] { ChunkDatasetOptions(0, 1); }),
            "Preloader count is 0. At least one preloader needs to be specified.");
  EXPECT_EQ(error_of([] { ChunkDatasetOptions(1, 0); }),
            "Batch size is 0. A positive batch size needs to be specified.");
  EXPECT_EQ(error_of([] { ChunkDatasetOptions(1, 1, 0); }),
            "Cache size is 0. A positive cache size needs to be specified.");
  EXPECT_NE(
      error_of([] { ChunkDatasetOptions(1, 5, 4); }).find("Cache size is less than batch size"),
      std::string::npos);
  EXPECT_EQ(error_of([] { ChunkDatasetOptions(1, 1).cross_chunk_shuffle_count(0); }),
            "cross_chunk_shuffle_count needs to be greater than 0.");
}

}  // namespace
}  // namespace tern::data
