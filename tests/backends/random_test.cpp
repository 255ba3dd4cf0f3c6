#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tern/backends/cpu/capability.h>
#include <tern/core/base/error.h>
#include <tern/core/kernels/families/random.h>
#include <tern/core/tensor/mt19937.h>

#include "golden/draws.h"
#include "golden/fnv1a.h"

// The CPU's random kernel against PyTorch. TERN_CPU_CAPABILITY chooses the instruction set; all
// sets give the same bits.

namespace tern {
namespace {

using golden::Draw;
using kernels::RandomArgs;
using kernels::RandomOp;

// Draws in memory order; `contiguous` only chooses the rule for normals.
std::vector<std::byte> draw(Mt19937& generator, const Draw& what) {
  std::vector<std::byte> out(static_cast<std::size_t>(what.count) * element_size(what.dtype));
  RandomArgs args{};
  args.op = what.op;
  args.dtype = what.dtype;
  args.out = out.data();
  args.count = what.count;
  args.contiguous = what.contiguous ? 1 : 0;
  args.a = what.a;
  args.b = what.b;
  args.low = what.low;
  args.high = what.high;
  args.generator = &generator;
  static const kernels::KernelTable table = [] {
    kernels::KernelTable kernels;
    cpu::choose_capability(std::getenv("TERN_CPU_CAPABILITY")).register_kernels(&kernels);
    return kernels;
  }();
  kernels::KernelContext context;
  table[kernels::Slot::random](&args, &context);
  TERN_CHECK(context.status == kernels::StatusCode::kOk, Error, "no kernel for this dtype");
  return out;
}

template <class T>
std::vector<T> draw_as(Mt19937& generator, const Draw& what) {
  const std::vector<std::byte> bytes = draw(generator, what);
  const T* first = reinterpret_cast<const T*>(bytes.data());
  return {first, first + what.count};
}

std::uint64_t hash_of(const std::vector<std::byte>& bytes) {
  return golden::fnv1a(bytes.data(), bytes.size());
}

TEST(RandomKernel, DrawsPyTorchsBits) {
  Mt19937 generator(2024);
  for (std::size_t i = 0; i < std::size(golden::kDraws); ++i) {
    const Draw& want = golden::kDraws[i];
    EXPECT_EQ(hash_of(draw(generator, want)), want.hash)
        << "row " << i << ": op " << static_cast<int>(want.op) << ", " << want.dtype << ", "
        << want.count << " elements, a " << want.a << ", b " << want.b << ", low " << want.low
        << ", high " << want.high;
  }
  const std::vector<std::uint8_t> state = generator.state_bytes();
  EXPECT_EQ(golden::fnv1a(state.data(), state.size()), golden::kStateAfterDraws);
}

TEST(RandomKernel, DrawsTheNumbersThatPeopleKnow) {
  Mt19937 generator(0);
  const auto rand5 =
      draw_as<float>(generator, {RandomOp::kUniform, kFloat, 5, true, 0, 1, 0, 0, 0});
  EXPECT_TRUE(std::ranges::equal(rand5, golden::kRand5));
  generator.seed(0);
  const auto randn5 =
      draw_as<float>(generator, {RandomOp::kNormal, kFloat, 5, true, 0, 1, 0, 0, 0});
  EXPECT_TRUE(std::ranges::equal(randn5, golden::kRandn5));
  generator.seed(0);
  const auto randn20 =
      draw_as<float>(generator, {RandomOp::kNormal, kFloat, 20, true, 0, 1, 0, 0, 0});
  EXPECT_TRUE(std::ranges::equal(randn20, golden::kRandn20));
}

// Not compared by hash: normals in double are only as exact as the C library's functions.
TEST(RandomKernel, DrawsNormalsInDouble) {
  Mt19937 generator(0);
  const auto five =
      draw_as<double>(generator, {RandomOp::kNormal, kDouble, 5, true, 0, 1, 0, 0, 0});
  for (std::size_t i = 0; i < 5; ++i) EXPECT_DOUBLE_EQ(five[i], golden::kRandnDouble5[i]);
  generator.seed(0);
  const auto twenty =
      draw_as<double>(generator, {RandomOp::kNormal, kDouble, 20, true, 0, 1, 0, 0, 0});
  for (std::size_t i = 0; i < 20; ++i) EXPECT_DOUBLE_EQ(twenty[i], golden::kRandnDouble20[i]);
}

TEST(RandomKernel, TakesRemaindersExactly) {
  constexpr std::int64_t kCount = 3000, kLimit = std::int64_t{1} << 28;
  for (std::int64_t range = 1; range < kLimit; range = range * 21 / 16 + 1) {
    for (const std::int64_t near : {range, kLimit - range}) {
      Mt19937 generator(7), words(7);
      const auto out = draw_as<std::int64_t>(
          generator, {RandomOp::kRandint, kLong, kCount, true, 0, 0, 0, near, 0});
      for (const std::int64_t value : out) ASSERT_EQ(value, words.next32() % near) << near;
    }
  }
}

TEST(RandomKernel, KeepsUniformNumbersBelowTheirEnd) {
  Mt19937 generator(3);
  const float to = 1.0f + 0x1p-23f;
  for (const float value :
       draw_as<float>(generator, {RandomOp::kUniform, kFloat, 1000, true, 1, to, 0, 0, 0})) {
    ASSERT_EQ(value, 1.0f);
  }
}

TEST(RandomKernel, RefusesRealDistributionsOverIntegers) {
  Mt19937 generator(3);
  for (const RandomOp op : {RandomOp::kUniform, RandomOp::kNormal}) {
    EXPECT_THROW(draw(generator, {op, kLong, 3, true, 0, 1, 0, 0, 0}), Error);
    EXPECT_THROW(draw(generator, {op, kBool, 3, true, 0, 1, 0, 0, 0}), Error);
  }
}

}  // namespace
}  // namespace tern
