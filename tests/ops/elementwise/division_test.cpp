#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tern/tern.h>

#include "error_of.h"

// Quotients and remainders where a processor would trap, and errors; the records compare ordinary
// numbers with PyTorch and the oracle.

namespace tern {
namespace {

bool is_same(const Tensor& actual, const Tensor& expected) {
  return actual.dtype() == expected.dtype() && equal(actual, expected);
}

TEST(Division, ByAnIntegerZeroIsAnErrorThatChangesNothing) {
  for (const ScalarType dtype : {kLong, kInt, kShort, kChar, kByte}) {
    Tensor x = tensor({7, 8, 9}).to(dtype);
    const Tensor before = x.clone(), zeros = tensor({1, 0, 2}).to(dtype);
    const std::string text = "ZeroDivisionError";
    for (const char* mode : {"floor", "trunc"}) {
      EXPECT_NE(error_of([&] { x.div(zeros, mode); }).find(text), std::string::npos);
      EXPECT_NE(error_of([&] { x.div(0, mode); }).find(text), std::string::npos);
      EXPECT_NE(error_of([&] { x.div_(zeros, mode); }).find(text), std::string::npos);
    }
    EXPECT_NE(error_of([&] { x.floor_divide(zeros); }).find(text), std::string::npos);
    EXPECT_NE(error_of([&] { x.floor_divide_(0); }).find(text), std::string::npos);
    EXPECT_NE(error_of([&] { x.fmod(zeros); }).find(text), std::string::npos);
    EXPECT_NE(error_of([&] { x.fmod_(0); }).find(text), std::string::npos);
    EXPECT_NE(error_of([&] { 5 % zeros; }).find(text), std::string::npos);
    EXPECT_NE(error_of([&] { x %= zeros; }).find(text), std::string::npos);
    EXPECT_TRUE(is_same(x, before));
    EXPECT_EQ(x.slice(0, 0, 0).fmod(0).numel(), 0);  // divides nothing
  }
  EXPECT_EQ(error_of([] { ones({2}, kByte).fmod(256); }),
            "fmod: ZeroDivisionError: an integer was divided by 0.");
}

TEST(Division, OfTheSmallestIntegerByMinusOneWrapsAround) {
  for (const ScalarType dtype : {kLong, kInt, kShort, kChar}) {
    const int bits = static_cast<int>(8 * element_size(dtype)) - 1;
    const Tensor lowest = full({3}, 1, dtype).bitwise_left_shift(bits);
    const Tensor minus_one = full({3}, -1, dtype);
    EXPECT_TRUE(is_same(lowest.div(minus_one, "trunc"), lowest)) << dtype;
    EXPECT_TRUE(is_same(lowest.floor_divide(-1), lowest)) << dtype;
    EXPECT_TRUE(is_same(lowest.fmod(minus_one), zeros({3}, dtype))) << dtype;
    EXPECT_TRUE(is_same(lowest % -1, zeros({3}, dtype))) << dtype;
  }
}

TEST(Division, ErrorsSayWhatIsWrong) {
  Tensor x = ones({2}), i = tensor({1, 2});
  EXPECT_EQ(error_of([&] { x.div(x, "up"); }),
            "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found 'up'");
  EXPECT_NE(error_of([&] { i.div_(i); }).find("can't be cast to the desired output type Long"),
            std::string::npos);
  EXPECT_NE(error_of([&] { i.floor_divide_(1.5); }).find("can't be cast"), std::string::npos);
  const Tensor mask = ones({2}, kBool);
  EXPECT_NE(error_of([&] { mask.fmod(mask); }).find("\"fmod_cpu\" not implemented for 'Bool'"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              mask.floor_divide(mask);
            }).find("\"div_floor_cpu\" not implemented for 'Bool'"),
            std::string::npos);
  EXPECT_NE(error_of([&] { x.float_power_(2); })
                .find("the base given to float_power_ has dtype Float but the operation's result "
                      "requires dtype Double"),
            std::string::npos);
}

TEST(Division, OpsWithoutAGradientSaySoInBackward) {
  const Tensor x = ones({2}).requires_grad_();
  for (const Tensor& y : {x.floor_divide(2), 5 % x, heaviside(x, x)}) {
    EXPECT_EQ(y.grad_fn()->name(), "NotImplemented");
    EXPECT_NE(error_of([&] { y.sum().backward(); }).find("derivative for aten::"),
              std::string::npos);
  }
}

TEST(Division, RemaindersOfEveryScaleAreExact) {
  // Quotients that round up to an integer, huge quotients, and infinite divisors.
  const std::vector<double> dividends = {1.0, 5.0, 1e30, -1e30, 4.0, 1e17};
  const std::vector<double> divisors = {
      0.1, -0.1, 3.0, 7.0, std::numeric_limits<double>::infinity(), 1.1};
  const Tensor rest = tensor(dividends, kDouble).fmod(tensor(divisors, kDouble));
  for (std::size_t i = 0; i < dividends.size(); ++i) {
    EXPECT_EQ(rest.data_ptr<double>()[i], std::fmod(dividends[i], divisors[i])) << i;
  }
}

TEST(Logic, InPlaceFormsKeepTheHistory) {
  const Tensor x = tensor({1.5, 0.0}).requires_grad_();
  Tensor y = x * 1;
  y.logical_and_(tensor({1.0, 1.0}));
  EXPECT_EQ(y.grad_fn()->name(), "MulBackward0");
  EXPECT_TRUE(equal(y.detach(), tensor({1.0, 0.0})));
  Tensor i = tensor({5, 0});
  EXPECT_TRUE(is_same(i.logical_not_(), tensor({0, 1})));
  EXPECT_GT(i._version(), 0);
  Tensor flags = tensor({1, 2, 3}).to(kByte);
  EXPECT_TRUE(is_same(flags.gt_(tensor({0, 5, 2})), tensor({1, 0, 1}).to(kByte)));
  EXPECT_EQ(i.eq_(x).grad_fn(), nullptr);
}

}  // namespace
}  // namespace tern
