#include <limits>
#include <type_traits>

#include <gtest/gtest.h>

#include <tern/core/base/bfloat16.h>
#include <tern/core/base/half.h>

namespace tern {
namespace {

template <class T>
struct NarrowFloatTest : testing::Test {};
using Types = testing::Types<Half, BFloat16>;
TYPED_TEST_SUITE(NarrowFloatTest, Types);

TYPED_TEST(NarrowFloatTest, HasArithmeticThatRounds) {
  using T = TypeParam;
  static_assert(std::is_same_v<decltype(T() + T()), T>);
  static_assert(std::is_same_v<decltype(T() * 2), T>);
  static_assert(std::is_same_v<decltype(2 - T()), T>);
  static_assert(std::is_same_v<decltype(T() / 2.0F), float>);
  static_assert(std::is_same_v<decltype(2.0 * T()), double>);
  const T one(1), third(1.0F / 3);
  EXPECT_EQ((one + third).bits, T(1 + static_cast<float>(third)).bits);
  EXPECT_EQ((one - third).bits, T(1 - static_cast<float>(third)).bits);
  EXPECT_EQ((third * third).bits, T(static_cast<float>(third) * static_cast<float>(third)).bits);
  EXPECT_EQ((one / 3).bits, third.bits);
  EXPECT_EQ(static_cast<float>(-one), -1);
  T sum(1);
  sum += T(0.5F);
  sum *= 2;
  sum -= 1.0F;
  sum /= 2.0;
  EXPECT_EQ(static_cast<float>(sum), 1);
  float wide = 1;
  wide += sum;
  EXPECT_EQ(wide, 2);
}

TEST(NarrowFloatLimits, AreThoseOfTheFormats) {
  using H = std::numeric_limits<Half>;
  EXPECT_EQ(static_cast<float>(H::max()), 65504);
  EXPECT_EQ(static_cast<float>(H::lowest()), -65504);
  EXPECT_EQ(H::min().bits, 0x0400);
  EXPECT_EQ(H::epsilon().bits, 0x1400);
  EXPECT_EQ(H::infinity().bits, 0x7c00);
  EXPECT_EQ(H::quiet_NaN().bits, 0x7e00);
  EXPECT_EQ(H::denorm_min().bits, 0x0001);
  EXPECT_EQ(H::digits10, 3);
  EXPECT_EQ(H::max_digits10, 5);
  EXPECT_EQ(H::min_exponent10, -4);
  EXPECT_EQ(H::max_exponent10, 4);
  using B = std::numeric_limits<BFloat16>;
  EXPECT_EQ(B::max().bits, 0x7f7f);
  EXPECT_EQ(B::infinity().bits, 0x7f80);
  EXPECT_EQ(static_cast<float>(B::epsilon()), 0.0078125F);
  EXPECT_EQ(B::digits10, 2);
  EXPECT_EQ(B::max_digits10, 4);
  EXPECT_EQ(B::min_exponent10, -37);
  EXPECT_EQ(B::max_exponent10, 38);
}

}  // namespace
}  // namespace tern
