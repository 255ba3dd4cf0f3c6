#include "data_programs.h"

namespace compat_data {
namespace {

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

/// Returns the rest of an epoch, which `to` continues from an archive of `from` with these keys.
template <class Sampler>
Indices moved(const Sampler& from, Sampler& to, const std::vector<std::string>& keys) {
  std::stringstream stream;
  torch::save(from, stream);
  torch::serialize::InputArchive archive;
  archive.load_from(stream);
  EXPECT_EQ(archive.keys(), keys);
  to.load(archive);
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

}  // namespace
}  // namespace compat_data
