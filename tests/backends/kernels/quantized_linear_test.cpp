#include <tern/core/kernels/families/quantized_linear.h>

#include "backends/kernel_test.h"

// Products with blocks, in every instruction set, against the dequantised weights in float64: with
// the blocks as they lie, and with those that the kernel may keep in an order of its own.

namespace tern {
namespace {

using kernels::QuantizedLinearArgs;
using testing::Noise;

constexpr BlockFormat kFormats[] = {BlockFormat::kQ8_0, BlockFormat::kQ4_0, BlockFormat::kQ4_1,
                                    BlockFormat::kQ4_K, BlockFormat::kQ6_K};
constexpr std::int64_t kBlock = 32;  // elements of input with one scale
constexpr std::int64_t kManyRows = 16;

/// A product with a strided input, and its result.
struct Product {
  BlockFormat format;
  std::int64_t rows, columns, features, stride;
  std::vector<std::byte> blocks;
  std::vector<float> weight, input, bias, out;
  bool is_exact = false;
  IntrusivePtr<kernels::PackedBlocks> packed = {};

  Product(BlockFormat format_, std::int64_t rows_, std::int64_t features_, std::int64_t columns_,
          std::uint64_t seed)
      : format(format_), rows(rows_), columns(columns_), features(features_), stride(columns + 3) {
    Noise noise(seed);
    const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
    weight.resize(size(features * columns));
    blocks.resize(size(features * kernels::bytes_of_row(format, columns)));
    input.resize(size(rows * stride));
    bias.resize(size(features));
    out.resize(size(rows * features), -1);
    for (float& x : weight) x = static_cast<float>(noise.uniform(-1, 1));
    for (float& x : input) x = static_cast<float>(noise.uniform(-2, 1));
    for (float& x : bias) x = static_cast<float>(noise.uniform(-1, 1));
    const std::int64_t count = features * columns / elements_of_block(format);
    if (format == BlockFormat::kQ6_K) {  // any bytes, with a small scale
      for (std::byte& byte : blocks) byte = static_cast<std::byte>(noise.bits() >> 8);
      for (std::int64_t i = 0; i < count; ++i) {
        blocks[size(i * 210 + 208)] = std::byte{0x34};
        blocks[size(i * 210 + 209)] = std::byte{0x08};  // 2^-13 and a bit
      }
    } else {
      quantize_blocks(format, weight.data(), count, blocks.data());
    }
    dequantize_blocks(format, blocks.data(), count, weight.data());
  }

  /// Makes inputs that 8 bits hold exactly: multiples of a power of two, up to 127 of them.
  void round_input() {
    Noise noise(7);
    for (std::size_t i = 0; i < input.size(); ++i) {
      const auto number = static_cast<float>(static_cast<int>(noise.bits() >> 20 & 255) - 127);
      input[i] = std::min(number, 127.0f) / 64;
    }
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t b = 0; b < columns; b += kBlock)
        at(r, b + b / kBlock % kBlock) = 127 / 64.f;
    }
  }

  float& at(std::int64_t row, std::int64_t column) {
    return input[static_cast<std::size_t>(row * stride + column)];
  }
  float result(std::int64_t row, std::int64_t feature) const {
    return out[static_cast<std::size_t>(row * features + feature)];
  }
  float w(std::int64_t feature, std::int64_t column) const {
    return weight[static_cast<std::size_t>(feature * columns + column)];
  }

  QuantizedLinearArgs args(bool has_bias) {
    return {format,       rows,     columns,       features,
            input.data(), stride,   blocks.data(), has_bias ? bias.data() : nullptr,
            out.data(),   is_exact, packed.get()};
  }

  /// Compares with float64. A result may differ by half a step of each input, if `is_rounded`, and
  /// by the rounding of float sums.
  void check(bool has_bias, bool is_rounded) {
    const double kRounding = 1e-6;
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t f = 0; f < features; ++f) {
        double want = has_bias ? double{bias[static_cast<std::size_t>(f)]} : 0, limit = kRounding;
        for (std::int64_t b = 0; b < columns; b += kBlock) {
          double largest = 0, weights = 0;
          for (std::int64_t k = b; k < b + kBlock; ++k) {
            const double x = at(r, k), y = w(f, k);
            want += x * y;
            largest = std::max(largest, std::abs(x));
            weights += std::abs(y);
          }
          // Formats with a minimum have larger terms than their sum, the weight.
          limit += 8 * kRounding * largest * (weights + 1);
          if (is_rounded) limit += 0.5 * weights * largest / 127;
        }
        ASSERT_NEAR(result(r, f), want, limit) << "row " << r << ", feature " << f;
      }
    }
  }
};

class QuantizedLinear : public testing::KernelTest {
 protected:
  void multiply(Product& product, bool has_bias) const {
    ASSERT_EQ(run(product.args(has_bias)).status, kernels::StatusCode::kOk);
  }

  /// Compares products with float64: with the blocks as they lie, which rounds the input or not,
  /// then with packed blocks, which are made by the first product.
  void check(Product& product, bool has_bias, bool is_rounded, bool is_rounded_packed) const {
    multiply(product, has_bias);
    product.check(has_bias, is_rounded);
    product.packed = IntrusivePtr<kernels::PackedBlocks>(
        new kernels::PackedBlocks(product.format, product.columns, 0));
    for (int call = 0; call < 2; ++call) {
      product.out.assign(product.out.size(), -1);
      multiply(product, has_bias);
      product.check(has_bias, is_rounded_packed);
    }
  }

  template <class Fn>
  static void for_each_size(const Fn& fn) {
    for (const BlockFormat format : kFormats) {
      const std::int64_t block = elements_of_block(format);
      for (const std::int64_t rows : {1, 2, 3, 4, 5, 7, 8, 11, 15, 16, 17, 33}) {
        for (const std::int64_t features : {1, 2, 3, 4, 5, 7, 9, 17}) {
          SCOPED_TRACE(std::string(block_format_name(format)) + ", " + std::to_string(rows) +
                       " rows, " + std::to_string(features) + " features");
          fn(format, rows, features, block * (1 + (rows + features) % 3));
        }
      }
    }
  }
};

TEST_P(QuantizedLinear, DiffersByHalfAStepOfTheInput) {
  std::uint64_t seed = 1;
  for_each_size(
      [&](BlockFormat format, std::int64_t rows, std::int64_t features, std::int64_t columns) {
        Product product(format, rows, features, columns, ++seed);
        const bool has_bias = seed % 2 == 0;
        check(product, has_bias, format != BlockFormat::kQ6_K && rows < kManyRows, true);
      });
}

TEST_P(QuantizedLinear, IsExactUpToRoundingForInputsThatEightBitsHold) {
  std::uint64_t seed = 1000;
  for_each_size(
      [&](BlockFormat format, std::int64_t rows, std::int64_t features, std::int64_t columns) {
        Product product(format, rows, features, columns, ++seed);
        product.round_input();
        const bool has_bias = seed % 2 == 0;
        check(product, has_bias, false, false);
      });
}

TEST_P(QuantizedLinear, TakesAnyNumberOfBlocks) {
  // The kernels take up to four blocks at a time.
  std::uint64_t seed = 2000;
  for (const BlockFormat format : kFormats) {
    for (std::int64_t blocks = 1; blocks <= 9; ++blocks) {
      for (const std::int64_t rows : {1, 4, 6}) {
        SCOPED_TRACE(std::string(block_format_name(format)) + ", " + std::to_string(rows) +
                     " rows, " + std::to_string(blocks) + " blocks");
        Product product(format, rows, 3, blocks * elements_of_block(format), ++seed);
        product.round_input();
        check(product, true, false, false);
      }
    }
  }
}

TEST_P(QuantizedLinear, TakesBlocksAtAnyAddress) {
  for (const BlockFormat format : kFormats) {
    for (const std::int64_t rows : {1, 5, 20}) {
      Product product(format, rows, 6, 1280, 9);
      multiply(product, true);
      const std::vector<float> want = product.out;
      for (const std::size_t offset : {1u, 2u, 7u, 33u}) {
        std::vector<std::byte> moved(offset);
        moved.insert(moved.end(), product.blocks.begin(), product.blocks.end());
        QuantizedLinearArgs args = product.args(true);
        args.blocks = moved.data() + offset;
        ASSERT_EQ(run(args).status, kernels::StatusCode::kOk);
        EXPECT_EQ(product.out, want) << block_format_name(format) << ", " << offset;
      }
    }
  }
}

TEST_P(QuantizedLinear, RoundsNoInputIfExact) {
  std::uint64_t seed = 3000;
  for_each_size(
      [&](BlockFormat format, std::int64_t rows, std::int64_t features, std::int64_t columns) {
        Product product(format, rows, features, columns, ++seed);
        product.is_exact = true;
        check(product, true, false, false);
      });
}

TEST_P(QuantizedLinear, TakesTheLargestNumbersOfBlocks) {
  // All bits of the numbers set, or none: -1 and 0, or -128, of Q8_0; 15 and 0 of the others.
  for (const BlockFormat format :
       {BlockFormat::kQ8_0, BlockFormat::kQ4_0, BlockFormat::kQ4_1, BlockFormat::kQ4_K}) {
    for (const int bits : {0x00, 0x7f, 0x80, 0xff}) {
      for (const float x : {127.0f, -127.0f}) {
        Product product(format, 5, 5, 256, 3);
        std::fill(product.blocks.begin(), product.blocks.end(), static_cast<std::byte>(bits));
        const auto size = static_cast<std::size_t>(bytes_of_block(format));
        for (std::size_t i = 0; i < product.blocks.size(); i += size) {
          for (const std::size_t at : {0u, 2u}) {  // the scale is 1; so is the minimum, if any
            if (at == 2 && size < 20) continue;
            if (at == 2 && format == BlockFormat::kQ8_0) continue;
            product.blocks[i + at] = std::byte{0x00};
            product.blocks[i + at + 1] = std::byte{0x3c};
          }
        }
        dequantize_blocks(format, product.blocks.data(), 5 * 256 / elements_of_block(format),
                          product.weight.data());
        std::fill(product.input.begin(), product.input.end(), x);
        check(product, true, false, false);
      }
    }
  }
}

TEST_P(QuantizedLinear, KeepsInfinitiesAndNanInTheirRow) {
  for (const BlockFormat format : kFormats) {
    for (const std::int64_t rows : {3, 30}) {
      for (const float bad :
           {testing::Limits<float>::infinity(), -testing::Limits<float>::infinity(),
            testing::Limits<float>::quiet_NaN()}) {
        Product product(format, rows, 6, 512, 5);
        product.at(1, 300) = bad;
        multiply(product, false);
        for (std::int64_t r = 0; r < rows; ++r) {
          for (std::int64_t f = 0; f < 6; ++f) {
            EXPECT_EQ(std::isfinite(product.result(r, f)), r != 1) << r << ", " << f;
          }
        }
      }
    }
  }
}

TEST_P(QuantizedLinear, FindsNanInEachBlock) {
  for (const BlockFormat format : kFormats) {
    for (std::int64_t blocks = 1; blocks <= 7; ++blocks) {
      const std::int64_t columns = blocks * elements_of_block(format);
      for (std::int64_t block = 0; block < columns / kBlock; ++block) {
        Product product(format, 2, 2, columns, 10);
        product.at(1, block * kBlock + block % kBlock) = testing::Limits<float>::quiet_NaN();
        multiply(product, true);
        for (std::int64_t f = 0; f < 2; ++f) {
          EXPECT_TRUE(std::isfinite(product.result(0, f)));
          EXPECT_TRUE(std::isnan(product.result(1, f))) << blocks << ", " << block;
        }
      }
    }
  }
}

TEST_P(QuantizedLinear, TakesTinyInputsAndZeros) {
  for (const BlockFormat format : kFormats) {
    Product product(format, 3, 6, 512, 6);
    for (std::int64_t k = 0; k < 512; ++k) {
      product.at(0, k) = 0;
      product.at(1, k) = testing::Limits<float>::denorm_min();
      product.at(2, k) = 1e30f;
    }
    multiply(product, false);
    for (std::int64_t f = 0; f < 6; ++f) {
      EXPECT_EQ(product.result(0, f), 0);
      EXPECT_NEAR(product.result(1, f), 0, 1e-30);
      EXPECT_TRUE(std::isfinite(product.result(2, f)));
    }
  }
}

TEST_P(QuantizedLinear, HasTheSameBitsForAnyNumberOfThreads) {
  for (const BlockFormat format : kFormats) {
    for (const std::int64_t rows : {1, 6, 40}) {
      Product product(format, rows, 2051, 512, 8);
      product.packed = IntrusivePtr<kernels::PackedBlocks>(
          new kernels::PackedBlocks(format, product.columns, 0));
      set_num_threads(1);
      multiply(product, true);
      const std::vector<float> alone = std::exchange(product.out, {});
      for (const int threads : {2, 5}) {
        product.out.assign(alone.size(), -1);
        set_num_threads(threads);
        multiply(product, true);
        EXPECT_EQ(product.out, alone) << block_format_name(format) << ", " << threads;
      }
    }
  }
}

TERN_CPU_KERNEL_TESTS(QuantizedLinear);

}  // namespace
}  // namespace tern
