#include <cmath>
#include <limits>

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

TEST(Special, BesselFunctionsOfLargeNumbers) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor x = tensor({712., infinity, -infinity}, kDouble);
  EXPECT_NEAR(i0(x)[0].item<double>() / 2.46841105776e307, 1, 1e-10);
  EXPECT_TRUE(i0(x).slice(0, 1).equal(tensor({infinity, infinity}, kDouble)));
  EXPECT_TRUE(special_i1(x).slice(0, 1).equal(tensor({infinity, -infinity}, kDouble)));
  EXPECT_TRUE(special_i0e(x).slice(0, 1).equal(zeros({2}, kDouble)));
}

TEST(Special, IncompleteGammaFunctionsOfLargeNumbers) {
  const Tensor a = tensor({1e10, 1e10, 1e4}, kDouble),
               x = tensor({1e10, 1.0001e10, 9500.}, kDouble);
  const Tensor p = igamma(a, x), q = igammac(a, x);
  EXPECT_NEAR(p[0].item<double>(), 0.50000132980760134, 1e-15);
  EXPECT_NEAR(q[1].item<double>() / 7.6452856435e-24, 1, 1e-9);
  EXPECT_NEAR(p[2].item<double>() / 1.86245465179516e-7, 1, 1e-11);
  EXPECT_TRUE(allclose(p + q, ones({3}, kDouble)));
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
