#include "support/digits.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <tern/core/base/error.h>

namespace support {
namespace {

constexpr std::int64_t kPixels = kDigitSize * kDigitSize;

/// FNV-1a over pixels and labels.
std::uint64_t hash_of(const DigitImages& images) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const auto* bytes : {&images.pixels, &images.labels}) {
    for (const std::uint8_t byte : *bytes) hash = (hash ^ byte) * 0x100000001b3;
  }
  return hash;
}

TEST(DigitsTest, SameBytesOnEveryMachine) {
  EXPECT_EQ(hash_of(draw_digits(500, 1)), 0x3c3b85b259bd1bbfu);
  EXPECT_EQ(hash_of(draw_digits(500, 2)), 0x1b42a4207d77c195u);
}

TEST(DigitsTest, LongerSetsBeginWithShorterOnes) {
  const DigitImages small = draw_digits(37, 5);
  const DigitImages large = draw_digits(90, 5);
  EXPECT_TRUE(std::equal(small.pixels.begin(), small.pixels.end(), large.pixels.begin()));
  EXPECT_TRUE(std::equal(small.labels.begin(), small.labels.end(), large.labels.begin()));
}

TEST(DigitsTest, EveryTenHoldEachDigitOnce) {
  const DigitImages images = draw_digits(200, 3);
  for (std::size_t i = 0; i < 200; i += 10) {
    EXPECT_EQ(std::set<int>(&images.labels[i], &images.labels[i] + 10).size(), 10u);
  }
  EXPECT_FALSE(
      std::equal(images.labels.begin(), images.labels.begin() + 10, images.labels.begin() + 10));
}

TEST(DigitsTest, LooksLikeMnistInNumbers) {
  const DigitImages images = draw_digits(2000, 1);
  const double sum = std::accumulate(images.pixels.begin(), images.pixels.end(), 0.0);
  EXPECT_NEAR(sum / 255 / static_cast<double>(images.pixels.size()), 0.1307, 0.01);
  std::set<std::string> distinct;
  for (std::int64_t i = 0; i < images.count; ++i) {
    const std::uint8_t* image = images.pixels.data() + i * kPixels;
    distinct.emplace(image, image + kPixels);
    EXPECT_GT(*std::max_element(image, image + kPixels), 200);
    for (std::int64_t k = 0; k < kDigitSize; ++k) {
      EXPECT_EQ(image[k] + image[kPixels - 1 - k] + image[k * kDigitSize] +
                    image[k * kDigitSize + kDigitSize - 1],
                0)
          << "ink at the border of image " << i;
    }
  }
  EXPECT_EQ(distinct.size(), 2000u);
}

TEST(DigitsTest, EmptyAndNegativeCounts) {
  EXPECT_TRUE(draw_digits(0, 1).pixels.empty());
  EXPECT_THROW(draw_digits(-1, 1), tern::Error);
}

TEST(DigitsDatasetTest, HoldsWhatIsDrawn) {
  Digits dataset(20, 7);
  const DigitImages drawn = draw_digits(20, 7);
  EXPECT_EQ(dataset.images().sizes(), tern::IntArrayRef({20, 1, 28, 28}));
  EXPECT_EQ(dataset.images().dtype(), tern::kFloat);
  EXPECT_EQ(dataset.targets().dtype(), tern::kLong);
  const std::vector<float> pixels = dataset.images().to_vector<float>();
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    ASSERT_EQ(pixels[i], static_cast<float>(drawn.pixels[i]) / 255.0F);
  }
  EXPECT_EQ(dataset.get(3).target.item<std::int64_t>(), drawn.labels[3]);
}

}  // namespace
}  // namespace support
