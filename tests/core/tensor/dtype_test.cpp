#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include <tern/tern.h>

#include "error_of.h"

// The dtype of a tensor as a class, and as an enumerator.

namespace tern {
namespace {

std::string printed_dtype(ScalarType dtype) {
  std::ostringstream out;
  out << zeros({1}, dtype).dtype();
  return out.str();
}

TEST(TypeMeta, PrintsTheNameOfTheCppType) {
  EXPECT_EQ(printed_dtype(kFloat), "float");
  EXPECT_EQ(printed_dtype(kDouble), "double");
  EXPECT_EQ(printed_dtype(kHalf), "c10::Half");
  EXPECT_EQ(printed_dtype(kBFloat16), "c10::BFloat16");
  EXPECT_EQ(printed_dtype(kLong), "long int");
  EXPECT_EQ(printed_dtype(kInt), "int");
  EXPECT_EQ(printed_dtype(kShort), "short int");
  EXPECT_EQ(printed_dtype(kChar), "signed char");
  EXPECT_EQ(printed_dtype(kByte), "unsigned char");
  EXPECT_EQ(printed_dtype(kBool), "bool");
  std::ostringstream out;
  out << zeros({1}).scalar_type();
  EXPECT_EQ(out.str(), "Float");
}

TEST(TypeMeta, StandsForItsDtype) {
  const Tensor x = zeros({2}, kShort);
  EXPECT_TRUE(x.dtype() == kShort && kShort == x.dtype() && x.dtype() != kLong);
  EXPECT_TRUE(x.dtype() == ones({1}, kShort).dtype() && x.dtype() != ones({1}).dtype());
  EXPECT_EQ(x.dtype().itemsize(), 2U);
  const ScalarType wider = x.dim() == 1 ? x.dtype() : kLong;
  EXPECT_EQ(wider, kShort);
  switch (x.dtype()) {
    case kShort:
      break;
    default:
      FAIL();
  }
  EXPECT_EQ(zeros({2}, x.dtype()).dtype(), kShort);
  EXPECT_EQ(ones({2}).to(x.dtype()).dtype(), kShort);
  EXPECT_EQ(ones({2}).type(x.dtype()).dtype(), kShort);
  EXPECT_EQ(ones({2}).sum(0, false, x.dtype()).dtype(), kShort);
  EXPECT_EQ(TensorOptions(x.dtype()).dtype(), kShort);
  EXPECT_EQ(TensorOptions().dtype(x.dtype()).dtype(), kShort);
  EXPECT_EQ(TensorOptions().dtype(), get_default_dtype());
}

TEST(TypeMeta, OfNoTypeHasNoDtype) {
  TypeMeta dtype;
  EXPECT_EQ(dtype.name(), "nullptr (uninitialized)");
  EXPECT_EQ(dtype.itemsize(), 0U);
  EXPECT_FALSE(dtype.isScalarType());
  EXPECT_EQ(error_of([&] { (void)dtype.toScalarType(); }),
            "Unsupported TypeMeta in ATen: nullptr (uninitialized)");
  dtype = kBool;
  EXPECT_TRUE(dtype.isScalarType(kBool) && dtype.Match<bool>());
}

}  // namespace
}  // namespace tern
