#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tern/core/base/visibility.h>

namespace tern {

/// The Mersenne Twister MT19937 (Matsumoto and Nishimura, 1998), with the seeding, the order of
/// words and the saved state of PyTorch's CPU generator: same seed, same numbers. Not thread-safe.
class TERN_API Mt19937 {
 public:
  /// The seed of a generator that was never seeded.
  static constexpr std::uint64_t kDefaultSeed = 67280421310721;
  /// The number of bytes of `state_bytes()`.
  static constexpr std::size_t kStateBytes = 5056;

  /// Makes an engine seeded with `seed`.
  explicit Mt19937(std::uint64_t seed = kDefaultSeed) { this->seed(seed); }

  /// Restarts the sequence. The low 32 bits of `seed` decide the words; the cached normal number is
  /// dropped.
  void seed(std::uint64_t seed);
  /// Returns the last seed, all 64 bits of it.
  std::uint64_t initial_seed() const { return seed_; }

  /// Returns the next 32-bit word.
  std::uint32_t next32() {
    if (left_ == 0) refill();
    --left_;
    return temper(words_[next_++]);
  }
  /// Returns a number made of two words, the high word first.
  std::uint64_t next64() {
    const std::uint64_t high = next32();
    return (high << 32) | next32();
  }
  /// Returns a standard normal number, by Box and Muller from two 53-bit uniform numbers (four
  /// words). Every second call returns the other half of the pair, which is part of the state.
  double next_normal();

  /// Writes the next `n` words to `out`. Inlined, so that every instruction set gets its own vector
  /// code.
  [[gnu::always_inline]] void fill(std::uint32_t* __restrict out, std::int64_t n) {
    while (n > 0) {
      if (left_ == 0) refill_inline();
      const std::int32_t take = n < left_ ? static_cast<std::int32_t>(n) : left_;
      for (std::int32_t i = 0; i < take; ++i) out[i] = temper(words_[next_ + i]);
      next_ += take;
      left_ -= take;
      out += take;
      n -= take;
    }
  }

  /// Returns seed, words, position and cached normal number, byte for byte as
  /// `torch.get_rng_state()`.
  std::vector<std::uint8_t> state_bytes() const;
  /// Restores bytes that `state_bytes()` or PyTorch wrote. Throws Error for a wrong size or an
  /// impossible state; the engine is then unchanged.
  void set_state_bytes(const std::vector<std::uint8_t>& bytes);

 private:
  static constexpr std::int32_t kWords = 624, kLag = 397;

  [[gnu::always_inline]] static std::uint32_t temper(std::uint32_t y) {
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
  }
  [[gnu::always_inline]] static std::uint32_t twist(std::uint32_t high, std::uint32_t low) {
    const std::uint32_t y = (high & 0x80000000u) | (low & 0x7fffffffu);
    return (y >> 1) ^ ((0u - (y & 1u)) & 0x9908b0dfu);
  }
  /// Computes the next 624 words in place. Split where the lagged word changes from old to new, so
  /// that no loop reads a word that it wrote less than 227 steps ago.
  [[gnu::always_inline]] void refill_inline() {
    constexpr std::int32_t kSplit = kWords - kLag;
    for (std::int32_t i = 0; i < kSplit; ++i) {
      words_[i] = words_[i + kLag] ^ twist(words_[i], words_[i + 1]);
    }
    for (std::int32_t i = kSplit; i < kWords - 1; ++i) {
      words_[i] = words_[i - kSplit] ^ twist(words_[i], words_[i + 1]);
    }
    words_[kWords - 1] = words_[kLag - 1] ^ twist(words_[kWords - 1], words_[0]);
    next_ = 0;
    left_ = kWords;
  }
  void refill();

  std::uint64_t seed_;
  std::int32_t next_;  // index of the next word
  std::int32_t left_;  // words left in the block; 0 at first: the first draw makes a block
  std::uint32_t words_[kWords];
  bool has_normal_;  // `normal_` is the unused half of a pair
  double normal_;
};

/// Writes 0 .. n-1 to `out` in the random order of `torch.randperm`. Draws n - 1 words. From
/// 214,748,364 items on, one word per item would be visibly uneven, so another algorithm draws 2 n
/// words.
TERN_API void randperm(Mt19937& generator, std::int64_t* out, std::int64_t n);

}  // namespace tern
