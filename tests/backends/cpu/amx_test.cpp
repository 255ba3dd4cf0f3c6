#include "backends/kernels/gemm_product.h"

// Products by AMX, with the processor's tiles emulated (amx_emulated.h), against the oracle. Only
// the instructions are emulated: packing and everything around the tiles are the kernels of the set
// "amx", whose other kernels are those of avx512_bf16.

#ifdef TERN_AMX_EMULATED

namespace tern::testing::amx {

/// Returns the set avx512_bf16; null where the machine lacks it.
inline const cpu::Capability* base_set() {
  for (const cpu::Capability* set : runnable_sets()) {
    if (std::string(set->name) == "avx512_bf16") return set;
  }
  return nullptr;
}

}  // namespace tern::testing::amx

extern "C" void tern_cpu_register_amx_emulated(tern::kernels::KernelTable* table);
extern "C" void tern_cpu_register_amx_base(tern::kernels::KernelTable* table) {
  tern::testing::amx::base_set()->register_kernels(table);
}

namespace tern {
namespace {

using namespace testing::gemm;
using testing::amx::base_set;

constexpr cpu::Capability kAmx{"amx", [] { return base_set() != nullptr; },
                               [](kernels::KernelTable* table) {
                                 if (base_set() == nullptr) return;
                                 tern_cpu_register_amx_emulated(table);
                               }};

class AmxGemm : public ProductTest {
 protected:
  void SetUp() override {
    if (base_set() == nullptr)
      GTEST_SKIP() << "needs the CPU set avx512_bf16, which this machine or this build lacks";
  }
  /// Products of both dtypes that use the tiles.
  void check_both(const Case& given) {
    check<float>(given);
    check<BFloat16>(given);
  }
};

TEST_P(AmxGemm, EverySizeAroundTheTiles) {
  for (const std::int64_t m : {16, 17, 31, 32, 33, 50, 64}) {
    for (const std::int64_t n : {16, 20, 32, 33, 49}) {
      for (const std::int64_t k : {2, 3, 31, 32, 33, 64, 70}) {
        const auto pick = static_cast<unsigned>(m + n + k);
        check_both({m, n, k, kDense[pick / 2 % 2], kDense[pick % 2]});
      }
    }
  }
}

TEST_P(AmxGemm, EveryLayout) {
  for (const MatrixLayout a : kAll) {
    for (const MatrixLayout b : kAll) check_both({37, 50, 77, a, b});
  }
}

TEST_P(AmxGemm, SeveralBlocksOfEverything) {
  for (const MatrixLayout a : kDense) {
    for (const MatrixLayout b : kDense) {
      for (const auto& [m, n, k] : {std::array{70, 33, 3001}, {20, 600, 900}, {300, 18, 1700}}) {
        // The emulated tiles are slow; both dtypes take each size and each pair of layouts.
        if ((n == 600) == (a == b)) {
          check<float>({m, n, k, a, b});
        } else {
          check<BFloat16>({m, n, k, a, b});
        }
      }
    }
  }
}

TEST_P(AmxGemm, BiasBetaAndBatches) {
  for (const auto& [m, n, k] : {std::array{40, 40, 1700}, {17, 35, 40}}) {
    for (const double beta : {0.0, 1.0, -2.0}) {
      for (const int bias_stride : {-1, 1, 2}) {
        Case given{m, n, k, MatrixLayout::kRows, MatrixLayout::kColumns, 3};
        given.beta = beta;
        given.bias_stride = bias_stride;
        given.alpha = bias_stride == 1 ? 1 : 2;
        // Each beta and each bias in both dtypes.
        if ((static_cast<int>(beta) + bias_stride) % 2 == 0) {
          check<float>(given);
        } else {
          check<BFloat16>(given);
        }
      }
    }
  }
}

TEST_P(AmxGemm, RoundsOperandsToBfloat16) {
  for (const MatrixLayout a : kDense) {
    for (const MatrixLayout b : kDense) {
      Product<float> product({40, 35, 2000, a, b}, false);
      product.given.precision = GemmPrecision::kMedium;
      run(product.args());
      product.round_operands();  // the oracle's
      product.check(1e-5);
    }
  }
}

TEST_P(AmxGemm, SameBitsForAnyNumberOfThreads) {
  Product<float> product({100, 90, 1600}, false);
  product.given.precision = GemmPrecision::kMedium;
  set_num_threads(1);
  run(product.args());
  const std::vector<float> alone = product.c;
  for (const int threads : {2, 3, 7}) {
    set_num_threads(threads);
    run(product.args());
    EXPECT_EQ(product.c, alone) << threads << " threads";
  }
}

TEST_P(AmxGemm, NanStaysInItsRowAndColumn) {
  Product<BFloat16> product({40, 40, 41});
  product.a.data[39 * 41] = BFloat16(std::nanf(""));
  product.b.data[39] = BFloat16(std::numeric_limits<float>::infinity());
  run(product.args());
  for (std::int64_t i = 0; i < 40; ++i) {
    for (std::int64_t j = 0; j < 40; ++j) {
      const float x = product.c[static_cast<std::size_t>(i * product.c_row + j)];
      EXPECT_EQ(std::isfinite(x), i != 39 && j != 39) << i << ' ' << j;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, AmxGemm,
                         ::testing::Values(testing::KernelSet{&kAmx, 1},
                                           testing::KernelSet{&kAmx, 3}),
                         testing::set_name);

}  // namespace
}  // namespace tern

#endif
