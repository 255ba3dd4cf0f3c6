#include <malloc.h>

#include <thread>

#include "backends/kernels/gemm_product.h"

// Products of float16, bfloat16 and narrow integers against the oracle, on the CPU; gemm_test.cpp
// has those on CUDA.

namespace tern {
namespace {

using namespace testing::gemm;

class NarrowGemm : public ProductTest {};

TEST_P(NarrowGemm, EverySizeAroundTheTiles) {
  for (const std::int64_t m : {1, 2, 3, 5, 8, 17, 25}) {
    for (const std::int64_t n : {1, 3, 4, 8, 15, 16, 17, 31, 33, 48, 129}) {
      for (const std::int64_t k : {0, 1, 2, 15, 33, 70}) {
        const auto pick = static_cast<unsigned>(m + n + k);
        check<Half>({m, n, k, kDense[pick / 2 % 2], kDense[pick % 2]});
        for (const MatrixLayout a : kDense) check<BFloat16>({m, n, k, a, kDense[pick % 2]});
        check<std::int8_t>({m, n, k, kDense[pick / 2 % 2], kDense[pick % 2]});
      }
    }
  }
}

TEST_P(NarrowGemm, EmptyResults) {
  for (const Case& given : {Case{0, 5, 3}, Case{5, 0, 3}, Case{0, 0, 0}}) check_narrow(given);
  Case none{4, 5, 3};
  none.batch = 0;
  check_narrow(none);
}

TEST_P(NarrowGemm, EveryLayout) {
  for (const MatrixLayout a : kAll) {
    for (const MatrixLayout b : kAll) {
      for (const auto& [m, n, k] :
           {std::array{37, 50, 40}, {8, 40, 140}, {40, 3, 141}, {1, 70, 140}, {70, 1, 140}}) {
        check_narrow({m, n, k, a, b});
      }
    }
  }
}

TEST_P(NarrowGemm, SeveralBlocksOfEverything) {
  for (const MatrixLayout a : kDense) {
    for (const MatrixLayout b : kDense) {
      for (const auto& [m, n, k] : {std::array{9, 400, 1000},
                                    {70, 33, 1001},
                                    {1, 300, 900},
                                    {300, 1, 900},
                                    {1, 1, 100001},
                                    {300, 20, 129}}) {
        check_narrow({m, n, k, a, b});
      }
    }
  }
  check<std::int16_t>({7, 1, 40000});  // a column longer than the buffer of integers
  check<std::int8_t>({7, 9, 9000, MatrixLayout::kSteps, MatrixLayout::kColumns});
}

TEST_P(NarrowGemm, BiasAndBetaOnEveryPath) {
  for_each_bias_and_beta({{9, 40, 1600},
                          {5, 40, 100},
                          {40, 5, 100},
                          {40, 1, 100},
                          {1, 40, 100},
                          {1, 1, 70000},
                          {5, 7, 0}},
                         [&](const Case& given) { check_narrow(given); });
}

TEST_P(NarrowGemm, Batches) {
  for_each_batch(false, [&](const Case& given) { check_narrow(given); });
}

// Sums in float32 differ from the oracle's by 1e-5 of the sum of absolute values at most.
TEST_P(NarrowGemm, RoundsOnce) {
  const auto round_once = [&]<class T>(T) {
    for (const MatrixLayout a : kDense) {
      for (const MatrixLayout b : kDense) {
        for (const auto& [m, n, k] : {std::array{30, 40, 2001},
                                      {30, 48, 31},
                                      {8, 40, 2000},
                                      {40, 8, 4000},
                                      {1, 40, 4000},
                                      {1, 1, 4000}}) {
          for (const double beta : {0.0, 0.5}) {
            Case given{m, n, k, a, b};
            given.beta = beta;
            given.bias_stride = m == 8 ? 2 : 1;
            Product<T> product(given, false);
            run(product.args());
            product.check(1e-5);
          }
        }
      }
    }
  };
  round_once(Half());
  round_once(BFloat16());
}

// A sum that is rounded to bfloat16 on the way stays 256.
TEST_P(NarrowGemm, AddsInFloat32) {
  for (const std::int64_t m : {1, 20}) {
    for (const std::int64_t n : {1, 20}) {
      Case given{m, n, 4000};
      given.bias_stride = 1;
      given.beta = 1;
      Product<BFloat16> product(given);
      std::fill(product.a.data.begin(), product.a.data.end(), BFloat16(1));
      std::fill(product.b.data.begin(), product.b.data.end(), BFloat16(1));
      std::fill(product.before.begin(), product.before.end(), BFloat16(6));
      std::fill(product.bias.begin(), product.bias.end(), BFloat16(6));
      run(product.args());
      EXPECT_EQ(product.c[0], 4016) << given;  // the nearest to 4012
    }
  }
}

TEST_P(NarrowGemm, SpecialNumbers) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const auto check_special = [&]<class T>(T, float x, float y, float want) {
    for (const auto& [m, n] : {std::pair{1, 1}, {1, 20}, {20, 1}, {3, 5}, {20, 20}}) {
      for (const MatrixLayout layout : kDense) {
        Product<T> product({m, n, 3, layout, layout}, true);
        std::fill(product.a.data.begin(), product.a.data.end(), T(0));
        std::fill(product.b.data.begin(), product.b.data.end(), T(1));
        product.a.data[0] = T(x);
        product.b.data[0] = T(y);
        run(product.args());
        const float got = product.c[0];
        EXPECT_TRUE(std::isnan(want) ? std::isnan(got) : got == want)
            << product.given << ": " << x << " * " << y << " = " << got;
      }
    }
  };
  const auto check_both = [&](float x, float y, float want) {
    check_special(Half(), x, y, want);
    check_special(BFloat16(), x, y, want);
  };
  check_both(kInfinity, 2, kInfinity);
  check_both(kInfinity, -2, -kInfinity);
  check_both(kInfinity, 0, std::nanf(""));
  check_both(std::nanf(""), 2, std::nanf(""));
  check_special(Half(), 65504, 2, kInfinity);           // rounds to infinity
  check_special(Half(), 0x1p-24f, 1024, 0x1p-14f);      // the smallest denormal
  check_special(Half(), 0x1p-12f, 0x1p-12f, 0x1p-24f);  // becomes denormal
  check_special(Half(), 0x1p-12f, 0x1p-13f, 0);         // ties to even
  check_special(BFloat16(), 3.38e38f, 2, kInfinity);
  check_special(BFloat16(), 0x1p-100f, 0x1p-26f, 0x1p-126f);  // the smallest normal
}

// PyTorch's bfloat16 products treat denormal operands as zero on processors with AVX512-BF16, too.
TEST_P(NarrowGemm, DenormalBfloat16IsExactOrZero) {
  for (const std::int64_t m : {1, 20}) {
    Product<BFloat16> product({m, 20, 2});
    std::fill(product.a.data.begin(), product.a.data.end(), BFloat16(0x1p-130f));
    std::fill(product.b.data.begin(), product.b.data.end(), BFloat16(0x1p10f));
    run(product.args());
    const float got = product.c[0];
    EXPECT_TRUE(got == 0x1p-119f || (m > 1 && got == 0)) << got;
  }
}

TEST_P(NarrowGemm, SameBitsForAnyNumberOfThreads) {
  for (const auto& [m, n, k] : {std::array{100, 90, 1600}, {1, 300, 800}, {300, 1, 800}}) {
    for (const MatrixLayout layout : kDense) {
      Product<BFloat16> product({m, n, k, layout, MatrixLayout::kColumns}, false);
      const auto bits = [&](int threads) {
        set_num_threads(threads);
        run(product.args());
        std::vector<std::uint16_t> all;
        for (const BFloat16 x : product.c) all.push_back(x.bits);
        return all;
      };
      const auto alone = bits(1);
      for (const int threads : {2, 3, 7}) EXPECT_EQ(bits(threads), alone) << product.given;
    }
  }
}

TEST_P(NarrowGemm, BetaZeroDoesNotReadC) {
  for (const std::int64_t m : {1, 5, 40}) {
    Product<BFloat16> product({m, 37, 70});
    std::fill(product.before.begin(), product.before.end(), BFloat16(std::nanf("")));
    run(product.args());
    for (std::int64_t j = 0; j < 37; ++j) {
      EXPECT_FALSE(std::isnan(static_cast<float>(product.c[static_cast<std::size_t>(j)])));
    }
  }
}

// The sums between the blocks of k have a fixed size. A thread that is new has no memory yet.
TEST_P(NarrowGemm, ManyRowsNeedLittleMemory) {
  constexpr std::size_t kRows = 60000, kColumns = 16, kSize = 790;
  std::vector<Half> a(kRows + kSize), b(kSize * kColumns), c(kRows * kColumns);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = Half(static_cast<float>(i % 3));
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = Half(static_cast<float>(i % 2));
  GemmArgs args{};
  args.dtype = kHalf;
  args.batch = 1, args.m = kRows, args.n = kColumns, args.k = kSize;
  args.a = a.data(), args.b = b.data(), args.c = c.data();
  args.a_row_stride = args.a_col_stride = 1;  // rows overlap
  args.b_row_stride = args.c_row_stride = kColumns;
  args.b_col_stride = 1;
  args.alpha = 1;
  set_num_threads(1);
  std::size_t kept = 0;
  std::thread([&] {
    const auto used = [] {
      const auto info = mallinfo2();
      return info.uordblks + info.hblkhd;
    };
    const std::size_t before = used();
    run(args);
    kept = used() - before;
  }).join();
  EXPECT_LT(kept, std::size_t{3} << 20);
  for (std::size_t i = 0; i < kRows; ++i) {
    ASSERT_EQ(static_cast<float>(c[i * kColumns]), 0);
    ASSERT_EQ(static_cast<float>(c[i * kColumns + 15]), 789 + static_cast<float>(i % 3))
        << "row " << i;
  }
}

TEST_P(NarrowGemm, IntegersWrapAround) {
  const auto check_wrap = [&]<class T>(T) {
    for (const auto& [m, n] : {std::pair{1, 1}, {1, 40}, {40, 1}, {9, 20}}) {
      Case given{m, n, 3};
      given.beta = -1;
      given.bias_stride = 1;
      Product<T> product(given);
      std::fill(product.a.data.begin(), product.a.data.end(), std::numeric_limits<T>::max());
      std::fill(product.b.data.begin(), product.b.data.end(), static_cast<T>(3));
      std::fill(product.bias.begin(), product.bias.end(), std::numeric_limits<T>::max());
      run(product.args());
      product.check();
    }
  };
  check_wrap(std::int32_t());
  check_wrap(std::int16_t());
  check_wrap(std::int8_t());
  check_wrap(std::uint8_t());
}

std::vector<testing::KernelSet> threaded_cpu_sets() {
  auto sets = testing::kernel_sets();
  sets.pop_back();  // CUDA's
  return sets;
}

INSTANTIATE_TEST_SUITE_P(Sets, NarrowGemm, ::testing::ValuesIn(threaded_cpu_sets()),
                         testing::set_name);

}  // namespace
}  // namespace tern
