#pragma once

#include <cstdint>
#include <vector>

#include <tern/core/base/visibility.h>

namespace tern::data {

/// Grey images of kDigitSize x kDigitSize bytes, one after the other, and what each shows.
struct DigitImages {
  std::int64_t count = 0;
  std::vector<std::uint8_t> pixels;
  std::vector<std::uint8_t> labels;
};

constexpr std::int64_t kDigitSize = 28;

/// Draws handwritten-looking digits, white on black, in the size and position of MNIST's.
///
/// Every ten images in a row hold each digit once, in random order. The same seed gives the same
/// bytes on every machine, and a longer set begins with the shorter one.
TERN_API DigitImages draw_digits(std::int64_t count, std::uint64_t seed);

}  // namespace tern::data
