#include <gtest/gtest.h>

#include <tern/tern.h>

#include "golden/golden.h"

// Type promotion against PyTorch's tables (golden/ops/dtypes.json).

namespace tern {
namespace {

constexpr ScalarType kDtypes[] = {kFloat, kDouble, kLong, kBool};

/// Returns an entry of a golden table: a row per dtype, in letters.
ScalarType golden_result(const std::string& table, ScalarType row, std::size_t column) {
  const nlohmann::json& goldens = testing::golden("ops/dtypes");
  const std::vector<std::string> dtypes = goldens["dtypes"];
  const auto index = std::find(dtypes.begin(), dtypes.end(), dtype_info(row).python_name);
  const std::string results = goldens[table][static_cast<std::size_t>(index - dtypes.begin())];
  const std::string letters = goldens["letters"];
  return testing::golden_dtype(dtypes[letters.find(results[column])]);
}

ScalarType golden_result(const std::string& table, ScalarType row, ScalarType column) {
  const std::vector<std::string> dtypes = testing::golden("ops/dtypes")["dtypes"];
  const auto index = std::find(dtypes.begin(), dtypes.end(), dtype_info(column).python_name);
  return golden_result(table, row, static_cast<std::size_t>(index - dtypes.begin()));
}

void check_table(const std::string& table, IntArrayRef sizes, IntArrayRef other_sizes) {
  for (const ScalarType row : kDtypes) {
    for (const ScalarType column : kDtypes) {
      const Tensor a = ones(sizes, row), b = ones(other_sizes, column);
      const ScalarType wanted = golden_result(table, row, column);
      EXPECT_EQ((a * b).dtype(), wanted) << a.dtype() << " " << b.dtype();
      EXPECT_EQ((b + a).dtype(), wanted);
      EXPECT_EQ(maximum(a, b).dtype(), wanted);
      EXPECT_EQ((a < b).dtype(), kBool);
      EXPECT_EQ(where(a > 0, a, b).dtype(), wanted);
      const bool is_floating = is_floating_point(wanted);
      EXPECT_EQ((a / b).dtype(), is_floating ? wanted : kFloat);
    }
  }
}

TEST(Promotion, OfEqualRank) {
  check_table("promotion", {2}, {2});
  check_table("promotion", {2}, {3, 1});
  check_table("promotion", {}, {});
}

TEST(Promotion, OfZeroDimensionalTensors) { check_table("promotion_of_0d", {2}, {}); }

TEST(Promotion, OfNumbers) {
  for (const std::vector<std::int64_t>& sizes : {std::vector<std::int64_t>{2}, {}}) {
    for (const ScalarType dtype : kDtypes) {
      const auto wanted = [&](std::size_t column) {
        return golden_result("promotion_of_numbers", dtype, column);
      };
      const Tensor a = ones(sizes, dtype);
      EXPECT_EQ((a * 1.5).dtype(), wanted(0)) << a.dtype();
      EXPECT_EQ((2 * a).dtype(), wanted(1)) << a.dtype();
      EXPECT_EQ((a * true).dtype(), wanted(2)) << a.dtype();
    }
  }
}

TEST(Promotion, OfFamilies) {
  const Tensor f = ones({2}), d = ones({2}, kDouble), i = ones({2}, kLong), b = ones({2}, kBool);
  EXPECT_EQ(cat({f, d}).dtype(), kDouble);
  EXPECT_EQ(stack({i, f}).dtype(), kFloat);
  EXPECT_EQ(i.sum().dtype(), kLong);
  EXPECT_EQ(b.sum().dtype(), kLong);
  EXPECT_EQ(b.prod().dtype(), kLong);
  for (const ScalarType narrow : {kInt, kShort, kChar, kByte}) {
    const Tensor x = full({2}, 3, narrow);
    for (const Tensor& out : {x.sum(), x.sum(0), x.prod(), x.prod(0)}) {
      EXPECT_EQ(out.dtype(), kLong) << narrow;
    }
    EXPECT_EQ(x.prod().item<std::int64_t>(), 9);
  }
  EXPECT_EQ(i.exp().dtype(), kFloat);
  EXPECT_EQ(i.sigmoid().dtype(), kFloat);
  EXPECT_EQ(i.sqrt().dtype(), kFloat);
  EXPECT_EQ(i.floor().dtype(), kLong);
  EXPECT_EQ(i.abs().dtype(), kLong);
  EXPECT_EQ(i.sign().dtype(), kLong);
  EXPECT_EQ(i.relu().dtype(), kLong);
  EXPECT_EQ(i.pow(2).dtype(), kLong);
  EXPECT_EQ(i.pow(0.5).dtype(), kFloat);
  EXPECT_EQ(i.clamp(0.5).dtype(), kFloat);
  EXPECT_EQ(f.argmax().dtype(), kLong);
  EXPECT_EQ(b.all().dtype(), kBool);
  EXPECT_TRUE((b + b).equal(b));  // logical or
  EXPECT_EQ((b * b).dtype(), kBool);
}

TEST(Promotion, InPlaceKeepsTheDtype) {
  Tensor f = ones({2});
  f.add_(ones({2}, kDouble));
  EXPECT_EQ(f.dtype(), kFloat);
  f.mul_(tensor({2, 3}));
  EXPECT_TRUE(f.equal(tensor({4., 6.})));
  Tensor i = tensor({1, 2});
  i.fill_(1.7);
  EXPECT_TRUE(i.equal(tensor({1, 1})));
  EXPECT_THROW(i.div_(2), DTypeError);
  EXPECT_THROW(i.add_(ones({2})), DTypeError);
  i.add_(ones({2}, kBool));
  EXPECT_TRUE(i.equal(tensor({2, 2})));
}

}  // namespace
}  // namespace tern
