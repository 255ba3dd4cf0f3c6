#include <gtest/gtest.h>

#include <cmath>

#include <tern/core/ops/ops.h>
#include <tern/train/picture/image.h>

#include "error_of.h"
#include "golden/golden.h"
#include "serialization/scratch.h"
#include "train/file_size_limit.h"
#include "train/picture/read_png.h"

namespace tern::train {
namespace {

using testing::golden_tensor;
using testing::read_png;

GridOptions options_of(const nlohmann::json& entry) {
  GridOptions options;
  if (entry.contains("nrow")) options.nrow(entry.at("nrow").get<int>());
  if (entry.contains("padding")) options.padding(entry.at("padding").get<int>());
  if (entry.contains("pad_value")) options.pad_value(entry.at("pad_value").get<double>());
  options.normalize(entry.value("normalize", false)).scale_each(entry.value("scale_each", false));
  if (entry.contains("value_range")) {
    options.value_range(ValueRange(entry.at("value_range")[0], entry.at("value_range")[1]));
  }
  return options;
}

class ImageTest : public ::testing::Test {
 protected:
  /// Saves the images and reads the file back.
  Tensor saved(const Tensor& images, const GridOptions& options = {}) const {
    save_image(images, path_, options);
    return read_png(read_file(path_));
  }

  const Scratch scratch_;
  const std::string path_ = scratch_.path("image.png");
};

TEST_F(ImageTest, GridsAndPixelsAreTorchvisions) {
  for (const nlohmann::json& entry : testing::golden("train/grids").at("grids")) {
    const std::string name = entry.at("name");
    const GridOptions options = options_of(entry.at("options"));
    for (const char* device : {"cpu", "cuda:1"}) {
      const Tensor images = golden_tensor(entry.at("images")).to(Device(device));
      const Tensor before = images.clone();
      const Tensor grid = make_grid(images, options), expected = golden_tensor(entry.at("grid"));
      EXPECT_EQ(grid.device(), images.device());
      EXPECT_EQ(grid.dtype(), expected.dtype()) << name;
      ASSERT_EQ(grid.sizes(), expected.sizes()) << name;
      EXPECT_TRUE(allclose(grid.cpu(), expected, 1e-6, 1e-7)) << name << grid << expected;
      EXPECT_TRUE(equal(saved(images, options), golden_tensor(entry.at("pixels")))) << name;
      EXPECT_TRUE(equal(images, before)) << name << ": the images stay";
    }
  }
}

TEST_F(ImageTest, TakesAListOfImages) {
  const std::vector<Tensor> images = {zeros({1, 2, 2}), ones({1, 2, 2})};
  EXPECT_TRUE(equal(make_grid(images), make_grid(stack(images))));
  save_image(images, path_);
  EXPECT_TRUE(equal(read_png(read_file(path_)), saved(stack(images))));
  const std::string upper = scratch_.path("IMAGE.PNG");
  save_image(images, upper);
  EXPECT_EQ(read_file(upper), read_file(path_));
  EXPECT_EQ(error_of<ShapeError>([] { make_grid(std::vector<Tensor>()); }),
            "make_grid: expected at least one image, got none");
  EXPECT_EQ(error_of([&] {
              make_grid(TensorList({images[0], ones({1, 2, 3})}));
            }),
            "make_grid: stack expects each tensor to be equal size, but got [1, 2, 2] at entry 0 "
            "and [1, 2, 3] at entry 1");
}

TEST_F(ImageTest, WritesEveryKindOfPixel) {
  manual_seed(1);
  for (const std::int64_t channels : {3, 4}) {
    const Tensor bytes = randint(0, 256, {channels, 67, 130}, kByte);
    EXPECT_TRUE(equal(saved(bytes), bytes)) << channels;
  }
  const Tensor ramp = arange(3 * 40 * 300).reshape({3, 40, 300}).remainder(256).to(kByte);
  EXPECT_TRUE(equal(saved(ramp), ramp));
#ifdef TERN_HAVE_ZLIB
  EXPECT_LT(read_file(path_).size(), 40u * 300 * 3 / 10) << "filters and deflate";
#endif
  EXPECT_TRUE(equal(saved(tensor({{true, false}}))[0], tensor({{255, 0}}, kByte)));
  EXPECT_TRUE(
      equal(saved(tensor({{NAN, 2.0F, -1.0F, 0.5F}}))[1], tensor({{0, 255, 0, 128}}, kByte)));
  EXPECT_TRUE(equal(saved(tensor({{0.25, 1.0}}).to(kBFloat16))[2], tensor({{64, 255}}, kByte)));
  EXPECT_TRUE(equal(saved(rand({3, 4, 5}).requires_grad_()).sum() > 0, tensor(true)));
}

TEST_F(ImageTest, RefusesWrongArgumentsAndKeepsTheFile) {
  save_image(zeros({2, 2}), path_);
  const std::string before = read_file(path_);
  const auto text = [&](const Tensor& images, const GridOptions& options = {}) {
    return error_of([&] { save_image(images, path_, options); });
  };
  EXPECT_EQ(text(zeros({5})),
            "make_grid: expected images [H, W], [C, H, W] or [N, C, H, W], got sizes [5]");
  EXPECT_NE(text(zeros({0, 3, 2, 2})).find("got sizes [0, 3, 2, 2]"), std::string::npos);
  EXPECT_NE(text(zeros({5, 2, 2})).find("1 to 4 channels"), std::string::npos);
  const std::string two =
      "save_image: expected images of 1, 3 or 4 channels, got 2; grey images are [N, 1, H, W]";
  EXPECT_EQ(text(zeros({2, 8, 8})), two);
  EXPECT_EQ(text(zeros({3, 2, 8, 8})), two);
  EXPECT_NE(text(zeros({2, 2}, kLong)).find("got Long"), std::string::npos);
  EXPECT_NE(text(zeros({2, 2}, kByte), GridOptions().normalize(true)).find("got Byte"),
            std::string::npos);
  EXPECT_NE(text(zeros({2, 2}), GridOptions().nrow(0)).find("got 0"), std::string::npos);
  EXPECT_NE(text(zeros({2, 2}), GridOptions().padding(-1)).find("got -1"), std::string::npos);
  EXPECT_NE(text(zeros({2, 2}), GridOptions().value_range(ValueRange(1, 0))).find("got 1 and 0"),
            std::string::npos);
  EXPECT_EQ(read_file(path_), before);
  {
    const testing::FileSizeLimit limit(100);
    const std::string full = error_of<FileError>([&] { save_image(rand({3, 50, 50}), path_); });
    EXPECT_NE(full.find(path_), std::string::npos) << full;
  }
  EXPECT_EQ(read_file(path_), before);
  for (const char* name : {"image.jpg", "image", "png", ".png", "image.png.bak"}) {
    const std::string other = name;
    EXPECT_EQ(error_of<FileError>([&] {
                save_image(zeros({2, 2}), other);
              }),
              "save_image: '" + other +
                  "': the name must end in .png, the only format that save_image writes");
  }
  const std::string missing = scratch_.path("none/image.png");
  EXPECT_NE(error_of<FileError>([&] {
              save_image(zeros({2, 2}), missing);
            }).find(missing),
            std::string::npos);
  EXPECT_EQ(scratch_.count(), 1);
}

}  // namespace
}  // namespace tern::train
