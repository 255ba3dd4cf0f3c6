#include <cmath>
#include <limits>
#include <vector>

#include <tern/core/kernels/families/scan.h>

#include "backends/kernel_test.h"

namespace tern {
namespace {

using namespace kernels;
using testing::Noise;
using testing::Number;

struct Sizes {
  std::int64_t outer, size, inner;
};

constexpr Sizes kEverySize[] = {{1, 1, 1},  {3, 20, 1},  {2, 700, 1},
                                {5, 9, 40}, {400, 3, 2}, {2, 5, 300}};

class Scan : public testing::KernelTest {
 protected:
  // The results are exact in float32, so they are rounded once, and narrow integers wrap around.
  template <class T>
  void check(ScanOp op, const Sizes& sizes, bool reverse, bool shifted = false,
             bool in_place = false) {
    SCOPED_TRACE(::testing::Message()
                 << dtype_of<T>() << " op " << static_cast<int>(op) << ' ' << sizes.outer << ' '
                 << sizes.size << ' ' << sizes.inner << " reverse " << reverse << " shifted "
                 << shifted << " in place " << in_place);
    // std::vector<bool> has no elements in memory.
    using Element = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
    Noise noise(3);
    const auto count = static_cast<std::size_t>(sizes.outer * sizes.size * sizes.inner);
    std::vector<Element> in(count), factors(count), want(count);
    std::vector<std::int64_t> indices(count), want_indices(count);
    const bool multiplies = op == ScanOp::kProd;
    for (auto&& x : in)
      x = static_cast<T>(multiplies ? 1 + noise.bits() % 16 / 15 : noise.bits() % 8);
    for (Element& x : factors) x = static_cast<Element>(T(noise.bits() % 2));
    const std::vector<Element> before = in;
    std::vector<Element> out(count);
    const bool finds = op == ScanOp::kMax || op == ScanOp::kMin;
    ScanArgs args{op,          dtype_of<T>(), reverse, shifted,    sizes.outer, sizes.size,
                  sizes.inner, in.data(),     nullptr, out.data(), nullptr};
    if (op == ScanOp::kRecurrence) args.factors = factors.data();
    if (finds) args.indices = indices.data();
    if (in_place) args.out = in.data();
    ASSERT_EQ(run(args).status, StatusCode::kOk);
    const std::vector<Element>& got = in_place ? in : out;
    args.in = before.data();
    args.out = want.data();
    if (finds) args.indices = want_indices.data();
    testing::run_oracle(args);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(Number(got[i]), Number(want[i])) << "at " << i;
      ASSERT_EQ(indices[i], want_indices[i]) << "at " << i;
    }
  }
};

TEST_P(Scan, EveryDtype) {
  for (const Sizes& sizes : kEverySize) {
    for (const bool reverse : {false, true}) {
      testing::for_each_dtype([&]<class T>() {
        for (const ScanOp op : {ScanOp::kSum, ScanOp::kProd, ScanOp::kMax, ScanOp::kMin}) {
          if (scans(op, dtype_of<T>())) check<T>(op, sizes, reverse);
        }
        // Short recurrences, whose results are exact.
        const bool is_exact = element_size(dtype_of<T>()) >= 4 && sizes.size <= 20;
        for (const bool shifted : {false, true}) {
          if (!is_exact || !scans(ScanOp::kRecurrence, dtype_of<T>())) continue;
          check<T>(ScanOp::kRecurrence, sizes, reverse, shifted);
        }
      });
    }
  }
}

TEST_P(Scan, InPlace) {
  for (const Sizes& sizes : kEverySize) {
    for (const ScanOp op : {ScanOp::kSum, ScanOp::kMax}) {
      check<float>(op, sizes, false, false, /*in_place=*/true);
      check<std::int64_t>(op, sizes, true, false, /*in_place=*/true);
      check<BFloat16>(op, sizes, false, false, /*in_place=*/true);
    }
  }
}

TEST_P(Scan, LogSumExpOfAllNumbers) {
  const double inf = std::numeric_limits<double>::infinity();
  const double kRow[] = {-inf, -inf, -1000, -5, 0.5, -3,           700,
                         699,  -inf, inf,   3,  inf, std::nan(""), 1};
  constexpr std::int64_t n = std::size(kRow);
  // As one row, as rows, and as columns.
  for (const Sizes& sizes : {Sizes{1, n, 1}, {9, n, 1}, {1, n, 5}}) {
    std::vector<double> in, out, want;
    for (std::int64_t i = 0; i < sizes.outer * n * sizes.inner; ++i) {
      in.push_back(kRow[sizes.inner == 1 ? i % n : i / sizes.inner]);
    }
    out.resize(in.size());
    want.resize(in.size());
    ScanArgs args{ScanOp::kLogSumExp, kDouble,   0,       0,          sizes.outer, n,
                  sizes.inner,        in.data(), nullptr, out.data(), nullptr};
    ASSERT_EQ(run(args).status, StatusCode::kOk);
    args.out = want.data();
    testing::run_oracle(args);
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (std::isfinite(want[i])) {
        ASSERT_NEAR(out[i], want[i], 1e-13 * std::abs(want[i])) << "at " << i;
      } else {
        ASSERT_TRUE(out[i] == want[i] || (std::isnan(out[i]) && std::isnan(want[i]))) << "at " << i;
      }
    }
  }
}

TEST_P(Scan, UnsupportedDtype) {
  bool x[2] = {};
  EXPECT_EQ(run(ScanArgs{ScanOp::kSum, kBool, 0, 0, 1, 2, 1, x, nullptr, x, nullptr}).status,
            StatusCode::kUnsupportedDtype);
  std::int64_t y[2] = {};
  EXPECT_EQ(run(ScanArgs{ScanOp::kLogSumExp, kLong, 0, 0, 1, 2, 1, y, nullptr, y, nullptr}).status,
            StatusCode::kUnsupportedDtype);
}

TERN_KERNEL_TESTS(Scan);

}  // namespace
}  // namespace tern
