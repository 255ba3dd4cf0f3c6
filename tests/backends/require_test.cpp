#include <memory>

#include "backends/kernel_test.h"

namespace tern {
namespace {

using namespace kernels;

class Require : public testing::KernelTest {
 protected:
  KernelContext run_over(const bool* holds, std::int64_t count, RequireOp op) {
    const RequireArgs args{op, count, holds};
    return run(args);
  }
};

TEST_P(Require, NamesTheRuleThatAnElementBreaks) {
  constexpr std::int64_t kCount = 70000;
  const auto holds = std::make_unique<bool[]>(kCount);
  std::fill_n(holds.get(), kCount, true);
  for (const RequireOp op : {RequireOp::kDivisor, RequireOp::kProbability}) {
    EXPECT_EQ(run_over(holds.get(), kCount, op).status, StatusCode::kOk);
  }
  for (const std::int64_t bad : {std::int64_t{0}, std::int64_t{300}, kCount - 1}) {
    holds[static_cast<std::size_t>(bad)] = false;
    const KernelContext divisor = run_over(holds.get(), kCount, RequireOp::kDivisor);
    EXPECT_EQ(divisor.status, StatusCode::kInvalidValue);
    EXPECT_NE(std::string(divisor.message).find("ZeroDivisionError"), std::string::npos);
    const KernelContext probability = run_over(holds.get(), kCount, RequireOp::kProbability);
    EXPECT_EQ(probability.status, StatusCode::kInvalidValue);
    EXPECT_NE(std::string(probability.message).find("Expected p_in >= 0 && p_in <= 1"),
              std::string::npos);
    EXPECT_EQ(run_over(holds.get(), bad, RequireOp::kDivisor).status, StatusCode::kOk);
    holds[static_cast<std::size_t>(bad)] = true;
  }
}

TERN_KERNEL_TESTS(Require);

}  // namespace
}  // namespace tern
