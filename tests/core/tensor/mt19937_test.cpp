#include <tern/core/tensor/mt19937.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tern/core/base/error.h>

#include "fnv1a.h"
#include "golden/golden.h"

namespace tern {
namespace {

const nlohmann::json& goldens() { return testing::golden("ops/draws"); }

/// Returns the FNV-1a of bytes as golden files write it.
std::string hash_of(const void* data, std::size_t bytes) {
  char text[17];
  std::snprintf(text, sizeof(text), "%016" PRIx64, testing::fnv1a(data, bytes));
  return text;
}

std::string state_hash(const Mt19937& generator) {
  const std::vector<std::uint8_t> state = generator.state_bytes();
  return hash_of(state.data(), state.size());
}

TEST(Mt19937, AgreesWithTheStandardLibrary) {
  for (const std::uint32_t seed : {0u, 1u, 5489u, 0xffffffffu}) {
    Mt19937 generator(seed);
    std::mt19937 other(seed);
    for (int i = 0; i < 2000; ++i) ASSERT_EQ(generator.next32(), other());
  }
}

TEST(Mt19937, FillsRunsOfAnyLength) {
  Mt19937 generator(1);
  std::mt19937 other(1);
  std::vector<std::uint32_t> words(2000);
  for (std::int64_t n : {0, 1, 3, 620, 0, 1, 623, 624, 625, 1249, 2000}) {
    generator.fill(words.data(), n);
    for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(words[static_cast<std::size_t>(i)], other());
    ASSERT_EQ(generator.next32(), other());
  }
}

TEST(Mt19937, TakesTheHighWordFirst) {
  Mt19937 generator(1), words(1);
  const std::uint64_t high = words.next32();
  EXPECT_EQ(generator.next64(), (high << 32) | words.next32());
}

TEST(Mt19937, UsesTheLow32BitsOfTheSeedAndKeepsAll) {
  Mt19937 wide(0x100000005u), narrow(5);
  EXPECT_EQ(wide.next32(), narrow.next32());
  EXPECT_EQ(wide.initial_seed(), 0x100000005u);
}

TEST(Mt19937, SavesItsStateAsPyTorchDoes) {
  Mt19937 generator(static_cast<std::uint64_t>(-1));
  EXPECT_EQ(state_hash(generator), goldens()["states"][0].get<std::string>());
  for (int i = 0; i < 5; ++i) generator.next32();
  EXPECT_EQ(state_hash(generator), goldens()["states"][1].get<std::string>());
  generator.next_normal();
  EXPECT_EQ(state_hash(generator), goldens()["states"][2].get<std::string>());
}

TEST(Mt19937, ContinuesFromASavedState) {
  for (const int drawn : {0, 1, 623, 624, 625, 1300}) {
    Mt19937 generator(11), other(12);
    for (int i = 0; i < drawn; ++i) generator.next32();
    generator.next_normal();
    other.set_state_bytes(generator.state_bytes());
    EXPECT_EQ(other.initial_seed(), 11u);
    for (int i = 0; i < 3; ++i) ASSERT_EQ(other.next_normal(), generator.next_normal());
    for (int i = 0; i < 1300; ++i) ASSERT_EQ(other.next32(), generator.next32());
  }
}

TEST(Mt19937, DropsTheCachedNormalWhenSeeded) {
  Mt19937 generator(4);
  const double first = generator.next_normal();
  EXPECT_NE(generator.next_normal(), first);
  generator.next_normal();
  generator.seed(4);
  EXPECT_EQ(generator.next_normal(), first);
}

TEST(Mt19937, RefusesAStateThatCannotBe) {
  Mt19937 generator(4);
  generator.next32();
  const std::vector<std::uint8_t> good = generator.state_bytes();
  EXPECT_THROW(generator.set_state_bytes({}), Error);
  EXPECT_THROW(generator.set_state_bytes(std::vector<std::uint8_t>(5055)), Error);
  EXPECT_THROW(generator.set_state_bytes(std::vector<std::uint8_t>(5056)), Error);
  const auto with = [&](std::int32_t left, std::uint64_t next) {
    std::vector<std::uint8_t> bytes = good;
    std::memcpy(bytes.data() + 8, &left, sizeof(left));
    std::memcpy(bytes.data() + 16, &next, sizeof(next));
    return bytes;
  };
  for (const std::int32_t left : {-1, 0, 3, 625, 2147483647}) {
    EXPECT_THROW(generator.set_state_bytes(with(left, 1)), Error) << left;
  }
  EXPECT_THROW(generator.set_state_bytes(with(1, std::uint64_t{1} << 40)), Error);
  EXPECT_EQ(generator.state_bytes(), good);
  EXPECT_NO_THROW(generator.set_state_bytes(with(1, 624)));
}

TEST(Randperm, DrawsPyTorchsOrders) {
  Mt19937 generator(0);
  std::vector<std::int64_t> order(10);
  randperm(generator, order.data(), 10);
  EXPECT_EQ(order, testing::golden_numbers<std::int64_t>(goldens()["randperm_10"]["data"]));
  generator.seed(0);
  order.resize(1000);
  randperm(generator, order.data(), 1000);
  EXPECT_EQ(hash_of(order.data(), order.size() * sizeof(order[0])),
            goldens()["randperm_1000"].get<std::string>());
}

TEST(Randperm, TakesNoWordForNothingToDecide) {
  Mt19937 generator(0), untouched(0);
  std::int64_t order = 5;
  randperm(generator, &order, 0);
  EXPECT_EQ(order, 5);
  randperm(generator, &order, 1);
  EXPECT_EQ(order, 0);
  EXPECT_EQ(generator.next32(), untouched.next32());
}

}  // namespace
}  // namespace tern
