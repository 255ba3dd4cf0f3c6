#include <tern/core/kernels/families/random.h>
#include <tern/core/kernels/families/sample.h>

#include <cmath>

#include "backends/kernel_test.h"

// CUDA's kernels in the emulator against the oracle. tests/ops/create/random_test compares the
// CPU's numbers with PyTorch's.

namespace tern {
namespace {

using namespace kernels;

class Draws : public testing::KernelTest {
 protected:
  template <class T>
  struct Pair {
    std::vector<T> got, want;
  };

  /// Draws from Philox with the kernel and with the oracle.
  template <class T, class Args>
  Pair<T> draw(Args args, std::int64_t count) {
    Pair<T> draws{std::vector<T>(static_cast<std::size_t>(count)), {}};
    draws.want = draws.got;
    args.dtype = dtype_of<T>();
    args.count = count;
    args.seed = 5;
    args.offset = 8;
    args.out = draws.got.data();
    EXPECT_EQ(run(args).status, StatusCode::kOk);
    args.out = draws.want.data();
    testing::run_oracle(args);
    return draws;
  }

  template <class T>
  void check(SampleOp op, const std::vector<T>& a, const std::vector<T>& b) {
    SampleArgs args{};
    args.op = op;
    args.a = a.data();
    args.b = b.empty() ? nullptr : b.data();
    args.low = 0.125;
    args.high = 0.25;
    const auto draws = draw<T>(args, std::ssize(a));
    EXPECT_EQ(draws.got, draws.want);
  }
};

class Sample : public testing::KernelTest {};
class DeviceSample : public Draws {};  // the CPU draws from another engine

TEST_P(DeviceSample, DrawsAsTheOracle) {
  const auto check_all = [&]<class T>(T) {
    std::vector<T> rates, counts, probabilities, inputs;
    for (int i = 0; i < 700; ++i) {
      rates.push_back(static_cast<T>(i % 50) * T(0.7));
      counts.push_back(static_cast<T>(i % 90 - 2));
      probabilities.push_back(static_cast<T>(i % 31) / 30);
      inputs.push_back(static_cast<T>(i % 7 - 3));
    }
    check<T>(SampleOp::kPoisson, rates, {});
    check<T>(SampleOp::kBinomial, counts, probabilities);
    check<T>(SampleOp::kSlope, inputs, {});
  };
  check_all(float{});
  check_all(double{});
}

TEST_P(DeviceSample, DrawsDistributionsAsTheOracle) {
  const auto check_all = [&]<class T>(T) {
    for (const RandomOp op :
         {RandomOp::kExponential, RandomOp::kCauchy, RandomOp::kLogNormal, RandomOp::kGeometric}) {
      RandomArgs args{};
      args.op = op;
      args.contiguous = 1;
      args.a = 0.25;
      args.b = 0.5;
      const auto draws = draw<T>(args, 5001);
      for (std::size_t i = 0; i < draws.got.size(); ++i) {
        const double want = static_cast<double>(draws.want[i]);
        ASSERT_NEAR(static_cast<double>(draws.got[i]), want, std::abs(want) * 1e-5 + 1e-6)
            << static_cast<int>(op) << ' ' << i;
      }
    }
  };
  check_all(float{});
  check_all(double{});
}

TEST_P(Sample, FindsCategories) {
  const auto check_all = [&]<class T>(T) {
    for (const std::int64_t categories : {1, 2, 255, 256, 257, 5000}) {
      constexpr std::int64_t kRows = 3, kSamples = 300;
      std::vector<T> weights, sums(static_cast<std::size_t>(kRows * categories));
      for (std::int64_t i = 0; i < kRows * categories; ++i) {
        weights.push_back(static_cast<T>(i * 7 % 5));
      }
      for (std::int64_t r = 0; r < kRows; ++r)
        weights[static_cast<std::size_t>(r * categories)] = 1;
      std::vector<double> uniform;
      // Far from the borders between categories, where roundings differ.
      double total = 0;
      for (std::int64_t j = 0; j < kRows * kSamples; ++j) {
        const std::int64_t row = j / kSamples, place = j * 31 % categories;
        double before = 0;
        total = 0;
        for (std::int64_t k = 0; k < categories; ++k) {
          const double weight = weights[static_cast<std::size_t>(row * categories + k)];
          before += k < place ? weight : 0;
          total += weight;
        }
        uniform.push_back((before + 0.5) / total);
      }
      std::vector<std::int64_t> got(uniform.size()), want(uniform.size());
      MultinomialArgs args{dtype_of<T>(),  got.data(), weights.data(), sums.data(),
                           uniform.data(), kRows,      categories,     kSamples};
      EXPECT_EQ(run(args).status, StatusCode::kOk);
      args.out = want.data();
      testing::run_oracle(args);
      EXPECT_EQ(got, want) << categories;
    }
  };
  check_all(float{});
  check_all(double{});
}

TEST_P(Sample, FindsNoCategoryWithoutWeight) {
  const auto check_all = [&]<class T>(T) {
    for (const std::int64_t categories : {1, 2, 5, 257, 700, 5000}) {
      for (const std::int64_t zeros : {0, 1, 3, 300}) {  // behind and before the other categories
        if (2 * zeros >= categories) continue;
        std::vector<T> weights(static_cast<std::size_t>(categories)), sums(weights);
        for (std::int64_t j = zeros; j < categories - zeros; ++j) {  // sums of these are rounded
          weights[static_cast<std::size_t>(j)] =
              j % 3 == 1 ? T(0) : static_cast<T>(0.1 + 0.7 / static_cast<double>(j + 1));
        }
        weights[static_cast<std::size_t>(zeros)] = T(0.3);
        weights[static_cast<std::size_t>(categories - zeros - 1)] = T(0.1);
        std::vector<double> uniform = {0, 0x1p-53, 0x1p-30, 1 - 0x1p-53, 1 - 0x1p-52, 1 - 0x1p-26};
        double total = 0, sum = 0;
        for (const T weight : weights) total += weight;
        for (const T weight : weights) {  // where one category ends, also those without weight
          sum += weight;
          uniform.push_back(std::min(sum / total, 1 - 0x1p-53));
        }
        std::vector<std::int64_t> got(uniform.size(), -1);
        const MultinomialArgs args{dtype_of<T>(),  got.data(), weights.data(), sums.data(),
                                   uniform.data(), 1,          categories,     std::ssize(uniform)};
        EXPECT_EQ(run(args).status, StatusCode::kOk);
        EXPECT_EQ(got[0], zeros);
        EXPECT_EQ(got[3], categories - zeros - 1);
        for (std::size_t s = 0; s < got.size(); ++s) {
          ASSERT_TRUE(got[s] >= 0 && got[s] < categories);
          EXPECT_GT(weights[static_cast<std::size_t>(got[s])], 0)
              << "category " << got[s] << " of " << categories << " for " << uniform[s];
        }
        testing::run_oracle(args);
        for (const std::int64_t of_oracle : got) {
          EXPECT_GT(weights[static_cast<std::size_t>(of_oracle)], 0) << "oracle";
        }
      }
    }
  };
  check_all(float{});
  check_all(double{});
}

TERN_KERNEL_TESTS(Sample);
TERN_CUDA_KERNEL_TESTS(DeviceSample);

}  // namespace
}  // namespace tern
