#include "backends/kernel_test.h"

#include <tern/core/kernels/families/require.h>

namespace tern {
namespace {

using namespace kernels;

class Require : public testing::KernelTest {
 protected:
  template <class T>
  KernelContext run_over(RequireOp op, const std::vector<T>& values) {
    const RequireArgs args{op, dtype_of<T>(), static_cast<std::int64_t>(values.size()),
                           values.data()};
    return run(args);
  }

  /// Expects that `bad` is found at any index among `good` values.
  template <class T>
  void finds(RequireOp op, T good, T bad, const char* rule) {
    SCOPED_TRACE(::testing::Message() << bad << " as " << dtype_info(dtype_of<T>()).name);
    std::vector<T> values(70001, good);
    EXPECT_EQ(run_over(op, values).status, StatusCode::kOk);
    for (const std::size_t place : {std::size_t{0}, std::size_t{300}, values.size() - 1}) {
      values[place] = bad;
      const KernelContext context = run_over(op, values);
      EXPECT_EQ(context.status, StatusCode::kInvalidValue);
      EXPECT_NE(std::string(context.message).find(rule), std::string::npos) << context.message;
      values[place] = good;
    }
  }
};

TEST_P(Require, FindsWhatIsNoProbability) {
  const char* const rule = "Expected p_in >= 0 && p_in <= 1";
  for (const double good : {0.0, -0.0, 0.5, 1.0}) {
    for (const double bad : {-1.0, 2.0, double{NAN}, double{INFINITY}, -1e-30, 1.0000002}) {
      finds<double>(RequireOp::kProbability, good, bad, rule);
      finds<float>(RequireOp::kProbability, static_cast<float>(good), static_cast<float>(bad),
                   rule);
    }
  }
}

TEST_P(Require, FindsDivisorsThatAreZero) {
  for (const std::int64_t good : {std::int64_t{1}, std::int64_t{-1}, std::int64_t{1} << 32}) {
    finds<std::int64_t>(RequireOp::kDivisor, good, 0, "ZeroDivisionError");
    if (good == 1) finds<std::int32_t>(RequireOp::kDivisor, -1, 0, "ZeroDivisionError");
  }
}

TEST_P(Require, FindsBadParametersOfDistributions) {
  const auto check = [&](RequireOp op, const char* rule, double good, double bad) {
    finds<double>(op, good, bad, rule);
    finds<float>(op, static_cast<float>(good), static_cast<float>(bad), rule);
  };
  for (const double bad : {-1.0, double{NAN}}) {
    check(RequireOp::kDeviation, "normal expects all elements of std >= 0.0", 0, bad);
    check(RequireOp::kRate, "invalid Poisson rate", INFINITY, bad);
    check(RequireOp::kWeight, "probability tensor contains either", 3, bad);
    check(RequireOp::kTotal, "sum of probabilities <= 0", INFINITY, bad);
  }
  check(RequireOp::kWeight, "probability tensor contains either", 0, INFINITY);
  check(RequireOp::kTotal, "sum of probabilities <= 0", 1e-30, 0);
}

TERN_KERNEL_TESTS(Require);

}  // namespace
}  // namespace tern
