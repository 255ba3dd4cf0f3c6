#include <tern/compat/torch/torch.h>

#include <vector>

#include <gtest/gtest.h>

#include "error_of.h"

// Forms of functions that only programs for libtorch use. The numbers are libtorch 2.15's.

namespace {

TEST(CompatOps, OptionsComeOneByOne) {
  const auto none = at::nullopt;
  const at::Tensor x = at::zeros({2, 3}, at::kDouble, at::kStrided, at::Device("cpu"), false);
  EXPECT_EQ(x.dtype(), at::kDouble);
  EXPECT_EQ(at::ones({2}, none, none, none, none).dtype(), at::kFloat);
  EXPECT_TRUE(at::full({2}, 3, at::kLong, none, none, none).equal(at::tensor({3, 3})));
  EXPECT_TRUE(at::arange(1, 7, 2, at::kLong, none, none, none).equal(at::tensor({1, 3, 5})));
  EXPECT_EQ(at::eye(2, 3, at::kInt, none, none, none).sizes(), (at::IntArrayRef{2, 3}));
  EXPECT_EQ(
      at::empty({1, 2, 3, 4}, none, none, none, none, at::MemoryFormat::ChannelsLast).strides(),
      (at::IntArrayRef{24, 1, 8, 2}));
  EXPECT_EQ(at::zeros_like(x, at::kFloat, none, none, none, none).dtype(), at::kFloat);
  EXPECT_TRUE(
      at::range(1, 3, 1, at::kInt, none, none, none).equal(at::tensor({1, 2, 3}, at::kInt)));
  EXPECT_EQ(at::hamming_window(4, true, 0.3, at::kDouble, none, none, none).dtype(), at::kDouble);
  EXPECT_TRUE(at::kaiser_window(4, none, none, none, none).equal(torch::kaiser_window(4)));
  EXPECT_TRUE(at::linspace(at::tensor(0.), 1, 3).equal(at::tensor({0., 0.5, 1.})));
  EXPECT_TRUE(torch::logspace(0, torch::tensor(2.), 3).equal(torch::tensor({1., 10., 100.})));
  EXPECT_EQ(tern::error_of([] { at::linspace(at::ones({1}), 1, 3); }),
            "linspace only supports 0-dimensional start and end tensors, but got start with 1 "
            "dimension(s).");
  EXPECT_THROW(at::zeros({2}, none, at::kSparse, none, none), c10::NotImplementedError);
}

TEST(CompatOps, ReductionsAreNumbers) {
  const at::Tensor x = torch::tensor({1., 2., 4.}), y = torch::tensor({0., 0., 1.});
  const std::int64_t sum = 2, none = 0;
  EXPECT_TRUE(at::mse_loss(x, y, sum).equal(torch::tensor(14.)));
  EXPECT_TRUE(at::l1_loss(x, y, none).equal(torch::tensor({1., 2., 3.})));
  EXPECT_TRUE(at::mse_loss(x, y, at::Reduction::Sum).equal(at::mse_loss(x, y, sum)));
  EXPECT_TRUE(
      at::binary_cross_entropy_with_logits(x, y, {}, {}, sum)
          .equal(torch::binary_cross_entropy_with_logits(x, y, {}, {}, at::Reduction::Sum)));
  const at::Tensor logits = torch::tensor({{1., 2.}, {0., 3.}}), classes = torch::tensor({0, 1});
  const torch::optional<at::Tensor> weight;
  EXPECT_TRUE(at::nll_loss(logits, classes, weight, sum).equal(torch::tensor(-4.)));
  EXPECT_TRUE(at::cross_entropy_loss(logits, classes, weight, sum)
                  .equal(torch::cross_entropy_loss(logits, classes, {}, at::Reduction::Sum)));
  EXPECT_EQ(tern::error_of([&] { at::mse_loss(x, y, 7); }), "7 is not a valid value for reduction");
}

TEST(CompatOps, CrossEntropiesTakeTheSizesOfAten) {
  namespace F = torch::nn::functional;
  const torch::Tensor y = torch::tensor({{0., 1., 1.}, {1., 0., 0.}});
  const torch::Tensor p = torch::tensor({{0.25, 0.5, 0.75}, {0.5, 0.25, 0.125}}).requires_grad_();
  const torch::Tensor each = torch::binary_cross_entropy(p, y, {}, at::Reduction::None);
  // Dimensions of size 1 do not count, and the target broadcasts.
  const torch::Tensor column = p.view({2, 3, 1});
  EXPECT_TRUE(
      torch::binary_cross_entropy(column, y.view({1, 2, 3}), {}, 0).equal(each.view({2, 3, 1})));
  EXPECT_TRUE(torch::binary_cross_entropy(p, y[0], {}, 0)[0].equal(each[0]));
  torch::binary_cross_entropy(column, y, {}, at::Reduction::Sum).backward();
  const torch::Tensor reached = p.grad().clone();
  p.mutable_grad() = {};
  torch::binary_cross_entropy(p, y, {}, at::Reduction::Sum).backward();
  EXPECT_TRUE(p.grad().equal(reached));
  EXPECT_EQ(tern::error_of([&] { torch::binary_cross_entropy(p[0], y); }),
            "binary_cross_entropy: output with shape [3] doesn't match the broadcast shape [2, 3]");
  EXPECT_EQ(
      tern::error_of([&] { F::binary_cross_entropy(column, y); }),
      "binary_cross_entropy: Using a target size ([2, 3]) that is different to the input size "
      "([2, 3, 1]) is deprecated. Please ensure they have the same size.");
  EXPECT_THROW(torch::nn::BCELoss()(p, y[0]), c10::Error);
  EXPECT_EQ(torch::binary_cross_entropy_with_logits(p[0], y, {}, {}, 0).sizes(), y.sizes());
  EXPECT_EQ(
      tern::error_of([&] { torch::binary_cross_entropy_with_logits(p, y[0]); }),
      "binary_cross_entropy_with_logits: output with shape [3] doesn't match the broadcast shape "
      "[2, 3]");
  EXPECT_EQ(tern::error_of([&] { F::binary_cross_entropy_with_logits(p[0], y); }),
            "binary_cross_entropy_with_logits: Target size ([2, 3]) must be the same as input size "
            "([3])");
  EXPECT_THROW(torch::nn::BCEWithLogitsLoss()(p[0], y), c10::Error);
}

TEST(CompatOps, OnlyTheFunctionalWarnsAboutSizes) {
  namespace F = torch::nn::functional;
  struct Counter : c10::WarningHandler {
    int count = 0;
    void process(const c10::Warning& /*warning*/) override { ++count; }
  } handler;
  const c10::WarningUtils::WarningHandlerGuard guard(&handler);
  const torch::Tensor x = torch::ones({2, 3}), y = torch::zeros({3});
  torch::mse_loss(x, y);
  torch::smooth_l1_loss(x, y);
  torch::huber_loss(x, y);
  EXPECT_EQ(handler.count, 0);
  F::mse_loss(x, y);
  F::smooth_l1_loss(x, y);
  F::smooth_l1_loss(x, y, F::SmoothL1LossFuncOptions(), 0.5);
  F::huber_loss(x, y);
  EXPECT_EQ(handler.count, 4);
}

TEST(CompatOps, WhatOnlyTheFunctionalChecks) {
  namespace F = torch::nn::functional;
  const torch::Tensor row = torch::arange(4.).view({1, 4}), none;
  const torch::Tensor normal =
      torch::batch_norm(row, none, none, none, none, true, 0.1, 1e-5, false);
  EXPECT_TRUE(normal.allclose(torch::zeros({1, 4}), 0, 1e-4));
  EXPECT_EQ(
      tern::error_of(
          [&] { F::batch_norm(row, none, none, F::BatchNormFuncOptions().training(true)); }),
      "batch_norm: Expected more than 1 value per channel when training, got input size [1, 4]");
  EXPECT_TRUE(
      torch::instance_norm(torch::ones({1, 2, 1}), none, none, none, none, true, 0.1, 1e-5, false)
          .equal(torch::zeros({1, 2, 1})));
  EXPECT_TRUE(torch::hardtanh(row, 1, -1).equal(torch::full({1, 4}, -1.)));
  EXPECT_EQ(tern::error_of([&] { torch::cosine_similarity(row, row, 1, -1); }),
            "cosine_similarity: eps must be non-negative, got: -1");
}

TEST(CompatOps, ExtremesOfPairs) {
  const torch::Tensor a = torch::tensor({1, 5}), b = torch::tensor({4, 2});
  EXPECT_TRUE(torch::max(a, b).equal(torch::tensor({4, 5})));
  EXPECT_TRUE(at::min(a, b).equal(torch::tensor({1, 2})));
  EXPECT_TRUE(a.max(b).equal(torch::max(a, b)) && a.min(b).equal(torch::min(a, b)));
  EXPECT_TRUE(std::get<0>(torch::max(a, 0)).equal(torch::tensor(5)));
  const torch::Tensor x = torch::tensor({1., 2.});
  EXPECT_TRUE(x.softmax(0, torch::kDouble).equal(x.to(torch::kDouble).softmax(0)));
  EXPECT_TRUE(torch::arange(2)
                  .log_softmax(0, torch::kFloat)
                  .equal(torch::log_softmax(torch::arange(2, torch::kFloat), 0)));
  EXPECT_TRUE(torch::log_softmax(x, 0, torch::nullopt).equal(x.log_softmax(0)));
}

TEST(CompatOps, UpsamplesByFactors) {
  const at::Tensor x = torch::arange(4, torch::kFloat).reshape({1, 1, 2, 2});
  const std::vector<double> twice = {2, 2};
  const at::Tensor big = at::upsample_nearest2d(x, at::nullopt, twice);
  EXPECT_EQ(big.sizes(), (at::IntArrayRef{1, 1, 4, 4}));
  EXPECT_TRUE(big.equal(at::upsample_nearest2d(x, {4, 4})));
  EXPECT_TRUE(at::upsample_bilinear2d(x, at::nullopt, false, at::ArrayRef<double>(twice))
                  .equal(at::upsample_bilinear2d(x, {4, 4}, false)));
  const at::OptionalIntArrayRef no_size;
  const std::optional<at::ArrayRef<double>> no_factors;
  EXPECT_EQ(tern::error_of([&] { at::upsample_nearest2d(x, no_size, no_factors); }),
            "Must specify exactly one of output_size and scale_factors");
}

TEST(CompatOps, OptionalNumbersAndTensors) {
  const at::Tensor x = torch::tensor({{1., 2.}, {3., 6.}});
  const std::optional<at::Scalar> none, zero = at::Scalar(0);
  EXPECT_TRUE(at::var(x, at::OptionalIntArrayRef(), none).equal(x.var()));
  EXPECT_TRUE(at::std(x, 1, zero, true).equal(x.std(1, 0, true)));
  EXPECT_TRUE(std::get<0>(at::var_mean(x, 1, zero)).equal(torch::tensor({0.25, 2.25})));
  EXPECT_TRUE(std::get<1>(at::std_mean(x, 1, none)).equal(torch::tensor({1.5, 4.5})));
  const at::IntArrayRef last = -1;
  EXPECT_TRUE(at::gradient(x, last)[0].equal(torch::tensor({{1., 1.}, {3., 3.}})));
  EXPECT_EQ(at::gradient(x, none).size(), 2U);
  EXPECT_TRUE(at::repeat_interleave(torch::tensor({1, 0, 2}), std::optional<std::int64_t>(3))
                  .equal(torch::tensor({0, 2, 2})));
  EXPECT_EQ(at::bernoulli(x, torch::ones({2})).sum().item<double>(), 4);
  EXPECT_EQ(at::randint_like(x, torch::tensor(1)).sum().item<double>(), 0);
}

TEST(CompatOps, TolerancesAreTensors) {
  const at::Tensor a = torch::diag_embed(torch::tensor({{4., 1.}, {2., 1.5}}, torch::kDouble));
  const at::Tensor bounds = torch::tensor({2., 1.}, torch::kDouble);
  EXPECT_TRUE(at::linalg_matrix_rank(a, bounds).equal(torch::tensor({1, 2})));
  EXPECT_TRUE(at::linalg_matrix_rank(a, bounds, true).equal(torch::tensor({1, 2})));
  const std::optional<at::Tensor> none, half = torch::tensor(0.5, torch::kDouble);
  EXPECT_TRUE(at::linalg_matrix_rank(a, none, half).equal(torch::tensor({1, 2})));
  EXPECT_TRUE(at::linalg_matrix_rank(a, none).equal(torch::tensor({2, 2})));
  const at::Tensor inverse =
      torch::diag_embed(torch::tensor({{0.25, 0.}, {0.5, 1 / 1.5}}, torch::kDouble));
  EXPECT_TRUE(at::linalg_pinv(a, *half).allclose(inverse));
  EXPECT_TRUE(at::linalg_pinv(a, none, half, true).allclose(inverse));
}

TEST(CompatOps, ConstantHandlesChangeInPlace) {
  const at::Tensor x = torch::arange(6), y = torch::arange(4);
  EXPECT_EQ(at::as_strided_(x, {2, 2}, {1, 2}).sizes(), (at::IntArrayRef{2, 2}));
  EXPECT_EQ(at::resize_as_(y, torch::zeros({2, 1})).sizes(), (at::IntArrayRef{2, 1}));
}

TEST(CompatOps, HaveTheirNamesInATen) {
  const at::Tensor x = torch::tensor({{1., 2.}, {3., 6.}}), v = torch::tensor({0.25, 0.5});
  EXPECT_TRUE(at::special_erf(v).equal(v.erf()) && at::special_expit(v).equal(v.sigmoid()));
  EXPECT_TRUE(at::special_polygamma(1, v).equal(at::polygamma(1, v)));
  EXPECT_TRUE(at::special_logsumexp(x, {0, 1}).equal(x.logsumexp({0, 1})));
  EXPECT_TRUE(at::special_round(v, 1).equal(at::round(v, 1)));
  EXPECT_TRUE(at::special_i0(v).equal(v.i0()) && torch::special::i0(v).equal(v.i0()));
  EXPECT_TRUE(at::special_gammainc(v, v).equal(at::igamma(v, v)));
  EXPECT_TRUE(torch::special::gammaincc(v, v).equal(at::special_gammaincc(v, v)));
  EXPECT_FALSE(at::is_inference(v) || torch::is_complex(v) || at::is_neg(v) || at::is_conj(v));
  EXPECT_TRUE(at::special_xlogy(2, v).equal(at::xlogy(2, v)));
  EXPECT_TRUE(at::chain_matmul({x, x}).equal(x.matmul(x)));
  EXPECT_TRUE(torch::frobenius_norm(x, {1}, true).equal(x.norm(2, 1, true)));
  EXPECT_TRUE(torch::nuclear_norm(x).allclose(at::linalg_svdvals(x).sum()));
  EXPECT_TRUE(at::adjoint(x).equal(x.mT()) && at::linalg_diagonal(x).equal(x.diagonal()));
  EXPECT_FALSE(at::is_same_size(x, v));
  EXPECT_TRUE(torch::reflection_pad1d(x.unsqueeze(0), {1, 0})[0].equal(
      torch::tensor({{2., 1., 2.}, {6., 3., 6.}})));
  EXPECT_TRUE(torch::replication_pad2d(x.unsqueeze(0), {0, 1, 0, 0})[0].equal(
      torch::tensor({{1., 2., 2.}, {3., 6., 6.}})));
  EXPECT_TRUE(at::nll_loss_nd(x, torch::tensor({0, 1})).equal(torch::tensor(-3.5)));
  const auto [factors, pivots] = at::linalg_lu_factor(x + torch::eye(2));
  EXPECT_TRUE(at::lu_solve(x + torch::eye(2), factors, pivots).allclose(torch::eye(2), 1e-5, 1e-6));
  EXPECT_EQ(at::pad_sequence({v, x[0].slice(0, 1)}, true).sizes(), (at::IntArrayRef{2, 2}));
}

TEST(CompatOps, OneConvolutionForAllDimensions) {
  torch::manual_seed(0);
  const at::Tensor x = torch::randn({1, 2, 5, 5}), w = torch::randn({2, 2, 3, 3});
  EXPECT_TRUE(at::convolution(x, w, {}, {1, 1}, {1, 1}, {1, 1}, false, {0, 0}, 1)
                  .equal(at::conv2d(x, w, {}, 1, 1)));
  EXPECT_TRUE(at::convolution(x, w, {}, {2, 2}, {0, 0}, {1, 1}, true, {1, 1}, 1)
                  .equal(at::conv_transpose2d(x, w, {}, 2, 0, 1)));
  const at::Tensor kernel = torch::randn({3, 5, 2});
  EXPECT_TRUE(
      at::convolution(x[0], kernel, {}, 1, 0, 1, false, 0, 1).equal(at::conv1d(x[0], kernel)));
}

}  // namespace
