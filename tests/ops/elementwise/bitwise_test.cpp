#include <gtest/gtest.h>

#include <tern/tern.h>

#include "error_of.h"

// The bitwise ops of integers; the records compare them with PyTorch and the oracle.

namespace tern {
namespace {

bool holds_exactly(const Tensor& actual, const Tensor& expected) {
  return actual.dtype() == expected.dtype() && equal(actual, expected);
}

TEST(Bitwise, OpsOfIntegersAreOfTheirBits) {
  const Tensor a = tensor({6, -1}), b = tensor({3, 8});
  EXPECT_TRUE(holds_exactly(a & b, tensor({2, 8})));
  EXPECT_TRUE(holds_exactly(a | b, tensor({7, -1})));
  EXPECT_TRUE(holds_exactly(a ^ b, tensor({5, -9})));
  EXPECT_TRUE(holds_exactly(~a, tensor({-7, 0})));
}

TEST(Bitwise, OpsOfBoolsAreLogical) {
  const Tensor a = tensor({1, 1, 0}).to(kBool), b = tensor({1, 0, 0}).to(kBool);
  EXPECT_TRUE(holds_exactly(a & b, b));
  EXPECT_TRUE(holds_exactly(a | b, a));
  EXPECT_TRUE(holds_exactly(a ^ b, tensor({0, 1, 0}).to(kBool)));
  EXPECT_TRUE(holds_exactly(~a, tensor({0, 0, 1}).to(kBool)));
}

TEST(Bitwise, NumbersJoinOnBothSides) {
  const Tensor a = tensor({6, 5}), truth = tensor({1, 0}).to(kBool);
  EXPECT_TRUE(holds_exactly(a & 3, tensor({2, 1})));
  EXPECT_TRUE(holds_exactly(3 & a, tensor({2, 1})));
  EXPECT_TRUE(holds_exactly(3 | a, tensor({7, 7})));
  EXPECT_TRUE(holds_exactly(a ^ 1, tensor({7, 4})));
  EXPECT_TRUE(holds_exactly(a | true, tensor({7, 5})));
  EXPECT_TRUE(holds_exactly(truth | true, ones({2}, kBool)));
  EXPECT_TRUE(holds_exactly(truth & 3, tensor({1, 0})));
  EXPECT_TRUE(holds_exactly(truth & a, tensor({0, 0})));
}

TEST(Bitwise, InPlaceFormsWriteIntoTheTensor) {
  Tensor a = tensor({6, 5, 1});
  const Tensor same = a;
  a &= 5;
  a |= tensor({8, 0, 2});
  a ^= 1;
  a.bitwise_and_(tensor({-1, 6, -1})).bitwise_or_(16).bitwise_xor_(3);
  a.bitwise_not_();
  EXPECT_TRUE(holds_exactly(same, tensor({-31, -24, -18}))) << same;
  EXPECT_EQ(a._version(), 7);
  Tensor mask = tensor({1, 0, 1}).to(kBool);
  mask &= a < -20;
  EXPECT_TRUE(holds_exactly(mask, tensor({1, 0, 0}).to(kBool)));
}

TEST(Bitwise, InPlaceFormsKeepTheDtype) {
  Tensor mask = ones({2}, kBool), a = tensor({1, 2});
  EXPECT_EQ(error_of<DTypeError>([&] { mask &= a; }),
            "bitwise_and_: result type Long can't be cast to the desired output type Bool");
  EXPECT_TRUE(equal(mask, ones({2}, kBool)));
  a |= mask;
  EXPECT_TRUE(holds_exactly(a, tensor({1, 3})));
}

TEST(Bitwise, RefuseFloatingNumbers) {
  const Tensor a = tensor({6}), x = tensor({1.5});
  const std::string text = "\"bitwise_and_cpu\" not implemented for 'Float'";
  EXPECT_EQ(error_of<NotImplementedError>([&] { x& x; }), text);
  EXPECT_EQ(error_of<NotImplementedError>([&] { a & 1.5; }), text);
  EXPECT_THROW(a | x, NotImplementedError);
  EXPECT_THROW(x ^ a, NotImplementedError);
  EXPECT_THROW(~x, NotImplementedError);
  EXPECT_THROW(~zeros({0}), NotImplementedError);  // no kernel runs
}

}  // namespace
}  // namespace tern
