#include <tern/core/base/block_format.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tern/core/base/error.h>

#include "error_of.h"
#include "golden/golden.h"

// The judge is the Python package gguf: tests/golden/serialization/gguf/blocks.py.

namespace tern {
namespace {

constexpr BlockFormat kFormats[] = {BlockFormat::kQ8_0, BlockFormat::kQ4_0, BlockFormat::kQ4_1,
                                    BlockFormat::kQ4_K, BlockFormat::kQ6_K};

BlockFormat format_called(const std::string& name) {
  for (const BlockFormat format : kFormats) {
    if (block_format_name(format) == name) return format;
  }
  throw Error("no format is called " + name);
}

/// Returns the bytes of a list of hexadecimal texts.
std::vector<std::byte> bytes_of(const nlohmann::json& texts) {
  std::vector<std::byte> bytes;
  for (const std::string text : texts) {
    for (std::size_t i = 0; i < text.size(); i += 2) {
      bytes.push_back(static_cast<std::byte>(std::stoi(text.substr(i, 2), nullptr, 16)));
    }
  }
  return bytes;
}

std::vector<std::byte> quantized(BlockFormat format, const std::vector<float>& in) {
  const std::size_t count = in.size() / elements_of_block(format);
  std::vector<std::byte> blocks(count * bytes_of_block(format));
  quantize_blocks(format, in.data(), static_cast<std::int64_t>(count), blocks.data());
  return blocks;
}

std::vector<float> dequantized(BlockFormat format, const std::vector<std::byte>& blocks) {
  const std::size_t count = blocks.size() / bytes_of_block(format);
  std::vector<float> out(count * elements_of_block(format));
  dequantize_blocks(format, blocks.data(), static_cast<std::int64_t>(count), out.data());
  return out;
}

/// Returns the root of the mean squared error, relative to the elements.
double error_after(BlockFormat format, const std::vector<float>& in) {
  const std::vector<float> out = dequantized(format, quantized(format, in));
  double error = 0, size = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    error += std::pow(static_cast<double>(out[i]) - in[i], 2);
    size += std::pow(static_cast<double>(in[i]), 2);
  }
  return std::sqrt(error / size);
}

/// Returns numbers that are about normally distributed.
std::vector<float> bell(std::size_t count) {
  std::uint32_t state = 1;
  std::vector<float> numbers(count);
  for (float& number : numbers) {
    number = -6;
    for (int i = 0; i < 12; ++i) {
      state = state * 1664525U + 1013904223U;
      number += static_cast<float>(state >> 8) / (1 << 24);
    }
  }
  return numbers;
}

TEST(BlockFormatTest, DequantizesWithTheBitsOfTheReference) {
  for (const auto& entry : testing::golden("serialization/gguf/blocks").at("dequantized")) {
    const std::string name = entry.at("format");
    const std::vector<float> expected = testing::golden_numbers<float>(entry.at("out"));
    const std::vector<float> out = dequantized(format_called(name), bytes_of(entry.at("blocks")));
    ASSERT_EQ(out.size(), expected.size()) << name;
    for (std::size_t i = 0; i < out.size(); ++i) {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(out[i]), std::bit_cast<std::uint32_t>(expected[i]))
          << name << " " << i << ": " << out[i] << ", not " << expected[i];
    }
  }
}

TEST(BlockFormatTest, QuantizesWithTheBitsOfTheReference) {
  for (const auto& entry : testing::golden("serialization/gguf/blocks").at("quantized")) {
    const std::string name = entry.at("format");
    const std::vector<float> in = testing::golden_numbers<float>(entry.at("in"));
    EXPECT_EQ(quantized(format_called(name), in), bytes_of(entry.at("blocks"))) << name;
  }
}

TEST(BlockFormatTest, ReadsAndWritesBlocksAtAnyAddress) {
  for (const BlockFormat format : kFormats) {
    const std::size_t size = bytes_of_block(format);
    std::vector<std::byte> blocks(size + 1);
    for (std::size_t i = 0; i < size; ++i) blocks[i + 1] = static_cast<std::byte>(i * 37 & 63);
    const std::vector<std::byte> aligned(blocks.begin() + 1, blocks.end());
    std::vector<float> out(elements_of_block(format));
    dequantize_blocks(format, blocks.data() + 1, 1, out.data());
    EXPECT_EQ(out, dequantized(format, aligned)) << block_format_name(format);
    if (format == BlockFormat::kQ6_K) continue;
    quantize_blocks(format, out.data(), 1, blocks.data() + 1);
    EXPECT_EQ(std::vector(blocks.begin() + 1, blocks.end()), quantized(format, out));
  }
}

TEST(BlockFormatTest, FindsScalesOfQ4KThatKeepTheErrorSmall) {
  const std::vector<float> numbers = bell(64 * 256);
  // Q4_1 has 5 bits an element and Q4_K only 4.5.
  EXPECT_LT(error_after(BlockFormat::kQ4_K, numbers), 0.078);
  EXPECT_LT(error_after(BlockFormat::kQ4_K, numbers), error_after(BlockFormat::kQ4_1, numbers));
  std::vector<float> above = numbers, below = numbers;
  for (float& number : above) number = std::fabs(number) + 10;
  for (float& number : below) number = -std::fabs(number) - 10;
  EXPECT_LT(error_after(BlockFormat::kQ4_K, below), 0.02);
  EXPECT_LT(error_after(BlockFormat::kQ4_K, above), 0.06);
  EXPECT_LT(error_after(BlockFormat::kQ4_K, std::vector<float>(256, -3)), 0.001);
  EXPECT_LT(error_after(BlockFormat::kQ4_K, std::vector<float>(256, 3)), 0.001);
}

TEST(BlockFormatTest, GivesNumbersOfBlocksOfQ4KBack) {
  // Each scale and minimum has all six bits in use: 63, 62, ... and 9, 17, ...
  std::vector<float> numbers;
  for (int j = 0; j < 8; ++j) {
    for (int i = 0; i < 32; ++i) {
      numbers.push_back(static_cast<float>((63 - j) * (i * 7 % 16) - (j == 7 ? 63 : 9 + 8 * j)));
    }
  }
  const std::vector<float> out =
      dequantized(BlockFormat::kQ4_K, quantized(BlockFormat::kQ4_K, numbers));
  EXPECT_EQ(out, numbers);
}

TEST(BlockFormatTest, GivesZerosForZeros) {
  for (const BlockFormat format :
       {BlockFormat::kQ8_0, BlockFormat::kQ4_0, BlockFormat::kQ4_1, BlockFormat::kQ4_K}) {
    const std::vector<float> zeros(256);
    EXPECT_EQ(dequantized(format, quantized(format, zeros)), zeros) << block_format_name(format);
  }
}

TEST(BlockFormatTest, RefusesToWriteQ6K) {
  EXPECT_EQ(error_of<Error>([] { quantized(BlockFormat::kQ6_K, std::vector<float>(256)); }),
            "quantize_blocks: blocks of Q6_K can be read, but not written");
}

}  // namespace
}  // namespace tern
