#include "data_programs.h"

namespace compat_data {
namespace {

class CompatWorkersTest : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Workers, CompatWorkersTest, testing::Values(0, 1, 3));

/// Counts the copies.
struct Copied : datasets::Dataset<Copied, int> {
  Copied() = default;
  Copied(const Copied& other) : datasets::Dataset<Copied, int>(other) { ++copies; }
  Copied(Copied&&) = default;
  int get(std::size_t) override { return 0; }
  torch::optional<std::size_t> size() const override { return 10; }
  static inline int copies = 0;
};

TEST_P(CompatWorkersTest, CopiesTheDatasetOncePerWorker) {
  Copied::copies = 0;
  auto loader = make_data_loader(Copied(), DataLoaderOptions(2).workers(GetParam()));
  for (auto& batch : *loader) static_cast<void>(batch);
  EXPECT_EQ(Copied::copies, static_cast<int>(GetParam()));
}

/// Throws for the examples 3, a text, and 5, a number.
struct Bad : datasets::Dataset<Bad, int> {
  int get(std::size_t index) override {
    if (index == 3) throw std::runtime_error("bad example");
    if (index == 5) throw 7;  // NOLINT(hicpp-exception-baseclass): programs may
    return static_cast<int>(index);
  }
  torch::optional<std::size_t> size() const override { return 8; }
};

TEST_P(CompatWorkersTest, ExceptionsOfTheDataset) {
  auto loader = make_data_loader<samplers::SequentialSampler>(
      Bad(), DataLoaderOptions(1).workers(GetParam()));
  auto it = loader->begin();
  ++it;
  ++it;
  if (GetParam() == 0) {
    EXPECT_THROW(++it, std::runtime_error);
  } else {
    try {
      ++it;
      FAIL();
    } catch (const c10::Error&) {
      FAIL() << "the exception of a worker is no c10::Error";
    } catch (const WorkerException& error) {
      EXPECT_STREQ(error.what(),
                   "Caught exception in DataLoader worker thread. Original message: bad example");
      EXPECT_EQ(error.message, error.what());
      EXPECT_THROW(std::rethrow_exception(error.original_exception), std::runtime_error);
    }
  }
  EXPECT_EQ((*it)[0], 2);  // the batch before
  ++it;
  EXPECT_EQ((*it)[0], 4);
  EXPECT_THROW(++it, int);
  if (GetParam() == 1) {  // after two exceptions none of the two jobs is left
    ++it;
    EXPECT_TRUE(it == loader->end());
    EXPECT_EQ((*loader->begin())[0], 0);
  }
}

TEST(CompatWorkers, WaitForEachOther) {
  struct Meeting : datasets::Dataset<Meeting, int> {
    explicit Meeting(std::shared_ptr<std::atomic<int>> its_here) : here(std::move(its_here)) {}
    int get(std::size_t index) override {
      ++*here;
      while (*here < 4) std::this_thread::yield();
      return static_cast<int>(index);
    }
    torch::optional<std::size_t> size() const override { return 4; }
    std::shared_ptr<std::atomic<int>> here;
  };
  auto loader = make_data_loader<samplers::SequentialSampler>(
      Meeting(std::make_shared<std::atomic<int>>(0)), DataLoaderOptions(1).workers(4));
  EXPECT_EQ(batches_of(loader), (Batches{{0}, {1}, {2}, {3}}));
}

/// Example 0 comes late.
struct Late : datasets::Dataset<Late, int> {
  int get(std::size_t index) override {
    if (index == 0) std::this_thread::sleep_for(milliseconds(200));
    return static_cast<int>(index);
  }
  torch::optional<std::size_t> size() const override { return 3; }
};

TEST(CompatWorkers, WithoutOrderingTheFastComesFirst) {
  auto loader = make_data_loader<samplers::SequentialSampler>(
      Late(), DataLoaderOptions(1).workers(2).enforce_ordering(false));
  EXPECT_EQ(batches_of(loader), (Batches{{1}, {2}, {0}}));
}

TEST(CompatWorkers, ATimeoutLosesNoBatch) {
  auto loader = make_data_loader<samplers::SequentialSampler>(
      Late(), DataLoaderOptions(1).workers(1).timeout(milliseconds(20)));
  auto it = loader->begin();
  EXPECT_EQ(error_of([&] { *it; }),
            "Timeout in DataLoader queue while waiting for next batch (timeout was 20 ms)");
  std::this_thread::sleep_for(milliseconds(300));
  EXPECT_EQ((*it)[0], 0);
}

TEST(CompatWorkers, DrawTheSameNumbersWithAnyNumberOfWorkers) {
  struct Noise : datasets::Dataset<Noise, float> {
    float get(std::size_t) override {
      return torch::rand({1}, tern::data::worker_generator()).item<float>();
    }
    torch::optional<std::size_t> size() const override { return 6; }
  };
  const auto drawn = [](std::size_t workers) {
    torch::manual_seed(3);
    auto loader = make_data_loader(Noise(), DataLoaderOptions(2).workers(workers));
    std::vector<std::vector<float>> all;
    for (int epoch = 0; epoch < 2; ++epoch) all.insert(all.end(), loader->begin(), loader->end());
    return all;
  };
  EXPECT_EQ(drawn(0), drawn(3));
}

}  // namespace
}  // namespace compat_data
