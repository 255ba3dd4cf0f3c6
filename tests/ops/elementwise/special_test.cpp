#include <cmath>

#include <gtest/gtest.h>

#include <tern/tern.h>

// Unary ops whose results records cannot show.

namespace tern {
namespace {

TEST(Special, OneElementIsNonzeroOrNot) {
  EXPECT_TRUE(tensor({2.5f}).is_nonzero());
  EXPECT_FALSE(zeros({1, 1}, kLong).is_nonzero());
  EXPECT_TRUE(full({}, NAN).is_nonzero());
}

TEST(Special, DtypesWithNegativeNumbersAreSigned) {
  for (const ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16, kChar, kShort, kInt, kLong}) {
    EXPECT_TRUE(zeros({2}, dtype).is_signed()) << dtype;
  }
  EXPECT_FALSE(zeros({2}, kByte).is_signed());
  EXPECT_FALSE(zeros({2}, kBool).is_signed());
}

TEST(Special, PositiveIsTheTensorItself) {
  const Tensor x = ones({2});
  EXPECT_TRUE(x.positive().is_same(x));
}

TEST(Special, PolygammaOfLargeOrdersAndFarPoles) {
  const Tensor x = full({1}, 0.5, kDouble);
  EXPECT_NEAR(polygamma(40, x).item().toDouble() / -1.7942183e60, 1, 1e-6);
  EXPECT_TRUE(std::isinf(polygamma(1000000, x).item().toDouble()));
  const Tensor far = full({1}, -1e9 - 0.5, kDouble);  // pi^2 halfway between poles
  EXPECT_NEAR(polygamma(1, far).item().toDouble(), 9.8696044, 1e-6);
}

TEST(Special, ActivationsKeepTheirInput) {
  const Tensor x = full({3}, -1.5);
  const Tensor y = gelu(x), z = leaky_relu(x), w = softshrink(x);
  EXPECT_TRUE(equal(x, full({3}, -1.5)));
}

TEST(Special, RefusesWrongNumbers) {
  const Tensor x = ones({3});
  EXPECT_THROW(polygamma(-1, x), Error);
  EXPECT_THROW(x.mvlgamma(0), Error);
  EXPECT_THROW(hardtanh(x, 2, 1), Error);
  EXPECT_THROW(softshrink(x, -1), Error);
  EXPECT_THROW(celu(x, 0), Error);
  EXPECT_THROW(gelu(x, "sigmoid"), Error);
}

TEST(Special, SelfMayBeTemporary) {
  const Tensor x = full({3}, 0.25);
  EXPECT_FLOAT_EQ(erf(x * 2)[0].item().toFloat(), 0.5204999f);
}

}  // namespace
}  // namespace tern
