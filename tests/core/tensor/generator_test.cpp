#include <tern/core/tensor/generator.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <vector>

#include <gtest/gtest.h>

#include <tern/core/base/error.h>
#include <tern/core/ops/ops.h>

#include "error_of.h"

namespace tern {
namespace {

std::vector<std::uint32_t> words_of(Generator generator, int count) {
  std::vector<std::uint32_t> words;
  for (int i = 0; i < count; ++i) words.push_back(generator.engine().next32());
  return words;
}

TEST(Generator, StartsFromTheDocumentedSeed) {
  EXPECT_EQ(Generator().current_seed(), 67280421310721u);
  EXPECT_EQ(words_of(Generator(), 9), words_of(Generator(), 9));
  EXPECT_THROW(Generator{kMeta}, DeviceError);
}

TEST(Generator, CopiesShareAndClonesDoNot) {
  Generator generator;
  Generator copy = generator, clone = generator.clone();
  EXPECT_EQ(copy, generator);
  EXPECT_FALSE(clone == generator);
  const std::uint32_t first = copy.engine().next32(), second = generator.engine().next32();
  EXPECT_NE(first, second);
  EXPECT_EQ(words_of(clone, 2), (std::vector{first, second}));
}

TEST(Generator, IsReseeded) {
  Generator generator;
  const auto words = words_of(generator.manual_seed(5), 4);
  generator.set_current_seed(5);
  EXPECT_EQ(words_of(generator, 4), words);
  EXPECT_EQ(generator.initial_seed(), 5u);
  const std::uint64_t seed = generator.seed();
  EXPECT_EQ(generator.current_seed(), seed);
  EXPECT_LT(seed, std::uint64_t{1} << 53);
  EXPECT_NE(generator.seed(), seed);
}

TEST(Generator, RestoresItsState) {
  Generator generator;
  words_of(generator, 700);
  const std::vector<std::uint8_t> state = generator.state_bytes();
  const auto words = words_of(generator, 700);
  generator.seed();
  generator.set_state_bytes(state);
  EXPECT_EQ(words_of(generator, 700), words);
}

TEST(Generator, CountsOffsetsOnCuda) {
  Generator generator(Device(0));
  EXPECT_EQ(generator.reserve(), 0u);
  EXPECT_EQ(generator.reserve(2), 4u);
  EXPECT_EQ(generator.get_offset(), 12u);
  generator.manual_seed(9);
  EXPECT_EQ(generator.get_offset(), 0u);
  generator.set_offset(8);
  const std::vector<std::uint8_t> state = generator.state_bytes();
  EXPECT_EQ(state, (std::vector<std::uint8_t>{9, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0}));
  Generator other(Device(0));
  other.set_state_bytes(state);
  EXPECT_EQ(other.current_seed(), 9u);
  EXPECT_EQ(other.clone().reserve(), 8u);
}

TEST(Generator, RefusesWhatItDoesNotHave) {
  Generator cpu, cuda(Device(0));
  EXPECT_THROW(cpu.reserve(), DeviceError);
  EXPECT_THROW(cpu.set_offset(4), DeviceError);
  EXPECT_THROW(cuda.set_offset(3), Error);
  EXPECT_THROW(cuda.set_state_bytes(std::vector<std::uint8_t>(15)), Error);
  EXPECT_THROW(cpu.set_state_bytes(std::vector<std::uint8_t>(16)), Error);
  EXPECT_THROW(default_generator(kMeta), DeviceError);
  EXPECT_THROW(default_generator(kCUDA), DeviceError);
}

TEST(DefaultGenerator, IsOnePerDevice) {
  EXPECT_EQ(&default_generator(kCPU), &default_generator("cpu:0"));
  EXPECT_EQ(&default_generator(Device(0)), &default_generator("cuda:0"));
  EXPECT_FALSE(default_generator(Device(0)) == default_generator(Device(1)));
  EXPECT_EQ(default_generator(Device(1)).device(), Device("cuda:1"));
}

TEST(DefaultGenerator, IsSeededOnEveryDevice) {
  default_generator(Device(0)).reserve();
  manual_seed(77);
  EXPECT_EQ(initial_seed(), 77u);
  EXPECT_EQ(default_generator(Device(0)).current_seed(), 77u);
  EXPECT_EQ(default_generator(Device(0)).get_offset(), 0u);
  EXPECT_EQ(default_generator(Device(7)).current_seed(), 77u) << "made after the call";
  cuda::manual_seed_all(78);
  EXPECT_EQ(initial_seed(), 77u);
  EXPECT_EQ(default_generator(Device(7)).current_seed(), 78u);
  EXPECT_EQ(default_generator(Device(8)).current_seed(), 78u) << "made after the call";
  const std::uint64_t chosen = seed();
  EXPECT_EQ(initial_seed(), chosen);
  EXPECT_EQ(default_generator(Device(8)).current_seed(), chosen);
}

// Programs for libtorch seed like this.
TEST(DefaultGenerator, MayBeSeededUnderItsMutex) {
  Generator& generator = default_generator(kCPU);
  const std::lock_guard<std::mutex> lock(generator.mutex());
  generator.set_current_seed(1);
  EXPECT_EQ(generator.current_seed(), 1u);
}

TEST(Generator, HasItsStateAsATensor) {
  Generator generator;
  generator.manual_seed(7);
  const Tensor state = generator.get_state();
  EXPECT_EQ(state.scalar_type(), kByte);
  EXPECT_EQ(state.sizes(), IntArrayRef(5056));
  const std::uint32_t first = generator.engine().next32();
  generator.set_state(state);
  EXPECT_EQ(generator.engine().next32(), first);
  EXPECT_EQ(error_of([&] { generator.set_state(tern::ones({5056})); }),
            "RNG state must be a torch.ByteTensor, got Float");
  EXPECT_EQ(
      error_of([&] { generator.set_state(tern::zeros({3}, kByte)); }),
      "Expected a CPUGeneratorImplState of size 5056 but found the input RNG state size to be 3");
  EXPECT_TRUE(generator.defined());
}

}  // namespace
}  // namespace tern
