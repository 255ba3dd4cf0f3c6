#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <tern/tern.h>

#include "error_of.h"

// PyTorch's answers at the edges of losses, which one number per record does not show.

namespace tern {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(Loss, TakesATargetInATensorOfOneElement) {
  const Tensor x = tensor({1., 2., 3.}), target = tensor({1});
  for (const Reduction reduction : {Reduction::None, Reduction::Mean, Reduction::Sum}) {
    EXPECT_TRUE(equal(nll_loss(x, target, {}, reduction), tensor(-2.)));
    const Tensor smooth = cross_entropy_loss(x, target, {}, reduction, -100, 0.1);
    EXPECT_EQ(smooth.dim(), 0);
    EXPECT_NEAR(smooth.item<double>(), 1.407606, 1e-6);
  }
}

TEST(Loss, AWeightOfZeroHidesNoNaNAndAnIgnoredTargetDoes) {
  const Tensor x = tensor({{0.1, kInf}, {0.3, 0.7}}), target = tensor({1, 0});
  EXPECT_TRUE(std::isnan(nll_loss(x, target, tensor({1., 0.}), Reduction::Sum).item<double>()));
  EXPECT_NEAR(nll_loss(x, target, {}, Reduction::Sum, /*ignore_index=*/1).item<double>(), -0.3,
              1e-6);
  const Tensor leaf = tensor({{0.1, 0.2}}).requires_grad_();
  nll_loss(leaf, tensor({1}), tensor({1., 0.})).backward();  // a mean with total weight 0
  EXPECT_TRUE(std::isnan(leaf.grad()[0][1].item<double>()));
}

TEST(Loss, OfClassesNeedsAWeightOfTheDtypeOfTheInput) {
  const Tensor x = zeros({2, 3}), target = tensor({0, 2});
  for (const ScalarType dtype : {kDouble, kLong, kHalf}) {
    const Tensor weight = ones({3}, dtype);
    const auto expected = detail::text_of(
        "expected scalar type Float for the weight of the classes", " but found ", dtype);
    EXPECT_NE(error_of<DTypeError>([&] { nll_loss(x, target, weight); }).find(expected),
              std::string::npos);
    EXPECT_NE(error_of<DTypeError>([&] { cross_entropy_loss(x, target, weight); }).find(expected),
              std::string::npos);
  }
  // Probabilities are not looked up: PyTorch multiplies, and promotes.
  EXPECT_EQ(cross_entropy_loss(x, ones({2, 3}) / 3, ones({3}, kDouble)).dtype(), kDouble);
}

TEST(Loss, RefusesAnIgnoredClassOfProbabilities) {
  const Tensor x = ones({2, 3});
  const std::string text = error_of([&] { cross_entropy_loss(x, x / 3, {}, Reduction::Mean, 1); });
  EXPECT_NE(text.find("ignore_index is not supported for floating point target, got 1"),
            std::string::npos)
      << text;
}

TEST(Loss, OfAnInfiniteLogitWithAPositiveWeight) {
  const Tensor loss = binary_cross_entropy_with_logits(tensor({kInf, 1.}), full({2}, 0.5), {},
                                                       full({2}, 2.), Reduction::None);
  EXPECT_EQ(loss[0].item<double>(), kInf);
  EXPECT_NEAR(loss[1].item<double>(), 0.969893, 1e-5);
  // For a negative infinity, where both terms have the same sign (PyTorch 2.15).
  const Tensor low = tensor(-kInf, kDouble), half = tensor(0.5, kDouble);
  EXPECT_EQ(binary_cross_entropy_with_logits(low, half, {}, low).item<double>(), -kInf);
}

TEST(Loss, WeightsMustNotMakeTheLossLarger) {
  const Tensor half = full({3}, 0.5), wide = ones({2, 3});
  const std::string expected = "output with shape [3] doesn't match the broadcast shape [2, 3]";
  for (const std::string& text :
       {error_of<ShapeError>([&] { binary_cross_entropy(half, half, wide); }),
        error_of<ShapeError>([&] { binary_cross_entropy_with_logits(half, half, wide); })}) {
    EXPECT_NE(text.find(expected), std::string::npos) << text;
  }
}

TEST(Loss, LogitsRefuseABoolTarget) {
  const std::string text =
      error_of<DTypeError>([] { binary_cross_entropy_with_logits(ones({2}), ones({2}, kBool)); });
  EXPECT_NE(text.find("the target must have a floating dtype, got input Float and target Bool"),
            std::string::npos)
      << text;
}

TEST(Loss, StirlingsTermKeepsTheDtypeOfThePoissonLoss) {
  const Tensor input = full({2}, 2, kBFloat16);
  for (const Tensor& target : {full({2}, 2, kLong), full({}, 2, kLong), full({}, 2., kDouble)}) {
    EXPECT_EQ(poisson_nll_loss(input, target, false, true, 0, kNone).dtype(), kBFloat16);
  }
  EXPECT_EQ(poisson_nll_loss(input, full({2}, 2., kFloat), false, true, 0, kNone).dtype(), kFloat);
}

TEST(Loss, BinaryCrossEntropyRefusesATargetOfAnotherDtype) {
  const std::string text = error_of<DTypeError>(
      [&] { binary_cross_entropy(full({2}, 0.5, kDouble), full({2}, 0.5, kFloat)); });
  EXPECT_NE(text.find("Found dtype Float but expected Double"), std::string::npos) << text;
}

}  // namespace
}  // namespace tern
