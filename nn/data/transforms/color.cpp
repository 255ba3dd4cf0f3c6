#include <algorithm>
#include <cmath>

#include <tern/core/base/error.h>
#include <tern/core/ops/create/creation.h>
#include <tern/core/ops/shape/copy.h>
#include <tern/nn/data/detail/image_kernels.h>
#include <tern/nn/data/transforms/functional.h>

// Formulas and roundings of torchvision: images of bytes are computed in float and truncated.

namespace tern::data::transforms::functional {
namespace {

constexpr float kRed = 0.2989F, kGreen = 0.587F, kBlue = 0.114F;

void check_factor(const char* op, const char* name, double factor) {
  TERN_CHECK(factor >= 0 && std::isfinite(factor), Error, op, ": ", name, " (", factor,
             ") is not non-negative");
}

template <class T>
T limited(float value) {
  constexpr float kBound = std::is_same_v<T, float> ? 1.0F : 255.0F;
  return static_cast<T>(std::clamp(value, 0.0F, kBound));
}

/// The grey value of a pixel; of bytes rounded down.
template <class T>
float grey_of(T red, T green, T blue) {
  const float grey = static_cast<float>(red) * kRed + static_cast<float>(green) * kGreen +
                     static_cast<float>(blue) * kBlue;
  return std::is_same_v<T, float> ? grey : static_cast<float>(static_cast<int>(grey));
}

/// Calls `change(first element, number of pixels, tag)` with the dtype of the image; its channels
/// lie one after the other.
template <class Change>
Tensor changed(const Tensor& image, const Change& change) {
  Tensor out = image.detach().contiguous().clone();
  const std::int64_t pixels = out.size(1) * out.size(2);
  if (out.dtype() == kByte) {
    change(out.data_ptr<std::uint8_t>(), pixels);
  } else {
    change(out.data_ptr<float>(), pixels);
  }
  return out;
}

/// Blends an element with a grey value.
template <class T>
T blended(T element, float grey, float ratio, float rest) {
  return limited<T>(static_cast<float>(element) * ratio + grey * rest);
}

struct Hsv {
  float hue, saturation, value;
};

Hsv hsv_of(float red, float green, float blue) {
  const float most = std::max({red, green, blue}), least = std::min({red, green, blue});
  if (most == least) return {0, 0, most};
  const float range = most - least;
  const float r = (most - red) / range, g = (most - green) / range, b = (most - blue) / range;
  const float sixth = most == red ? b - g : most == green ? r + 2.0F - b : g + 4.0F - r;
  const float hue = sixth * static_cast<float>(1.0 / 6.0) + 1.0F;  // from 0.8 to 1.9
  return {hue >= 1 ? hue - 1 : hue, range / most, most};
}

void rgb_of(const Hsv& color, float& red, float& green, float& blue) {
  const float sixth = color.hue * 6;
  const int whole = static_cast<int>(sixth);
  const float f = sixth - static_cast<float>(whole);
  const float v = color.value, s = color.saturation;
  const auto bounded = [](float x) { return std::clamp(x, 0.0F, 1.0F); };
  const float p = bounded((1.0F - s) * v), q = bounded((1.0F - s * f) * v);
  const float t = bounded((s * f + (1.0F - s)) * v);
  const int sector = whole % 6;
  const float reds[] = {v, q, p, p, t, v}, greens[] = {t, v, v, q, p, p},
              blues[] = {p, p, t, v, v, q};
  red = reds[sector];
  green = greens[sector];
  blue = blues[sector];
}

float from_byte(std::uint8_t byte) {
  return static_cast<float>(byte) * static_cast<float>(1 / 255.0);
}
std::uint8_t to_byte(float value) {
  return static_cast<std::uint8_t>(
      std::clamp(value * static_cast<float>(255 + 1.0 - 1e-3), 0.0F, 255.0F));
}
float from_byte(float value) { return value; }

}  // namespace

Tensor adjust_brightness(const Tensor& image, double factor) {
  detail::check_channels("adjust_brightness", image);
  check_factor("adjust_brightness", "brightness_factor", factor);
  return changed(image, [&]<class T>(T* element, std::int64_t pixels) {
    const auto ratio = static_cast<float>(factor);
    for (std::int64_t i = 0; i < image.size(0) * pixels; ++i) {
      element[i] = limited<T>(static_cast<float>(element[i]) * ratio);
    }
  });
}

Tensor adjust_contrast(const Tensor& image, double factor) {
  detail::check_channels("adjust_contrast", image);
  check_factor("adjust_contrast", "contrast_factor", factor);
  return changed(image, [&]<class T>(T* element, std::int64_t pixels) {
    const bool is_rgb = image.size(0) == 3;
    double sum = 0;
    for (std::int64_t i = 0; i < pixels; ++i) {
      const float grey = is_rgb ? grey_of(element[i], element[i + pixels], element[i + 2 * pixels])
                                : static_cast<float>(element[i]);
      sum += static_cast<double>(grey);
    }
    const auto mean = static_cast<float>(sum / static_cast<double>(pixels));
    const auto ratio = static_cast<float>(factor), rest = static_cast<float>(1.0 - factor);
    for (std::int64_t i = 0; i < image.size(0) * pixels; ++i) {
      element[i] = blended(element[i], mean, ratio, rest);
    }
  });
}

Tensor adjust_saturation(const Tensor& image, double factor) {
  detail::check_channels("adjust_saturation", image);
  check_factor("adjust_saturation", "saturation_factor", factor);
  if (image.size(0) == 1) return image;
  return changed(image, [&]<class T>(T* element, std::int64_t pixels) {
    const auto ratio = static_cast<float>(factor), rest = static_cast<float>(1.0 - factor);
    T *red = element, *green = red + pixels, *blue = green + pixels;
    for (std::int64_t i = 0; i < pixels; ++i) {
      const float grey = grey_of(red[i], green[i], blue[i]);
      for (T* channel : {red, green, blue}) channel[i] = blended(channel[i], grey, ratio, rest);
    }
  });
}

Tensor adjust_hue(const Tensor& image, double factor) {
  detail::check_channels("adjust_hue", image);
  TERN_CHECK(factor >= -0.5 && factor <= 0.5, Error, "adjust_hue: hue_factor (", factor,
             ") is not in [-0.5, 0.5]");
  if (image.size(0) == 1) return image;
  return changed(image, [&]<class T>(T* element, std::int64_t pixels) {
    T *red = element, *green = red + pixels, *blue = green + pixels;
    for (std::int64_t i = 0; i < pixels; ++i) {
      Hsv color = hsv_of(from_byte(red[i]), from_byte(green[i]), from_byte(blue[i]));
      color.hue += static_cast<float>(factor);
      color.hue += color.hue < 0 ? 1.0F : color.hue >= 1 ? -1.0F : 0.0F;
      float rgb[3];
      rgb_of(color, rgb[0], rgb[1], rgb[2]);
      T* channels[] = {red + i, green + i, blue + i};
      for (int c = 0; c < 3; ++c) {
        if constexpr (std::is_same_v<T, float>) {
          *channels[c] = rgb[c];
        } else {
          *channels[c] = to_byte(rgb[c]);
        }
      }
    }
  });
}

Tensor rgb_to_grayscale(const Tensor& image, StrictInt channels) {
  detail::check_channels("rgb_to_grayscale", image);
  TERN_CHECK(channels == 1 || channels == 3, Error,
             "rgb_to_grayscale: num_output_channels must be 1 or 3, got ", std::int64_t{channels});
  Tensor grey = image.detach();
  if (image.size(0) == 3) {
    const Tensor all = changed(image, []<class T>(T* element, std::int64_t pixels) {
      for (std::int64_t i = 0; i < pixels; ++i) {
        const float value = grey_of(element[i], element[i + pixels], element[i + 2 * pixels]);
        element[i] = static_cast<T>(value);
      }
    });
    grey = all.narrow(0, 0, 1).clone();
  }
  return channels == 1 ? grey.clone() : grey.repeat({3, 1, 1});
}

Tensor convert_image_dtype(const Tensor& image, ScalarType dtype) {
  detail::check_image("convert_image_dtype", image);
  TERN_CHECK(dtype == kByte || dtype == kFloat, DTypeError,
             "convert_image_dtype: expected the dtype Byte or Float, got ", dtype);
  if (image.dtype() == dtype) return image;
  const Tensor source = image.detach().contiguous();
  Tensor out = empty(image.sizes(), TensorOptions(dtype).device(kCPU));
  const std::int64_t count = source.numel();
  if (dtype == kFloat) {
    std::transform(source.data_ptr<std::uint8_t>(), source.data_ptr<std::uint8_t>() + count,
                   out.data_ptr<float>(), [](std::uint8_t byte) { return from_byte(byte); });
  } else {
    std::transform(source.data_ptr<float>(), source.data_ptr<float>() + count,
                   out.data_ptr<std::uint8_t>(), to_byte);
  }
  return out;
}

}  // namespace tern::data::transforms::functional
