#include "digits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include <tern/core/base/error.h>
#include <tern/core/ops/ops.h>
#include <tern/nn/data/datasets/mnist.h>

#include "glyphs.h"
#include "random.h"

// Uses only integers, because the bytes must be the same on every machine: with floating point, the
// compiler's choice of fused operations could change a pixel. The only square root is exact by
// IEEE 754.

namespace support {
namespace {

constexpr int kPixel = 256;  // fixed point: units per pixel
constexpr int kGrid = 64;    // units per step of a glyph's coordinates

struct Point {
  int x;
  int y;
};

struct Segment {
  Point from;
  Point to;
};

/// Returns the coordinate at k / steps of the curve from b to c, with neighbours a and d (Catmull
/// and Rom 1974).
int curve(int a, int b, int c, int d, int k, int steps) {
  const std::int64_t t = k, n = steps;
  const std::int64_t twice = std::int64_t{2} * b * n * n * n + std::int64_t{c - a} * t * n * n +
                             std::int64_t{2 * a - 5 * b + 4 * c - d} * t * t * n +
                             std::int64_t{3 * b - a - 3 * c + d} * t * t * t;
  return static_cast<int>(twice / (2 * n * n * n));
}

/// Varies the handwriting of an image: moves each point a little, then stretches, slants and tilts
/// the whole glyph.
std::vector<Point> place_points(Glyph glyph, Random& random) {
  const int jitter = random.between(3, 10) * kGrid;
  const int width = random.between(70, 130);
  const int slant = random.around(45) + 22;
  const int tilt = random.around(18);
  std::vector<Point> points;
  for (const GlyphPoint& point : glyph) {
    const int x = ((point.x - 50) * kGrid + random.around(jitter)) * width / 100;
    const int y = (point.y - 50) * kGrid + random.around(jitter);
    points.push_back({x - y * slant / 100, y + x * tilt / 100});
  }
  return points;
}

/// Returns the strokes as short straight segments.
std::vector<Segment> trace(Glyph glyph, const std::vector<Point>& points) {
  constexpr int kSteps = 6;
  std::vector<Segment> segments;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    if (glyph[i].pen == Pen::kLift) continue;
    const Point b = points[i];
    const Point c = points[i + 1];
    const Point a =
        i == 0 || glyph[i].pen != Pen::kCurve || glyph[i - 1].pen == Pen::kLift ? b : points[i - 1];
    const Point d = glyph[i + 1].pen == Pen::kCurve ? points[i + 2] : c;
    Point last = b;
    for (int k = 1; k <= kSteps; ++k) {
      const Point next{curve(a.x, b.x, c.x, d.x, k, kSteps), curve(a.y, b.y, c.y, d.y, k, kSteps)};
      segments.push_back({last, next});
      last = next;
    }
  }
  return segments;
}

/// Scales the longer side to `size` and puts the middle at `centre`.
void fit(std::vector<Segment>& segments, int size, Point centre) {
  Point low = segments[0].from;
  Point high = low;
  for (const Segment& segment : segments) {
    for (const Point& point : {segment.from, segment.to}) {
      low = {std::min(low.x, point.x), std::min(low.y, point.y)};
      high = {std::max(high.x, point.x), std::max(high.y, point.y)};
    }
  }
  const Point middle{(low.x + high.x) / 2, (low.y + high.y) / 2};
  const int extent = std::max(high.x - low.x, high.y - low.y);
  const auto move = [&](Point point) {
    return Point{centre.x + (point.x - middle.x) * size / extent,
                 centre.y + (point.y - middle.y) * size / extent};
  };
  for (Segment& segment : segments) segment = {move(segment.from), move(segment.to)};
}

std::int64_t squared_distance(Point point, const Segment& segment) {
  const std::int64_t dx = segment.to.x - segment.from.x, dy = segment.to.y - segment.from.y;
  const std::int64_t px = point.x - segment.from.x, py = point.y - segment.from.y;
  const std::int64_t along = px * dx + py * dy;
  const std::int64_t length = dx * dx + dy * dy;
  if (along <= 0) return px * px + py * py;
  if (along >= length) return (px - dx) * (px - dx) + (py - dy) * (py - dy);
  const std::int64_t cross = px * dy - py * dx;
  return cross * cross / length;
}

/// Draws the segments: pixels within `radius` get ink, and the edge fades over `blur` units.
void ink(const std::vector<Segment>& segments, int radius, int blur, std::uint8_t* pixels) {
  const int reach = radius + blur / 2;
  std::array<std::int64_t, kDigitSize * kDigitSize> nearest;
  nearest.fill(std::int64_t{reach} * reach);
  const auto pixel_of = [](int unit) { return std::clamp<int>(unit / kPixel, 0, kDigitSize - 1); };
  for (const Segment& segment : segments) {
    const auto [left, right] = std::minmax(segment.from.x, segment.to.x);
    const auto [top, bottom] = std::minmax(segment.from.y, segment.to.y);
    for (int y = pixel_of(top - reach); y <= pixel_of(bottom + reach); ++y) {
      for (int x = pixel_of(left - reach); x <= pixel_of(right + reach); ++x) {
        const Point middle{x * kPixel + kPixel / 2, y * kPixel + kPixel / 2};
        std::int64_t& best = nearest[static_cast<std::size_t>(y * kDigitSize + x)];
        best = std::min(best, squared_distance(middle, segment));
      }
    }
  }
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    const int distance = static_cast<int>(std::sqrt(static_cast<double>(nearest[i])));
    pixels[i] = static_cast<std::uint8_t>(std::clamp((reach - distance) * 255 / blur, 0, 255));
  }
}

void draw_digit(int digit, Random& random, std::uint8_t* pixels) {
  const tern::ArrayRef<Glyph> glyphs = glyphs_of(digit);
  const Glyph glyph =
      glyphs[static_cast<std::size_t>(random.between(0, static_cast<int>(glyphs.size()) - 1))];
  std::vector<Segment> segments = trace(glyph, place_points(glyph, random));
  const int radius = random.between(220, 450);
  const int blur = random.between(220, 420);
  const int size = random.between(18 * kPixel, 20 * kPixel);
  constexpr int kMiddle = static_cast<int>(kDigitSize) * kPixel / 2;
  const Point centre{kMiddle + random.around(2 * kPixel), kMiddle + random.around(2 * kPixel)};
  fit(segments, size - 2 * radius, centre);
  ink(segments, radius, blur, pixels);
}

}  // namespace

DigitImages draw_digits(std::int64_t count, std::uint64_t seed) {
  TERN_CHECK(count >= 0, tern::Error, "draw_digits: the count must not be negative, got ", count);
  DigitImages images;
  images.count = count;
  images.pixels.resize(static_cast<std::size_t>(count * kDigitSize * kDigitSize));
  images.labels.resize(static_cast<std::size_t>(count));
  Random random(seed);
  std::array<std::uint8_t, 10> order{};
  std::iota(order.begin(), order.end(), std::uint8_t{0});
  for (std::int64_t i = 0; i < count; ++i) {
    if (i % 10 == 0) {
      for (int left = 9; left > 0; --left) {
        std::swap(order[static_cast<std::size_t>(left)],
                  order[static_cast<std::size_t>(random.between(0, left))]);
      }
    }
    const std::uint8_t label = order[static_cast<std::size_t>(i % 10)];
    images.labels[static_cast<std::size_t>(i)] = label;
    draw_digit(label, random, images.pixels.data() + i * kDigitSize * kDigitSize);
  }
  return images;
}

namespace {

tern::data::datasets::PairDataset draw(std::int64_t count, std::uint64_t seed) {
  DigitImages digits = draw_digits(count, seed);
  tern::Tensor images =
      tern::from_blob(digits.pixels.data(), {count, 1, kDigitSize, kDigitSize}, tern::kByte)
          .to(tern::kFloat);
  tern::Tensor targets =
      tern::from_blob(digits.labels.data(), {count}, tern::kByte).to(tern::kLong);
  return {images / 255, targets};
}

}  // namespace

Digits::Digits(std::int64_t count, std::uint64_t seed) : PairDataset(draw(count, seed)) {}

tern::data::datasets::PairDataset load_digits(const std::string& folder, bool is_training) {
  using tern::data::datasets::MNIST;
  if (folder.empty()) return Digits(is_training ? 10000 : 2000, /*seed=*/is_training ? 1 : 2);
  MNIST digits(folder, is_training ? MNIST::Mode::kTrain : MNIST::Mode::kTest);
  const tern::Tensor& images = digits.images();
  TERN_CHECK(images.numel() > 0 && images.numel() == images.size(0) * 784, tern::ShapeError,
             "the images in ", folder, " should be 28 x 28, got sizes ", images.sizes());
  return digits;
}

}  // namespace support
