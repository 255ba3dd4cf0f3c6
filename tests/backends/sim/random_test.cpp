#include <algorithm>
#include <cmath>

#include <tern/core/kernels/families/random.h>
#include <tern/core/kernels/philox.h>

#include "backends/cuda/simulated.h"

namespace tern::sim {
namespace {

using kernels::RandomOp;
using tern::testing::DeviceArray;
using tern::testing::launch;

template <class T>
tern::testing::Values<T> draw(RandomOp op, std::int64_t count, double a, double b = 0,
                              std::int64_t low = 0, std::int64_t high = 0,
                              std::uint64_t offset = 0) {
  const DeviceArray<T> out((tern::testing::Values<T>(static_cast<std::size_t>(count))));
  kernels::RandomArgs args{};
  args.op = op;
  args.dtype = dtype_of<T>();
  args.out = out.data();
  args.count = count;
  args.contiguous = 1;
  args.a = a;
  args.b = b;
  args.low = low;
  args.high = high;
  args.seed = 7;
  args.offset = offset;
  EXPECT_EQ(launch(args).status, kernels::StatusCode::kOk);
  return out.read();
}

TEST(SimRandom, ElementsComeFromTheirOwnCounter) {
  const auto numbers = draw<float>(RandomOp::kUniform, 10, 0, 1);
  for (std::uint64_t e = 0; e < 10; ++e) {
    EXPECT_EQ(numbers[e], kernels::philox_uniform(kernels::philox(7, e / 4, 0).word[e % 4]));
  }
  const auto fewer = draw<float>(RandomOp::kUniform, 3, 0, 1);
  EXPECT_TRUE(std::equal(fewer.begin(), fewer.end(), numbers.begin()));
  EXPECT_NE(draw<float>(RandomOp::kUniform, 1, 0, 1, 0, 0, 4)[0], numbers[0]);
}

TEST(SimRandom, NormalsComeInPairs) {
  const auto normals = draw<float>(RandomOp::kNormal, 8, 0, 1);
  for (std::uint64_t pair = 0; pair < 4; ++pair) {
    const auto words = kernels::philox(7, pair / 2, 0).word;
    const auto expected = kernels::philox_normal(words[pair % 2 * 2], words[pair % 2 * 2 + 1]);
    EXPECT_EQ(normals[2 * pair], expected.first);
    EXPECT_EQ(normals[2 * pair + 1], expected.second);
  }
}

TEST(SimRandom, DoublesTakeTwoBlocks) {
  const auto numbers = draw<double>(RandomOp::kUniform, 4, 0, 1);
  const auto first = kernels::philox(7, 0, 0), second = kernels::philox(7, 0, 4);
  EXPECT_EQ(numbers[1], kernels::philox_uniform(first.word[2], first.word[3]));
  EXPECT_EQ(numbers[2], kernels::philox_uniform(second.word[0], second.word[1]));
  const auto normals = draw<double>(RandomOp::kNormal, 4, 0, 1);
  EXPECT_EQ(normals[3], kernels::philox_normal_double(second).second);
}

TEST(SimRandom, UniformStaysInItsRange) {
  double sum = 0;
  for (float x : draw<float>(RandomOp::kUniform, 10000, -2, 3)) {
    ASSERT_GE(x, -2.0f);
    ASSERT_LT(x, 3.0f);
    sum += x;
  }
  EXPECT_NEAR(sum / 10000, 0.5, 0.05);
}

TEST(SimRandom, NormalHasItsMeanAndDeviation) {
  double sum = 0, squares = 0;
  for (float x : draw<float>(RandomOp::kNormal, 10000, 3, 2)) {
    sum += x;
    squares += (x - 3.0) * (x - 3.0);
  }
  EXPECT_NEAR(sum / 10000, 3, 0.06);
  EXPECT_NEAR(std::sqrt(squares / 10000), 2, 0.05);
}

TEST(SimRandom, BernoulliIsTheSameInEveryDtype) {
  const auto floats = draw<float>(RandomOp::kBernoulli, 1000, 0.3);
  const auto bools = draw<bool>(RandomOp::kBernoulli, 1000, 0.3);
  EXPECT_TRUE(std::equal(floats.begin(), floats.end(), bools.begin()));
  EXPECT_NEAR(static_cast<double>(std::count(bools.begin(), bools.end(), 1)), 300, 50);
  EXPECT_EQ(draw<bool>(RandomOp::kBernoulli, 100, 1), tern::testing::Values<bool>(100, 1));
  EXPECT_EQ(draw<bool>(RandomOp::kBernoulli, 100, 0), tern::testing::Values<bool>(100, 0));
}

// Every dtype takes the words that float32 or int64 takes.
TEST(SimRandom, NarrowNumbersAreWideOnesRounded) {
  const auto check = [&]<class T>(T) {
    for (const RandomOp op : {RandomOp::kUniform, RandomOp::kNormal, RandomOp::kBernoulli}) {
      const auto wide = draw<float>(op, 3001, 0.25, 0.75);
      const auto narrow = draw<T>(op, 3001, 0.25, 0.75);
      for (std::size_t e = 0; e < wide.size(); ++e) {
        const bool is_end = op == RandomOp::kUniform && T(wide[e]) == T(0.75f);
        ASSERT_EQ(narrow[e].bits, is_end ? T(0.25f).bits : T(wide[e]).bits) << e;
      }
    }
  };
  check(Half(0));
  check(BFloat16(0));
}

TEST(SimRandom, NarrowIntegersAreTheLowBits) {
  const auto check = [&]<class T>(T) {
    for (const std::int64_t high : {100, 70000, 1 << 30}) {
      const auto wide = draw<std::int64_t>(RandomOp::kRandint, 101, 0, 0, -100, high);
      const auto narrow = draw<T>(RandomOp::kRandint, 101, 0, 0, -100, high);
      for (std::size_t e = 0; e < wide.size(); ++e) {
        ASSERT_EQ(narrow[e], static_cast<T>(wide[e])) << e;
      }
    }
  };
  check(std::int32_t{});
  check(std::int16_t{});
  check(std::int8_t{});
  check(std::uint8_t{});
}

TEST(SimRandom, RandintTakesOneWordOnRequest) {
  const auto numbers = draw<std::int64_t>(RandomOp::kRandint, 4, 1, 0, 0, std::int64_t{1} << 40);
  for (std::size_t e = 0; e < 4; ++e) EXPECT_EQ(numbers[e], kernels::philox(7, 0, 0).word[e]);
}

TEST(SimRandom, RandintCoversItsRange) {
  bool low = false, high = false;
  for (std::int64_t x : draw<std::int64_t>(RandomOp::kRandint, 1000, 0, 0, -2, 3)) {
    ASSERT_GE(x, -2);
    ASSERT_LT(x, 3);
    low = low || x == -2;
    high = high || x == 2;
  }
  EXPECT_TRUE(low && high);
  const auto wide = draw<std::int64_t>(RandomOp::kRandint, 4, 0, 0, INT64_MIN, INT64_MAX);
  EXPECT_NE(wide[0] >> 32, wide[1] >> 32);
}

TEST(SimRandom, RealNumbersNeedAFloatingDtype) {
  const DeviceArray<std::int64_t> out(1, 0);
  kernels::RandomArgs args{};
  args.op = RandomOp::kUniform;
  args.dtype = kLong;
  args.out = out.data();
  args.count = 1;
  EXPECT_EQ(launch(args).status, kernels::StatusCode::kUnsupportedDtype);
}

}  // namespace
}  // namespace tern::sim
