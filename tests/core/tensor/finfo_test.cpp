#include <gtest/gtest.h>

#include <tern/tern.h>

#include "error_of.h"

// The numbers are those of torch.finfo and torch.iinfo.

namespace tern {
namespace {

void expect_limits(ScalarType dtype, int bits, double eps, double max, double normal,
                   double resolution) {
  const FloatInfo info = finfo(dtype);
  EXPECT_EQ(info.dtype, dtype);
  EXPECT_EQ(info.bits, bits) << dtype;
  EXPECT_EQ(info.eps, eps) << dtype;
  EXPECT_EQ(info.max, max) << dtype;
  EXPECT_EQ(info.min, -max) << dtype;
  EXPECT_EQ(info.smallest_normal, normal) << dtype;
  EXPECT_EQ(info.tiny, normal) << dtype;
  EXPECT_DOUBLE_EQ(info.resolution, resolution) << dtype;
}

TEST(Finfo, HasTheLimitsOfFloatingDtypes) {
  expect_limits(kHalf, 16, 0.0009765625, 65504, 6.103515625e-05, 1e-3);
  expect_limits(kBFloat16, 16, 0.0078125, 3.3895313892515355e+38, 1.1754943508222875e-38, 1e-2);
  expect_limits(kFloat, 32, 1.1920928955078125e-07, 3.4028234663852886e+38, 1.1754943508222875e-38,
                1e-6);
  expect_limits(kDouble, 64, 2.220446049250313e-16, 1.7976931348623157e+308,
                2.2250738585072014e-308, 1e-15);
  EXPECT_EQ(finfo().dtype, kFloat);
}

TEST(Finfo, HasTheLimitsOfIntegralDtypes) {
  const auto expect = [](ScalarType dtype, int bits, std::int64_t min, std::int64_t max) {
    const IntInfo info = iinfo(dtype);
    EXPECT_EQ(info.dtype, dtype);
    EXPECT_EQ(info.bits, bits) << dtype;
    EXPECT_EQ(info.min, min) << dtype;
    EXPECT_EQ(info.max, max) << dtype;
  };
  expect(kByte, 8, 0, 255);
  expect(kChar, 8, -128, 127);
  expect(kShort, 16, -32768, 32767);
  expect(kInt, 32, -2147483648, 2147483647);
  expect(kLong, 64, INT64_MIN, INT64_MAX);
}

TEST(Finfo, FillsAMaskInAnyFloatingDtype) {
  for (const ScalarType dtype : {kHalf, kBFloat16, kFloat, kDouble}) {
    const Tensor scores = zeros({2}, dtype).masked_fill(tensor({true, false}), finfo(dtype).min);
    EXPECT_TRUE(scores.isfinite().all().item<bool>()) << dtype;
    EXPECT_EQ(scores[0].item<double>(), finfo(scores.dtype()).min) << dtype;
    EXPECT_TRUE(scores.softmax(0).equal(tensor({0, 1}, dtype))) << dtype;
  }
}

TEST(Finfo, RefusesOtherDtypes) {
  EXPECT_EQ(error_of<DTypeError>([] { finfo(kLong); }),
            "finfo: Expected a floating dtype, got Long. Use iinfo for integers");
  EXPECT_EQ(error_of<DTypeError>([] { finfo(kBool); }),
            "finfo: Expected a floating dtype, got Bool");
  EXPECT_EQ(error_of<DTypeError>([] { iinfo(kHalf); }),
            "iinfo: Expected an integral dtype, got Half. Use finfo for floating dtypes");
  EXPECT_EQ(error_of<DTypeError>([] { iinfo(kBool); }),
            "iinfo: Expected an integral dtype, got Bool");
}

}  // namespace
}  // namespace tern
