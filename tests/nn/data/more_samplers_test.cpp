#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include <tern/core/ops/ops.h>
#include <tern/nn/data/data.h>

#include "error_of.h"
#include "golden/golden.h"

// Samplers whose draws are those of Python (tests/golden/data/data.py) and of libtorch.

namespace tern::data::samplers {
namespace {

using Indices = std::vector<std::size_t>;
using testing::golden;

template <class S>
Indices all_of(S& sampler) {
  Indices all;
  while (const auto batch = sampler.next(4)) all.insert(all.end(), batch->begin(), batch->end());
  return all;
}

/// Compares epochs after the seed 3, and the next number of the default generator.
template <class Make>
void expect_golden(const std::string& name, const Make& make) {
  manual_seed(3);
  auto sampler = make();
  for (const auto& epoch : golden("data/data").at(name).at("epochs")) {
    sampler.reset();
    EXPECT_EQ(all_of(sampler), epoch.template get<Indices>()) << name;
  }
  EXPECT_EQ(rand({1}).item<float>(), golden("data/data").at(name).at("next").template get<float>())
      << name;
}

TEST(DrawnSamplersTest, DrawAsPython) {
  expect_golden("subset_random", [] { return SubsetRandomSampler({4, 9, 1, 7, 3}); });
  expect_golden("weighted", [] {
    return WeightedRandomSampler({0.1, 0.9, 0.4, 0.7, 3.0, 0.6}, 12);
  });
  expect_golden("weighted_once", [] {
    return WeightedRandomSampler(tensor({0.9, 0.4, 0.05, 0.2, 0.3, 0.1}, kDouble), 5,
                                 /*replacement=*/false);
  });
}

TEST(DrawnSamplersTest, TakeAGenerator) {
  Generator a, b;
  a.manual_seed(9);
  b.manual_seed(9);
  manual_seed(0);
  const auto before = default_generator(kCPU).state_bytes();
  WeightedRandomSampler first({1, 2, 3}, 8, true, a), second({1, 2, 3}, 8, true, b);
  EXPECT_EQ(all_of(first), all_of(second));
  SubsetRandomSampler third({1, 2, 3, 5}, a), fourth({1, 2, 3, 5}, b);
  EXPECT_EQ(all_of(third), all_of(fourth));
  EXPECT_EQ(default_generator(kCPU).state_bytes(), before);
}

TEST(DrawnSamplersTest, Errors) {
  EXPECT_EQ(error_of([] {
              WeightedRandomSampler({1, 2}, 0);
            }),
            "WeightedRandomSampler: num_samples should be a positive integer value, but got "
            "num_samples=0");
  EXPECT_EQ(
      error_of([] {
        WeightedRandomSampler(ones({2, 2}), 1);
      }),
      "WeightedRandomSampler: weights should be a 1d sequence but given weights have shape [2, 2]");
  EXPECT_EQ(error_of([] {
              WeightedRandomSampler({1, -2}, 1);
            }),
            "WeightedRandomSampler: weights must be finite and not negative, got -2");
  EXPECT_EQ(error_of([] {
              WeightedRandomSampler({0, 0}, 1);
            }),
            "WeightedRandomSampler: at least one of the 2 weights must be positive");
  EXPECT_NE(error_of([] {
              WeightedRandomSampler({1, 0}, 2, false);
            }).find("use replacement=true"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              SubsetRandomSampler({1, 2}).reset(3);
            }).find("the indices are fixed"),
            std::string::npos);
}

PythonRandomSampler python_random(const std::string& name) {
  PythonRandomSamplerOptions options;
  options.replacement(name.find("replacement") != std::string::npos);
  if (name == "random_replacement") options.num_samples(37);
  if (name == "random_more") options.num_samples(25);
  if (name == "random_fewer") options.num_samples(4);
  if (name == "random_generator_replacement") options.num_samples(6);
  if (name == "random_generator_more") options.num_samples(23);
  if (name.find("generator") != std::string::npos) {
    options.generator(Generator().manual_seed(5));
  }
  return PythonRandomSampler(10, options);
}

TEST(PythonRandomSamplerTest, DrawsAsPythonWithEveryOption) {
  for (const char* name :
       {"random", "random_replacement", "random_more", "random_fewer", "random_generator",
        "random_generator_replacement", "random_generator_more"}) {
    expect_golden(name, [&] { return python_random(name); });
    PythonRandomSampler sampler = python_random(name);
    sampler.reset();
    sampler.next(3);
    PythonRandomSampler other = python_random(name);
    other.load_state_dict(sampler.state_dict());
    EXPECT_EQ(all_of(other), all_of(sampler)) << name;
  }
  EXPECT_EQ(
      error_of([] { PythonRandomSampler(3, PythonRandomSamplerOptions().num_samples(0)); }),
      "PythonRandomSampler: num_samples should be a positive integer value, but got num_samples=0");
}

TEST(BatchSamplerTest, CutsAsPython) {
  const auto& expected = golden("data/data").at("batches");
  for (const bool drop_last : {false, true}) {
    BatchSampler sampler(SequentialSampler(10), 3, drop_last);
    std::vector<Indices> batches;
    while (const auto batch = sampler.next()) batches.push_back(*batch);
    EXPECT_EQ(batches, expected.at(drop_last ? 1 : 0).get<std::vector<Indices>>());
    sampler.reset();
    EXPECT_EQ(sampler.next(100), (Indices{0, 1, 2}));
  }
  EXPECT_EQ(error_of([] { BatchSampler(SequentialSampler(10), 0, false); }),
            "BatchSampler: batch_size should be a positive integer value, but got batch_size=0");
}

TEST(StreamSamplerTest, CountsDown) {
  StreamSampler sampler(10);
  EXPECT_EQ(sampler.next(4)->size(), 4u);
  const State state = sampler.state_dict();
  EXPECT_EQ(std::size_t{*sampler.next(4)}, 4u);
  EXPECT_EQ(sampler.next(4)->size(), 2u);
  EXPECT_FALSE(sampler.next(4));
  sampler.load_state_dict(state);
  EXPECT_EQ(sampler.next(99)->size(), 6u);
  sampler.reset(3);
  EXPECT_EQ(sampler.next(99)->size(), 3u);
}

TEST(DistributedSamplersTest, DivideAsPython) {
  for (const auto& entry : golden("data/data").at("distributed")) {
    PythonDistributedSampler sampler(
        entry.at("size").get<std::size_t>(), entry.at("replicas").get<std::size_t>(),
        entry.at("rank").get<std::size_t>(), entry.at("shuffle").get<bool>(), 7u,
        entry.at("drop_last").get<bool>());
    for (std::size_t epoch = 0; epoch < 2; ++epoch) {
      sampler.set_epoch(epoch);
      sampler.reset();
      EXPECT_EQ(all_of(sampler), entry.at("epochs").at(epoch).get<Indices>()) << entry;
    }
  }
}

// libtorch's numbers: DistributedRandomSampler(10, 3, rank), epochs 0 and 5.
TEST(DistributedSamplersTest, DivideAsLibtorch) {
  const auto shares = [](auto make) {
    std::vector<Indices> all;
    for (std::size_t rank = 0; rank < 3; ++rank) {
      auto sampler = make(rank);
      sampler.reset();
      all.push_back(all_of(sampler));
    }
    return all;
  };
  EXPECT_EQ(shares([](std::size_t rank) { return DistributedSequentialSampler(10, 3, rank); }),
            (std::vector<Indices>{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 0, 1}}));
  EXPECT_EQ(
      shares([](std::size_t rank) { return DistributedSequentialSampler(10, 3, rank, false); }),
      (std::vector<Indices>{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}}));
  EXPECT_EQ(shares([](std::size_t rank) { return DistributedRandomSampler(10, 3, rank); }),
            (std::vector<Indices>{{0, 2, 1, 5}, {9, 1, 4, 7}, {6, 0, 3, 8}}));
  EXPECT_EQ(shares([](std::size_t rank) {
              DistributedRandomSampler sampler(10, 3, rank, false);
              sampler.set_epoch(5);
              return sampler;
            }),
            (std::vector<Indices>{{3, 6, 0}, {1, 2, 8}, {7, 4, 5}}));
}

TEST(DistributedSamplersTest, Errors) {
  EXPECT_EQ(error_of([] { DistributedRandomSampler(10, 4, 4); }),
            "DistributedRandomSampler: Invalid rank 4, rank should be in the interval [0, 3]");
  EXPECT_EQ(error_of([] { PythonDistributedSampler(10, 4, 7); }),
            "PythonDistributedSampler: Invalid rank 7, rank should be in the interval [0, 3]");
}

template <class S>
void expect_continues(S sampler, S other) {
  sampler.reset();
  sampler.next(2);
  const State state = sampler.state_dict();
  const Indices rest = all_of(sampler);
  other.load_state_dict(state);
  EXPECT_TRUE(identical(other.state_dict(), state));
  EXPECT_EQ(all_of(other), rest);
  State broken = state;
  broken.set("index", 99);
  EXPECT_THROW(other.load_state_dict(broken), Error);
  broken = state;
  broken.set("size", 99);
  EXPECT_THROW(other.load_state_dict(broken), Error);
  broken = state;
  broken.set("order", tensor({1, 2}, kLong));
  EXPECT_THROW(other.load_state_dict(broken), Error);
  EXPECT_TRUE(all_of(other).empty());
}

TEST(DrawnSamplersTest, ContinueInTheMiddleOfAnEpoch) {
  expect_continues(SubsetRandomSampler({4, 9, 1, 7, 3}), SubsetRandomSampler({4, 9, 1, 7, 3}));
  expect_continues(WeightedRandomSampler({1, 2, 3}, 9), WeightedRandomSampler({1, 2, 3}, 9));
  expect_continues(DistributedRandomSampler(10, 2), DistributedRandomSampler(10, 2));
  expect_continues(DistributedSequentialSampler(10, 2), DistributedSequentialSampler(10, 2));
  expect_continues(PythonDistributedSampler(10, 2, 1), PythonDistributedSampler(10, 2, 1));
}

// 2 ranks, then 3, then 1: together they give each example once.
TEST(PythonDistributedSamplerTest, ContinuesWithAnotherNumberOfRanks) {
  constexpr std::size_t kSize = 31;
  Indices given;
  State state;
  const auto run = [&](std::size_t ranks, std::size_t count) {
    State next;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      PythonDistributedSampler sampler(kSize, ranks, rank);
      if (!state.keys().empty()) sampler.load_state_dict(state);
      const auto indices = sampler.next(count);
      ASSERT_TRUE(indices.has_value());
      given.insert(given.end(), indices->begin(), indices->end());
      if (rank > 0) {
        EXPECT_TRUE(identical(sampler.state_dict(), next));
      }
      next = sampler.state_dict();
    }
    state = next;
  };
  run(2, 5);
  run(3, 4);
  run(1, 100);
  std::ranges::sort(given);
  Indices all(kSize);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(given, all);
  // The next epoch is that of a new sampler.
  PythonDistributedSampler sampler(kSize, 3, 1), fresh(kSize, 3, 1);
  sampler.load_state_dict(state);
  EXPECT_TRUE(all_of(sampler).empty());
  sampler.reset();
  EXPECT_EQ(all_of(sampler), all_of(fresh));
}

}  // namespace
}  // namespace tern::data::samplers
