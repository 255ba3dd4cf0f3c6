#include <tern/backends/cuda/device/gemm/cublas.h>
#include <tern/core/kernels/families/gemm.h>

#include "backends/kernels/gemm_product.h"

// The calls that CUDA's matrix product makes to cuBLASLt, and the fallbacks if cuBLASLt refuses.
// Plans live as long as the process, so a test that changes what the library can do uses its own
// device.

namespace tern {
namespace {

using namespace testing::gemm;
using kernels::KernelContext;
using kernels::StatusCode;

class Cublas : public ::testing::Test {
 protected:
  Cublas() { emulator::cuda_kernels().register_kernels(&table_); }
  ~Cublas() override {
    cublas_.refuse_epilogues = false;
    cublas_.refuse_products = false;
    cublas_.create_status = CUBLAS_STATUS_SUCCESS;
    cublas_.product_status = CUBLAS_STATUS_SUCCESS;
  }

  KernelContext run(const GemmArgs& args, int device = 0) const {
    KernelContext context;
    context.device = device;
    table_[kernels::Slot::gemm](&args, &context);
    return context;
  }

  template <class T>
  void check(const Case& given, int device = 0) const {
    Product<T> product(given);
    ASSERT_EQ(run(product.args(), device).status, StatusCode::kOk);
    product.check();
  }

  /// Returns how many algorithms `call` searches for and how many products it computes.
  template <class Call>
  std::pair<int, int> count(const Call& call) const {
    const int searches = cublas_.searches, products = cublas_.products;
    call();
    return {cublas_.searches - searches, cublas_.products - products};
  }

  emulator::Cublas& cublas_ = emulator::cublas();

 private:
  kernels::KernelTable table_;
};

TEST_F(Cublas, ReadsRowsAndColumnsWhereTheyAreAndCopiesOtherLayouts) {
  for (const MatrixLayout a : kAll) {
    for (const MatrixLayout b : kAll) {
      Product<float> product({9, 10, 11, a, b, 2});
      const GemmArgs args = product.args();
      ASSERT_EQ(count([&] { run(args); }).second, 1);
      product.check();
      const auto is_matrix = [](MatrixLayout layout) {
        return layout <= MatrixLayout::kPaddedColumns;
      };
      EXPECT_EQ(cublas_.b == args.a, is_matrix(a)) << product.given;
      EXPECT_EQ(cublas_.a == args.b, is_matrix(b)) << product.given;
    }
  }
}

TEST_F(Cublas, StridesOfSingleRowsAndColumnsNeedNoCopy) {
  for (const auto& [m, n, k] : {std::array{1, 5, 6}, {5, 1, 6}, {5, 6, 1}, {1, 1, 6}, {1, 1, 1}}) {
    Product<double> product({m, n, k});
    GemmArgs args = product.args();
    if (m == 1) args.a_row_stride = -7;
    if (n == 1) args.b_col_stride = 0;
    if (k == 1) args.a_col_stride = 0, args.b_row_stride = 3;
    run(args);
    product.check();
    EXPECT_EQ(cublas_.b, args.a) << product.given;
    EXPECT_EQ(cublas_.a, args.b) << product.given;
  }
}

TEST_F(Cublas, CopiesReversedMatricesAndRowsThatOverlap) {
  Product<float> reversed({5, 6, 7});
  GemmArgs args = reversed.args();
  std::reverse(reversed.a.data.begin(), reversed.a.data.end());
  args.a = &reversed.a.data.back();
  args.a_row_stride = -7, args.a_col_stride = -1;
  EXPECT_EQ(count([&] { run(args); }).second, 1);
  std::reverse(reversed.a.data.begin(), reversed.a.data.end());
  reversed.check();

  Product<float> windows({5, 6, 7});
  windows.a.row = 2;
  EXPECT_EQ(count([&] { run(windows.args()); }).second, 1);
  windows.check();
}

TEST_F(Cublas, CopiesABiasWithStepsOrOfLittleAlignment) {
  for (const int step : {0, 1, 2}) {
    Case given{3, 7, 5};
    given.bias_stride = step;
    Product<float> product(given);
    const GemmArgs args = product.args();
    run(args);
    product.check();
    EXPECT_EQ(cublas_.bias == args.bias, step == 1);
    EXPECT_EQ(cublas_.epilogue, CUBLASLT_EPILOGUE_BIAS);
  }
  Case given{3, 7, 5};
  given.bias_stride = 1;
  Product<float> product(given);
  GemmArgs args = product.args();
  std::copy_backward(product.bias.begin(), product.bias.end() - 1, product.bias.end());
  args.bias = &product.bias[1];
  run(args);
  product.bias.erase(product.bias.begin());
  product.check();
}

TEST_F(Cublas, AddsTheProductToTheBiasWhereItIsNotFused) {
  cublas_.refuse_epilogues = true;
  for (const int bias_stride : {-1, 0, 1, 2}) {
    for (const std::int64_t batch : {1, 2}) {
      Case given{9, 10, 11, MatrixLayout::kRows, MatrixLayout::kSteps, batch};
      given.bias_stride = bias_stride;
      given.alpha = 2;
      const auto products = count([&] {
        check<float>(given, 1);
        check<double>(given, 1);
        check<Half>(given, 1);
        check<BFloat16>(given, 1);
      });
      EXPECT_EQ(products.second, 4) << given;
      EXPECT_EQ(cublas_.epilogue, CUBLASLT_EPILOGUE_DEFAULT);
    }
  }
  // The missing epilogue is remembered, too, for operands of the same alignment.
  Case given{12, 10, 11};
  given.bias_stride = 1;
  Product<float> product(given);
  EXPECT_EQ(count([&] { run(product.args(), 1); }), std::pair(2, 1));
  EXPECT_EQ(count([&] { run(product.args(), 1); }), std::pair(0, 1));
  product.check();
  // Beside a bias that is not fused, beta * c is left to our own kernel.
  product.given.beta = given.beta = -2;
  product.want.clear();
  EXPECT_EQ(count([&] { run(product.args(), 1); }), std::pair(0, 0));
  product.check();
  EXPECT_EQ(count([&] { check<Half>(given, 1); }).second, 0);
}

TEST_F(Cublas, NarrowProductsAndTheirBiasAreRoundedOnce) {
  const auto check_sum = [&]<class T>(T, float large, float half_step) {
    // A product rounded alone drops half a step; with the other half, the sum is a step larger.
    Case given{2, 3, 2};
    given.bias_stride = 1;
    Product<T> product(given);
    for (std::size_t i = 0; i < product.a.data.size(); ++i) {
      product.a.data[i] = T(i % 2 == 0 ? large : half_step);
    }
    std::fill(product.b.data.begin(), product.b.data.end(), T(1));
    std::fill(product.bias.begin(), product.bias.end(), T(half_step));
    for (const bool refuse : {false, true}) {
      cublas_.refuse_epilogues = refuse;
      ASSERT_EQ(run(product.args(), refuse ? 1 : 0).status, StatusCode::kOk);
      EXPECT_EQ(static_cast<float>(product.c[0]), large + 2 * half_step) << refuse;
    }
  };
  check_sum(Half(), 2048, 1);
  check_sum(BFloat16(), 256, 1);
}

TEST_F(Cublas, WithoutAnAlgorithmOurOwnKernelMultiplies) {
  cublas_.refuse_products = true;
  const auto [searches, products] = count([&] {
    for (const MatrixLayout a : kAll) {
      for (const MatrixLayout b : kAll) {
        Case given{37, 50, 40, a, b, 2};
        given.bias_stride = 2;
        given.beta = 2;
        check<float>(given, 2);
        check<double>(given, 2);
      }
    }
    Product<float> rounded({30, 40, 2000}, false);
    run(rounded.args(), 2);
    rounded.check(1e-6);
  });
  EXPECT_GT(searches, 0);
  EXPECT_EQ(products, 0);
}

TEST_F(Cublas, IntegersAndEmptySumsDoNotReachIt) {
  EXPECT_EQ(count([&] { check<std::int64_t>({5, 6, 7}); }), std::pair(0, 0));
  EXPECT_EQ(count([&] { check<float>({5, 6, 0}); }), std::pair(0, 0));
}

TEST_F(Cublas, SearchesOnceForEqualProducts) {
  Case given{21, 22, 23, MatrixLayout::kPaddedRows, MatrixLayout::kColumns};
  given.bias_stride = 1;
  Product<float> product(given);
  const auto searches = [&](const GemmArgs& args, int device = 0) {
    return count([&] { run(args, device); }).first;
  };
  GemmArgs args = product.args();
  const std::vector<float> large(2000);  // for longer rows
  args.a = large.data();
  EXPECT_EQ(searches(args), 1);
  args.alpha = 3, args.beta = 2;
  args.a_batch_stride = 77;  // has no effect for a single matrix
  EXPECT_EQ(searches(args), 0);

  const auto changed = [&](auto change) {
    GemmArgs other = args;
    change(other);
    return searches(other);
  };
  EXPECT_EQ(changed([](GemmArgs& x) { x.k = 22; }), 1);
  EXPECT_EQ(changed([](GemmArgs& x) { x.a_row_stride = 24; }), 1);
  EXPECT_EQ(changed([](GemmArgs& x) { x.bias = nullptr; }), 1);
  EXPECT_EQ(changed([](GemmArgs& x) { x.precision = GemmPrecision::kHigh; }), 1);
  EXPECT_EQ(changed([](GemmArgs& x) { x.a = static_cast<const float*>(x.a) + 1; }), 1);
  EXPECT_EQ(searches(args, 3), 1);
  EXPECT_EQ(searches(args), 0);
}

TEST_F(Cublas, RemembersALimitedNumberOfProducts) {
  const int before = cublas_.live_operations;
  std::vector<float> data(5000);
  GemmArgs args = Product<float>({2, 2, 2}).args();
  args.a = args.b = data.data();
  args.c = data.data() + 4500;
  args.m = args.n = 1;
  for (std::int64_t k = 1; k <= 2100; ++k) {
    args.k = args.a_row_stride = k;
    args.b_row_stride = 1;
    run(args, 4);
    ASSERT_LE(cublas_.live_operations - before, static_cast<int>(cuda::device::kMostPlans));
  }
}

TEST_F(Cublas, PrecisionDecidesTheComputeType) {
  for (const auto& [precision, type] : {std::pair{GemmPrecision::kHighest, CUBLAS_COMPUTE_32F},
                                        {GemmPrecision::kHigh, CUBLAS_COMPUTE_32F_FAST_TF32},
                                        {GemmPrecision::kMedium, CUBLAS_COMPUTE_32F_FAST_TF32}}) {
    Case given{5, 6, 7};
    given.precision = precision;
    check<float>(given);
    EXPECT_EQ(cublas_.compute_type, type);
    check<double>(given);
    EXPECT_EQ(cublas_.compute_type, CUBLAS_COMPUTE_64F);
  }
}

TEST_F(Cublas, NarrowMatricesAreSummedInFloat32) {
  for (const auto precision : {GemmPrecision::kHighest, GemmPrecision::kMedium}) {
    Case given{5, 6, 7, MatrixLayout::kRows, MatrixLayout::kSteps};
    given.precision = precision;
    given.bias_stride = 1;
    given.alpha = 0.5;
    EXPECT_EQ(count([&] { check<Half>(given); }).second, 1);
    EXPECT_EQ(cublas_.compute_type, CUBLAS_COMPUTE_32F);
    EXPECT_EQ(count([&] { check<BFloat16>(given); }).second, 1);
    EXPECT_EQ(cublas_.compute_type, CUBLAS_COMPUTE_32F);
  }
}

TEST_F(Cublas, PartsOfNarrowSumsAreAddedInFloat32) {
  // Half of each sum consists of 4, the other half of -4. The first and the second quarter are 1
  // larger, which is lost if a quarter or a half is rounded.
  const auto check_sum = [&]<class T>(T) {
    Product<T> product({2, 3, 2048});
    for (std::size_t i = 0; i < product.a.data.size(); ++i) {
      const std::size_t p = i % 2048;
      product.a.data[i] = T(p == 0 || p == 512 ? 5 : p < 1024 ? 4 : -4);
    }
    std::fill(product.b.data.begin(), product.b.data.end(), T(1));
    ASSERT_EQ(run(product.args()).status, StatusCode::kOk);
    EXPECT_EQ(static_cast<float>(product.c[0]), 2);
  };
  check_sum(Half());
  check_sum(BFloat16());
}

TEST_F(Cublas, WithoutCublasNarrowMatricesAreSummedInFloat32Too) {
  cublas_.refuse_products = true;
  Case given{40, 33, 70};
  given.beta = 1;
  check<Half>(given, 6);
  check<BFloat16>(given, 6);
}

TEST_F(Cublas, WithoutRoundedProductsItMultipliesExactly) {
  cublas_.refuse_rounding = true;
  Case given{15, 16, 17};
  given.precision = GemmPrecision::kMedium;
  check<float>(given);
  EXPECT_EQ(cublas_.compute_type, CUBLAS_COMPUTE_32F);
}

TEST_F(Cublas, AnAlgorithmThatDoesNotDoIsNotTriedAgain) {
  Product<float> product({18, 19, 20});
  cublas_.product_status = CUBLAS_STATUS_NOT_SUPPORTED;
  EXPECT_EQ(count([&] { EXPECT_EQ(run(product.args()).status, StatusCode::kOk); }).second, 1);
  product.check();
  EXPECT_EQ(count([&] { EXPECT_EQ(run(product.args()).status, StatusCode::kOk); }).second, 0);
}

TEST_F(Cublas, FailuresNameTheFunctionAndTheStatus) {
  Product<float> product({5, 6, 7});
  cublas_.create_status = CUBLAS_STATUS_NOT_INITIALIZED;
  const KernelContext closed = run(product.args(), 5);
  EXPECT_EQ(closed.status, StatusCode::kDeviceFault);
  EXPECT_STREQ(closed.message,
               "CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling cublasLtCreate");
  cublas_.create_status = CUBLAS_STATUS_SUCCESS;
  cublas_.product_status = CUBLAS_STATUS_EXECUTION_FAILED;
  const KernelContext failed = run(product.args(), 5);
  EXPECT_EQ(failed.status, StatusCode::kDeviceFault);
  EXPECT_STREQ(failed.message,
               "CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling cublasLtMatmul");
  cublas_.product_status = CUBLAS_STATUS_SUCCESS;
  EXPECT_EQ(run(product.args(), 5).status, StatusCode::kOk);
}

}  // namespace
}  // namespace tern
