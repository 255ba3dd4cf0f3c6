#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include <tern/core/ops/ops.h>
#include <tern/nn/data/data.h>

#include "error_of.h"
#include "hang_guard.h"
#include "quiet_threads.h"

namespace tern::data {
namespace {

using samplers::SequentialSampler;

/// Returns two numbers that it draws, and the number of the worker.
struct Draws : Dataset<Draws, std::vector<double>> {
  std::vector<double> get(std::size_t) override {
    const auto numbers = rand({2}, worker_generator()).to_vector<float>();
    const auto worker = get_worker_info();
    return {static_cast<double>(numbers[0]), static_cast<double>(numbers[1]),
            worker ? static_cast<double>(worker->id) : -1};
  }
  std::optional<std::size_t> size() const override { return 12; }
};

/// The numbers that were drawn, in order.
template <class Loader>
std::vector<double> drawn(Loader& loader) {
  std::vector<double> all;
  for (const auto& batch : loader) {
    for (const auto& example : batch) all.insert(all.end(), example.begin(), example.begin() + 2);
  }
  return all;
}

class LoaderRulesTest : public ::testing::Test {
  testing::HangGuard guard_{"a batch of a DataLoader"};
};

TEST_F(LoaderRulesTest, ManyWorkersDrawTheSameNumbers) {
  std::vector<std::vector<double>> epochs;
  for (const std::size_t workers : {0u, 1u, 2u, 5u, 8u}) {
    manual_seed(7);
    auto loader =
        make_data_loader<SequentialSampler>(Draws(), DataLoaderOptions(3).workers(workers));
    for (int epoch = 0; epoch < 2; ++epoch) epochs.push_back(drawn(*loader));
  }
  EXPECT_NE(epochs[0], epochs[1]);
  EXPECT_EQ(std::set<double>(epochs[0].begin(), epochs[0].end()).size(), 24u);
  for (std::size_t i = 2; i < epochs.size(); ++i) EXPECT_EQ(epochs[i], epochs[i % 2]) << i;
}

TEST_F(LoaderRulesTest, SeedsComeFromTheOptionOrTheGenerator) {
  const auto epoch = [](std::uint64_t seed, std::optional<std::uint64_t> option) {
    manual_seed(seed);
    DataLoaderOptions options(3);
    if (option) options.seed(*option);
    const auto before = default_generator(kCPU).state_bytes();
    auto loader = make_data_loader<SequentialSampler>(Draws(), options);
    auto numbers = drawn(*loader);
    EXPECT_EQ(default_generator(kCPU).state_bytes(), before);  // fetching draws nothing from it
    return numbers;
  };
  EXPECT_EQ(epoch(1, 5), epoch(2, 5));
  EXPECT_NE(epoch(1, 5), epoch(1, 6));
  EXPECT_EQ(epoch(1, std::nullopt), epoch(1, std::nullopt));
  EXPECT_NE(epoch(1, std::nullopt), epoch(2, std::nullopt));
}

TEST_F(LoaderRulesTest, AResumedEpochDrawsTheSameNumbers) {
  for (const std::size_t workers : {0u, 2u}) {
    const auto options = DataLoaderOptions(3).workers(workers);
    manual_seed(7);
    auto whole = make_data_loader<SequentialSampler>(Draws(), options);
    drawn(*whole);
    auto it = whole->begin();
    ++it;
    const State state = whole->state_dict();
    std::vector<double> rest;
    for (++it; it != whole->end(); ++it) {
      for (const auto& example : *it) rest.insert(rest.end(), example.begin(), example.begin() + 2);
    }
    const std::vector<double> next = drawn(*whole);
    manual_seed(99);  // the state has the seed
    auto resumed = make_data_loader<SequentialSampler>(Draws(), options);
    resumed->load_state_dict(state);
    EXPECT_EQ(drawn(*resumed), rest);
    manual_seed(7);
    EXPECT_EQ(drawn(*resumed), next);
  }
}

TEST_F(LoaderRulesTest, WorkersKnowTheirNumber) {
  EXPECT_FALSE(get_worker_info());
  EXPECT_TRUE(worker_generator() == default_generator(kCPU));
  auto alone = make_data_loader<SequentialSampler>(Draws(), 1);
  EXPECT_EQ(alone->begin()->at(0).at(2), -1);
  auto loader = make_data_loader<SequentialSampler>(Draws(), DataLoaderOptions(1).workers(3));
  for (const auto& batch : *loader) {
    EXPECT_GE(batch[0][2], 0);
    EXPECT_LT(batch[0][2], 3);
  }
}

TEST_F(LoaderRulesTest, IteratorsSayWhatIsWrong) {
  auto loader = make_data_loader<SequentialSampler>(Draws(), 8);
  auto it = loader->begin();
  auto copy = it;
  EXPECT_EQ(&*copy, &*it);  // copies share the batch
  ++it;
  EXPECT_TRUE(it != loader->end());
  EXPECT_TRUE(++it == loader->end());
  EXPECT_TRUE(loader->end() == loader->end());
  EXPECT_EQ(error_of([&] { ++it; }), "Attempted to increment iterator past the end");
  EXPECT_EQ(error_of([&] { *it; }), "Attempted to dereference iterator that was past the end");
  auto end = loader->end();
  EXPECT_EQ(error_of([&] { ++end; }),
            "Incrementing the DataLoader's past-the-end iterator is not allowed");
  EXPECT_EQ(error_of([&] { *end; }),
            "Dereferencing the DataLoader's past-the-end iterator is not allowed");
  auto old = loader->begin();
  auto current = loader->begin();
  EXPECT_NE(error_of([&] { ++old; }).find("a loader has one epoch at a time"), std::string::npos);
  ++current;
  EXPECT_EQ(current->size(), 4u);
}

TEST_F(LoaderRulesTest, EveryBadBatchThrowsOnce) {
  struct Bad : Dataset<Bad, std::size_t> {
    std::size_t get(std::size_t i) override {
      if (i % 3 != 2) throw std::runtime_error("bad " + std::to_string(i));
      return i;
    }
    std::optional<std::size_t> size() const override { return 30; }
  };
  for (const std::size_t workers : {1u, 2u, 4u}) {
    auto loader = make_data_loader<SequentialSampler>(
        Bad(), DataLoaderOptions(1).workers(workers).max_jobs(2));
    auto it = [&] {
      EXPECT_THROW(loader->begin(), WorkerException);
      return loader->end();
    }();
    EXPECT_TRUE(it == loader->end());
    EXPECT_THROW(loader->begin(), WorkerException);  // each epoch begins with the same batch
  }
}

TEST_F(LoaderRulesTest, ATimeoutLosesNoBatch) {
  struct Slow : Dataset<Slow, std::size_t> {
    std::size_t get(std::size_t i) override {
      if (i == 1) std::this_thread::sleep_for(std::chrono::milliseconds(200));
      return i;
    }
    std::optional<std::size_t> size() const override { return 3; }
  };
  auto loader = make_data_loader<SequentialSampler>(
      Slow(), DataLoaderOptions(1).workers(1).timeout(std::chrono::milliseconds(20)));
  auto it = loader->begin();
  EXPECT_NE(error_of([&] { ++it; }).find("Timeout in DataLoader queue"), std::string::npos);
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  ++it;
  EXPECT_EQ(it->at(0), 1u);
  ++it;
  EXPECT_EQ(it->at(0), 2u);
}

// The child has none of the threads: it gets an error and ends, instead of waiting for ever.
TEST_F(LoaderRulesTest, AForkedChildDoesNotHang) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer starts no thread in a forked child";
#endif
  auto parent = make_data_loader<SequentialSampler>(Draws(), DataLoaderOptions(1).workers(2));
  auto it = parent->begin();
  testing::wait_for_quiet_threads();  // the workers have filled their queue
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    int code = 1;
    try {
      ++it;
    } catch (const Error& error) {
      const bool names_cure =
          std::string(error.what()).find("make a loader in the child") != std::string::npos;
      auto own = make_data_loader<SequentialSampler>(Draws(), DataLoaderOptions(6).workers(2));
      code = names_cure && drawn(*own).size() == 24 ? 0 : 2;
    }
    parent.reset();
    ::_exit(code);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  ++it;
  EXPECT_EQ(it->size(), 1u);
}

TEST_F(LoaderRulesTest, DatasetsThatCannotBeCopied) {
  struct Unique : Dataset<Unique, std::size_t> {
    std::unique_ptr<int> only = std::make_unique<int>(3);
    std::size_t get(std::size_t i) override { return i; }
    std::optional<std::size_t> size() const override { return 4; }
  };
  auto loader = make_data_loader<SequentialSampler>(Unique(), 2);
  EXPECT_EQ(loader->begin()->size(), 2u);
  EXPECT_EQ(make_data_loader<SequentialSampler>(Unique(), DataLoaderOptions(2).workers(1))
                ->begin()
                ->size(),
            2u);
  EXPECT_NE(error_of([] {
              make_data_loader<SequentialSampler>(Unique(), DataLoaderOptions(2).workers(2));
            }).find("make_shared_dataset"),
            std::string::npos);
  auto shared = make_data_loader<SequentialSampler>(datasets::make_shared_dataset<Unique>(),
                                                    DataLoaderOptions(2).workers(3));
  EXPECT_EQ(shared->begin()->at(1), 1u);
}

TEST_F(LoaderRulesTest, Options) {
  const auto error = [](DataLoaderOptions options) {
    return error_of([&] { make_data_loader(Draws(), options); });
  };
  EXPECT_EQ(error(0), "DataLoader: the batch size must be positive, got 0");
  EXPECT_EQ(error(DataLoaderOptions().batch_size(-1)),
            "DataLoader: the batch size must be positive, got -1");
  EXPECT_EQ(error(DataLoaderOptions().workers(-2)),
            "DataLoader: workers must be from 0 to 65536, got -2");
  EXPECT_EQ(error(DataLoaderOptions().workers(1).max_jobs(-1)),
            "DataLoader: with workers, max_jobs must be at least 1, got -1");
  EXPECT_EQ(error(DataLoaderOptions().timeout(std::chrono::seconds(-1))),
            "DataLoader: timeout option should be non-negative, got -1000 ms");
}

TEST_F(LoaderRulesTest, ASamplerForAnotherDataset) {
  for (const std::size_t workers : {0u, 2u}) {
    EXPECT_EQ(error_of<IndexError>([&] {
                make_data_loader(Draws(), SequentialSampler(40),
                                 DataLoaderOptions(40).workers(workers))
                    ->begin();
              }),
              "DataLoader: the sampler gave index 39, but the dataset has 12 examples; make the "
              "sampler for as many examples as the dataset has");
  }
}

TEST_F(LoaderRulesTest, SamplersAreReachable) {
  auto loader = make_data_loader(Draws(), samplers::PythonDistributedSampler(12, 2, 1), 3);
  loader->sampler().set_epoch(4);
  EXPECT_EQ(loader->sampler().epoch(), 4u);
  std::size_t count = 0;
  for (const auto& batch : *loader) count += batch.size();
  EXPECT_EQ(count, 6u);
  auto cut = make_data_loader(Draws(), samplers::BatchSampler(SequentialSampler(12), 5, true), 99);
  EXPECT_EQ(cut->begin()->size(), 5u);
  const State state = cut->state_dict();
  EXPECT_EQ(state["sampler"].get<int>("index"), 5);
}

TEST_F(LoaderRulesTest, AnIteratorKnowsThatItsLoaderIsGone) {
  for (const std::size_t workers : {0u, 2u}) {
    auto loader =
        make_data_loader<SequentialSampler>(Draws(), DataLoaderOptions(3).workers(workers));
    auto iterator = loader->begin();
    const auto end = loader->end();
    EXPECT_EQ(iterator->size(), 3u);
    loader.reset();
    EXPECT_EQ(iterator->size(), 3u);  // its batch lives
    EXPECT_EQ(
        error_of([&] { ++iterator; }),
        "DataLoader: the loader of this iterator was destroyed; keep the loader in a variable "
        "for as long as its iterators are used");
    EXPECT_FALSE(iterator == end);
  }
}

}  // namespace
}  // namespace tern::data
