#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <vector>

#include <tern/core/base/error.h>
#include <tern/core/ops/create/creation.h>
#include <tern/core/ops/nn/padding.h>
#include <tern/core/ops/shape/rearrange.h>
#include <tern/core/ops/shape/view.h>
#include <tern/nn/data/detail/image_kernels.h>
#include <tern/nn/data/transforms/functional.h>

namespace tern::data::transforms {

namespace detail {

void check_image(const char* op, const Tensor& image) {
  TERN_CHECK(image.defined(), Error, op, ": the image is an undefined tensor");
  TERN_CHECK(image.device().is_cpu(), DeviceError, op, ": expected an image on cpu, got one on ",
             image.device(), "; transform images before they move to the device");
  TERN_CHECK(image.dtype() == kByte || image.dtype() == kFloat, DTypeError, op,
             ": expected an image of dtype Byte or Float, got ", image.scalar_type());
  TERN_CHECK(image.dim() == 3, ShapeError, op, ": expected an image [C, H, W], got sizes ",
             image.sizes(),
             image.dim() == 4 ? "; apply transforms of images before Stack"
                              : "; a grey image is [1, H, W]");
  TERN_CHECK(image.numel() > 0, ShapeError, op, ": the image is empty, got sizes ", image.sizes());
}

void check_channels(const char* op, const Tensor& image) {
  check_image(op, image);
  const std::int64_t channels = image.size(0), last = image.size(2);
  TERN_CHECK(channels == 1 || channels == 3, ShapeError, op,
             ": Input image tensor permitted channel values are 1 or 3, but found ", channels,
             last == 1 || last == 3 ? "; channels come first: use permute({2, 0, 1})" : "");
}

void check_size(const char* op, std::int64_t height, std::int64_t width) {
  constexpr std::int64_t kMost = 1 << 20;
  TERN_CHECK(height > 0 && width > 0 && height <= kMost && width <= kMost, ShapeError, op,
             ": height and width must be from 1 to ", kMost, ", got ", height, " and ", width);
}

Tensor make_image(const Tensor& like, std::int64_t channels, std::int64_t height,
                  std::int64_t width) {
  return empty({channels, height, width}, TensorOptions(like.dtype()).device(kCPU));
}

Tensor with_dense_rows(const Tensor& image) {
  const Tensor plain = image.detach();
  return plain.stride(2) == 1 || plain.size(2) == 1 ? plain : plain.contiguous();
}

}  // namespace detail

namespace functional {
namespace {

/// Python's rounding: half to even.
std::int64_t rounded_half(std::int64_t difference) {
  return static_cast<std::int64_t>(std::nearbyint(static_cast<double>(difference) / 2.0));
}

/// Copies the part of `image` at (top, left) that lies inside, and fills the rest.
template <class T>
void copy_part(const Tensor& image, Tensor& out, std::int64_t top, std::int64_t left, T fill) {
  const std::int64_t height = image.size(1), width = image.size(2), columns = out.size(2);
  const std::int64_t begin = std::clamp<std::int64_t>(-left, 0, columns);
  const std::int64_t end = std::clamp<std::int64_t>(width - left, begin, columns);
  T* result = out.data_ptr<T>();
  for (std::int64_t c = 0; c < out.size(0); ++c) {
    for (std::int64_t y = 0; y < out.size(1); ++y, result += columns) {
      const std::int64_t row = top + y;
      if (row < 0 || row >= height || begin == end) {
        std::fill_n(result, columns, fill);
        continue;
      }
      const T* source = image.data_ptr<T>() + c * image.stride(0) + row * image.stride(1);
      std::fill(result, result + begin, fill);
      std::copy(source + left + begin, source + left + end, result + begin);
      std::fill(result + end, result + columns, fill);
    }
  }
}

Tensor part_of(const Tensor& image, std::int64_t top, std::int64_t left, std::int64_t height,
               std::int64_t width, double fill) {
  const Tensor source = detail::with_dense_rows(image);
  Tensor out = detail::make_image(image, image.size(0), height, width);
  if (image.dtype() == kByte) {
    copy_part<std::uint8_t>(source, out, top, left, static_cast<std::uint8_t>(fill));
  } else {
    copy_part<float>(source, out, top, left, static_cast<float>(fill));
  }
  return out;
}

}  // namespace

Tensor resize(const Tensor& image, ImageSize size, Interpolation interpolation,
              StrictBool antialias) {
  detail::check_image("resize", image);
  const std::int64_t height = image.size(1), width = image.size(2);
  if (size.is_edge) {
    const std::int64_t shorter = std::min(height, width), longer = std::max(height, width);
    detail::check_size("resize", size.height, size.width);
    const std::int64_t other = size.height * longer / shorter;
    size = width <= height ? ImageSize(other, size.width) : ImageSize(size.height, other);
  }
  detail::check_size("resize", size.height, size.width);
  if (size.height == height && size.width == width) return image;
  if (interpolation == Interpolation::kNearest) {
    return detail::resize_nearest(image, size.height, size.width);
  }
  return detail::resize_bilinear(image, size.height, size.width, antialias);
}

Tensor crop(const Tensor& image, StrictInt top, StrictInt left, StrictInt height, StrictInt width) {
  detail::check_image("crop", image);
  detail::check_size("crop", height, width);
  if (top >= 0 && left >= 0 && top <= image.size(1) - height && left <= image.size(2) - width) {
    return image.narrow(1, top, height).narrow(2, left, width);
  }
  return part_of(image, top, left, height, width, 0);
}

Tensor center_crop(const Tensor& image, ImageSize size) {
  detail::check_image("center_crop", image);
  detail::check_size("center_crop", size.height, size.width);
  // Of an odd border the larger half lies at the bottom and at the right.
  const auto start = [](std::int64_t have, std::int64_t want) {
    return want > have ? -((want - have) / 2) : rounded_half(have - want);
  };
  return crop(image, start(image.size(1), size.height), start(image.size(2), size.width),
              size.height, size.width);
}

Tensor resized_crop(const Tensor& image, StrictInt top, StrictInt left, StrictInt height,
                    StrictInt width, ImageSize size, Interpolation interpolation,
                    StrictBool antialias) {
  size.is_edge = false;
  return resize(crop(image, top, left, height, width), size, interpolation, antialias);
}

Tensor pad(const Tensor& image, StrictInt left, StrictInt top, StrictInt right, StrictInt bottom,
           double fill) {
  detail::check_image("pad", image);
  for (const std::int64_t border : {left, top, right, bottom}) {
    TERN_CHECK(border >= 0, ShapeError, "pad: borders must not be negative, got ", border);
  }
  TERN_CHECK(image.dtype() != kByte || (fill >= 0 && fill <= 255), Error,
             "pad: the fill of an image of bytes must be from 0 to 255, got ", fill);
  const std::int64_t height = top + image.size(1) + bottom, width = left + image.size(2) + right;
  detail::check_size("pad", height, width);
  return part_of(image, -top, -left, height, width, fill);
}

Tensor horizontal_flip(const Tensor& image) {
  detail::check_image("horizontal_flip", image);
  return image.detach().flip(2);
}

Tensor vertical_flip(const Tensor& image) {
  detail::check_image("vertical_flip", image);
  return image.detach().flip(1);
}

namespace {

/// The pixel of `plane` at (y, x), or `fill` outside.
template <class T>
struct Plane {
  const T* data;
  std::int64_t row, height, width;
  float fill;
  bool has_fill;

  bool contains(std::int64_t y, std::int64_t x) const {
    return y >= 0 && y < height && x >= 0 && x < width;
  }
  float nearest(float y, float x) const {
    const auto row_index = static_cast<std::int64_t>(std::nearbyint(y));
    const auto column = static_cast<std::int64_t>(std::nearbyint(x));
    return contains(row_index, column) ? static_cast<float>(data[row_index * row + column]) : fill;
  }
  float bilinear(float y, float x) const {
    const float top = std::floor(y), left = std::floor(x);
    const float below = y - top, right = x - left;
    float sum = 0, weight = 0;
    for (const int dy : {0, 1}) {
      for (const int dx : {0, 1}) {
        const auto yy = static_cast<std::int64_t>(top) + dy;
        const auto xx = static_cast<std::int64_t>(left) + dx;
        if (!contains(yy, xx)) continue;
        const float part = (dy != 0 ? below : 1 - below) * (dx != 0 ? right : 1 - right);
        sum += part * static_cast<float>(data[yy * row + xx]);
        weight += part;
      }
    }
    return has_fill ? (sum - fill) * weight + fill : sum;
  }
};

template <class T>
void rotate_planes(const Tensor& image, Tensor& out, double radians, Interpolation interpolation,
                   std::optional<double> fill) {
  const std::int64_t height = image.size(1), width = image.size(2);
  const auto cosine = static_cast<float>(std::cos(radians));
  const auto sine = static_cast<float>(std::sin(radians));
  const float half_height = 0.5F * static_cast<float>(height);
  const float half_width = 0.5F * static_cast<float>(width);
  T* result = out.data_ptr<T>();
  for (std::int64_t c = 0; c < image.size(0); ++c) {
    const Plane<T> plane{image.data_ptr<T>() + c * image.stride(0), image.stride(1), height, width,
                         static_cast<float>(fill.value_or(0)),      fill.has_value()};
    for (std::int64_t y = 0; y < height; ++y) {
      const float dy = static_cast<float>(y) + 0.5F - half_height;
      for (std::int64_t x = 0; x < width; ++x) {
        const float dx = static_cast<float>(x) + 0.5F - half_width;
        const float from_x =
            (dx * (cosine / half_width) - dy * (sine / half_width) + 1) * half_width - 0.5F;
        const float from_y =
            (dx * (sine / half_height) + dy * (cosine / half_height) + 1) * half_height - 0.5F;
        const float value = interpolation == Interpolation::kNearest
                                ? plane.nearest(from_y, from_x)
                                : plane.bilinear(from_y, from_x);
        *result++ = std::is_same_v<T, float> ? static_cast<T>(value)
                                             : static_cast<T>(std::nearbyint(value));
      }
    }
  }
}

}  // namespace

Tensor rotate(const Tensor& image, double angle, Interpolation interpolation,
              std::optional<double> fill) {
  detail::check_image("rotate", image);
  TERN_CHECK(std::isfinite(angle), Error, "rotate: the angle must be finite, got ", angle);
  const bool is_byte = image.dtype() == kByte;
  TERN_CHECK(!is_byte || (fill.value_or(0) >= 0 && fill.value_or(0) <= 255), Error,
             "rotate: the fill of an image of bytes must be from 0 to 255, got ", *fill);
  angle -= 360 * std::floor(angle / 360);
  const Tensor source = detail::with_dense_rows(image);
  if (angle == 0) return source.clone();
  if (angle == 180) return source.flip({1, 2});
  if (source.size(1) == source.size(2)) {
    if (angle == 90) return source.transpose(1, 2).flip(1);
    if (angle == 270) return source.transpose(1, 2).flip(2);
  }
  Tensor out = detail::make_image(image, image.size(0), image.size(1), image.size(2));
  const double radians = angle * std::numbers::pi / 180;
  if (is_byte) {
    rotate_planes<std::uint8_t>(source, out, radians, interpolation, fill);
  } else {
    rotate_planes<float>(source, out, radians, interpolation, fill);
  }
  return out;
}

}  // namespace functional
}  // namespace tern::data::transforms
