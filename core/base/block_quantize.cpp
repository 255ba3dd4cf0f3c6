#include <algorithm>
#include <cmath>
#include <cstring>

#include <tern/core/base/block_format.h>
#include <tern/core/base/error.h>
#include <tern/core/base/half.h>

namespace tern {
namespace {

/// Writes `value` as a half, and returns the value of the half.
float put_half(float value, std::byte* to) {
  const std::uint16_t bits = detail::half_of_float(value);
  std::memcpy(to, &bits, sizeof bits);
  return detail::float_of_half(bits);
}

/// Returns 1/d, or 0 where this is no finite number.
float inverse(float d) {
  const float value = 1 / d;
  return std::isfinite(value) ? value : 0;
}

/// Returns the whole part of `value`, within [0, 15]; 0 for NaN.
int four_bits(float value) { return value > 0 ? static_cast<int>(std::min(value, 15.0f)) : 0; }

/// Writes bytes of two numbers each: element i in the lower 4 bits, element i + 16 in the upper.
template <class Number>
void put_nibbles(const Number& number, std::byte* to) {
  for (int i = 0; i < 16; ++i) to[i] = static_cast<std::byte>(number(i) | number(i + 16) << 4);
}

void quantize_q8_0(const float* in, std::byte* block) {
  float largest = 0;
  for (int i = 0; i < 32; ++i) largest = std::max(largest, std::fabs(in[i]));
  const float d = largest / 127, scale = inverse(d);
  put_half(d, block);
  for (int i = 0; i < 32; ++i) {
    const float q = std::round(in[i] * scale);  // half away from zero
    block[2 + i] = static_cast<std::byte>(static_cast<int>(std::clamp(q, -127.0f, 127.0f)));
  }
}

void quantize_q4_0(const float* in, std::byte* block) {
  float largest = in[0];
  for (int i = 1; i < 32; ++i) {
    if (std::fabs(in[i]) > std::fabs(largest)) largest = in[i];
  }
  const float d = largest / -8, scale = inverse(d);
  put_half(d, block);
  put_nibbles([&](int i) { return four_bits(in[i] * scale + 8.5f); }, block + 2);
}

void quantize_q4_1(const float* in, std::byte* block) {
  const auto [min, max] = std::minmax_element(in, in + 32);
  const float d = (*max - *min) / 15, scale = inverse(d), m = *min;
  put_half(d, block);
  put_half(m, block + 2);
  put_nibbles([&](int i) { return four_bits((in[i] - m) * scale + 0.5f); }, block + 4);
}

// Q4_K. ggml defines the layout, and leaves the choice of the numbers to the writer. This search
// has two steps:
// 1. For each 32 elements alone, find the step and the offset of x = step n - offset, both at
//    least 0, with the smallest squared error: each of a few steps around the range/15 gives
//    integers n, and least squares give the best step and offset for these n.
// 2. Round the largest step and offset to d and dmin in half precision and the others to 6 bits.
//    Then try the integers beside each scale and minimum, and keep the pair with the smallest
//    error.

struct Line {
  float step = 0, offset = 0;
};

int rounded(float value) { return four_bits(value + 0.5f); }

/// Returns the squared error of 32 elements on a line, each with its nearest integer.
float error_of(const float* in, Line line) {
  const float scale = inverse(line.step);
  float sum = 0;
  for (int i = 0; i < 32; ++i) {
    const int n = rounded((in[i] + line.offset) * scale);
    const float error = line.step * static_cast<float>(n) - line.offset - in[i];
    sum += error * error;
  }
  return sum;
}

/// Returns the line of least squares for the integers that `from` gives.
Line fitted(const float* in, Line from) {
  const float scale = inverse(from.step);
  float n1 = 0, n2 = 0, x1 = 0, nx = 0;
  for (int i = 0; i < 32; ++i) {
    const auto n = static_cast<float>(rounded((in[i] + from.offset) * scale));
    n1 += n;
    n2 += n * n;
    x1 += in[i];
    nx += n * in[i];
  }
  const float determinant = 32 * n2 - n1 * n1;
  if (!(determinant > 0)) return from;  // all integers are equal
  const Line line{(32 * nx - n1 * x1) / determinant, (n1 * nx - n2 * x1) / determinant};
  // Without an offset below zero, the best step is the projection.
  return line.offset >= 0 ? line : Line{nx / n2, 0};
}

Line best_line(const float* in) {
  const auto [min, max] = std::minmax_element(in, in + 32);
  const float lowest = std::min(*min, 0.0f), range = *max - lowest;
  Line best{std::max(range, 0.0f) / 15, -lowest};
  float smallest = error_of(in, best);
  for (int i = -10; i <= 10; ++i) {
    const Line line = fitted(in, {range / (15 + 0.1f * static_cast<float>(i)), -lowest});
    const float error = error_of(in, line);
    if (line.step > 0 && error < smallest) {
      best = line;
      smallest = error;
    }
  }
  return best;
}

void quantize_q4_k(const float* in, std::byte* block) {
  Line lines[8], largest;
  for (int j = 0; j < 8; ++j) {
    lines[j] = best_line(in + std::ptrdiff_t{j} * 32);
    largest = {std::max(largest.step, lines[j].step), std::max(largest.offset, lines[j].offset)};
  }
  const float d = put_half(largest.step / 63, block),
              dmin = put_half(largest.offset / 63, block + 2);
  int scales[8], mins[8];
  for (int j = 0; j < 8; ++j) {
    const auto six_bits = [](float value) {
      return static_cast<int>(std::clamp(value, 0.0f, 63.0f));
    };
    const int scale = six_bits(lines[j].step * inverse(d) + 0.5f);
    const int min = six_bits(lines[j].offset * inverse(dmin) + 0.5f);
    const auto line = [&](int s, int m) {
      return Line{d * static_cast<float>(s), dmin * static_cast<float>(m)};
    };
    float smallest = HUGE_VALF;
    for (int s = std::max(scale - 1, 0); s <= std::min(scale + 1, 63); ++s) {
      for (int m = std::max(min - 1, 0); m <= std::min(min + 1, 63); ++m) {
        const float error = error_of(in + std::ptrdiff_t{j} * 32, line(s, m));
        if (!(error < smallest) && smallest != HUGE_VALF) continue;
        smallest = error;
        scales[j] = s;
        mins[j] = m;
      }
    }
    const Line found = line(scales[j], mins[j]);
    std::byte* const bytes = block + 16 + std::ptrdiff_t{j / 2} * 32;
    for (int i = 0; i < 32; ++i) {
      const int n = rounded((in[32 * j + i] + found.offset) * inverse(found.step));
      bytes[i] = j % 2 == 0 ? static_cast<std::byte>(n) : bytes[i] | static_cast<std::byte>(n << 4);
    }
  }
  for (int j = 0; j < 4; ++j) {
    block[4 + j] = static_cast<std::byte>(scales[j] | (scales[j + 4] >> 4) << 6);
    block[8 + j] = static_cast<std::byte>(mins[j] | (mins[j + 4] >> 4) << 6);
    block[12 + j] = static_cast<std::byte>((scales[j + 4] & 15) | (mins[j + 4] & 15) << 4);
  }
}

}  // namespace

void quantize_blocks(BlockFormat format, const float* in, std::int64_t count, std::byte* blocks) {
  constexpr void (*kQuantize[])(const float*, std::byte*) = {quantize_q8_0, quantize_q4_0,
                                                             quantize_q4_1, quantize_q4_k};
  TERN_CHECK(static_cast<std::size_t>(format) < std::size(kQuantize), Error,
             "quantize_blocks: blocks of ", block_format_name(format),
             " can be read, but not written");
  const auto quantize = kQuantize[static_cast<int>(format)];
  for (std::int64_t i = 0; i < count; ++i) {
    quantize(in + i * elements_of_block(format), blocks + i * bytes_of_block(format));
  }
}

}  // namespace tern
