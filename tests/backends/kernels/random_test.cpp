#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tern/backends/cpu/capability.h>
#include <tern/core/base/error.h>
#include <tern/core/kernels/families/random.h>
#include <tern/core/tensor/mt19937.h>

#include "fnv1a.h"
#include "golden/golden.h"

// The CPU's random kernel against PyTorch. TERN_CPU_CAPABILITY chooses the instruction set; all
// sets give the same bits.

namespace tern {
namespace {

using kernels::RandomArgs;
using kernels::RandomOp;

struct Draw {
  RandomOp op;
  ScalarType dtype;
  std::int64_t count;
  bool contiguous;
  double a, b;
  std::int64_t low, high;
};

const nlohmann::json& goldens() { return testing::golden("ops/draws"); }

Draw golden_draw(const nlohmann::json& row) {
  static const std::map<std::string, RandomOp> ops = {
      {"uniform", RandomOp::kUniform},         {"normal", RandomOp::kNormal},
      {"bernoulli", RandomOp::kBernoulli},     {"randint", RandomOp::kRandint},
      {"exponential", RandomOp::kExponential}, {"cauchy", RandomOp::kCauchy},
      {"log_normal", RandomOp::kLogNormal},    {"geometric", RandomOp::kGeometric}};
  return {ops.at(row["op"]), testing::golden_dtype(row["dtype"]),
          row["count"],      row["contiguous"],
          row["a"],          row["b"],
          row["low"],        row["high"]};
}

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

/// Returns the FNV-1a of bytes as golden files write it.
template <class Byte>
std::string hash_of(const std::vector<Byte>& bytes) {
  char text[17];
  std::snprintf(text, sizeof(text), "%016" PRIx64, testing::fnv1a(bytes.data(), bytes.size()));
  return text;
}

TEST(RandomKernel, DrawsPyTorchsBits) {
  Mt19937 generator(2024);
  for (const nlohmann::json& row : goldens()["draws"]) {
    EXPECT_EQ(hash_of(draw(generator, golden_draw(row))), row["hash"].get<std::string>()) << row;
  }
  EXPECT_EQ(hash_of(generator.state_bytes()), goldens()["state_after_draws"].get<std::string>());
}

TEST(RandomKernel, DrawsTheNumbersThatPeopleKnow) {
  const auto check = [](RandomOp op, const std::string& name) {
    SCOPED_TRACE(name);
    const auto want = testing::golden_numbers<float>(goldens()[name]["data"]);
    Mt19937 generator(0);
    EXPECT_EQ(draw_as<float>(generator, {op, kFloat, std::ssize(want), true, 0, 1, 0, 0}), want);
  };
  check(RandomOp::kUniform, "rand_5");
  check(RandomOp::kNormal, "randn_5");
  check(RandomOp::kNormal, "randn_20");
}

// Not compared by hash: normals in double are only as exact as the C library's functions.
TEST(RandomKernel, DrawsNormalsInDouble) {
  for (const char* const name : {"randn_double_5", "randn_double_20"}) {
    const auto want = testing::golden_numbers(goldens()[name]["data"]);
    Mt19937 generator(0);
    const auto got = draw_as<double>(
        generator, {RandomOp::kNormal, kDouble, std::ssize(want), true, 0, 1, 0, 0});
    for (std::size_t i = 0; i < want.size(); ++i) EXPECT_DOUBLE_EQ(got[i], want[i]) << name;
  }
}

TEST(RandomKernel, TakesRemaindersExactly) {
  constexpr std::int64_t kCount = 3000, kLimit = std::int64_t{1} << 28;
  for (std::int64_t range = 1; range < kLimit; range = range * 21 / 16 + 1) {
    for (const std::int64_t near : {range, kLimit - range}) {
      Mt19937 generator(7), words(7);
      const auto out = draw_as<std::int64_t>(
          generator, {RandomOp::kRandint, kLong, kCount, true, 0, 0, 0, near});
      for (const std::int64_t value : out) ASSERT_EQ(value, words.next32() % near) << near;
    }
  }
}

TEST(RandomKernel, KeepsUniformNumbersBelowTheirEnd) {
  Mt19937 generator(3);
  const float to = 1.0f + 0x1p-23f;
  for (const float value :
       draw_as<float>(generator, {RandomOp::kUniform, kFloat, 1000, true, 1, to, 0, 0})) {
    ASSERT_EQ(value, 1.0f);
  }
}

TEST(RandomKernel, RefusesRealDistributionsOverIntegers) {
  Mt19937 generator(3);
  for (const RandomOp op : {RandomOp::kUniform, RandomOp::kNormal}) {
    EXPECT_THROW(draw(generator, {op, kLong, 3, true, 0, 1, 0, 0}), Error);
    EXPECT_THROW(draw(generator, {op, kBool, 3, true, 0, 1, 0, 0}), Error);
  }
}

}  // namespace
}  // namespace tern
