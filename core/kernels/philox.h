#pragma once

#include <cmath>
#include <cstdint>

#ifdef __CUDACC__
#define TERN_PHILOX_FN __host__ __device__ inline
#else
#define TERN_PHILOX_FN inline
#endif

// Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3",
// 2011) and the conversions of cuRAND's device functions. For host and device code.

namespace tern::kernels {

/// Four 32-bit words: one output of Philox.
struct PhiloxWords {
  std::uint32_t word[4];
};

/// Applies ten rounds of Philox to a 128-bit counter with a 64-bit key, lowest words first.
TERN_PHILOX_FN PhiloxWords philox_4x32_10(PhiloxWords counter, std::uint32_t key0,
                                          std::uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xd2511f53} * counter.word[0];
    const std::uint64_t p1 = std::uint64_t{0xcd9e8d57} * counter.word[2];
    counter = {{static_cast<std::uint32_t>(p1 >> 32) ^ counter.word[1] ^ key0,
                static_cast<std::uint32_t>(p1),
                static_cast<std::uint32_t>(p0 >> 32) ^ counter.word[3] ^ key1,
                static_cast<std::uint32_t>(p0)}};
    key0 += 0x9e3779b9;
    key1 += 0xbb67ae85;
  }
  return counter;
}

/// Returns the four words that curand4 returns after curand_init(seed, subsequence, offset).
/// `offset` must be a multiple of 4.
TERN_PHILOX_FN PhiloxWords philox(std::uint64_t seed, std::uint64_t subsequence,
                                  std::uint64_t offset) {
  const std::uint64_t block = offset / 4;
  const PhiloxWords counter = {
      {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
       static_cast<std::uint32_t>(subsequence), static_cast<std::uint32_t>(subsequence >> 32)}};
  return philox_4x32_10(counter, static_cast<std::uint32_t>(seed),
                        static_cast<std::uint32_t>(seed >> 32));
}

/// Returns a number in (0, 1], as curand_uniform does.
TERN_PHILOX_FN float philox_uniform(std::uint32_t word) {
  return static_cast<float>(word) * 0x1p-32f + 0x1p-33f;
}

/// Returns a number in (0, 1] from two words, as curand_uniform2_double does.
TERN_PHILOX_FN double philox_uniform(std::uint32_t low, std::uint32_t high) {
  const std::uint64_t bits = low ^ (static_cast<std::uint64_t>(high) << 21);
  return static_cast<double>(bits) * 0x1p-53 + 0x1p-54;
}

/// Two independent standard normal numbers.
template <class T>
struct NormalPair {
  T first, second;
};

/// Applies the Box-Muller transform to words 0 and 1, or 2 and 3, as curand_normal4 does: the sine
/// comes first.
TERN_PHILOX_FN NormalPair<float> philox_normal(std::uint32_t word0, std::uint32_t word1) {
  constexpr float kTwoPi = 6.2831855f;
  const float radius = std::sqrt(-2.0f * std::log(philox_uniform(word0)));
  const float angle = static_cast<float>(word1) * (kTwoPi * 0x1p-32f) + kTwoPi * 0x1p-33f;
  return {radius * std::sin(angle), radius * std::cos(angle)};
}

/// Does the same in double with all four words of a block, as curand_normal2_double does.
TERN_PHILOX_FN NormalPair<double> philox_normal_double(PhiloxWords words) {
  constexpr double kTwoPi = 6.283185307179586;
  const double radius = std::sqrt(-2.0 * std::log(philox_uniform(words.word[0], words.word[1])));
  const double angle = kTwoPi * philox_uniform(words.word[2], words.word[3]);
  return {radius * std::sin(angle), radius * std::cos(angle)};
}

}  // namespace tern::kernels
