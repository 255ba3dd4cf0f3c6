#include <gtest/gtest.h>

#include <tern/tern.h>

#include "error_of.h"
#include "golden/golden.h"

// Windows for signals and range(), compared with PyTorch (golden/ops/windows.json).

namespace tern {
namespace {

using nlohmann::json;
using testing::golden;
using testing::golden_tensor;

Tensor window_of(const std::string& name, const json& arguments, const TensorOptions& options) {
  const auto length = arguments[0].get<std::int64_t>();
  const bool periodic = arguments[1];
  if (arguments.size() == 4) {
    return hamming_window(length, periodic, arguments[2], arguments[3], options);
  }
  if (arguments.size() == 3) {
    const double number = arguments[2];
    return name == "kaiser" ? kaiser_window(length, periodic, number, options)
                            : hamming_window(length, periodic, number, options);
  }
  if (name == "hann") return hann_window(length, periodic, options);
  if (name == "hamming") return hamming_window(length, periodic, options);
  if (name == "blackman") return blackman_window(length, periodic, options);
  if (name == "bartlett") return bartlett_window(length, periodic, options);
  return kaiser_window(length, periodic, options);
}

TEST(Windows, AreThoseOfPyTorch) {
  for (const json& entry : golden("ops/windows")["windows"]) {
    const Tensor want = golden_tensor(entry["result"]);
    const Tensor got = window_of(entry["window"], entry["arguments"], want.dtype());
    ASSERT_EQ(got.sizes(), want.sizes());
    ASSERT_EQ(got.dtype(), want.dtype());
    const double tolerance = want.dtype() == kDouble  ? 1e-14
                             : want.dtype() == kFloat ? 1e-6
                             : want.dtype() == kHalf  ? 4e-3
                                                      : 3e-2;
    EXPECT_TRUE(allclose(got.to(kDouble), want.to(kDouble), 0, tolerance)) << entry.dump() << '\n'
                                                                           << got;
  }
}

TEST(Windows, ArePeriodicWithoutAWord) {
  EXPECT_TRUE(hann_window(5).equal(hann_window(6, false).narrow(0, 0, 5)));
  EXPECT_TRUE(hamming_window(5).equal(hamming_window(5, true, 0.54, 0.46)));
  EXPECT_TRUE(kaiser_window(5).equal(kaiser_window(5, true, 12.)));
}

TEST(Windows, FollowTheOptions) {
  const Tensor window = hann_window(4, TensorOptions(kDouble).requires_grad(true));
  EXPECT_TRUE(window.requires_grad());
  EXPECT_TRUE(window.is_leaf());
  EXPECT_EQ(window._version(), 0);
  EXPECT_EQ(bartlett_window(4, TensorOptions(kMeta)).sizes(), (IntArrayRef{4}));
}

TEST(Windows, RefuseLengthsAndDtypes) {
  EXPECT_EQ(error_of<ShapeError>([] { blackman_window(-1); }),
            "blackman_window requires non-negative window_length, got "
            "window_length=-1");
  EXPECT_NE(error_of<DTypeError>([] {
              kaiser_window(3, kLong);
            }).find("kaiser_window expects floating point dtypes, got: TensorOptions("),
            std::string::npos);
}

TEST(Range, IncludesItsEndAsInPyTorch) {
  const auto number = [](const json& value) {
    return value.is_number_float() ? Scalar(value.get<double>())
                                   : Scalar(value.get<std::int64_t>());
  };
  for (const json& entry : golden("ops/windows")["ranges"]) {
    const json& numbers = entry["numbers"];
    const Tensor want = golden_tensor(entry["result"]);
    const Tensor got =
        range(number(numbers[0]), number(numbers[1]), number(numbers[2]), want.dtype());
    EXPECT_EQ(got.dtype(), want.dtype());
    EXPECT_TRUE(got.equal(want)) << entry.dump() << '\n' << got;
  }
  EXPECT_EQ(range(0, 3).dtype(), kFloat);
}

TEST(Range, RefusesWhatPyTorchRefuses) {
  EXPECT_THROW(range(0, 3, 0), ShapeError);
  EXPECT_THROW(range(0, 3, 0.5, kLong), ShapeError);  // a step of 0
  EXPECT_THROW(range(0, 3, -1), ShapeError);
  EXPECT_THROW(range(0, INFINITY), ShapeError);
  EXPECT_THROW(range(0, 1, kBool), NotImplementedError);
}

}  // namespace
}  // namespace tern
