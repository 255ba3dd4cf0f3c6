#include <tern/nn/data/data_loader.h>

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include <tern/core/base/error.h>
#include <tern/core/ops/ops.h>
#include <tern/nn/data/datasets/tensor_dataset.h>

#include "error_of.h"
#include "hang_guard.h"

namespace tern::data {
namespace {

using samplers::SequentialSampler;

/// Returns its indices, after `work(index)`.
class Indices : public datasets::Dataset<Indices, std::size_t> {
 public:
  explicit Indices(std::size_t size, std::function<void(std::size_t)> work = nullptr)
      : size_(size), work_(std::move(work)) {}
  std::size_t get(std::size_t index) override {
    if (work_) work_(index);
    return index;
  }
  std::optional<std::size_t> size() const override { return size_; }

 private:
  std::size_t size_;
  std::function<void(std::size_t)> work_;
};

using Batches = std::vector<std::vector<std::size_t>>;

template <class Loader>
Batches epoch(Loader& loader) {
  Batches batches;
  for (const std::vector<std::size_t>& batch : loader) batches.push_back(batch);
  return batches;
}

void sleep_ms(int count) { std::this_thread::sleep_for(std::chrono::milliseconds(count)); }

class DataLoaderTest : public ::testing::TestWithParam<std::size_t> {
 protected:
  DataLoaderOptions options(std::size_t batch_size) const {
    return DataLoaderOptions(batch_size).workers(GetParam());
  }

 private:
  testing::HangGuard guard_{"a batch of a DataLoader"};
};
INSTANTIATE_TEST_SUITE_P(Workers, DataLoaderTest, ::testing::Values(0, 1, 3));

TEST_P(DataLoaderTest, GivesEveryEpochInOrder) {
  auto loader = make_data_loader<SequentialSampler>(Indices(7), options(3));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(epoch(*loader), (Batches{{0, 1, 2}, {3, 4, 5}, {6}}));
  }
}

TEST_P(DataLoaderTest, DropsTheLastBatch) {
  auto loader = make_data_loader<SequentialSampler>(Indices(7), options(3).drop_last(true));
  EXPECT_EQ(epoch(*loader), (Batches{{0, 1, 2}, {3, 4, 5}}));
}

TEST_P(DataLoaderTest, EmptyDataset) {
  auto loader = make_data_loader<SequentialSampler>(Indices(0), options(3));
  EXPECT_TRUE(epoch(*loader).empty());
  EXPECT_TRUE(loader->begin() == loader->end());
}

TEST_P(DataLoaderTest, AnEpochLeftEarlyIsOver) {
  auto loader = make_data_loader<SequentialSampler>(Indices(9), options(2));
  for (int i = 0; i < 20; ++i) {
    for (const std::vector<std::size_t>& batch : *loader) {
      EXPECT_EQ(batch[0], 0u);
      break;
    }
  }
  EXPECT_EQ(epoch(*loader).size(), 5u);
}

TEST_P(DataLoaderTest, ShufflesByDefault) {
  manual_seed(0);
  auto loader = make_data_loader(Indices(6), options(6));
  // The sampler's constructor drew the first permutation.
  EXPECT_EQ(epoch(*loader), (Batches{{3, 0, 5, 4, 2, 1}}));
  EXPECT_EQ(epoch(*loader), (Batches{{5, 2, 1, 3, 4, 0}}));
}

TEST_P(DataLoaderTest, StacksTensors) {
  datasets::PairDataset pairs(arange(8, kFloat).reshape({4, 2}), arange(4));
  auto loader = make_data_loader<SequentialSampler>(pairs.map(transforms::Stack<>()), options(3));
  auto it = loader->begin();
  EXPECT_EQ(it->data.sizes(), IntArrayRef({3, 2}));
  EXPECT_TRUE(it->target.equal(arange(3)));
  ++it;
  EXPECT_EQ((*it).data[0][1].item<float>(), 7);
  ++it;
  EXPECT_TRUE(it == loader->end());
}

TEST_P(DataLoaderTest, PastTheEnd) {
  auto loader = make_data_loader<SequentialSampler>(Indices(1), options(1));
  auto it = loader->begin();
  ++it;
  EXPECT_EQ(error_of([&] { ++it; }), "Attempted to increment iterator past the end");
  EXPECT_EQ(error_of([&] { *it; }), "Attempted to dereference iterator that was past the end");
  EXPECT_EQ(error_of([&] { *loader->end(); }),
            "Dereferencing the DataLoader's past-the-end iterator is not allowed");
}

TEST_P(DataLoaderTest, JoinEndsIt) {
  auto loader = make_data_loader<SequentialSampler>(Indices(4), options(1));
  auto it = loader->begin();
  loader->join();
  ++it;
  EXPECT_TRUE(it == loader->end());
  EXPECT_THROW(loader->begin(), Error);
}

TEST_P(DataLoaderTest, GoesOnInTheMiddleOfAnEpoch) {
  const auto make = [&] { return make_data_loader(Indices(11), options(3)); };
  manual_seed(1);
  auto whole = make();
  Batches batches;
  std::vector<State> states{whole->state_dict()};
  const auto generator_bytes = [] { return default_generator(kCPU).state_bytes(); };
  std::vector<std::vector<std::uint8_t>> draws{generator_bytes()};
  for (int i = 0; i < 2; ++i) {
    for (const std::vector<std::size_t>& batch : *whole) {
      batches.push_back(batch);
      states.push_back(whole->state_dict());
      draws.push_back(generator_bytes());
    }
  }
  const State after = whole->state_dict();
  for (std::size_t k = 0; k < states.size(); ++k) {
    auto resumed = make();
    for (const std::vector<std::size_t>& batch : *resumed) {
      if (batch[0] % 2 == 0) break;  // anywhere in the epoch
    }
    resumed->load_state_dict(states[k]);
    EXPECT_TRUE(identical(resumed->state_dict(), states[k]));
    default_generator(kCPU).set_state_bytes(draws[k]);
    Batches rest(batches.begin(), batches.begin() + static_cast<std::ptrdiff_t>(k));
    // A state of the last batch is still in its epoch: no more batches follow.
    for (std::size_t i = (k + 3) / 4; i <= (k == 0 ? 1 : 2); ++i) {
      for (const auto& batch : epoch(*resumed)) rest.push_back(batch);
    }
    EXPECT_EQ(rest, batches) << "after batch " << k;
    EXPECT_TRUE(identical(resumed->state_dict(), after)) << "after batch " << k;
  }
  EXPECT_THROW(make_data_loader(Indices(12), options(3))->load_state_dict(states[1]), Error);
}

TEST_P(DataLoaderTest, ARefusedStateLeavesTheEpoch) {
  auto loader = make_data_loader<SequentialSampler>(Indices(40), options(4));
  const State other = make_data_loader<SequentialSampler>(Indices(10), options(4))->state_dict();
  Batches batches;
  for (const std::vector<std::size_t>& batch : *loader) {
    batches.push_back(batch);
    if (batches.size() != 3) continue;
    const State before = loader->state_dict();
    EXPECT_EQ(error_of([&] { loader->load_state_dict(other); }),
              "SequentialSampler: the state has 10 examples, but this sampler has 40");
    EXPECT_TRUE(identical(loader->state_dict(), before));
  }
  EXPECT_EQ(batches, epoch(*make_data_loader<SequentialSampler>(Indices(40), options(4))));
}

class GuardedTest : public ::testing::Test {
  testing::HangGuard guard_{"a batch of a DataLoader"};
};
using DataLoaderOptionsTest = GuardedTest;
using DataLoaderErrorTest = GuardedTest;
using DataLoaderWorkersTest = GuardedTest;

// The memory limit leaves no room for the stacks of the threads.
TEST_F(DataLoaderOptionsTest, SaysHowManyWorkersTheSystemStarts) {
  std::ifstream statm("/proc/self/statm");
  rlim_t pages = 0;
  ASSERT_TRUE(statm >> pages);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  pthread_attr_t attributes;
  std::size_t stack = 0;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_getstacksize(&attributes, &stack), 0);
  rlimit limited = before;
  // Room for eight workers, and half a stack more: the error itself needs memory, too.
  limited.rlim_cur = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + 17 * (stack / 2);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &limited), 0);
  std::string text;
  try {
    make_data_loader(Indices(1000), DataLoaderOptions(1).workers(500))->begin();
  } catch (const Error& error) {
    text = error.what();
  }
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_EQ(text.find("DataLoader: cannot start 500 workers, only "), 0u) << text;
  EXPECT_NE(text.find("; the system says: "), std::string::npos) << text;
}

TEST_F(DataLoaderOptionsTest, Checks) {
  EXPECT_THROW(make_data_loader(Indices(1), 0), Error);
  EXPECT_THROW(make_data_loader(Indices(1), DataLoaderOptions(1).workers(1).max_jobs(0)), Error);
  const auto options = DataLoaderOptions().workers(2).timeout(std::chrono::seconds(3));
  EXPECT_EQ(options.batch_size(), 1u);
  EXPECT_EQ(options.max_jobs(), 4u);
  EXPECT_EQ(options.timeout_ms(), 3000);
}

TEST_F(DataLoaderErrorTest, WithoutWorkersTheExceptionItself) {
  auto loader = make_data_loader<SequentialSampler>(
      Indices(1, [](std::size_t) { throw std::invalid_argument("badness"); }), 1);
  EXPECT_THROW(loader->begin(), std::invalid_argument);
}

TEST_F(DataLoaderErrorTest, WorkerException) {
  auto loader =
      make_data_loader<SequentialSampler>(Indices(4,
                                                  [](std::size_t i) {
                                                    if (i == 1)
                                                      throw std::invalid_argument("badness");
                                                  }),
                                          DataLoaderOptions(1).workers(2));
  auto it = loader->begin();
  try {
    ++it;
    FAIL() << "no exception";
  } catch (const WorkerException& error) {
    EXPECT_STREQ(error.what(),
                 "Caught exception in DataLoader worker thread. Original message: badness");
    EXPECT_THROW(std::rethrow_exception(error.original_exception), std::invalid_argument);
  }
  ++it;  // the epoch continues after the bad batch
  EXPECT_EQ(it->at(0), 2u);
}

TEST_F(DataLoaderErrorTest, Timeout) {
  auto loader = make_data_loader<SequentialSampler>(
      Indices(1, [](std::size_t) { sleep_ms(200); }),
      DataLoaderOptions(1).workers(1).timeout(std::chrono::milliseconds(10)));
  EXPECT_EQ(error_of([&] { loader->begin(); }),
            "Timeout in DataLoader queue while waiting for next batch (timeout was 10 ms)");
}

TEST_F(DataLoaderWorkersTest, OrderHoldsWhateverTheTiming) {
  auto loader = make_data_loader<SequentialSampler>(
      Indices(12, [](std::size_t i) { sleep_ms(i % 3 == 0 ? 12 : 1); }),
      DataLoaderOptions(1).workers(3));
  const Batches batches = epoch(*loader);
  ASSERT_EQ(batches.size(), 12u);
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(batches[i][0], i);
}

TEST_F(DataLoaderWorkersTest, WithoutOrderTheFastComesFirst) {
  auto loader = make_data_loader<SequentialSampler>(
      Indices(6, [](std::size_t i) { sleep_ms(i == 0 ? 300 : 0); }),
      DataLoaderOptions(1).workers(2).enforce_ordering(false));
  const Batches batches = epoch(*loader);
  ASSERT_EQ(batches.size(), 6u);
  EXPECT_NE(batches[0][0], 0u);
  std::set<std::size_t> all;
  for (const auto& batch : batches) all.insert(batch[0]);
  EXPECT_EQ(all.size(), 6u);
}

TEST_F(DataLoaderWorkersTest, WithoutOrderThereIsNoState) {
  const auto options = DataLoaderOptions().workers(1).enforce_ordering(false);
  const auto loader = make_data_loader(Indices(4), options);
  const State ordered = make_data_loader(Indices(4))->state_dict();
  const std::string text = "DataLoader: saving and loading a state needs enforce_ordering(true)";
  EXPECT_EQ(error_of([&] { loader->state_dict(); }), text);
  EXPECT_EQ(error_of([&] { loader->load_state_dict(ordered); }), text);
}

TEST_F(DataLoaderWorkersTest, FetchesNoMoreThanMaxJobsAhead) {
  std::atomic<std::size_t> fetched{0};
  auto loader = make_data_loader<SequentialSampler>(Indices(20, [&](std::size_t) { ++fetched; }),
                                                    DataLoaderOptions(1).workers(2).max_jobs(3));
  std::size_t taken = 0;
  for (const auto& batch : *loader) {
    taken += batch.size();
    sleep_ms(2);
    EXPECT_LE(fetched, taken + 3);
  }
  EXPECT_EQ(fetched, 20u);
}

TEST_F(DataLoaderWorkersTest, WhatIsStillWantedAtTheEndIsDropped) {
  std::atomic<std::size_t> fetched{0};
  const auto slow = [&](std::size_t) {
    ++fetched;
    sleep_ms(10);
  };
  make_data_loader<SequentialSampler>(Indices(500, slow),
                                      DataLoaderOptions(1).workers(1).max_jobs(500))
      ->begin();
  EXPECT_LT(fetched, 500u);
}

}  // namespace
}  // namespace tern::data
