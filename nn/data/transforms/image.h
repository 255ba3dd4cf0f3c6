#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <tern/core/tensor/generator.h>
#include <tern/nn/data/transforms.h>
#include <tern/nn/data/transforms/functional.h>

// Transforms of images for `dataset.map(..)`, with the names, the defaults and the draws of
// torchvision.transforms.v2. They change the data of an Example and keep its target; operator()
// takes a tensor alone. Images are [C, H, W], uint8 or float32, on the CPU; see functional.h.
//
// Random transforms draw from the generator that they are given, else from worker_generator().

namespace tern::data::transforms {

/// The lowest and the highest of a random number.
struct Range {
  /// The lowest number.
  double low;
  /// The highest number.
  double high;
};

/// Applies transforms of tensors one after the other.
///
/// Example:
///   transforms::Compose augment({transforms::RandomResizedCrop(224),
///                                transforms::RandomHorizontalFlip(),
///                                transforms::ConvertImageDtype(),
///                                transforms::Normalize<>({0.485, 0.456, 0.406},
///                                                        {0.229, 0.224, 0.225})});
class TERN_API Compose : public TensorTransform<> {
 public:
  /// Takes functions from a tensor to a tensor. Throws Error for no function and for an empty one.
  explicit Compose(std::vector<std::function<Tensor(Tensor)>> transforms);
  Tensor operator()(Tensor image) override;

 private:
  std::vector<std::function<Tensor(Tensor)>> transforms_;
};

/// Resizes images; see functional::resize(). With one number the shorter edge gets this length.
class TERN_API Resize : public TensorTransform<> {
 public:
  /// Sets the size. Throws ShapeError unless it is positive.
  explicit Resize(ImageSize size, Interpolation interpolation = Interpolation::kBilinear,
                  StrictBool antialias = true);
  Tensor operator()(Tensor image) override;

 private:
  ImageSize size_;
  Interpolation interpolation_;
  bool antialias_;
};

/// Takes the middle of images; what lies outside of an image is 0.
class TERN_API CenterCrop : public TensorTransform<> {
 public:
  /// Sets the size. Throws ShapeError unless it is positive.
  explicit CenterCrop(ImageSize size);
  Tensor operator()(Tensor image) override;

 private:
  ImageSize size_;
};

/// Puts a border around images.
class TERN_API Pad : public TensorTransform<> {
 public:
  /// Sets the width of the border on all sides and its value. Throws ShapeError for a negative
  /// width.
  explicit Pad(StrictInt padding, double fill = 0);
  Tensor operator()(Tensor image) override;

 private:
  std::int64_t padding_;
  double fill_;
};

/// Converts images between uint8 and float32; see functional::convert_image_dtype().
class TERN_API ConvertImageDtype : public TensorTransform<> {
 public:
  /// Sets the dtype. Throws DTypeError unless it is kByte or kFloat.
  explicit ConvertImageDtype(ScalarType dtype = kFloat);
  Tensor operator()(Tensor image) override;

 private:
  ScalarType dtype_;
};

/// Makes images grey, with 1 or 3 channels.
class TERN_API Grayscale : public TensorTransform<> {
 public:
  /// Sets the number of channels of the result. Throws Error unless it is 1 or 3.
  explicit Grayscale(StrictInt channels = 1);
  Tensor operator()(Tensor image) override;

 private:
  std::int64_t channels_;
};

/// A transform that draws random numbers.
class TERN_API RandomTransform : public TensorTransform<> {
 public:
  /// Returns the generator that the transform draws from.
  Generator generator() const;

 protected:
  /// Draws from `generator`, or from worker_generator().
  explicit RandomTransform(std::optional<Generator> generator) : generator_(std::move(generator)) {}
  /// Returns a uniform number: one word of the generator, as tensor.uniform_() draws it.
  float uniform(Range range) const;
  /// Returns true with probability `p`.
  bool happens(double p) const;
  /// Returns an integer below `end`, as randint() draws it. 0 if end is 0.
  std::int64_t below(std::int64_t end) const;

 private:
  std::optional<Generator> generator_;
};

/// Mirrors images, left to right, with probability `p`.
class TERN_API RandomHorizontalFlip : public RandomTransform {
 public:
  /// Throws Error unless p lies in [0, 1].
  explicit RandomHorizontalFlip(double p = 0.5, std::optional<Generator> generator = std::nullopt);
  Tensor operator()(Tensor image) override;

 private:
  double p_;
};

/// Mirrors images, top to bottom, with probability `p`.
class TERN_API RandomVerticalFlip : public RandomTransform {
 public:
  /// Throws Error unless p lies in [0, 1].
  explicit RandomVerticalFlip(double p = 0.5, std::optional<Generator> generator = std::nullopt);
  Tensor operator()(Tensor image) override;

 private:
  double p_;
};

/// Makes images grey with probability `p`; the number of channels stays.
class TERN_API RandomGrayscale : public RandomTransform {
 public:
  /// Throws Error unless p lies in [0, 1].
  explicit RandomGrayscale(double p = 0.1, std::optional<Generator> generator = std::nullopt);
  Tensor operator()(Tensor image) override;

 private:
  double p_;
};

/// Takes a rectangle at a random position. First puts a border of `padding` zeros around the image,
/// and with `pad_if_needed` as much as the rectangle needs.
class TERN_API RandomCrop : public RandomTransform {
 public:
  /// Sets the size of the rectangle. Throws ShapeError unless it is positive.
  explicit RandomCrop(ImageSize size, StrictInt padding = 0, StrictBool pad_if_needed = false,
                      double fill = 0, std::optional<Generator> generator = std::nullopt);
  /// Throws Error if the image with its border is smaller than the rectangle.
  Tensor operator()(Tensor image) override;

 private:
  ImageSize size_;
  std::int64_t padding_;
  bool pad_if_needed_;
  double fill_;
};

/// Takes a random rectangle and resizes it: the usual augmentation of ImageNet. `scale` bounds the
/// rectangle's part of the area, `ratio` its width / height.
class TERN_API RandomResizedCrop : public RandomTransform {
 public:
  /// Sets the size of the result. Throws Error unless it is positive, 0 <= scale.low <= scale.high,
  /// and the same for a ratio above 0.
  explicit RandomResizedCrop(ImageSize size, Range scale = {0.08, 1.0},
                             Range ratio = {3.0 / 4.0, 4.0 / 3.0},
                             Interpolation interpolation = Interpolation::kBilinear,
                             StrictBool antialias = true,
                             std::optional<Generator> generator = std::nullopt);
  Tensor operator()(Tensor image) override;

 private:
  ImageSize size_;
  Range scale_, ratio_;
  Interpolation interpolation_;
  bool antialias_;
};

/// Turns images by a random angle in degrees; see functional::rotate().
class TERN_API RandomRotation : public RandomTransform {
 public:
  /// Turns by at most `degrees`, to the left or to the right. Throws Error for a negative number.
  explicit RandomRotation(double degrees, Interpolation interpolation = Interpolation::kNearest,
                          double fill = 0, std::optional<Generator> generator = std::nullopt);
  /// Turns by an angle in the range. Throws Error unless low <= high.
  explicit RandomRotation(Range degrees, Interpolation interpolation = Interpolation::kNearest,
                          double fill = 0, std::optional<Generator> generator = std::nullopt);
  Tensor operator()(Tensor image) override;

 private:
  Range degrees_;
  Interpolation interpolation_;
  double fill_;
};

/// How much ColorJitter may change a property.
struct Jitter {
  /// Around the unchanged value: from 1 - amount (at least 0) to 1 + amount; for the hue from
  /// -amount to amount.
  template <tern::detail::NumberArgument T>
  Jitter(const T& its_amount) : amount(static_cast<double>(its_amount)), range{0, 0} {}
  /// A range of factors.
  Jitter(StrictNumber low, StrictNumber high) : range{low, high}, is_range(true) {}

  /// The amount.
  double amount = 0;
  /// The range of factors.
  Range range;
  /// True if made from a range.
  bool is_range = false;
};

/// Changes brightness, contrast, saturation and hue by random factors, in a random order.
///
/// Example:
///   transforms::ColorJitter jitter(0.4, 0.4, 0.4, 0.1);
class TERN_API ColorJitter : public RandomTransform {
 public:
  /// Sets the ranges; 0 leaves a property unchanged. Throws Error for a negative range and for a
  /// hue beyond 0.5.
  explicit ColorJitter(Jitter brightness = 0, Jitter contrast = 0, Jitter saturation = 0,
                       Jitter hue = 0, std::optional<Generator> generator = std::nullopt);
  Tensor operator()(Tensor image) override;

 private:
  std::optional<Range> ranges_[4];  // brightness, contrast, saturation, hue
};

/// Replaces the class number of each example by a vector with a 1 at that index, float32.
///
/// Shape: target [] or [1], int64; result [num_classes]
///
/// Example:
///   dataset.map(transforms::OneHot(10)).map(transforms::Stack<>());
class TERN_API OneHot : public Transform<Example<>, Example<>> {
 public:
  /// Sets the number of classes. Throws Error unless it is positive.
  explicit OneHot(StrictInt num_classes);
  /// Throws IndexError for a target out of range, DTypeError for one that is no integer.
  Example<> apply(Example<> example) override;

 private:
  std::int64_t num_classes_;
};

}  // namespace tern::data::transforms
