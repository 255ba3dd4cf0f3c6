#include "shapes.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <tern/core/base/error.h>
#include <tern/core/ops/ops.h>
#include <tern/nn/data/datasets/cifar.h>

#include "random.h"

// Uses only integers, as digits.cpp does; the square root is exact by IEEE 754.

namespace support {
namespace {

using Number = std::int64_t;

/// Returns true if the point (x, y) lies in a shape around (0, 0) that reaches about `r` far.
bool is_inside(Number shape, Number x, Number y, Number r) {
  const Number ax = std::abs(x), ay = std::abs(y), square = x * x + y * y;
  const auto is_in_square = [&](Number tenths) { return 10 * std::max(ax, ay) < tenths * r; };
  switch (shape) {
    case 0:
      return square < r * r;
    case 1:
      return square < r * r && 10 * square > 4 * r * r;
    case 2:
      return is_in_square(8);
    case 3:
      return is_in_square(8) && !is_in_square(5);
    case 4:
      return -2 * y < r && 1732 * ax + 1000 * y < 1000 * r;  // a triangle of equal sides
    case 5:
      return is_in_square(10) && 4 * std::min(ax, ay) < r;
    case 6:
      return is_in_square(10) && 4 * ax < r;
    case 7:
      return square < r * r && 5 * y > -r;
    case 8: {
      const Number dx = ax - r / 2;
      return 100 * (dx * dx + y * y) < 16 * r * r;
    }
    default:
      return is_in_square(9) && (4 * (y + r) / r) % 2 == 1;
  }
}

void draw_shape(Number shape, Random& random, std::uint8_t* pixels) {
  constexpr Number kPixel = 8;    // units per pixel
  constexpr Number kSamples = 4;  // per pixel in each direction
  int ink[3], paper[3];
  for (int c = 0; c < 3; ++c) {
    ink[c] = random.between(0, 255);
    paper[c] = random.between(0, 255);
  }
  // The two differ in at least one colour.
  const int chosen = random.between(0, 2);
  paper[chosen] = (ink[chosen] + random.between(90, 165)) % 256;
  const Number radius = random.between(8, 13) * kPixel;
  const Number centre_x = 16 * kPixel + random.around(5 * kPixel);
  const Number centre_y = 16 * kPixel + random.around(5 * kPixel);
  // A direction (a, b) turns the shape. Its length scales all coordinates.
  const Number a = random.between(-100, 100), b = 101 - std::abs(a);
  const Number length = static_cast<Number>(std::sqrt(static_cast<double>(a * a + b * b)));
  for (Number i = 0; i < kShapeSize; ++i) {
    for (Number j = 0; j < kShapeSize; ++j) {
      Number inside = 0;
      for (Number k = 0; k < kSamples * kSamples; ++k) {
        const Number x = j * kPixel + k % kSamples * kPixel / kSamples + 1 - centre_x;
        const Number y = i * kPixel + k / kSamples * kPixel / kSamples + 1 - centre_y;
        inside += is_inside(shape, x * a + y * b, y * a - x * b, radius * length) ? 1 : 0;
      }
      for (Number c = 0; c < 3; ++c) {
        const Number colour =
            (inside * ink[c] + (kSamples * kSamples - inside) * paper[c]) / (kSamples * kSamples);
        pixels[(c * kShapeSize + i) * kShapeSize + j] =
            static_cast<std::uint8_t>(std::clamp<Number>(colour + random.around(25), 0, 255));
      }
    }
  }
}

}  // namespace

const std::vector<std::string>& shape_names() {
  static const std::vector<std::string> names = {"disc",  "ring", "square", "frame",     "triangle",
                                                 "cross", "bar",  "bowl",   "two discs", "stripes"};
  return names;
}

tern::data::datasets::PairDataset draw_shapes(std::int64_t count, std::uint64_t seed) {
  TERN_CHECK(count >= 0, tern::Error, "draw_shapes: the count must not be negative, got ", count);
  tern::Tensor pictures = tern::empty({count, 3, kShapeSize, kShapeSize}, tern::kByte);
  Random random(seed);
  for (std::int64_t i = 0; i < count; ++i) {
    draw_shape(i % 10, random, pictures.data_ptr<std::uint8_t>() + i * 3 * kShapeSize * kShapeSize);
  }
  return {pictures, tern::arange(count) % 10};
}

tern::data::datasets::PairDataset load_pictures(const std::string& folder, bool is_training) {
  using tern::data::datasets::CIFAR10;
  if (folder.empty()) return draw_shapes(is_training ? 5000 : 1000, is_training ? 1 : 2);
  const CIFAR10 set(folder, is_training ? CIFAR10::Mode::kTrain : CIFAR10::Mode::kTest);
  return {set.images(), set.targets()};
}

}  // namespace support
