#include <limits>

#include <gtest/gtest.h>

#include <tern/tern.h>

#include "error_of.h"
#include "sanitizer.h"

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

// Row-major images are copied some at a time, so these batches need several copies, of which the
// last is a partial one. What a batch gives is what its images give, one after the other. A
// sanitizer, which checks the bounds of the copies, sees the batches of every second call alone.
TEST(Convolution, OfManyLargeImagesIsThatOfEachImage) {
  using Sizes = std::vector<std::int64_t>;
  struct Call {
    Sizes input, weight;
    std::int64_t groups = 1;
    bool transposed = false;
    ScalarType dtype = kFloat;
  };
  const Call calls[] = {
      {{9, 8, 192, 192}, {8, 2, 3, 3}, 4},
      {{9, 8, 192, 192}, {8, 8, 3, 3}},
      {{9, 8, 96, 96}, {8, 8, 2, 2}, 1, true},
      {{9, 8, 192, 192}, {8, 8, 1, 1}},
      {{9, 4, 20, 60, 60}, {4, 4, 3, 3, 3}},
      {{9, 8, 36864}, {8, 8, 3}},
      // float32 is only copied with many channels.
      {{2, 16, 264, 264}, {16, 16, 3, 3}},
      {{3, 16, 65536}, {32, 16, 2}},
      {{3, 16, 65536}, {32, 16, 2}, 1, false, kBFloat16},
      {{3, 4, 65536}, {8, 4, 2}, 1, false, kDouble},
  };
  int turn = 0;
  for (const Call& call : calls) {
    if (testing::has_sanitizer() && turn++ % 2 == 1) continue;
    const auto run = [&](const Tensor& x, const Tensor& w) {
      if (call.transposed) return conv_transpose2d(x, w, {}, 2, 0, 0, call.groups);
      if (x.dim() == 3) return conv1d(x, w, {}, 1, 1, 1, call.groups);
      if (x.dim() == 5) return conv3d(x, w, {}, 1, 1, 1, call.groups);
      return conv2d(x, w, {}, 1, 1, 1, call.groups);
    };
    manual_seed(3);
    const Tensor x = randn(call.input).to(call.dtype).requires_grad_();
    const Tensor w = randn(call.weight).to(call.dtype).requires_grad_();
    const Tensor out = run(x, w), g = randn(out.sizes()).to(call.dtype);
    const std::vector<Tensor> all = autograd::grad({out}, {x, w}, {g});
    ASSERT_EQ(all[0].sizes(), x.sizes());
    if (testing::has_sanitizer()) continue;
    Tensor sum = zeros(call.weight, kDouble);
    const double tolerance = call.dtype == kBFloat16 ? 0.05 : 1e-3;
    for (std::int64_t i = 0; i < x.size(0); ++i) {
      const Tensor image = x.detach().narrow(0, i, 1).requires_grad_();
      const Tensor one = run(image, w);
      const auto each = autograd::grad({one}, {image, w}, {g.narrow(0, i, 1)});
      EXPECT_TRUE(one.allclose(out.narrow(0, i, 1), tolerance, tolerance))
          << i << " of " << x.sizes();
      EXPECT_TRUE(each[0].allclose(all[0].narrow(0, i, 1), tolerance, tolerance))
          << i << " of " << x.sizes();
      sum = sum + each[1];
    }
    EXPECT_TRUE(sum.allclose(all[1].to(kDouble), tolerance, 500 * tolerance))
        << x.sizes() << " and " << w.sizes() << " in " << call.dtype;
  }
}

}  // namespace
}  // namespace tern
