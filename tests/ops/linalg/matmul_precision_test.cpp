#include <gtest/gtest.h>

#include <tern/backends/cpu/cpu_backend.h>
#include <tern/tern.h>

#include <string>

// float32_matmul_precision as users set it.

namespace tern {
namespace {

class MatmulPrecision : public ::testing::Test {
 protected:
  ~MatmulPrecision() override { set_float32_matmul_precision("highest"); }
};

double largest_difference(const Tensor& a, const Tensor& b) {
  return (a.to(kDouble) - b.to(kDouble)).abs().max().item<double>();
}

/// Returns true if this machine's kernels gain from rounding operands.
bool rounds_operands() {
  const std::string set = cpu_capability();
  return set == "avx512_bf16" || set == "amx";
}

TEST_F(MatmulPrecision, IsSetByName) {
  EXPECT_EQ(get_float32_matmul_precision(), "highest");
  for (const char* name : {"high", "medium", "highest"}) {
    set_float32_matmul_precision(name);
    EXPECT_EQ(get_float32_matmul_precision(), name);
  }
}

TEST_F(MatmulPrecision, AnotherWordIsRefusedAndChangesNothing) {
  set_float32_matmul_precision("high");
  try {
    set_float32_matmul_precision("foo");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what())
                  .find("foo is not one of 'highest', 'high', or 'medium'; the current "
                        "setFloat32MatmulPrecision call has no effect."),
              std::string::npos)
        << error.what();
  }
  EXPECT_EQ(get_float32_matmul_precision(), "high");
}

TEST_F(MatmulPrecision, MediumRoundsOnlyWhileItIsSet) {
  manual_seed(0);
  const Tensor a = randn({64, 300}), b = randn({300, 80});
  const Tensor exact = a.to(kDouble).mm(b.to(kDouble)), highest = a.mm(b);
  set_float32_matmul_precision("medium");
  const Tensor medium = a.mm(b);
  EXPECT_EQ(largest_difference(a.to(kDouble).mm(b.to(kDouble)), exact), 0);
  set_float32_matmul_precision("highest");
  EXPECT_EQ(largest_difference(a.mm(b), highest), 0);
  EXPECT_LT(largest_difference(highest, exact), 1e-4);
  EXPECT_LT(largest_difference(medium, exact), 0.5);
  if (rounds_operands()) {
    EXPECT_GT(largest_difference(medium, exact), 1e-3);
  }
}

TEST_F(MatmulPrecision, CountsForGradientsToo) {
  manual_seed(0);
  const Tensor x = randn({40, 70}), weight = randn({50, 70}).requires_grad_(true);
  const auto gradient = [&] {
    weight.mutable_grad().reset();
    linear(x, weight).square().sum().backward();
    return weight.grad().clone();
  };
  const Tensor highest = gradient();
  set_float32_matmul_precision("medium");
  const double difference = largest_difference(gradient(), highest);
  EXPECT_LT(difference, 0.05 * highest.abs().max().item<double>());
  if (rounds_operands()) {
    EXPECT_GT(difference, 0);
  }
}

}  // namespace
}  // namespace tern
