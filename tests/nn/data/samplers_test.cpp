#include <tern/nn/data/samplers.h>

#include <gtest/gtest.h>

#include <tern/core/base/error.h>
#include <tern/core/ops/create/creation.h>
#include <tern/core/ops/create/random.h>
#include <tern/core/tensor/tensor.h>

// The expected orders and numbers are PyTorch's for the same seed.

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
  EXPECT_EQ(sampler.next(0), std::nullopt);
  sampler.reset();
  EXPECT_EQ(sampler.next(0), Indices());  // an empty batch is not the end
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

template <class S>
void expect_resumes(S sampler, S other) {
  sampler.reset();
  sampler.next(3);
  const State state = sampler.state_dict();
  const auto rest = epoch(sampler, 2);
  sampler.load_state_dict(state);
  EXPECT_EQ(epoch(sampler, 2), rest);
  other.load_state_dict(state);
  EXPECT_TRUE(identical(other.state_dict(), state));
  EXPECT_EQ(epoch(other, 2), rest);
  other.load_state_dict(sampler.state_dict(3));
  EXPECT_EQ(epoch(other, 2), rest);
  EXPECT_EQ(sampler.state_dict(99).template get<int>("index"), 7);

  S smaller(6);
  smaller.reset();
  const State before = smaller.state_dict();
  EXPECT_THROW(smaller.load_state_dict(state), Error);
  EXPECT_THROW(smaller.load_state_dict(State()), Error);
  State broken = before;
  broken.set("index", 7);
  EXPECT_THROW(smaller.load_state_dict(broken), Error);
  EXPECT_TRUE(identical(smaller.state_dict(), before));
}

TEST(SamplerStateTest, GoesOnInTheMiddleOfAnEpoch) {
  expect_resumes(SequentialSampler(7), SequentialSampler(7));
  expect_resumes(RandomSampler(7), RandomSampler(7));
  expect_resumes(PythonSequentialSampler(7), PythonSequentialSampler(7));
  expect_resumes(PythonRandomSampler(7), PythonRandomSampler(7));
  PythonRandomSampler fresh(7);
  fresh.load_state_dict(PythonRandomSampler(7).state_dict());
  EXPECT_EQ(fresh.next(1), std::nullopt);
}

TEST(SamplerStateTest, RefusesOrdersThatAreNone) {
  RandomSampler sampler(3);
  const State before = sampler.state_dict();
  for (const Tensor& order :
       {tensor({0., 1., 2.}), tensor(std::vector<std::int64_t>{0, 1, 3}),
        tensor(std::vector<std::int64_t>{0, 1, 1}), tensor(std::vector<std::int64_t>{0, -1, 2}),
        tensor(std::vector<std::int64_t>{0, 1}), tensor(std::int64_t{0})}) {
    State state = before;
    state.set("order", order);
    EXPECT_THROW(sampler.load_state_dict(state), Error);
  }
  EXPECT_TRUE(identical(sampler.state_dict(), before));
}

TEST(SamplerStateTest, OthersHaveNone) {
  struct Endless final : Sampler<> {
    void reset(std::optional<std::size_t>) override {}
    std::optional<Indices> next(std::size_t count) override { return Indices(count); }
  };
  EXPECT_THROW(Endless().state_dict(), NotImplementedError);
  EXPECT_THROW(Endless().load_state_dict(State()), NotImplementedError);
}

}  // namespace
}  // namespace tern::data::samplers
