#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tern/nn/data/datasets/tensor_dataset.h>

namespace support {

/// Grey images of kDigitSize x kDigitSize bytes, one after the other, and their digits.
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

/// Draws `count` digits that look handwritten, white on black, in the size and position of MNIST's
/// digits.
///
/// Every ten consecutive images have each digit once, in random order. The same seed gives the same
/// bytes on every machine, and the same first images for every `count`.
DigitImages draw_digits(std::int64_t count, std::uint64_t seed);

/// Digits that draw_digits() draws, in the shapes of MNIST: data float32 [N, 1, 28, 28] from 0 to
/// 1, targets int64 [N]. Use another seed for the test set.
class Digits : public tern::data::datasets::PairDataset {
 public:
  /// Draws `count` digits.
  explicit Digits(std::int64_t count = 10000, std::uint64_t seed = 1);

  /// Returns all images.
  const tern::Tensor& images() const { return data(); }
};

/// Returns the digits for training or for testing: MNIST's, from the four files in `folder`, or
/// 10,000 and 2,000 drawn ones if it is empty. Throws FileError for a file that is missing,
/// ShapeError for images of another size than 28 x 28.
tern::data::datasets::PairDataset load_digits(const std::string& folder, bool is_training);

}  // namespace support
