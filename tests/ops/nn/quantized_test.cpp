#include <cmath>

#include <gtest/gtest.h>

#include <tern/core/autograd/autocast.h>
#include <tern/core/autograd/gradcheck.h>
#include <tern/core/ops/ops.h>

#include "error_of.h"

// The ops on blocks. The kernel's sums are in backends/kernels/quantized_linear_test, the blocks
// themselves in core/base/block_format_test.

namespace tern {
namespace {

constexpr BlockFormat kMade[] = {BlockFormat::kQ8_0, BlockFormat::kQ4_0, BlockFormat::kQ4_1,
                                 BlockFormat::kQ4_K};

double largest_difference(const Tensor& a, const Tensor& b) {
  return (a.to(kDouble) - b.to(kDouble)).abs().max().item<double>();
}

TEST(QuantizeRows, GivesTheBytesOfEachFormat) {
  manual_seed(1);
  const Tensor x = randn({2, 3, 512});
  const std::int64_t bytes[] = {544, 288, 320, 288};
  const double limits[] = {0.02, 0.3, 0.2, 0.2};
  for (std::size_t i = 0; i < 4; ++i) {
    const Tensor blocks = quantize_rows(x, kMade[i]);
    EXPECT_EQ(blocks.dtype(), kByte);
    EXPECT_EQ(blocks.sizes(), IntArrayRef({2, 3, bytes[i]}));
    const Tensor back = dequantize_rows(blocks, kMade[i]);
    EXPECT_EQ(back.sizes(), x.sizes());
    EXPECT_LT(largest_difference(back, x), limits[i] * 2) << i;
    const Tensor turned = quantize_rows(x.transpose(0, 1), kMade[i]);  // not contiguous
    EXPECT_TRUE(turned.equal(blocks.transpose(0, 1)));
    EXPECT_TRUE(quantize_rows(x.to(kDouble), kMade[i]).equal(blocks));
  }
}

TEST(QuantizeRows, RoundsElementsToTheDtype) {
  const Tensor blocks = quantize_rows(arange(64).to(kFloat) / 7, BlockFormat::kQ8_0);
  const Tensor x = dequantize_rows(blocks, BlockFormat::kQ8_0);
  for (const ScalarType dtype : {kDouble, kHalf, kBFloat16}) {
    const Tensor y = dequantize_rows(blocks, BlockFormat::kQ8_0, dtype);
    EXPECT_EQ(y.dtype(), dtype);
    EXPECT_TRUE(y.equal(x.to(dtype)));
  }
}

TEST(QuantizeRows, RefusesWhatBlocksCannotHold) {
  const auto error = [](const Tensor& x, BlockFormat format) {
    return error_of([&] { quantize_rows(x, format); });
  };
  EXPECT_EQ(error_of<ShapeError>([] {
              quantize_rows(zeros({2, 48}), BlockFormat::kQ8_0);
            }),
            "quantize_rows: the last size of input must be a multiple of 32, the elements of a "
            "block of Q8_0, but got [2, 48]");
  EXPECT_EQ(error_of<ShapeError>([] { quantize_rows(zeros({64}), BlockFormat::kQ4_K); }),
            "quantize_rows: the last size of input must be a multiple of 256, the elements of a "
            "block of Q4_K, but got [64]");
  EXPECT_EQ(error_of<DTypeError>([] { quantize_rows(zeros({32}, kInt), BlockFormat::kQ8_0); }),
            "quantize_rows: input must be floating, but got Int");
  EXPECT_EQ(error(zeros({256}), BlockFormat::kQ6_K),
            "quantize_rows: blocks of Q6_K are only read, not made");
  const char* const bad =
      "quantize_rows: input has elements that are infinite or NaN, which blocks cannot hold";
  EXPECT_EQ(error(full({32}, NAN), BlockFormat::kQ4_0), bad);
  EXPECT_EQ(error(full({32}, -INFINITY), BlockFormat::kQ4_0), bad);
}

TEST(DequantizeRows, RefusesBytesThatAreNoBlocks) {
  const auto call = [](const Tensor& blocks, ScalarType dtype = kFloat) {
    return [=] { dequantize_rows(blocks, BlockFormat::kQ4_1, dtype); };
  };
  EXPECT_EQ(error_of<ShapeError>(call(zeros({2, 30}, kByte))),
            "dequantize_rows: the last size of blocks must be a multiple of 20, the bytes of a "
            "block of Q4_1, but got [2, 30]");
  EXPECT_EQ(error_of<DTypeError>(call(zeros({2, 40}))),
            "dequantize_rows: blocks must be uint8, but got Float");
  EXPECT_EQ(error_of<DTypeError>(call(zeros({2, 40}, kByte), kInt)),
            "dequantize_rows: dtype must be floating, but got Int");
}

TEST(QuantizedLinear, IsCloseToTheProductWithTheDequantisedWeight) {
  manual_seed(2);
  for (const BlockFormat format : kMade) {
    const Tensor blocks = quantize_rows(randn({37, 256}), format);
    const Tensor weight = dequantize_rows(blocks, format, kDouble), bias = randn({37});
    for (const std::int64_t rows : {1, 2, 5, 17, 40}) {
      const Tensor x = randn({rows, 256});
      const Tensor want = linear(x.to(kDouble), weight, bias.to(kDouble));
      const Tensor got = quantized_linear(x, blocks, format, bias);
      EXPECT_EQ(got.dtype(), kFloat);
      // The steps of 8 bits: 1 percent of a standard deviation, which is about 16.
      EXPECT_LT(largest_difference(got, want), rows < 16 ? 0.6 : 1e-4);
      EXPECT_TRUE(quantized_linear(x.to(kDouble), blocks, format, bias.to(kDouble)).equal(want));
      for (const ScalarType dtype : {kHalf, kBFloat16}) {
        const Tensor narrow = x.to(dtype);
        const Tensor y = quantized_linear(narrow, blocks, format, bias.to(dtype));
        EXPECT_EQ(y.dtype(), dtype);
        // Computed in float32 and rounded once.
        EXPECT_TRUE(
            y.equal(quantized_linear(narrow.to(kFloat), blocks, format, bias.to(dtype).to(kFloat))
                        .to(dtype)));
      }
    }
  }
}

TEST(QuantizedLinear, RoundsNothingIfExact) {
  manual_seed(4);
  EXPECT_FALSE(are_quantized_products_exact());
  for (const BlockFormat format : kMade) {
    const Tensor blocks = quantize_rows(randn({37, 256}), format), bias = randn({37});
    const Tensor weight = dequantize_rows(blocks, format);
    for (const std::int64_t rows : {1, 3, 4, 15}) {
      const Tensor x = randn({rows, 256}), want = linear(x, weight, bias);
      const Tensor rounded = quantized_linear(x, blocks, format, bias);
      use_exact_quantized_products(true);
      EXPECT_TRUE(are_quantized_products_exact());
      const Tensor exact = quantized_linear(x, blocks, format, bias);
      use_exact_quantized_products(false);
      EXPECT_LT(largest_difference(exact, want), 1e-4);
      EXPECT_GT(largest_difference(rounded, want), 1e-3);
      EXPECT_TRUE(quantized_linear(x, blocks, format, bias).equal(rounded));
    }
  }
}

TEST(QuantizedLinear, TakesInputsOfAnyLayout) {
  manual_seed(3);
  const BlockFormat format = BlockFormat::kQ8_0;
  const Tensor blocks = quantize_rows(randn({5, 64}), format), x = randn({2, 3, 64});
  const Tensor want = quantized_linear(x.reshape({6, 64}), blocks, format);
  EXPECT_TRUE(quantized_linear(x, blocks, format).equal(want.reshape({2, 3, 5})));
  const Tensor turned = x.transpose(0, 2).contiguous().transpose(0, 2);
  EXPECT_TRUE(quantized_linear(turned, blocks, format).equal(want.reshape({2, 3, 5})));
  const Tensor wide = cat({x, x}, -1).narrow(-1, 64, 64);  // rows with gaps
  EXPECT_TRUE(quantized_linear(wide, blocks, format).equal(want.reshape({2, 3, 5})));
  EXPECT_TRUE(quantized_linear(x.select(0, 1).select(0, 2), blocks, format).equal(want[5]));
  const Tensor equal = x.narrow(1, 0, 1).expand({2, 4, 64});
  EXPECT_TRUE(quantized_linear(equal, blocks, format)
                  .equal(want.reshape({2, 3, 5}).narrow(1, 0, 1).expand({2, 4, 5})));
  const Tensor columns = blocks.t().contiguous().t();
  EXPECT_TRUE(quantized_linear(x, columns, format).equal(want.reshape({2, 3, 5})));
}

TEST(QuantizedLinear, TakesEmptyTensors) {
  const BlockFormat format = BlockFormat::kQ4_0;
  const Tensor blocks = zeros({3, 18}, kByte);
  EXPECT_EQ(quantized_linear(zeros({0, 32}), blocks, format).sizes(), IntArrayRef({0, 3}));
  EXPECT_EQ(quantized_linear(zeros({2, 0, 32}), blocks, format).sizes(), IntArrayRef({2, 0, 3}));
  EXPECT_EQ(quantized_linear(zeros({4, 32}), zeros({0, 18}, kByte), format).sizes(),
            IntArrayRef({4, 0}));
  const Tensor bias = tensor({1.0f, 2.0f});
  EXPECT_TRUE(quantized_linear(zeros({2, 0}), zeros({2, 0}, kByte), format, bias)
                  .equal(tensor({{1.0f, 2.0f}, {1.0f, 2.0f}})));
}

TEST(QuantizedLinear, HasTheGradientsOfInputAndBias) {
  manual_seed(4);
  for (const BlockFormat format : kMade) {
    const Tensor blocks = quantize_rows(randn({6, 256}), format);
    const Tensor weight = dequantize_rows(blocks, format);
    const Tensor x = randn({2, 3, 256}).requires_grad_(), bias = randn({6}).requires_grad_();
    const Tensor y = quantized_linear(x, blocks, format, bias), g = randn({2, 3, 6});
    EXPECT_EQ(y.grad_fn()->name(), "QuantizedLinearBackward0");
    y.backward(g);
    EXPECT_TRUE(x.grad().allclose(g.matmul(weight), 1e-5, 1e-5));
    EXPECT_TRUE(bias.grad().allclose(g.sum({0, 1}), 1e-5, 1e-5));
    const Tensor one = randn({256}).requires_grad_();
    quantized_linear(one, blocks, format, bias).sum().backward();
    EXPECT_TRUE(one.grad().allclose(weight.sum(0), 1e-5, 1e-5));
    // In bfloat16, and through a float64 input, where the results are those of linear().
    const Tensor narrow = x.detach().to(kBFloat16).requires_grad_();
    quantized_linear(narrow, blocks, format).sum().backward();
    EXPECT_EQ(narrow.grad().dtype(), kBFloat16);
    EXPECT_LT(largest_difference(narrow.grad(), weight.sum(0).expand({2, 3, 256})), 0.2);
    const auto product = [&](const std::vector<Tensor>& in) {
      return std::vector{quantized_linear(in[0], blocks, format, in[1])};
    };
    const std::vector<Tensor> in = {randn({2, 256}, kDouble).requires_grad_(),
                                    randn({6}, kDouble).requires_grad_()};
    EXPECT_TRUE(autograd::gradcheck(product, in));
  }
}

TEST(QuantizedLinear, FollowsAutocast) {
  manual_seed(5);
  const BlockFormat format = BlockFormat::kQ8_0;
  const Tensor blocks = quantize_rows(randn({5, 64}), format), x = randn({2, 64});
  const Tensor want = quantized_linear(x.to(kBFloat16), blocks, format);
  const amp::Autocast autocast(kCPU);
  EXPECT_TRUE(quantized_linear(x, blocks, format).equal(want));
}

TEST(QuantizedLinear, NamesWhatDoesNotFit) {
  const Tensor blocks = zeros({3, 68}, kByte), x = zeros({2, 64});
  const auto call = [](const Tensor& input, const Tensor& w, const Tensor& bias = {}) {
    return [=] { quantized_linear(input, w, BlockFormat::kQ8_0, bias); };
  };
  EXPECT_EQ(error_of<ShapeError>(call(zeros({2, 32}), blocks)),
            "quantized_linear: the last size of input [2, 32] must be 64, the elements in a row of "
            "blocks [3, 68] of Q8_0");
  EXPECT_EQ(error_of<ShapeError>(call(x, zeros({3, 64}, kByte))),
            "quantized_linear: the last size of blocks must be a multiple of 34, the bytes of a "
            "block of Q8_0, but got [3, 64]");
  EXPECT_EQ(error_of<ShapeError>(call(x, zeros({68}, kByte))),
            "quantized_linear: blocks must be a matrix, but got [68]");
  EXPECT_EQ(error_of<DTypeError>(call(x, zeros({3, 68}))),
            "quantized_linear: blocks must be uint8, but got Float");
  EXPECT_EQ(error_of<DTypeError>(call(x.to(kInt), blocks)),
            "quantized_linear: input must be floating, but got Int");
  EXPECT_EQ(error_of<DTypeError>(call(x, blocks, zeros({3}, kDouble))),
            "quantized_linear: the bias must have the dtype of input, Float, but got Double");
  EXPECT_EQ(error_of<ShapeError>(call(x, blocks, zeros({4}))),
            "quantized_linear: the bias must have the sizes [3], but got [4]");
}

TEST(QuantizedLinear, HasSizesOnMeta) {
  const TensorOptions meta = TensorOptions().device("meta");
  const Tensor blocks = quantize_rows(empty({3, 64}, meta), BlockFormat::kQ8_0);
  EXPECT_EQ(blocks.sizes(), IntArrayRef({3, 68}));
  EXPECT_TRUE(blocks.is_meta());
  EXPECT_EQ(dequantize_rows(blocks, BlockFormat::kQ8_0, kHalf).dtype(), kHalf);
  const Tensor y = quantized_linear(empty({2, 64}, meta), blocks, BlockFormat::kQ8_0);
  EXPECT_TRUE(y.is_meta());
  EXPECT_EQ(y.sizes(), IntArrayRef({2, 3}));
  EXPECT_EQ(error_of<DeviceError>([&] {
              quantized_linear(zeros({2, 64}), blocks, BlockFormat::kQ8_0);
            }),
            "quantized_linear: Expected all tensors to be on the same device, but found at least "
            "two devices, cpu and meta! (when checking argument for argument blocks in method "
            "wrapper_CUDA_quantized_linear)");
}

TEST(QuantizedLinear, RunsOnTheCpuOnly) {
  const Tensor blocks = zeros({3, 34}, kByte), x = zeros({2, 32});
  const char* const cure =
      " is on cuda:0: move it to the CPU, or dequantize the weights there and move them";
  EXPECT_EQ(error_of<NotImplementedError>(
                [&] { quantized_linear(x.to("cuda:0"), blocks.to("cuda:0"), BlockFormat::kQ8_0); }),
            std::string("quantized_linear: quantized weights run on the CPU, but input") + cure);
  EXPECT_EQ(error_of<NotImplementedError>(
                [&] { dequantize_rows(blocks.to("cuda:0"), BlockFormat::kQ8_0); }),
            std::string("dequantize_rows: quantized weights run on the CPU, but blocks") + cure);
  EXPECT_EQ(
      error_of<NotImplementedError>([&] { quantize_rows(x.to("cuda:0"), BlockFormat::kQ8_0); }),
      std::string("quantize_rows: quantized weights run on the CPU, but input") + cure);
}

TEST(QuantizedEmbedding, LooksRowsUp) {
  manual_seed(6);
  const Tensor table = randn({10, 64});
  const Tensor at = tensor({{3, 0}, {9, 3}});
  for (const BlockFormat format : {BlockFormat::kQ8_0, BlockFormat::kQ4_1}) {
    const Tensor blocks = quantize_rows(table, format);
    const Tensor rows = quantized_embedding(at, blocks, format);
    EXPECT_TRUE(rows.equal(embedding(dequantize_rows(blocks, format), at)));
    EXPECT_FALSE(rows.requires_grad());
    EXPECT_TRUE(
        quantized_embedding(at.to(kInt), blocks, format, kBFloat16).equal(rows.to(kBFloat16)));
  }
  const Tensor blocks = quantize_rows(table, BlockFormat::kQ8_0);
  const auto call = [&](const Tensor& indices, const Tensor& w) {
    return [=] { quantized_embedding(indices, w, BlockFormat::kQ8_0); };
  };
  EXPECT_NE(error_of<IndexError>(call(tensor({10}), blocks)), "");
  EXPECT_NE(error_of<DTypeError>(call(zeros({1}), blocks)), "");
  EXPECT_NE(error_of<DTypeError>(call(at, table)), "");
}

}  // namespace
}  // namespace tern
