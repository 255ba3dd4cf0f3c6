#include <gtest/gtest.h>

#include <tern/tern.h>

// PyTorch 2.15's names of nodes for op forms without a record; golden_test checks the records.

namespace tern {
namespace {

TEST(Names, OfInPlaceForms) {
  const Tensor leaf = rand({3, 4}, kDouble).requires_grad_();
  const auto name_after = [&](const std::function<void(Tensor&)>& change) {
    Tensor x = leaf * 1;
    change(x);
    return x.grad_fn()->name();
  };
  EXPECT_EQ(name_after([](Tensor& x) { x.fill_(scalar_tensor(2)); }), "FillBackward3");
  EXPECT_EQ(name_after([](Tensor& x) { x.clamp_(0.25); }), "ClampBackward1");
  EXPECT_EQ(name_after([](Tensor& x) { x.copy_(x); }), "CopyBackwards");
  EXPECT_EQ(name_after([](Tensor& x) { x.uniform_(); }), "UniformBackward0");
  EXPECT_EQ(name_after([](Tensor& x) { x.normal_(); }), "NormalBackward0");
  EXPECT_EQ(name_after([](Tensor& x) { x.bernoulli_(0.5); }), "BernoulliBackward2");
  EXPECT_EQ(name_after([](Tensor& x) { x.random_(); }), "RandomBackward2");
  EXPECT_EQ(name_after([](Tensor& x) { x.random_(5); }), "RandomBackward1");
  EXPECT_EQ(name_after([](Tensor& x) { x.random_(1, 5); }), "RandomBackward0");
}

TEST(Names, OfPieces) {
  const Tensor x = ones({5, 2}).requires_grad_();
  const std::vector<Tensor> pieces = x.split(2);
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(pieces[i].grad_fn(), pieces[0].grad_fn());
    EXPECT_EQ(pieces[i].output_nr(), i);
  }
  EXPECT_EQ(zeros({0, 2}).requires_grad_().chunk(3)[2].grad_fn()->name(),
            "SplitWithSizesBackward0");
  pieces[1].sum().backward();  // the other pieces have no gradient
  EXPECT_TRUE(equal(x.grad().sum(1), tensor({0., 0., 2., 2., 0.})));
}

TEST(Names, OfLosses) {
  const Tensor x = rand({2, 3}).requires_grad_(), target = tensor({0, 2});
  const Tensor images = rand({2, 3, 4}).requires_grad_(), pixels = zeros({2, 4}, kLong);
  const Tensor shares = rand({2, 3});
  for (const Reduction reduction : {kNone, kMean, kSum}) {
    const auto name_of = [](const Tensor& loss) { return loss.grad_fn()->name(); };
    EXPECT_EQ(name_of(mse_loss(x, shares, reduction)), "MseLossBackward0");
    EXPECT_EQ(name_of(nll_loss(x, target, {}, reduction)), "NllLossBackward0");
    // PyTorch's is ViewBackward0 without reduction (docs/pytorch-differences.md).
    EXPECT_EQ(name_of(nll_loss(images, pixels, {}, reduction)), "NllLoss2DBackward0");
    EXPECT_EQ(name_of(cross_entropy_loss(x, shares, {}, reduction)),
              reduction == kMean ? "DivBackward1" : "NegBackward0");
  }
}

TEST(Names, OfWhatHasNoOwnRecord) {
  const Tensor x = ones({3}).requires_grad_();
  EXPECT_EQ(bernoulli(x).grad_fn()->name(), "BernoulliBackward0");
  EXPECT_EQ(rsub(x, 1).grad_fn()->name(), "RsubBackward1");
  EXPECT_EQ(x.sum(kDouble).grad_fn()->name(), "SumBackward0");
  EXPECT_EQ(zeros({0}).requires_grad_().mean().grad_fn()->name(), "MeanBackward0");
  EXPECT_EQ(norm(x, 0).grad_fn()->name(), "LinalgVectorNormBackward0");
  EXPECT_EQ(x.sum().prod(0).grad_fn()->name(), "ProdBackward1");
  EXPECT_EQ(x.slice(0, 0, 3, 2).reshape({2, 1}).grad_fn()->name(), "ReshapeAliasBackward0");
}

}  // namespace
}  // namespace tern
