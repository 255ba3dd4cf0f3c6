#include <tern/core/tensor/mt19937.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

#include <tern/core/base/error.h>

namespace tern {
namespace {

// The layout of PyTorch's saved state. Fields that tern does not use stay zero.
struct SavedState {
  std::uint64_t seed;
  std::int32_t left;  // draws until the next block is made, including that draw: words left + 1
  std::int32_t seeded;
  std::uint64_t next;
  std::uint64_t words[624];
  double unused_x, normal, unused_rho;
  std::int32_t has_normal, padding;
  float unused_float;
  std::uint32_t unused_flag;
};
static_assert(sizeof(SavedState) == Mt19937::kStateBytes);

// Swaps each element with itself or a random later one.
void shuffle(Mt19937& generator, std::int64_t* out, std::int64_t n) {
  constexpr std::int64_t kChunk = 512;
  std::uint32_t words[kChunk];
  for (std::int64_t i = 0; i < n - 1; ++i) {
    if (i % kChunk == 0) generator.fill(words, std::min(n - 1 - i, kChunk));
    std::swap(out[i], out[i + words[i % kChunk] % static_cast<std::uint32_t>(n - i)]);
  }
}

// Puts each number at a random index among the numbers so far; the number that was there moves to
// the end.
void insert_all(Mt19937& generator, std::int64_t* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint64_t index = generator.next64() % static_cast<std::uint64_t>(i + 1);
    out[i] = out[index];
    out[index] = i;
  }
}

}  // namespace

void Mt19937::seed(std::uint64_t seed) {
  seed_ = seed;
  words_[0] = static_cast<std::uint32_t>(seed);
  for (std::uint32_t i = 1; i < kWords; ++i) {
    words_[i] = 1812433253u * (words_[i - 1] ^ (words_[i - 1] >> 30)) + i;
  }
  next_ = 0;
  left_ = 0;
  has_normal_ = false;
  normal_ = 0;
}

void Mt19937::refill() { refill_inline(); }

double Mt19937::next_normal() {
  if (has_normal_) {
    has_normal_ = false;
    return std::exchange(normal_, 0);
  }
  constexpr std::uint64_t kMask = (std::uint64_t{1} << 53) - 1;
  constexpr double kTwoPi = 6.283185307179586;
  const double u1 = static_cast<double>(next64() & kMask) * 0x1p-53;
  const double u2 = static_cast<double>(next64() & kMask) * 0x1p-53;
  const double radius = std::sqrt(-2 * std::log1p(-u2));
  normal_ = radius * std::sin(kTwoPi * u1);
  has_normal_ = true;
  return radius * std::cos(kTwoPi * u1);
}

std::vector<std::uint8_t> Mt19937::state_bytes() const {
  SavedState saved = {};
  saved.seed = seed_;
  saved.left = left_ + 1;
  saved.seeded = 1;
  saved.next = static_cast<std::uint64_t>(next_);
  std::copy_n(words_, kWords, saved.words);
  saved.normal = normal_;
  saved.has_normal = has_normal_ ? 1 : 0;
  std::vector<std::uint8_t> bytes(sizeof(saved));
  std::memcpy(bytes.data(), &saved, sizeof(saved));
  return bytes;
}

void Mt19937::set_state_bytes(const std::vector<std::uint8_t>& bytes) {
  TERN_CHECK(bytes.size() == kStateBytes, Error, "Expected a CPUGeneratorImplState of size ",
             kStateBytes, " but found the input RNG state size to be ", bytes.size());
  SavedState saved;
  std::memcpy(&saved, bytes.data(), sizeof(saved));
  const bool fresh = saved.left == 1 && saved.next == 0;
  const bool midway = saved.left >= 1 && saved.left <= kWords &&
                      saved.next == static_cast<std::uint64_t>(kWords + 1 - saved.left);
  TERN_CHECK(saved.seeded == 1 && (fresh || midway), Error, "Invalid mt19937 state: left ",
             saved.left, ", next ", saved.next);
  seed_ = saved.seed;
  next_ = static_cast<std::int32_t>(saved.next);
  left_ = saved.left - 1;
  for (std::int32_t i = 0; i < kWords; ++i) words_[i] = static_cast<std::uint32_t>(saved.words[i]);
  normal_ = saved.normal;
  has_normal_ = saved.has_normal != 0;
}

void randperm(Mt19937& generator, std::int64_t* out, std::int64_t n) {
  constexpr std::int64_t kManyItems = 0xffffffff / 20;
  std::iota(out, out + n, std::int64_t{0});
  if (n < kManyItems) {
    shuffle(generator, out, n);
  } else {
    insert_all(generator, out, n);
  }
}

}  // namespace tern
