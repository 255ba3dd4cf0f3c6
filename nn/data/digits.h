#pragma once

#include <cstdint>
#include <vector>

#include <tern/core/base/visibility.h>

namespace tern::data {

/// Grey images of kDigitSize x kDigitSize bytes, one after the other, with their digits.
struct DigitImages {
  /// The number of images.
  std::int64_t count = 0;
  /// The images, row by row; 255 is white.
  std::vector<std::uint8_t> pixels;
  /// The digit of each image, 0 to 9.
  std::vector<std::uint8_t> labels;
};

/// Height and width of an image in pixels.
constexpr std::int64_t kDigitSize = 28;

/// Draws `count` handwritten-looking digits, white on black, in the size and position of MNIST's.
///
/// Every ten images in a row hold each digit once, in random order. The same seed gives the same
/// bytes on every machine, and a longer set begins with the shorter one.
TERN_API DigitImages draw_digits(std::int64_t count, std::uint64_t seed);

}  // namespace tern::data
