#include "backends/kernels/gemm_product.h"

#include <tern/core/kernels/families/gemm.h>

// The matrix product against the oracle. The numbers are small integers, so every sum is exact,
// even of bfloat16, and results are compared bit for bit. Some tests measure rounding with other
// numbers. gemm_narrow_test.cpp has the tests of the other dtypes alone.

namespace tern {
namespace {

using namespace testing::gemm;
using kernels::StatusCode;

class Gemm : public testing::gemm::ProductTest {};

TEST_P(Gemm, EverySizeAroundTheTiles) {
  for (const std::int64_t m : {1, 2, 3, 4, 5, 7, 8, 9, 17, 25}) {
    for (const std::int64_t n : {1, 3, 4, 5, 8, 15, 16, 17, 20, 24, 31, 33, 47, 48, 49, 65, 129}) {
      for (const std::int64_t k : {0, 1, 2, 15, 17, 33, 70}) {
        // All four pairs of layouts, spread over the sizes.
        const auto pick = static_cast<unsigned>(m + n + k);
        for (const MatrixLayout a : kDense) check<float>({m, n, k, a, kDense[pick % 2]});
        check<double>({m, n, k, kDense[pick / 2 % 2], kDense[pick % 2]});
      }
    }
  }
}

TEST_P(Gemm, EmptyResults) {
  for (const Case& given : {Case{0, 5, 3}, Case{5, 0, 3}, Case{0, 0, 0}}) check_all(given);
  Case none{4, 5, 3};
  none.batch = 0;
  check_all(none);
}

TEST_P(Gemm, EveryLayout) {
  for (const MatrixLayout a : kAll) {
    for (const MatrixLayout b : kAll) {
      for (const auto& [m, n, k] : {std::array{37, 50, 40},
                                    {3, 40, 140},
                                    {40, 3, 140},
                                    {60, 20, 40},
                                    {1, 70, 40},
                                    {70, 1, 40},
                                    {1, 70, 140},
                                    {70, 1, 140}}) {
        check_all({m, n, k, a, b});
      }
    }
  }
}

TEST_P(Gemm, SeveralBlocksOfEverything) {
  for (const MatrixLayout a : kDense) {
    for (const MatrixLayout b : kDense) {
      for (const auto& [m, n, k] : {std::array{9, 400, 800},
                                    {70, 33, 800},
                                    {1, 300, 800},
                                    {300, 1, 800},
                                    {1, 1, 100001},
                                    {20, 300, 129},
                                    {300, 20, 129},
                                    {40, 1024, 20},     // rows of B that share cache sets
                                    {1400, 50, 20},     // many rows read B
                                    {40, 300, 100}}) {  // x W^T is transposed
        check<float>({m, n, k, a, b});
      }
      check<double>({50, 70, 400, a, b});
      check<double>({300, 9, 129, a, b});
      check<std::int64_t>({50, 70, 100, a, b});
    }
  }
}

TEST_P(Gemm, BiasAndBetaOnEveryPath) {
  // The emulator is slow. Its one path has tiles of 32 in all three dimensions.
  const bool is_slow = is_cuda();
  for_each_bias_and_beta({{9, 40, is_slow ? 70 : 800},
                          {5, 40, 100},
                          {40, 5, 100},
                          {40, 17, 40},
                          {35, is_slow ? 70 : 200, 100},
                          {40, 1, 100},
                          {1, 40, 100},
                          {1, 1, is_slow ? 700 : 70000},
                          {5, 7, 0}},
                         [&](const Case& given) { check_all(given); });
}

TEST_P(Gemm, Batches) {
  for_each_batch(is_cuda(), [&](const Case& given) { check_all(given); });
}

TEST_P(Gemm, RoundsLikeASum) {
  for (const MatrixLayout a : kDense) {
    for (const MatrixLayout b : kDense) {
      for (const auto& [m, n, k] : {std::array{30, 40, 2000}, {8, 40, 2000}, {40, 8, 2000}}) {
        Product<float> single({m, n, k, a, b}, false);
        run(single.args());
        single.check(1e-5);
        Product<double> twice({m, n, k, a, b}, false);
        run(twice.args());
        twice.check(1e-14);
      }
    }
  }
}

/// Returns true if these kernels round the operands of a float32 product when they may.
bool rounds([[maybe_unused]] const cpu::Capability& set) {
#ifdef __x86_64__
  const std::string name = set.name;
  return (name == "avx512_bf16" || name == "amx" || name == "native") &&
         __builtin_cpu_supports("avx512bf16");
#else
  return false;
#endif
}

TEST_P(Gemm, MediumRoundsOperandsToBfloat16WhereThatIsFaster) {
  for (const MatrixLayout a : kAll) {
    for (const MatrixLayout b : kDense) {
      for (const auto& [m, n, k] :
           {std::array{16, 16, 2}, {30, 41, 2000}, {64, 100, 33}, {130, 48, 801}}) {
        Product<float> product({m, n, k, a, b}, false);
        product.given.precision = GemmPrecision::kMedium;
        run(product.args());
        if (rounds(*GetParam().set)) product.round_operands();  // the oracle's
        product.check(1e-5);
      }
    }
  }
}

TEST_P(Gemm, OtherPrecisionsAndDtypesKeepEveryBit) {
  const auto compare = [&]<class T>(T, GemmPrecision precision, std::int64_t m) {
    Product<T> product({m, 50, 300, MatrixLayout::kRows, MatrixLayout::kColumns}, false);
    run(product.args());
    const std::vector<T> highest = product.c;
    product.given.precision = precision;
    run(product.args());
    EXPECT_EQ(product.c, highest) << m;
  };
  for (const std::int64_t m : {1, 40}) {
    compare(1.0f, GemmPrecision::kHigh, m);
    compare(1.0, GemmPrecision::kMedium, m);
    if (!rounds(*GetParam().set)) compare(1.0f, GemmPrecision::kMedium, m);
  }
}

TEST_P(Gemm, MediumKeepsInfinity) {
  for (const float special :
       {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::max()}) {
    Case given{20, 20, 3};
    given.precision = GemmPrecision::kMedium;
    Product<float> product(given);
    std::fill(product.a.data.begin(), product.a.data.end(), special);
    std::fill(product.b.data.begin(), product.b.data.end(), -1.0f);
    run(product.args());
    EXPECT_EQ(product.c[0], -std::numeric_limits<float>::infinity());
  }
}

TEST_P(Gemm, SameBitsForAnyNumberOfThreads) {
  for (const auto& [m, n, k] :
       {std::array{100, 90, 800}, {8, 300, 800}, {300, 9, 800}, {9, 9, 9}}) {
    for (const MatrixLayout layout : kDense) {
      for (const auto precision : {GemmPrecision::kHighest, GemmPrecision::kMedium}) {
        Product<float> product({m, n, k, layout, MatrixLayout::kColumns}, false);
        product.given.precision = precision;
        set_num_threads(1);
        run(product.args());
        const std::vector<float> alone = product.c;
        for (const int threads : {2, 3, 4, 7}) {
          set_num_threads(threads);
          run(product.args());
          EXPECT_EQ(product.c, alone) << product.given << ", " << threads << " threads";
        }
      }
    }
  }
}

TEST_P(Gemm, BetaZeroDoesNotReadC) {
  for (const std::int64_t m : {5, 40}) {
    Product<float> product({m, 37, 70});
    std::fill(product.before.begin(), product.before.end(), std::nanf(""));
    run(product.args());
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < 37; ++j) {
        EXPECT_FALSE(std::isnan(product.c[static_cast<std::size_t>(i * product.c_row + j)]));
      }
    }
  }
}

TEST_P(Gemm, NanStaysInItsRowAndColumn) {
  for (const auto& [m, n, k] : {std::array{9, 50, 71}, {50, 9, 71}, {40, 40, 41}, {40, 40, 40}}) {
    for (const MatrixLayout layout : kDense) {
      Case given{m, n, k, layout, layout};
      given.precision = k % 2 == 0 ? GemmPrecision::kMedium : GemmPrecision::kHighest;
      Product<float> product(given);
      product.a.data[static_cast<std::size_t>((m - 1) * product.a.row)] = std::nanf("");
      product.b.data[static_cast<std::size_t>((n - 1) * product.b.column)] = std::nanf("");
      run(product.args());
      for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
          EXPECT_EQ(std::isnan(product.c[static_cast<std::size_t>(i * product.c_row + j)]),
                    i == m - 1 || j == n - 1)
              << given << ", at " << i << ' ' << j;
        }
      }
    }
  }
}

TEST_P(Gemm, IntegersWrapAround) {
  Product<std::int64_t> product({1, 1, 1});
  product.a.data[0] = std::numeric_limits<std::int64_t>::max();
  product.b.data[0] = 2;
  run(product.args());
  EXPECT_EQ(product.c[0], -2);
}

TEST_P(Gemm, OtherDtypesAreRefused) {
  Product<float> product({2, 2, 2});
  GemmArgs args = product.args();
  args.dtype = kBool;
  EXPECT_EQ(run(args).status, StatusCode::kUnsupportedDtype);
}

TERN_KERNEL_TESTS(Gemm);

}  // namespace
}  // namespace tern
