#pragma once

#include <cstdint>

namespace support {

/// The generator SplitMix64 (Steele, Lea, Flood 2014): the same numbers on every machine.
class Random {
 public:
  /// Starts at a seed.
  explicit Random(std::uint64_t seed) : state_(seed) {}

  /// Returns 32 random bits.
  std::uint32_t word() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return static_cast<std::uint32_t>((z ^ (z >> 31)) >> 32);
  }
  /// Returns a uniform number in [low, high].
  int between(int low, int high) {
    const auto span = static_cast<std::uint64_t>(high - low) + 1;
    return low + static_cast<int>(word() * span >> 32);
  }
  /// Returns a number in [-limit, limit]; small magnitudes are more likely.
  int around(int limit) { return (between(-limit, limit) + between(-limit, limit)) / 2; }

 private:
  std::uint64_t state_;
};

}  // namespace support
