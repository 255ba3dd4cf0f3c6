#include <tern/nn/data/samplers.h>

#include <gtest/gtest.h>

#include <tern/core/base/error.h>
#include <tern/core/ops/random.h>
#include <tern/core/tensor/tensor.h>

// The orders and numbers are PyTorch's for the same seed.

namespace tern::data::samplers {
namespace {

using Indices = std::vector<std::size_t>;

template <class S>
std::vector<Indices> epoch(S& sampler, std::size_t batch_size) {
  std::vector<Indices> batches;
  while (auto batch = sampler.next(batch_size)) batches.push_back(*batch);
  return batches;
}

TEST(SequentialSamplerTest, CountsUp) {
  SequentialSampler sampler(5);
  EXPECT_EQ(epoch(sampler, 2), (std::vector<Indices>{{0, 1}, {2, 3}, {4}}));
  EXPECT_EQ(sampler.index(), 5u);
  EXPECT_EQ(sampler.next(2), std::nullopt);
  sampler.reset();
  EXPECT_EQ(sampler.next(9), (Indices{0, 1, 2, 3, 4}));
  sampler.reset(2);
  EXPECT_EQ(epoch(sampler, 1), (std::vector<Indices>{{0}, {1}}));
  sampler.reset(0);
  EXPECT_EQ(sampler.next(1), std::nullopt);
}

TEST(RandomSamplerTest, DrawsInConstructorAndAtReset) {
  manual_seed(0);
  RandomSampler sampler(6);
  EXPECT_EQ(epoch(sampler, 6), (std::vector<Indices>{{2, 5, 3, 0, 1, 4}}));
  sampler.reset();
  EXPECT_EQ(epoch(sampler, 4), (std::vector<Indices>{{3, 0, 5, 4}, {2, 1}}));
  sampler.reset();
  EXPECT_EQ(sampler.next(6), (Indices{5, 2, 1, 3, 4, 0}));
  EXPECT_EQ(sampler.index(), 6u);
  sampler.reset(3);
  EXPECT_EQ(sampler.next(9)->size(), 3u);
  EXPECT_THROW(RandomSampler(-1), Error);
}

TEST(PythonSamplersTest, DrawAsPythonsDataLoader) {
  manual_seed(1);
  PythonRandomSampler shuffled(7);
  shuffled.reset();
  EXPECT_EQ(epoch(shuffled, 3), (std::vector<Indices>{{0, 5, 1}, {4, 2, 3}, {6}}));
  shuffled.reset();
  EXPECT_EQ(epoch(shuffled, 3), (std::vector<Indices>{{0, 2, 4}, {5, 1, 6}, {3}}));
  EXPECT_FLOAT_EQ(rand({1}).item<float>(), 0.5695084929466248F);

  manual_seed(1);
  PythonSequentialSampler in_order(7);
  in_order.reset();
  EXPECT_EQ(epoch(in_order, 3), (std::vector<Indices>{{0, 1, 2}, {3, 4, 5}, {6}}));
  EXPECT_FLOAT_EQ(rand({1}).item<float>(), 0.40306925773620605F);
}

}  // namespace
}  // namespace tern::data::samplers
