#include <algorithm>
#include <cmath>
#include <vector>

#include <tern/core/base/error.h>
#include <tern/nn/data/detail/image_kernels.h>

// Bilinear resizing as PIL and torchvision do it: a triangle filter per axis, first along the rows,
// then along the columns. Images of bytes use weights of 16 bits and round after each axis, so that
// the result is the same on every machine.

namespace tern::data::transforms::detail {
namespace {

/// The weights of the pixels that make each pixel of the result, along one axis.
template <class Weight>
struct Filter {
  std::vector<std::int64_t> first;  // the first pixel
  std::vector<std::int64_t> count;  // the number of pixels
  std::vector<Weight> weights;      // `width` for each pixel of the result
  std::int64_t width = 0;
  int precision = 0;  // of integer weights: bits behind the point
};

template <class Real>
Filter<Real> make_filter(std::int64_t in, std::int64_t out, bool antialias) {
  const Real scale = static_cast<Real>(in) / static_cast<Real>(out);
  const Real stretch = antialias && scale > 1 ? scale : Real(1);
  const Real support = stretch, invscale = Real(1) / stretch;
  Filter<Real> filter;
  filter.width = static_cast<std::int64_t>(std::ceil(support)) * 2 + 1;
  filter.weights.resize(static_cast<std::size_t>(out * filter.width));
  for (std::int64_t i = 0; i < out; ++i) {
    // Rounded where PyTorch rounds.
    // NOLINTBEGIN(bugprone-incorrect-roundings): PyTorch's formula
    const auto center = static_cast<Real>(scale * (static_cast<double>(i) + 0.5));
    const auto low = static_cast<std::int64_t>(static_cast<double>(center - support) + 0.5);
    const auto high = static_cast<std::int64_t>(static_cast<double>(center + support) + 0.5);
    // NOLINTEND(bugprone-incorrect-roundings)
    const std::int64_t begin = std::max(low, std::int64_t{0}), end = std::min(high, in);
    const std::int64_t count = std::clamp(end - begin, std::int64_t{0}, filter.width);
    Real* weights = filter.weights.data() + i * filter.width;
    Real total = 0;
    for (std::int64_t j = 0; j < count; ++j) {
      const double offset = static_cast<double>(static_cast<Real>(j + begin) - center) + 0.5;
      const Real distance = std::abs(static_cast<Real>(offset * invscale));
      weights[j] = distance < 1 ? 1 - distance : Real(0);
      total += weights[j];
    }
    for (std::int64_t j = 0; j < count && total != 0; ++j) weights[j] /= total;
    filter.first.push_back(begin);
    filter.count.push_back(count);
  }
  return filter;
}

/// Rounds weights to the most bits with which every weight still fits 16 bits.
Filter<std::int16_t> rounded(const Filter<double>& exact) {
  Filter<std::int16_t> filter{exact.first, exact.count, {}, exact.width, 0};
  const double largest = *std::ranges::max_element(exact.weights);
  // NOLINTBEGIN(bugprone-incorrect-roundings): PyTorch's formula
  while (filter.precision < 22 &&
         static_cast<int>(0.5 + largest * static_cast<double>(1 << (filter.precision + 1))) <
             1 << 15) {
    ++filter.precision;
  }
  // NOLINTEND(bugprone-incorrect-roundings)
  const auto one = static_cast<double>(1 << filter.precision);
  for (const double weight : exact.weights) {
    filter.weights.push_back(
        static_cast<std::int16_t>(weight < 0 ? -0.5 + weight * one : 0.5 + weight * one));
  }
  return filter;
}

std::uint8_t byte_of(std::int32_t sum, int precision) {
  return static_cast<std::uint8_t>(std::clamp(sum >> precision, 0, 255));
}

void filter_row(const std::uint8_t* in, std::uint8_t* out, std::int64_t width,
                const Filter<std::int16_t>& filter) {
  for (std::int64_t x = 0; x < width; ++x) {
    const auto i = static_cast<std::size_t>(x);
    const std::uint8_t* pixel = in + filter.first[i];
    const std::int16_t* weights = filter.weights.data() + x * filter.width;
    std::int32_t sum = 1 << (filter.precision - 1);
    for (std::int64_t j = 0; j < filter.count[i]; ++j) sum += pixel[j] * weights[j];
    out[x] = byte_of(sum, filter.precision);
  }
}

void filter_row(const float* in, float* out, std::int64_t width, const Filter<float>& filter) {
  for (std::int64_t x = 0; x < width; ++x) {
    const auto i = static_cast<std::size_t>(x);
    const float* pixel = in + filter.first[i];
    const float* weights = filter.weights.data() + x * filter.width;
    float sum = 0;
    for (std::int64_t j = 0; j < filter.count[i]; ++j) sum += pixel[j] * weights[j];
    out[x] = sum;
  }
}

/// Adds up rows of `in`, which begins with row `origin`, with the weights of row `y` of the result.
void filter_column(const std::uint8_t* in, std::int64_t origin, std::uint8_t* out,
                   std::int64_t width, std::int64_t y, const Filter<std::int16_t>& filter,
                   std::vector<std::int32_t>& sums) {
  const auto i = static_cast<std::size_t>(y);
  const std::int16_t* weights = filter.weights.data() + y * filter.width;
  std::int32_t* __restrict sum = sums.data();
  std::fill_n(sum, width, 1 << (filter.precision - 1));
  for (std::int64_t j = 0; j < filter.count[i]; ++j) {
    const std::uint8_t* __restrict row = in + (filter.first[i] + j - origin) * width;
    const std::int32_t weight = weights[j];
    for (std::int64_t x = 0; x < width; ++x) sum[x] += row[x] * weight;
  }
  for (std::int64_t x = 0; x < width; ++x) out[x] = byte_of(sum[x], filter.precision);
}

void filter_column(const float* in, std::int64_t origin, float* __restrict out, std::int64_t width,
                   std::int64_t y, const Filter<float>& filter, std::vector<std::int32_t>&) {
  const auto i = static_cast<std::size_t>(y);
  const float* weights = filter.weights.data() + y * filter.width;
  std::fill_n(out, width, 0.0F);
  for (std::int64_t j = 0; j < filter.count[i]; ++j) {
    const float* __restrict row = in + (filter.first[i] + j - origin) * width;
    for (std::int64_t x = 0; x < width; ++x) out[x] += row[x] * weights[j];
  }
}

/// Resizes with a filter per axis.
template <class T, class Weight>
void resize_planes(const Tensor& image, Tensor& out, const Filter<Weight>& columns,
                   const Filter<Weight>& rows) {
  const std::int64_t height = out.size(1), width = out.size(2);
  const std::int64_t used_first = rows.first.front();
  const std::int64_t used_end = rows.first.back() + rows.count.back();
  std::vector<T> narrow(static_cast<std::size_t>((used_end - used_first) * width));
  std::vector<std::int32_t> sums(static_cast<std::size_t>(width));
  for (std::int64_t c = 0; c < image.size(0); ++c) {
    const T* plane = image.data_ptr<T>() + c * image.stride(0);
    for (std::int64_t y = used_first; y < used_end; ++y) {
      filter_row(plane + y * image.stride(1), narrow.data() + (y - used_first) * width, width,
                 columns);
    }
    T* result = out.data_ptr<T>() + c * height * width;
    for (std::int64_t y = 0; y < height; ++y) {
      filter_column(narrow.data(), used_first, result + y * width, width, y, rows, sums);
    }
  }
}

}  // namespace

Tensor resize_bilinear(const Tensor& image, std::int64_t height, std::int64_t width,
                       bool antialias) {
  const Tensor source = with_dense_rows(image);
  Tensor out = make_image(image, image.size(0), height, width);
  if (image.dtype() == kByte) {
    resize_planes<std::uint8_t>(source, out,
                                rounded(make_filter<double>(image.size(2), width, antialias)),
                                rounded(make_filter<double>(image.size(1), height, antialias)));
  } else {
    resize_planes<float>(source, out, make_filter<float>(image.size(2), width, antialias),
                         make_filter<float>(image.size(1), height, antialias));
  }
  return out;
}

namespace {

std::vector<std::int64_t> nearest_pixels(std::int64_t in, std::int64_t out) {
  const float scale = static_cast<float>(in) / static_cast<float>(out);
  std::vector<std::int64_t> pixels;
  for (std::int64_t i = 0; i < out; ++i) {
    pixels.push_back(std::min(static_cast<std::int64_t>(static_cast<float>(i) * scale), in - 1));
  }
  return pixels;
}

template <class T>
void take_pixels(const Tensor& image, Tensor& out) {
  const auto rows = nearest_pixels(image.size(1), out.size(1));
  const auto columns = nearest_pixels(image.size(2), out.size(2));
  T* result = out.data_ptr<T>();
  for (std::int64_t c = 0; c < image.size(0); ++c) {
    for (const std::int64_t y : rows) {
      const T* row = image.data_ptr<T>() + c * image.stride(0) + y * image.stride(1);
      for (const std::int64_t x : columns) *result++ = row[x];
    }
  }
}

}  // namespace

Tensor resize_nearest(const Tensor& image, std::int64_t height, std::int64_t width) {
  const Tensor source = with_dense_rows(image);
  Tensor out = make_image(image, image.size(0), height, width);
  if (image.dtype() == kByte) {
    take_pixels<std::uint8_t>(source, out);
  } else {
    take_pixels<float>(source, out);
  }
  return out;
}

}  // namespace tern::data::transforms::detail
