#include <gtest/gtest.h>

#include <tern/core/ops/ops.h>
#include <tern/nn/data/data.h>
#include <tern/nn/data/files.h>

#include "error_of.h"
#include "golden/golden.h"

// Images against torchvision's results (tests/golden/data/data.py): bytes are equal, floats up to
// rounding.

namespace tern::data::transforms {
namespace {

using testing::golden;
using testing::golden_tensor;

Tensor picture(ScalarType dtype = kByte) {
  const Tensor image = arange(60).reshape({3, 4, 5}).mul(4).to(kByte);
  return dtype == kByte ? image : functional::convert_image_dtype(image);
}

/// Runs the operation of a golden entry.
Tensor run(const std::string& name, const Tensor& x, const std::vector<double>& a) {
  const auto at = [&](std::size_t i) { return static_cast<std::int64_t>(a[i]); };
  if (name == "resize") return functional::resize(x, {at(0), at(1)});
  if (name == "resize_plain") {
    return functional::resize(x, {at(0), at(1)}, Interpolation::kBilinear, false);
  }
  if (name == "resize_nearest") {
    return functional::resize(x, {at(0), at(1)}, Interpolation::kNearest);
  }
  if (name == "resize_edge") return functional::resize(x, at(0));
  if (name == "crop") return functional::crop(x, at(0), at(1), at(2), at(3));
  if (name == "center_crop") return functional::center_crop(x, {at(0), at(1)});
  if (name == "pad") return functional::pad(x, at(0), at(1), at(2), at(3), 1);
  if (name == "horizontal_flip") return functional::horizontal_flip(x);
  if (name == "vertical_flip") return functional::vertical_flip(x);
  if (name == "rotate") return functional::rotate(x, a[0]);
  if (name == "rotate_bilinear") return functional::rotate(x, a[0], Interpolation::kBilinear, 1);
  if (name == "brightness") return functional::adjust_brightness(x, a[0]);
  if (name == "contrast") return functional::adjust_contrast(x, a[0]);
  if (name == "saturation") return functional::adjust_saturation(x, a[0]);
  if (name == "hue") return functional::adjust_hue(x, a[0]);
  if (name == "grayscale") return functional::rgb_to_grayscale(x, at(0));
  if (name == "to_float") return functional::convert_image_dtype(x, kFloat);
  if (name == "to_uint8") return functional::convert_image_dtype(x, kByte);
  throw Error("no operation " + name);
}

/// Equal bytes; floats up to rounding. `off_by_one` allows bytes to differ by 1 where a float was
/// truncated.
::testing::AssertionResult matches(const Tensor& found, const Tensor& expected,
                                   bool off_by_one = false) {
  if (found.dtype() != expected.dtype() || found.sizes() != expected.sizes()) {
    return ::testing::AssertionFailure() << found.dtype() << found.sizes();
  }
  const double tolerance = found.dtype() == kFloat ? 2e-6 : off_by_one ? 1 : 0;
  const double error = found.to(kDouble).sub(expected.to(kDouble)).abs().max().item<double>();
  if (error <= tolerance) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << found << "\nis not\n" << expected;
}

TEST(ImageOperationsTest, EqualTorchvision) {
  for (const auto& entry : golden("data/data").at("operations")) {
    const auto name = entry.at("name").get<std::string>();
    const auto arguments = entry.at("arguments").get<std::vector<double>>();
    const Tensor image = golden_tensor(entry.at("image"));
    const Tensor expected = golden_tensor(entry.at("result"));
    const bool truncates = name == "hue" || name == "contrast" || name == "saturation";
    EXPECT_TRUE(matches(run(name, image, arguments), expected, truncates))
        << name << " " << entry.at("arguments") << " of " << image.dtype();
    // A view with gaps: every second channel, mirrored memory.
    const Tensor wide = zeros({2 * image.size(0), image.size(1) + 1, image.size(2) + 3},
                              TensorOptions(image.dtype()));
    Tensor view = wide.slice(0, 0, 2 * image.size(0), 2)
                      .narrow(1, 1, image.size(1))
                      .narrow(2, 2, image.size(2));
    view.copy_(image);
    EXPECT_TRUE(matches(run(name, view, arguments), expected, truncates)) << name << " of a view";
    Tensor columns = image.permute({2, 1, 0}).contiguous().permute({2, 1, 0});
    EXPECT_TRUE(matches(run(name, columns, arguments), expected, truncates)) << name;
  }
}

std::function<Tensor(Tensor)> random_transform(const std::string& name) {
  if (name == "horizontal_flip") return RandomHorizontalFlip();
  if (name == "vertical_flip") return RandomVerticalFlip(0.3);
  if (name == "crop") return RandomCrop(4);
  if (name == "crop_padded") return RandomCrop({5, 3}, 2);
  if (name == "crop_if_needed") return RandomCrop({9, 4}, 0, true);
  if (name == "resized_crop") return RandomResizedCrop({4, 5});
  if (name == "resized_crop_wide") return RandomResizedCrop({3, 3}, {2.0, 3.0});
  if (name == "rotation") return RandomRotation(40);
  if (name == "rotation_bilinear") {
    return RandomRotation(Range{10, 80}, Interpolation::kBilinear, 2);
  }
  if (name == "jitter") return ColorJitter(0.4, 0.3, 0.5, 0.1);
  if (name == "jitter_some") return ColorJitter({0.5, 0.9}, 0, 0, {-0.3, 0.2});
  if (name == "grayscale") return RandomGrayscale(0.5);
  throw Error("no transform " + name);
}

TEST(RandomTransformsTest, DrawAsTorchvision) {
  for (const auto& entry : golden("data/data").at("random_transforms")) {
    const auto name = entry.at("name").get<std::string>();
    const Tensor image = golden_tensor(entry.at("image"));
    manual_seed(11);
    auto transform = random_transform(name);
    for (const auto& result : entry.at("results")) {
      EXPECT_TRUE(matches(transform(image), golden_tensor(result), name.starts_with("jitter")))
          << name;
    }
    EXPECT_EQ(rand({1}).item<float>(), entry.at("next").get<float>()) << name;
  }
}

TEST(RandomTransformsTest, TakeAGenerator) {
  Generator generator;
  generator.manual_seed(4);
  const auto before = default_generator(kCPU).state_bytes();
  RandomCrop crop(2, 0, false, 0, generator);
  const Tensor first = crop(picture()), second = crop(picture());
  generator.manual_seed(4);
  EXPECT_TRUE(crop(picture()).equal(first));
  EXPECT_TRUE(crop(picture()).equal(second));
  EXPECT_EQ(default_generator(kCPU).state_bytes(), before);
}

TEST(ImageOperationsTest, LeaveTheirInputAlone) {
  for (const ScalarType dtype : {kByte, kFloat}) {
    const Tensor image = picture(dtype), copy = image.clone();
    for (const auto& entry : golden("data/data").at("operations")) {
      run(entry.at("name").get<std::string>(), image,
          entry.at("arguments").get<std::vector<double>>());
    }
    EXPECT_TRUE(image.equal(copy));
  }
}

TEST(ImageOperationsTest, Errors) {
  const Tensor image = picture();
  EXPECT_EQ(error_of<DTypeError>([&] { functional::resize(image.to(kLong), 3); }),
            "resize: expected an image of dtype Byte or Float, got Long");
  EXPECT_EQ(error_of<ShapeError>([&] { functional::resize(image.unsqueeze(0), 3); }),
            "resize: expected an image [C, H, W], got sizes [1, 3, 4, 5]; apply transforms of "
            "images before Stack");
  EXPECT_EQ(error_of<ShapeError>([&] { functional::crop(image[0], 0, 0, 1, 1); }),
            "crop: expected an image [C, H, W], got sizes [4, 5]; a grey image is [1, H, W]");
  EXPECT_EQ(error_of<ShapeError>([&] {
              functional::adjust_hue(ones({4, 5, 3}), 0.1);
            }),
            "adjust_hue: Input image tensor permitted channel values are 1 or 3, but found 4; "
            "channels come first: use permute({2, 0, 1})");
  EXPECT_THROW(functional::resize(image, {0, 3}), ShapeError);
  EXPECT_THROW(functional::resize(image, {-1, 3}), ShapeError);
  EXPECT_THROW(functional::resize(image, {3, 1 << 30}), ShapeError);
  EXPECT_THROW(functional::pad(image, -1, 0, 0, 0), ShapeError);
  EXPECT_THROW(functional::resize(empty({3, 0, 4}), 2), ShapeError);
  EXPECT_THROW(functional::resize(Tensor(), 2), Error);
  EXPECT_EQ(error_of([&] { functional::adjust_brightness(image, -0.5); }),
            "adjust_brightness: brightness_factor (-0.5) is not non-negative");
  EXPECT_EQ(error_of([&] { functional::adjust_hue(image, 0.6); }),
            "adjust_hue: hue_factor (0.6) is not in [-0.5, 0.5]");
  EXPECT_EQ(error_of([] { RandomHorizontalFlip(1.5); }),
            "RandomHorizontalFlip: `p` should be a floating point value in the interval [0.0, "
            "1.0], got 1.5");
  EXPECT_EQ(error_of([] { ColorJitter(-1); }),
            "ColorJitter: If brightness is a single number, it must be non negative, got -1");
  EXPECT_THROW(ColorJitter(0, 0, 0, 0.7), Error);
  EXPECT_THROW(RandomRotation(-1), Error);
  EXPECT_THROW(RandomResizedCrop(3, {1, 0.5}), Error);
  EXPECT_THROW(functional::rotate(image, 10, Interpolation::kNearest, 300), Error);
}

TEST(ComposeTest, AppliesInOrderAndKeepsTheTarget) {
  Compose compose({Resize({2, 2}), ConvertImageDtype(), Normalize<>(0.5, 0.5)});
  const Tensor expected =
      functional::convert_image_dtype(functional::resize(picture(), {2, 2})).sub(0.5).div(0.5);
  const Example<> example = compose.apply({picture(), tensor(7, kLong)});
  EXPECT_TRUE(allclose(example.data, expected));
  EXPECT_EQ(example.target.item<std::int64_t>(), 7);
}

TEST(OneHotTest, ReplacesTheTarget) {
  OneHot one_hot(4);
  EXPECT_TRUE(
      one_hot.apply({ones({1}), tensor(2, kLong)}).target.equal(tensor({0.F, 0.F, 1.F, 0.F})));
  EXPECT_EQ(error_of<IndexError>([&] {
              one_hot.apply({ones({1}), tensor(4, kLong)});
            }),
            "OneHot: target 4 is out of range for 4 classes");
  EXPECT_THROW(one_hot.apply({ones({1}), tensor(1.5)}), DTypeError);
  EXPECT_THROW(OneHot(0), Error);
}

}  // namespace
}  // namespace tern::data::transforms
