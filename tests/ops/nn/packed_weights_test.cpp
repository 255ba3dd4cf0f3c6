#include <gtest/gtest.h>

#include <cmath>
#include <thread>
#include <vector>

#include <tern/core/base/exact_products.h>
#include <tern/core/base/packed_weights.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/allocator.h>

// Products with quantised weights of which the processor keeps a packed copy. Processors without
// AVX-512 and VNNI keep none; what is tested holds for them, too.

namespace tern {
namespace {

constexpr BlockFormat kFormats[] = {BlockFormat::kQ8_0, BlockFormat::kQ4_0, BlockFormat::kQ4_1,
                                    BlockFormat::kQ4_K};

/// Packs weights in its life.
struct Packing {
  Packing() { use_packed_quantized_weights(true); }
  Packing(const Packing&) = delete;
  Packing& operator=(const Packing&) = delete;
  ~Packing() { use_packed_quantized_weights(false); }
};

/// Returns the product of rounded activations, in float64.
Tensor product_of_rounded(const Tensor& x, const Tensor& blocks, BlockFormat format,
                          const Tensor& bias) {
  const Tensor parts = x.reshape({x.size(0), -1, 32}).to(kDouble);
  const Tensor scale = parts.abs().amax(-1, /*keepdim=*/true) / 127;
  const Tensor rounded = ((parts / scale.clamp_min(1e-30)).round() * scale).reshape(x.sizes());
  return linear(rounded, dequantize_rows(blocks, format, kDouble), bias.to(kDouble));
}

TEST(PackedWeights, GiveTheProductsOfRoundedActivations) {
  const Packing packing;
  manual_seed(1);
  for (const BlockFormat format : kFormats) {
    // A part of a strip of 16 features, whole strips, and both; one block, and several.
    for (const std::int64_t features : {1, 15, 16, 37, 64}) {
      for (const std::int64_t columns : {256, 512}) {
        const Tensor blocks = quantize_rows(randn({features, columns}), format);
        const Tensor bias = randn({features});
        for (const std::int64_t rows : {1, 3, 4, 7, 8, 13}) {
          const Tensor x = randn({rows, columns});
          const Tensor y = quantized_linear(x, blocks, format, bias);
          const Tensor want = product_of_rounded(x, blocks, format, bias);
          const double difference = (y.to(kDouble) - want).abs().max().item<double>();
          EXPECT_LT(difference, 2e-4)
              << block_format_name(format) << ' ' << features << ' ' << rows;
        }
      }
    }
  }
}

TEST(PackedWeights, HoldBlocksOfOneRowAndStridedActivations) {
  const Packing packing;
  manual_seed(2);
  const Tensor blocks = quantize_rows(randn({20, 32}), BlockFormat::kQ4_0), x = randn({32, 5});
  const Tensor y = quantized_linear(x.t(), blocks, BlockFormat::kQ4_0);
  EXPECT_TRUE(y.equal(quantized_linear(x.t().contiguous(), blocks, BlockFormat::kQ4_0)));
  const Tensor wide = randn({5, 64});
  EXPECT_TRUE(
      quantized_linear(wide.slice(1, 0, 32), blocks, BlockFormat::kQ4_0)
          .equal(quantized_linear(wide.slice(1, 0, 32).contiguous(), blocks, BlockFormat::kQ4_0)));
  EXPECT_EQ(quantized_linear(zeros({0, 32}), blocks, BlockFormat::kQ4_0).sizes(),
            IntArrayRef({0, 20}));
  EXPECT_EQ(quantized_linear(zeros({2, 32}), zeros({0, 18}, kByte), BlockFormat::kQ4_0).sizes(),
            IntArrayRef({2, 0}));
}

TEST(PackedWeights, GiveARowTheSameBitsInEveryCall) {
  const Packing packing;
  const int threads = get_num_threads();
  manual_seed(3);
  const Tensor x = randn({21, 576});
  for (const BlockFormat format : {BlockFormat::kQ8_0, BlockFormat::kQ4_0, BlockFormat::kQ4_1}) {
    const Tensor blocks = quantize_rows(randn({1000, 576}), format);
    const Tensor y = quantized_linear(x, blocks, format);
    for (const int count : {1, 3}) {
      set_num_threads(count);
      EXPECT_TRUE(quantized_linear(x, blocks, format).equal(y)) << count;
    }
    set_num_threads(threads);
    // A packed copy that was made by other threads' call.
    EXPECT_TRUE(quantized_linear(x, blocks.clone(), format).equal(y));
  }
}

TEST(PackedWeights, SeeChangesInPlaceAndOtherFormats) {
  const Packing packing;
  manual_seed(4);
  const Tensor x = randn({2, 64}), other = quantize_rows(randn({32, 64}), BlockFormat::kQ4_0);
  const Tensor blocks = quantize_rows(randn({32, 64}), BlockFormat::kQ4_0);
  const Tensor before = quantized_linear(x, blocks, BlockFormat::kQ4_0);
  const Tensor same = blocks;  // another name of the same memory
  same.copy_(other);
  const Tensor after = quantized_linear(x, blocks, BlockFormat::kQ4_0);
  EXPECT_FALSE(after.equal(before));
  EXPECT_TRUE(after.equal(quantized_linear(x, other, BlockFormat::kQ4_0)));

  // The same bytes as blocks of another format.
  const Tensor bytes = cat({other, other, other, other, other}, 1);  // 180 bytes: 10 or 9 blocks
  const Tensor wide = randn({2, 320}), narrow = wide.slice(1, 0, 288);
  const auto unpacked = [&](const Tensor& input, BlockFormat format) {
    return quantized_linear(input, bytes.clone(), format);
  };
  EXPECT_TRUE(
      quantized_linear(wide, bytes, BlockFormat::kQ4_0).equal(unpacked(wide, BlockFormat::kQ4_0)));
  EXPECT_TRUE(quantized_linear(narrow, bytes, BlockFormat::kQ4_1)
                  .allclose(unpacked(narrow, BlockFormat::kQ4_1), 1e-5, 1e-8, /*equal_nan=*/true));

  // Parts of memory are not packed, and are right.
  const Tensor part = blocks.slice(0, 8, 24);
  const Tensor want = quantized_linear(x, part.clone(), BlockFormat::kQ4_0);
  EXPECT_TRUE(allclose(quantized_linear(x, part, BlockFormat::kQ4_0), want, 1e-4, 1e-4));
}

TEST(PackedWeights, AreFreedWithTheBlocks) {
  const auto used = [] { return detail::allocator_of(kCPU).stats(0).live_bytes; };
  const std::int64_t before = used();
  {
    const Packing packing;
    Tensor blocks = quantize_rows(ones({512, 512}), BlockFormat::kQ8_0);
    const std::int64_t alone = used();
    quantized_linear(ones({1, 512}), blocks, BlockFormat::kQ8_0);
    const std::int64_t packed = used();
    EXPECT_TRUE(packed == alone || packed >= alone + static_cast<std::int64_t>(blocks.nbytes()));
    blocks.zero_();
    quantized_linear(ones({1, 512}), blocks, BlockFormat::kQ8_0);
    EXPECT_EQ(used(), packed);
    EXPECT_EQ(quantized_linear(ones({1, 512}), blocks, BlockFormat::kQ8_0).sum().item<double>(), 0);
  }
  EXPECT_EQ(used(), before);
}

TEST(PackedWeights, KeepNaNInItsRowAndLeaveExactProductsAlone) {
  manual_seed(5);
  const Tensor blocks = quantize_rows(randn({40, 64}), BlockFormat::kQ8_0);
  Tensor x = randn({9, 64});
  use_exact_quantized_products(true);
  const Tensor exact = quantized_linear(x, blocks, BlockFormat::kQ8_0);
  {
    const Packing packing;
    EXPECT_TRUE(quantized_linear(x, blocks, BlockFormat::kQ8_0).equal(exact));
  }
  use_exact_quantized_products(false);
  const Packing packing;
  const Tensor clean = quantized_linear(x, blocks, BlockFormat::kQ8_0);
  x[3][40].fill_(INFINITY);
  const Tensor y = quantized_linear(x, blocks, BlockFormat::kQ8_0);
  EXPECT_FALSE(y[3].isfinite().any().item<bool>());
  EXPECT_TRUE(y.slice(0, 0, 3).equal(clean.slice(0, 0, 3)));
  EXPECT_TRUE(y.slice(0, 4, 9).equal(clean.slice(0, 4, 9)));
}

TEST(PackedWeights, AreMadeOnceByManyThreads) {
  const Packing packing;
  manual_seed(6);
  const Tensor x = randn({2, 256}), blocks = quantize_rows(randn({300, 256}), BlockFormat::kQ4_1);
  const Tensor want = quantized_linear(x, blocks.clone(), BlockFormat::kQ4_1);
  Tensor found[4];
  std::vector<std::thread> callers;
  for (Tensor& result : found) {
    callers.emplace_back([&] { result = quantized_linear(x, blocks, BlockFormat::kQ4_1); });
  }
  for (std::thread& caller : callers) caller.join();
  for (const Tensor& result : found) EXPECT_TRUE(result.equal(want));
}

}  // namespace
}  // namespace tern
