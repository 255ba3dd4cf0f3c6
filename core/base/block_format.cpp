#include <tern/core/base/block_format.h>

#include <bit>
#include <cstring>

#include <tern/core/base/half.h>

namespace tern {
namespace {

static_assert(std::endian::native == std::endian::little, "ggml's blocks are little-endian");

float half_at(const std::byte* at) {
  std::uint16_t bits;
  std::memcpy(&bits, at, sizeof bits);
  return detail::float_of_half(bits);
}

float byte_at(const std::byte* at) { return static_cast<float>(static_cast<std::int8_t>(*at)); }

int low(std::byte byte) { return std::to_integer<int>(byte) & 15; }
int high(std::byte byte) { return std::to_integer<int>(byte) >> 4; }

void dequantize_q8_0(const std::byte* block, float* out) {
  const float d = half_at(block);
  for (int i = 0; i < 32; ++i) out[i] = d * byte_at(block + 2 + i);
}

void dequantize_q4_0(const std::byte* block, float* out) {
  const float d = half_at(block);
  for (int i = 0; i < 16; ++i) {
    out[i] = d * static_cast<float>(low(block[2 + i]) - 8);
    out[i + 16] = d * static_cast<float>(high(block[2 + i]) - 8);
  }
}

// Products of a half and a few bits are exact in float, here and below, so a fused multiply-add
// gives the same bits.
void dequantize_q4_1(const std::byte* block, float* out) {
  const float d = half_at(block), m = half_at(block + 2);
  for (int i = 0; i < 16; ++i) {
    out[i] = d * static_cast<float>(low(block[4 + i])) + m;
    out[i + 16] = d * static_cast<float>(high(block[4 + i])) + m;
  }
}

void dequantize_q4_k(const std::byte* block, float* out) {
  const float d = half_at(block), dmin = half_at(block + 2);
  const auto number = [&](int i) { return std::to_integer<int>(block[4 + i]); };
  for (int j = 0; j < 8; ++j) {
    // Each of the first eight bytes holds 6 bits of a number below 4, and the upper 2 bits of a
    // number from 4 on.
    const int scale = j < 4 ? number(j) & 63 : (number(j + 4) & 15) | (number(j - 4) >> 6) << 4;
    const int min = j < 4 ? number(j + 4) & 63 : number(j + 4) >> 4 | (number(j) >> 6) << 4;
    const float step = d * static_cast<float>(scale), offset = dmin * static_cast<float>(min);
    const std::byte* const bytes = block + 16 + std::ptrdiff_t{j / 2} * 32;
    for (int i = 0; i < 32; ++i) {
      const int n = j % 2 == 0 ? low(bytes[i]) : high(bytes[i]);
      out[32 * j + i] = step * static_cast<float>(n) - offset;
    }
  }
}

void dequantize_q6_k(const std::byte* block, float* out) {
  const std::byte *const scales = block + 192, *const upper = block + 128;
  const float d = half_at(block + 208);
  // Each half of 128 elements has 64 bytes of lower 4 bits, and 32 bytes of upper 2 bits.
  for (int j = 0; j < 8; ++j) {
    const std::byte* const fours = block + std::ptrdiff_t{j / 4} * 64 + std::ptrdiff_t{j % 2} * 32;
    const std::byte* const twos = upper + std::ptrdiff_t{j / 4} * 32;
    for (int i = 0; i < 32; ++i) {
      const int four = j % 4 < 2 ? low(fours[i]) : high(fours[i]);
      const int two = std::to_integer<int>(twos[i]) >> (2 * (j % 4)) & 3;
      const float step = d * byte_at(scales + std::ptrdiff_t{j} * 2 + i / 16);
      out[32 * j + i] = step * static_cast<float>((four | two << 4) - 32);
    }
  }
}

}  // namespace

std::string_view block_format_name(BlockFormat format) {
  constexpr std::string_view kNames[] = {"Q8_0", "Q4_0", "Q4_1", "Q4_K", "Q6_K"};
  return kNames[static_cast<int>(format)];
}

void dequantize_blocks(BlockFormat format, const std::byte* blocks, std::int64_t count,
                       float* out) {
  constexpr void (*kDequantize[])(const std::byte*, float*) = {
      dequantize_q8_0, dequantize_q4_0, dequantize_q4_1, dequantize_q4_k, dequantize_q6_k};
  const auto dequantize = kDequantize[static_cast<int>(format)];
  for (std::int64_t i = 0; i < count; ++i) {
    dequantize(blocks + i * bytes_of_block(format), out + i * elements_of_block(format));
  }
}

}  // namespace tern
