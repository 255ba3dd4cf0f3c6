#include <tern/compat/torch/torch.h>

#include <gtest/gtest.h>

#include <tern/compat/names/data.h>
#include <atomic>
#include <numeric>

#include "error_of.h"

// torch::data as programs for libtorch use it. The numbers and texts are libtorch 2.15's.

namespace compat_data {
namespace {

using namespace torch::data;  // NOLINT(google-build-using-namespace): as programs do
using std::chrono::milliseconds;
using tern::error_of;

/// Examples are their own indices.
struct Numbers : datasets::Dataset<Numbers, int> {
  explicit Numbers(std::size_t count = 10) : count_(count) {}
  int get(std::size_t index) override { return static_cast<int>(index); }
  torch::optional<std::size_t> size() const override { return count_; }

 private:
  std::size_t count_;
};

template <class Loader>
std::vector<std::vector<int>> batches_of(Loader& loader) {
  std::vector<std::vector<int>> all;
  for (auto& batch : *loader) all.push_back(batch);
  return all;
}

using Batches = std::vector<std::vector<int>>;

// --- Loaders
// --------------------------------------------------------------------------------------

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
  auto loader = in_order(10, 3);
  auto it = loader->begin();
  ++it;
  if (GetParam() > 0) {
    EXPECT_EQ(
        error_of([&] { loader->begin(); }),
        "Attempted to get a new DataLoader iterator while another iterator is not yet exhausted");
    EXPECT_EQ((*it)[0], 3);
    while (it != loader->end()) ++it;
    EXPECT_EQ((*loader->begin())[0], 0);
    return;
  }
  auto second = loader->begin();
  EXPECT_EQ((*second)[0], 0);
  ++it;  // both draw from one sampler
  EXPECT_EQ((*it)[0], 3);
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

/// Counts the copies.
struct Copied : datasets::Dataset<Copied, int> {
  Copied() = default;
  Copied(const Copied& other) : datasets::Dataset<Copied, int>(other) { ++copies; }
  Copied(Copied&&) = default;
  int get(std::size_t) override { return 0; }
  torch::optional<std::size_t> size() const override { return 10; }
  static inline int copies = 0;
};

TEST_P(CompatLoaderTest, CopiesTheDatasetOncePerWorker) {
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

TEST_P(CompatLoaderTest, ExceptionsOfTheDataset) {
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

TEST(CompatWorkersTest, WaitForEachOther) {
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

TEST(CompatWorkersTest, WithoutOrderingTheFastComesFirst) {
  auto loader = make_data_loader<samplers::SequentialSampler>(
      Late(), DataLoaderOptions(1).workers(2).enforce_ordering(false));
  EXPECT_EQ(batches_of(loader), (Batches{{1}, {2}, {0}}));
}

TEST(CompatWorkersTest, ATimeoutLosesNoBatch) {
  auto loader = make_data_loader<samplers::SequentialSampler>(
      Late(), DataLoaderOptions(1).workers(1).timeout(milliseconds(20)));
  auto it = loader->begin();
  EXPECT_EQ(error_of([&] { *it; }),
            "Timeout in DataLoader queue while waiting for next batch (timeout was 20 ms)");
  std::this_thread::sleep_for(milliseconds(300));
  EXPECT_EQ((*it)[0], 0);
}

TEST(CompatWorkersTest, DrawTheSameNumbersWithAnyNumberOfWorkers) {
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

TEST(CompatLoaderTest, CallsFindOneFunction) {
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

TEST(CompatLoaderTest, ClassesOfOnesOwn) {
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

// --- Queues, sequencers and iterators
// -------------------------------------------------------------

TEST(CompatQueueTest, PushesPopsAndClears) {
  torch::data::detail::Queue<int> queue;
  queue.push(1);
  queue.push(2);
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_EQ(queue.clear(), 1);
  EXPECT_EQ(queue.clear(), 0);
  EXPECT_EQ(error_of([&] { queue.pop(milliseconds(1)); }),
            "Timeout in DataLoader queue while waiting for next batch (timeout was 1 ms)");
  std::thread later([&] { queue.push(3); });
  EXPECT_EQ(queue.pop(), 3);
  later.join();
}

TEST(CompatDataShuttleTest, CountsJobsInFlight) {
  torch::data::detail::DataShuttle<int, int> shuttle;
  EXPECT_FALSE(shuttle.pop_result().has_value());
  shuttle.push_job(1);
  shuttle.push_job(2);
  EXPECT_EQ(shuttle.in_flight_jobs(), 2);
  EXPECT_THROW(shuttle.pop_result(milliseconds(1)), c10::Error);
  shuttle.push_result(10 * shuttle.pop_job());
  EXPECT_EQ(shuttle.in_flight_jobs(), 2);
  EXPECT_EQ(shuttle.pop_result(), 10);
  EXPECT_EQ(shuttle.in_flight_jobs(), 1);
  shuttle.drain();
  EXPECT_EQ(shuttle.in_flight_jobs(), 0);
}

TEST(CompatSequencersTest, OrderResults) {
  struct Result {
    std::size_t sequence_number;
  };
  namespace sequencers = torch::data::detail::sequencers;
  const auto order = [](sequencers::Sequencer<Result>& sequencer) {
    std::vector<std::size_t> came{2, 0, 1, 3}, given;
    std::reverse(came.begin(), came.end());
    const auto next = [&]() -> std::optional<Result> {
      if (came.empty()) return std::nullopt;
      const std::size_t number = came.back();
      came.pop_back();
      return Result{number};
    };
    while (auto result = sequencer.next(next)) given.push_back(result->sequence_number);
    return given;
  };
  sequencers::NoSequencer<Result> none;
  EXPECT_EQ(order(none), (std::vector<std::size_t>{2, 0, 1, 3}));
  sequencers::OrderedSequencer<Result> ordered(3);
  EXPECT_EQ(order(ordered), (std::vector<std::size_t>{0, 1, 2, 3}));
}

TEST(CompatIteratorTest, FetchesWhenNeeded) {
  int fetched = 0;
  Iterator<int> it(
      std::make_unique<torch::data::detail::ValidIterator<int>>([&]() -> std::optional<int> {
        return fetched < 2 ? std::optional(fetched++) : std::nullopt;
      }));
  EXPECT_EQ(fetched, 0);
  EXPECT_EQ(*it, 0);
  ++it;
  EXPECT_EQ(*it, 1);
  EXPECT_EQ(fetched, 2);
}

// --- Samplers
// -------------------------------------------------------------------------------------

template <class Sampler>
std::vector<std::size_t> rest_of(Sampler& sampler) {
  return sampler.next(100).value_or(std::vector<std::size_t>());
}
using Indices = std::vector<std::size_t>;

TEST(CompatSamplersTest, DistributedSamplersDrawAtReset) {
  samplers::DistributedRandomSampler random(10, 3, 1);
  EXPECT_EQ(random.index(), 4);
  EXPECT_EQ(rest_of(random), (Indices{9, 1, 4, 7}));
  EXPECT_EQ(random.index(), 8);
  random.set_epoch(2);
  random.reset();
  EXPECT_EQ(rest_of(random), (Indices{8, 1, 6, 2}));
  random.reset(7);
  EXPECT_EQ(rest_of(random), (Indices{4, 1, 3}));

  samplers::DistributedRandomSampler late(10, 2, 0);
  late.set_epoch(5);  // counts from the next reset() on
  EXPECT_EQ(rest_of(late), (Indices{0, 2, 1, 5, 9}));
  EXPECT_EQ(late.epoch(), 5);

  samplers::DistributedSequentialSampler ordered(10, 3, 2, /*allow_duplicates=*/true);
  EXPECT_EQ(rest_of(ordered), (Indices{8, 9, 0, 1}));
  ordered.reset(7);
  EXPECT_EQ(rest_of(ordered), (Indices{6, 0, 1}));
  samplers::DistributedSequentialSampler fewer(10, 3, 2, /*allow_duplicates=*/false);
  EXPECT_EQ(rest_of(fewer), (Indices{6, 7, 8}));
}

TEST(CompatSamplersTest, AnEmptyBatchIsNotTheEnd) {
  samplers::SequentialSampler ordered(2);
  samplers::RandomSampler random(2, torch::kInt32);
  samplers::StreamSampler stream(2);
  EXPECT_EQ(ordered.next(0)->size(), 0);
  EXPECT_EQ(random.next(0)->size(), 0);
  EXPECT_EQ(stream.next(0)->size(), 0);
  EXPECT_EQ(ordered.next(5), (Indices{0, 1}));
  EXPECT_FALSE(ordered.next(0).has_value());
}

/// Derived samplers override save() and load().
struct Backwards : samplers::Sampler<> {
  explicit Backwards(std::size_t size) : size_(size), left_(size) {}
  void reset(torch::optional<std::size_t> new_size) override {
    size_ = new_size.value_or(size_);
    left_ = size_;
  }
  torch::optional<Indices> next(std::size_t batch_size) override {
    if (left_ == 0) return torch::nullopt;
    Indices indices;
    while (left_ > 0 && indices.size() < batch_size) indices.push_back(--left_);
    return indices;
  }
  void save(torch::serialize::OutputArchive& /*archive*/) const override {}
  void load(torch::serialize::InputArchive& /*archive*/) override {}

 private:
  std::size_t size_, left_;
};

TEST(CompatSamplersTest, SamplersOfOnesOwn) {
  const auto begin = [](Backwards sampler) {
    sampler.reset(torch::nullopt);
    return sampler.next(2);
  };
  EXPECT_EQ(begin(Backwards(4)), (Indices{3, 2}));
  struct Part : samplers::DistributedSampler<> {
    explicit Part(std::size_t size) : DistributedSampler(size, 3, 1, false) {}
    void reset(torch::optional<std::size_t> /*new_size*/) override {}
    torch::optional<Indices> next(std::size_t /*batch_size*/) override {
      return Indices{rank_ * local_sample_count(), size_, num_replicas_};
    }
    void save(torch::serialize::OutputArchive& /*archive*/) const override {}
    void load(torch::serialize::InputArchive& /*archive*/) override {}
  };
  EXPECT_EQ(Part(10).next(1), (Indices{3, 10, 3}));
}

TEST(CompatSamplersTest, RequestsOfOnesOwn) {
  struct Range : samplers::CustomBatchRequest {
    Range(std::size_t from, std::size_t to) : begin(from), end(to) {}
    std::size_t size() const override { return end - begin; }
    std::size_t begin, end;
  };
  struct Ranges : samplers::Sampler<Range> {
    void reset(torch::optional<std::size_t> /*new_size*/ = torch::nullopt) override { at = 0; }
    torch::optional<Range> next(std::size_t batch_size) override {
      if (at >= 5) return torch::nullopt;
      const std::size_t from = std::exchange(at, at + batch_size);
      return Range(from, std::min<std::size_t>(at, 5));
    }
    void save(torch::serialize::OutputArchive& /*archive*/) const override {}
    void load(torch::serialize::InputArchive& /*archive*/) override {}
    std::size_t at = 0;
  };
  struct Source : datasets::BatchDataset<Source, std::vector<int>, Range> {
    std::vector<int> get_batch(Range range) override {
      std::vector<int> batch(range.size());
      std::iota(batch.begin(), batch.end(), static_cast<int>(range.begin));
      return batch;
    }
    torch::optional<std::size_t> size() const override { return 5; }
  };
  auto loader = make_data_loader(Source(), Ranges(), DataLoaderOptions(2).workers(1));
  EXPECT_EQ(batches_of(loader), (Batches{{0, 1}, {2, 3}, {4}}));
}

/// Tensors by name.
struct Archive {
  void write(const std::string& key, const torch::Tensor& tensor, bool /*is_buffer*/) {
    tensors[key] = tensor.clone();
  }
  void read(const std::string& key, torch::Tensor& tensor, bool /*is_buffer*/) {
    tensor = tensors.at(key);
  }
  std::map<std::string, torch::Tensor> tensors;
};

/// Returns the keys that `from` writes, after `to` has read them.
template <class Sampler>
Indices moved(const Sampler& from, Sampler& to, const std::vector<std::string>& keys) {
  Archive archive;
  from.write_to(archive);
  EXPECT_EQ(archive.tensors.size(), keys.size());
  for (const std::string& key : keys) EXPECT_EQ(archive.tensors.count(key), 1) << key;
  to.read_from(archive);
  if constexpr (requires { to.next(1)->begin(); }) {
    return rest_of(to);
  } else {
    return {to.next(100)->size()};
  }
}

TEST(CompatSamplersTest, WriteAndReadTheirState) {
  {
    samplers::SequentialSampler from(6), to(6);
    from.next(4);
    EXPECT_EQ(moved(from, to, {"index"}), (Indices{4, 5}));
  }
  {
    samplers::RandomSampler from(6), to(3);
    from.next(4);
    const Indices rest = moved(from, to, {"index", "indices"});
    EXPECT_EQ(rest, rest_of(from));
  }
  {
    samplers::StreamSampler from(10), to(5);
    from.next(4);
    EXPECT_EQ(moved(from, to, {"examples_retrieved_so_far"}), (Indices{1}));
  }
  {
    samplers::DistributedRandomSampler from(10, 2, 1), to(10, 2, 1);
    from.set_epoch(3);
    from.reset();
    from.next(2);
    EXPECT_EQ(moved(from, to, {"sample_index_", "epoch_"}), (Indices{7, 0, 4}));
    to.reset();
    EXPECT_EQ(rest_of(to), (Indices{6, 9, 7, 0, 4}));
  }
  {
    samplers::DistributedSequentialSampler from(10, 2, 1), to(10, 2, 1);
    from.next(2);
    EXPECT_EQ(moved(from, to, {"sample_index_"}), (Indices{7, 8, 9}));
  }
}

// --- Datasets
// -------------------------------------------------------------------------------------

TEST(CompatDatasetsTest, Streams) {
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

TEST(CompatDatasetsTest, SharedByAllWorkers) {
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

TEST_P(CompatLoaderTest, StatefulDatasets) {
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

TEST_P(CompatLoaderTest, ReadsChunks) {
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

TEST(CompatDatasetsTest, ErrorsOfChunks) {
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
