#include <tern/nn/data/transforms/image.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include <tern/core/base/error.h>
#include <tern/core/ops/create/creation.h>
#include <tern/nn/data/detail/image_kernels.h>
#include <tern/nn/data/worker_info.h>

namespace tern::data::transforms {
namespace {

double checked_probability(const char* transform, double p) {
  TERN_CHECK(p >= 0 && p <= 1, Error, transform,
             ": `p` should be a floating point value in the interval [0.0, 1.0], got ", p);
  return p;
}

ImageSize checked_size(const char* transform, const ImageSize& size) {
  detail::check_size(transform, size.height, size.width);
  return size;
}

std::int64_t rounded(double value) { return static_cast<std::int64_t>(std::nearbyint(value)); }

std::optional<Range> jitter_range(const char* name, const Jitter& jitter, double center, double low,
                                  double high) {
  Range range = jitter.range;
  if (!jitter.is_range) {
    TERN_CHECK(jitter.amount >= 0, Error, "ColorJitter: If ", name,
               " is a single number, it must be non negative, got ", jitter.amount);
    range = {center - jitter.amount, center + jitter.amount};
    if (center > 0) range.low = std::max(range.low, 0.0);
  }
  TERN_CHECK(low <= range.low && range.low <= range.high && range.high <= high, Error,
             "ColorJitter: ", name, " values should be between (", low, ", ", high,
             ") and increasing, but got [", range.low, ", ", range.high, "]");
  if (range.low == center && range.high == center) return std::nullopt;
  return range;
}

}  // namespace

Compose::Compose(std::vector<std::function<Tensor(Tensor)>> transforms)
    : transforms_(std::move(transforms)) {
  TERN_CHECK(!transforms_.empty(), Error, "Compose: Pass at least one transform, got none");
  for (const auto& transform : transforms_) {
    detail::check_function("Compose", transform != nullptr);
  }
}

Tensor Compose::operator()(Tensor image) {
  for (const auto& transform : transforms_) image = transform(std::move(image));
  return image;
}

Resize::Resize(ImageSize size, Interpolation interpolation, StrictBool antialias)
    : size_(checked_size("Resize", size)), interpolation_(interpolation), antialias_(antialias) {}

Tensor Resize::operator()(Tensor image) {
  return functional::resize(image, size_, interpolation_, antialias_);
}

CenterCrop::CenterCrop(ImageSize size) : size_(checked_size("CenterCrop", size)) {}

Tensor CenterCrop::operator()(Tensor image) { return functional::center_crop(image, size_); }

Pad::Pad(StrictInt padding, double fill) : padding_(padding), fill_(fill) {
  TERN_CHECK(padding_ >= 0, ShapeError, "Pad: padding must not be negative, got ", padding_);
}

Tensor Pad::operator()(Tensor image) {
  return functional::pad(image, padding_, padding_, padding_, padding_, fill_);
}

ConvertImageDtype::ConvertImageDtype(ScalarType dtype) : dtype_(dtype) {
  TERN_CHECK(dtype == kByte || dtype == kFloat, DTypeError,
             "ConvertImageDtype: expected the dtype Byte or Float, got ", dtype);
}

Tensor ConvertImageDtype::operator()(Tensor image) {
  return functional::convert_image_dtype(image, dtype_);
}

Grayscale::Grayscale(StrictInt channels) : channels_(channels) {
  TERN_CHECK(channels_ == 1 || channels_ == 3, Error,
             "Grayscale: num_output_channels must be 1 or 3, got ", channels_);
}

Tensor Grayscale::operator()(Tensor image) {
  return functional::rgb_to_grayscale(image, channels_);
}

Generator RandomTransform::generator() const {
  return generator_ ? *generator_ : worker_generator();
}

float RandomTransform::uniform(Range range) const {
  const Generator source = generator();
  const std::lock_guard lock(source.mutex());
  const auto low = static_cast<float>(range.low), high = static_cast<float>(range.high);
  const auto bits = static_cast<float>(source.engine().next32() & 0xffffff);
  return bits * 0x1p-24F * (high - low) + low;
}

bool RandomTransform::happens(double p) const { return static_cast<double>(uniform({0, 1})) < p; }

std::int64_t RandomTransform::below(std::int64_t end) const {
  const Generator source = generator();
  const std::lock_guard lock(source.mutex());
  return source.engine().next32() % std::max(end, std::int64_t{1});
}

RandomHorizontalFlip::RandomHorizontalFlip(double p, std::optional<Generator> generator)
    : RandomTransform(std::move(generator)), p_(checked_probability("RandomHorizontalFlip", p)) {}

Tensor RandomHorizontalFlip::operator()(Tensor image) {
  return happens(p_) ? functional::horizontal_flip(image) : image;
}

RandomVerticalFlip::RandomVerticalFlip(double p, std::optional<Generator> generator)
    : RandomTransform(std::move(generator)), p_(checked_probability("RandomVerticalFlip", p)) {}

Tensor RandomVerticalFlip::operator()(Tensor image) {
  return happens(p_) ? functional::vertical_flip(image) : image;
}

RandomGrayscale::RandomGrayscale(double p, std::optional<Generator> generator)
    : RandomTransform(std::move(generator)), p_(checked_probability("RandomGrayscale", p)) {}

Tensor RandomGrayscale::operator()(Tensor image) {
  return happens(p_) ? functional::rgb_to_grayscale(image, image.size(0)) : image;
}

RandomCrop::RandomCrop(ImageSize size, StrictInt padding, StrictBool pad_if_needed, double fill,
                       std::optional<Generator> generator)
    : RandomTransform(std::move(generator)),
      size_(checked_size("RandomCrop", size)),
      padding_(padding),
      pad_if_needed_(pad_if_needed),
      fill_(fill) {
  TERN_CHECK(padding_ >= 0, Error, "RandomCrop: padding must not be negative, got ", padding_);
}

Tensor RandomCrop::operator()(Tensor image) {
  detail::check_image("RandomCrop", image);
  const auto missing = [&](std::int64_t have, std::int64_t want) {
    return pad_if_needed_ ? std::max(want - have, std::int64_t{0}) : 0;
  };
  const std::int64_t rows = padding_ + missing(image.size(1) + 2 * padding_, size_.height);
  const std::int64_t columns = padding_ + missing(image.size(2) + 2 * padding_, size_.width);
  const std::int64_t height = image.size(1) + 2 * rows, width = image.size(2) + 2 * columns;
  TERN_CHECK(height >= size_.height && width >= size_.width, Error,
             "RandomCrop: Required crop size (", size_.height, ", ", size_.width,
             ") is larger than ", padding_ > 0 ? "padded " : "", "input image size (", height, ", ",
             width, "); resize the images first, or use pad_if_needed=true");
  if (rows > 0 || columns > 0) image = functional::pad(image, columns, rows, columns, rows, fill_);
  const std::int64_t top = height > size_.height ? below(height - size_.height + 1) : 0;
  const std::int64_t left = width > size_.width ? below(width - size_.width + 1) : 0;
  return functional::crop(image, top, left, size_.height, size_.width);
}

RandomResizedCrop::RandomResizedCrop(ImageSize size, Range scale, Range ratio,
                                     Interpolation interpolation, StrictBool antialias,
                                     std::optional<Generator> generator)
    : RandomTransform(std::move(generator)),
      size_(checked_size("RandomResizedCrop", size)),
      scale_(scale),
      ratio_(ratio),
      interpolation_(interpolation),
      antialias_(antialias) {
  TERN_CHECK(scale.low >= 0 && scale.low <= scale.high && ratio.low > 0 && ratio.low <= ratio.high,
             Error, "RandomResizedCrop: Scale and ratio should be of kind (min, max), got (",
             scale.low, ", ", scale.high, ") and (", ratio.low, ", ", ratio.high, ")");
}

Tensor RandomResizedCrop::operator()(Tensor image) {
  detail::check_image("RandomResizedCrop", image);
  const std::int64_t height = image.size(1), width = image.size(2);
  const auto area = static_cast<double>(height * width);
  const Range log_ratio = {std::log(static_cast<float>(ratio_.low)),
                           std::log(static_cast<float>(ratio_.high))};
  std::int64_t h = height, w = width, top = 0, left = 0;
  bool found = false;
  for (int attempt = 0; attempt < 10 && !found; ++attempt) {
    const double target = area * static_cast<double>(uniform(scale_));
    const auto aspect = static_cast<double>(std::exp(uniform(log_ratio)));
    w = rounded(std::sqrt(target * aspect));
    h = rounded(std::sqrt(target / aspect));
    found = w > 0 && w <= width && h > 0 && h <= height;
    if (!found) continue;
    top = below(height - h + 1);
    left = below(width - w + 1);
  }
  if (!found) {  // the middle, as near to the ratio as the image allows
    const double ratio = static_cast<double>(width) / static_cast<double>(height);
    w = ratio > ratio_.high ? rounded(static_cast<double>(height) * ratio_.high) : width;
    h = ratio < ratio_.low ? rounded(static_cast<double>(width) / ratio_.low) : height;
    top = (height - h) / 2;
    left = (width - w) / 2;
  }
  return functional::resized_crop(image, top, left, h, w, size_, interpolation_, antialias_);
}

RandomRotation::RandomRotation(double degrees, Interpolation interpolation, double fill,
                               std::optional<Generator> generator)
    : RandomRotation(Range{-degrees, degrees}, interpolation, fill, std::move(generator)) {}

RandomRotation::RandomRotation(Range degrees, Interpolation interpolation, double fill,
                               std::optional<Generator> generator)
    : RandomTransform(std::move(generator)),
      degrees_(degrees),
      interpolation_(interpolation),
      fill_(fill) {
  TERN_CHECK(
      degrees.low <= degrees.high, Error,
      "RandomRotation: If degrees is a single number, it must be positive; a range goes from "
      "low to high, got (",
      degrees.low, ", ", degrees.high, ")");
}

Tensor RandomRotation::operator()(Tensor image) {
  return functional::rotate(image, static_cast<double>(uniform(degrees_)), interpolation_, fill_);
}

ColorJitter::ColorJitter(Jitter brightness, Jitter contrast, Jitter saturation, Jitter hue,
                         std::optional<Generator> generator)
    : RandomTransform(std::move(generator)) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  ranges_[0] = jitter_range("brightness", brightness, 1, 0, kInfinity);
  ranges_[1] = jitter_range("contrast", contrast, 1, 0, kInfinity);
  ranges_[2] = jitter_range("saturation", saturation, 1, 0, kInfinity);
  ranges_[3] = jitter_range("hue", hue, 0, -0.5, 0.5);
}

Tensor ColorJitter::operator()(Tensor image) {
  std::int64_t order[4];
  {
    const Generator source = generator();
    const std::lock_guard lock(source.mutex());
    randperm(source.engine(), order, 4);
  }
  double factors[4] = {};
  for (int i = 0; i < 4; ++i) {
    if (ranges_[i]) factors[i] = static_cast<double>(uniform(*ranges_[i]));
  }
  using Change = Tensor (*)(const Tensor&, double);
  constexpr Change kChanges[] = {functional::adjust_brightness, functional::adjust_contrast,
                                 functional::adjust_saturation, functional::adjust_hue};
  for (const std::int64_t i : order) {
    if (ranges_[i]) image = kChanges[i](image, factors[i]);
  }
  return image;
}

OneHot::OneHot(StrictInt num_classes) : num_classes_(num_classes) {
  TERN_CHECK(num_classes_ > 0, Error, "OneHot: the number of classes must be positive, got ",
             num_classes_);
}

Example<> OneHot::apply(Example<> example) {
  const Tensor& target = example.target;
  TERN_CHECK(target.defined(), Error, "OneHot: the example has no target");
  TERN_CHECK(target.numel() == 1 && target.dtype() == kLong, DTypeError,
             "OneHot: expected a target of one element of dtype Long, got ", target.scalar_type(),
             " of sizes ", target.sizes());
  const auto index = target.item<std::int64_t>();
  TERN_CHECK(index >= 0 && index < num_classes_, IndexError, "OneHot: target ", index,
             " is out of range for ", num_classes_, " classes");
  example.target = zeros({num_classes_}, TensorOptions(kFloat).device(kCPU));
  example.target.data_ptr<float>()[index] = 1;
  return example;
}

}  // namespace tern::data::transforms
