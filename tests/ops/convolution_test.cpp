#include <limits>

#include <gtest/gtest.h>

#include <tern/tern.h>

#include "error_of.h"

// What the records of convolutions cannot say: numbers that are arguments.

namespace tern {
namespace {

Tensor an_input() { return ones({2, 4, 6, 6}); }
Tensor a_weight() { return ones({5, 4, 3, 3}); }

TEST(Convolution, RefusesBadNumbers) {
  const auto text = [](IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
                       std::int64_t groups) {
    return error_of([&] { conv2d(an_input(), a_weight(), {}, stride, padding, dilation, groups); });
  };
  EXPECT_EQ(text(0, 0, 1, 1), "conv2d: non-positive stride is not supported, got [0, 0]");
  EXPECT_EQ(text({1, -1}, 0, 1, 1), "conv2d: non-positive stride is not supported, got [1, -1]");
  EXPECT_EQ(text(1, {0, -1}, 1, 1), "conv2d: negative padding is not supported, got [0, -1]");
  EXPECT_EQ(text(1, 0, 0, 1), "conv2d: non-positive dilation is not supported, got [0, 0]");
  EXPECT_EQ(text(1, 0, 1, 0), "conv2d: non-positive groups is not supported, got 0");
  EXPECT_EQ(text({1, 1, 1}, 0, 1, 1),
            "conv2d: expected stride to be a single integer value or a list of 2 values to match "
            "the convolution dimensions, but got stride=[1, 1, 1]");
  EXPECT_EQ(text({}, 0, 1, 1),
            "conv2d: expected stride to be a single integer value or a list of 2 values to match "
            "the convolution dimensions, but got stride=[]");
  EXPECT_EQ(text(1, {1, 1, 1}, 1, 1),
            "conv2d: expected padding to be a single integer value or a list of 2 values to match "
            "the convolution dimensions, but got padding=[1, 1, 1]");
  EXPECT_EQ(text(1, 0, 4, 1),
            "conv2d: Calculated padded input size per channel: (6 x 6). Kernel size: (9 x 9). "
            "Kernel size can't be greater than actual input size");
  EXPECT_EQ(error_of([] { conv2d(an_input(), a_weight(), {}, 2, "same"); }),
            "conv2d: padding='same' is not supported for strided convolutions, got stride [2]");
  EXPECT_EQ(error_of([] { conv2d(an_input(), a_weight(), {}, 1, "abc"); }),
            "conv2d: Invalid padding string: 'abc'");
}

TEST(Convolution, RefusesSizesThatOverflow) {
  static constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(error_of([] { conv2d(an_input(), a_weight(), {}, 1, kMost / 2 + 1); }),
            "conv2d: Given padding=4611686018427387904 at dimension 0, expected padding to be at "
            "most 4611686018427387903");
  EXPECT_NE(error_of([] { conv2d(an_input(), a_weight(), {}, 1, kMost / 2); }), "");
  EXPECT_NE(error_of([] { conv2d(an_input(), a_weight(), {}, 1, 0, kMost); }), "");
  EXPECT_NE(error_of([] { conv2d(an_input(), a_weight(), {}, 1, std::int64_t{1} << 40); }), "");
  EXPECT_NE(error_of([] { conv2d(an_input(), a_weight(), {}, 1, 0, 1, kMost); }), "");
  EXPECT_NE(error_of([] { conv_transpose2d(an_input(), ones({4, 5, 3, 3}), {}, kMost); }), "");
}

TEST(Convolution, RefusesTensorsOfSeveralDtypes) {
  EXPECT_EQ(error_of<DTypeError>([] { conv2d(an_input().to(kDouble), a_weight()); }),
            "conv2d: Input type (Double) and weight type (Float) should be the same");
  EXPECT_EQ(error_of<DTypeError>([] { conv2d(an_input(), a_weight(), ones({5}, kDouble)); }),
            "conv2d: Input type (Float) and bias type (Double) should be the same");
}

TEST(Convolution, RefusesBadOutputPadding) {
  const Tensor weight = ones({4, 5, 3, 3});
  EXPECT_EQ(error_of([&] { conv_transpose2d(an_input(), weight, {}, 1, 0, 1); }),
            "conv_transpose2d: output padding must be smaller than either stride or dilation, but "
            "got output_padding: [1, 1] stride: [1, 1] dilation: [1, 1]");
  EXPECT_EQ(error_of([&] { conv_transpose2d(an_input(), weight, {}, 1, 0, -1); }),
            "conv_transpose2d: negative output_padding is not supported, got [-1, -1]");
  EXPECT_EQ(conv_transpose2d(an_input(), weight, {}, 1, 0, 1, 1, 2).sizes(),
            IntArrayRef({2, 5, 11, 11}));
}

TEST(Convolution, WithoutChannelsIsTheBias) {
  const Tensor bias = tensor({1.0f, 2.0f});
  const Tensor y = conv2d(ones({1, 0, 3, 3}), ones({2, 0, 2, 2}), bias);
  EXPECT_TRUE(y.equal(bias.view({1, 2, 1, 1}).expand({1, 2, 2, 2})));
}

TEST(Convolution, GradientsOfEmptyBatchesAreZeros) {
  const Tensor x = zeros({0, 4, 6, 6}).requires_grad_(), w = a_weight().clone().requires_grad_();
  conv2d(x, w).sum().backward();
  EXPECT_TRUE(w.grad().equal(zeros_like(w)));
  EXPECT_EQ(x.grad().sizes(), x.sizes());
}

TEST(Convolution, TakesViewsOfAnyLayout) {
  const Tensor x = randn({2, 6, 7, 4}).permute({0, 3, 1, 2}),
               w = randn({3, 3, 4, 5}).permute({3, 2, 0, 1});
  // Each memory format adds in its own order.
  EXPECT_TRUE(conv2d(x, w).allclose(conv2d(x.contiguous(), w.contiguous()), 1e-5, 1e-5));
}

}  // namespace
}  // namespace tern
