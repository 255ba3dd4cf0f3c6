#include <tern/nn/data/image_file.h>

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include <tern/core/ops/ops.h>

#include "error_of.h"
#include "golden/golden.h"
#include "nn/data/golden_images.h"

namespace tern::data {
namespace {

/// The largest difference of an image and golden pixels.
double difference(const Tensor& image, const std::string& name) {
  const Tensor expected = testing::golden_tensor(testing::golden("data/images").at(name), kByte);
  return image.flatten().to(kDouble).sub(expected.to(kDouble)).abs().max().item<double>();
}

TEST(ImageFile, ImagesOfEveryKind) {
  if (!reads_jpeg()) GTEST_SKIP() << "needs libjpeg-turbo";
  for (const char* name : {"rgb.jpg", "progressive.jpg", "gray.jpg", "rgb.png", "gray.png",
                           "rgba.png", "palette.png", "bits.png", "gray16.png", "cmyk.jpg"}) {
    const std::string file = golden_image(name);
    const Tensor image = read_image(file);
    EXPECT_EQ(image.dtype(), kByte);
    EXPECT_EQ(image.sizes(), IntArrayRef({3, 14, 21}));
    // Decoders of JPEG differ by some units, most where colours have half the size.
    EXPECT_LE(difference(image, name), std::string(name).ends_with("png") ? 0 : 4) << name;
    EXPECT_TRUE(image.is_contiguous());
  }
}

TEST(ImageFile, ImagesInOtherModes) {
  if (!reads_jpeg()) GTEST_SKIP() << "needs libjpeg-turbo";
  const std::pair<const char*, std::int64_t> channels[] = {
      {"rgb.jpg", 3},  {"progressive.jpg", 3}, {"gray.jpg", 1}, {"rgb.png", 3},    {"gray.png", 1},
      {"rgba.png", 4}, {"palette.png", 3},     {"bits.png", 1}, {"gray16.png", 1}, {"cmyk.jpg", 4}};
  for (const auto& [name, count] : channels) {
    const std::string file = golden_image(name);
    const Tensor gray = read_image(file, ImageMode::kGray);
    EXPECT_EQ(gray.sizes(), IntArrayRef({1, 14, 21})) << name;
    EXPECT_LE(difference(gray, std::string(name) + " gray"), 2) << name;
    const Tensor unchanged = read_image(file, ImageMode::kUnchanged);
    EXPECT_EQ(unchanged.sizes(), IntArrayRef({count, 14, 21})) << name;
    const std::string golden = std::string(name) + (count == 4   ? " unchanged"
                                                    : count == 1 ? " gray"
                                                                 : "");
    EXPECT_LE(difference(unchanged, golden), 4) << name;
  }
}

TEST(ImageFile, InksAreInvertedWithAndWithoutAdobesMarker) {
  if (!reads_jpeg()) GTEST_SKIP() << "needs libjpeg-turbo";
  const std::string marked = golden_bytes("cmyk.jpg");
  const std::size_t marker = marked.find("\xff\xee");
  ASSERT_NE(marker, std::string::npos);
  std::string bare = marked;
  bare.erase(marker, 2 + std::size_t{static_cast<std::uint8_t>(marked[marker + 3])});
  for (const ImageMode mode : {ImageMode::kRgb, ImageMode::kGray, ImageMode::kUnchanged}) {
    EXPECT_TRUE(decode_image(bare.data(), bare.size(), mode)
                    .equal(decode_image(marked.data(), marked.size(), mode)));
  }
}

TEST(ImageFile, DamagedImagesAreErrors) {
  if (!reads_jpeg()) GTEST_SKIP() << "needs libjpeg-turbo";
  for (const char* name : {"rgb.jpg", "progressive.jpg", "gray.jpg", "cmyk.jpg", "rgb.png",
                           "palette.png", "gray16.png"}) {
    const std::string bytes = golden_bytes(name);
    ASSERT_FALSE(bytes.empty());
    for (std::size_t size = 0; size + 2 < bytes.size(); size += 1 + bytes.size() / 97) {
      const std::string text =
          error_of<FileError>([&] { decode_image(bytes.data(), size, ImageMode::kRgb, "cut"); });
      EXPECT_NE(text.find("image: cut"), std::string::npos) << name << " " << size << ": " << text;
    }
  }
  EXPECT_NE(error_of<FileError>([&] {
              decode_image("not an image", 12);
            }).find("is neither a JPEG nor a PNG file: at byte 0"),
            std::string::npos);
  // A header that promises more than memory.
  std::string huge = golden_bytes("rgb.png");
  huge.replace(16, 8, std::string("\x7f\xff\xff\xff\x7f\xff\xff\xff", 8));
  EXPECT_THROW(decode_image(huge.data(), huge.size()), FileError);
  std::string wide = golden_bytes("rgb.jpg");
  const std::size_t frame = wide.find("\xff\xc0");
  ASSERT_NE(frame, std::string::npos);
  wide.replace(frame + 5, 4, "\x3f\xff\x3f\xff");
  EXPECT_THROW(decode_image(wide.data(), wide.size()), FileError);
}

}  // namespace
}  // namespace tern::data
