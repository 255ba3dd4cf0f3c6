#include <gtest/gtest.h>

#include <tern/tern.h>

// Type promotion against PyTorch's tables, printed by golden/promotion.py.

namespace tern {
namespace {

constexpr ScalarType kDtypes[] = {kFloat, kDouble, kLong, kBool};

ScalarType dtype_of_letter(char letter) {
  return letter == 'f' ? kFloat : letter == 'd' ? kDouble : letter == 'l' ? kLong : kBool;
}

// Row: the first operand's dtype, column: the second's.
using Table = const char* const[4];

void check_table(const Table& table, IntArrayRef sizes, IntArrayRef other_sizes) {
  for (std::size_t row = 0; row < 4; ++row) {
    for (std::size_t column = 0; column < 4; ++column) {
      const Tensor a = ones(sizes, kDtypes[row]), b = ones(other_sizes, kDtypes[column]);
      const ScalarType wanted = dtype_of_letter(table[row][column]);
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
  const Table table = {"fdff", "dddd", "fdll", "fdlb"};
  check_table(table, {2}, {2});
  check_table(table, {2}, {3, 1});
  check_table(table, {}, {});
}

TEST(Promotion, OfZeroDimensionalTensors) {
  const Table table = {"ffff", "dddd", "fdll", "fdlb"};
  check_table(table, {2}, {});
}

TEST(Promotion, OfNumbers) {
  const char* const table[4] = {"fff", "ddd", "fll", "flb"};  // with 1.5, 2, true
  for (const std::vector<std::int64_t>& sizes : {std::vector<std::int64_t>{2}, {}}) {
    for (std::size_t row = 0; row < 4; ++row) {
      const Tensor a = ones(sizes, kDtypes[row]);
      EXPECT_EQ((a * 1.5).dtype(), dtype_of_letter(table[row][0])) << a.dtype();
      EXPECT_EQ((2 * a).dtype(), dtype_of_letter(table[row][1])) << a.dtype();
      EXPECT_EQ((a * true).dtype(), dtype_of_letter(table[row][2])) << a.dtype();
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
