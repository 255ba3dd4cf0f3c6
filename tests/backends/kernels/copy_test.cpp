#include <bit>
#include <numeric>
#include <utility>
#include <vector>

#include <tern/core/kernels/families/copy.h>
#include <tern/core/kernels/families/fill.h>

#include "backends/kernel_test.h"

// copy, fill and arange.

namespace tern {
namespace {

using namespace kernels;
using testing::Noise;

using Dims = std::vector<std::int64_t>;

struct CopyLayout {
  Dims sizes, out, in;
};

const CopyLayout kLayouts[] = {
    {{}, {}, {}},
    {{1}, {1}, {1}},
    {{5}, {1}, {1}},
    {{1000}, {1}, {1}},
    {{300'000}, {1}, {1}},
    {{40}, {1}, {0}},   // expanded
    {{500}, {3}, {2}},  // steps
    {{500}, {2}, {1}},
    {{37, 45}, {91, 2}, {45, 1}},
    {{33, 65}, {65, 1}, {1, 33}},  // transposed
    {{33, 65}, {1, 33}, {65, 1}},  // into a transposed output
    {{16, 16}, {16, 1}, {1, 16}},
    {{700, 300}, {300, 1}, {1, 700}},
    {{20, 400}, {1000, 1}, {400, 1}},  // a slice, as in cat
    {{400, 3}, {5, 1}, {3, 1}},
    {{400, 3}, {3, 1}, {1, 400}},
    {{3, 400}, {400, 1}, {1, 3}},
    {{6, 7, 8}, {56, 8, 1}, {1, 6, 42}},  // permuted
    {{4, 3, 9, 10}, {270, 90, 10, 1}, {270, 1, 30, 3}},
    {{2, 3, 4, 5}, {60, 20, 5, 1}, {0, 1, 0, 3}},
};

/// Memory of elements of any dtype.
struct Elements {
  ScalarType dtype;
  std::vector<char> bytes;

  Elements(ScalarType type, std::size_t count) : dtype(type), bytes(count * element_size(type)) {}
};

/// Returns the arguments that cast contiguous elements.
CopyArgs flat_args(ScalarType out_dtype, void* out, ScalarType in_dtype, const void* in,
                   std::int64_t n) {
  CopyArgs args{};
  args.ndim = 1;
  args.out_dtype = out_dtype;
  args.in_dtype = in_dtype;
  args.sizes[0] = n;
  args.in_strides[0] = args.out_strides[0] = 1;
  args.in = in;
  args.out = out;
  return args;
}

/// Returns numbers of any sign in a dtype, cast by the oracle.
Elements numbers(ScalarType dtype, std::size_t count) {
  Noise noise(1);
  std::vector<double> doubles(count);
  for (double& x : doubles) {
    x = noise.uniform(-100, 100);
    if (dtype == kBool && x < 0) x = 0;
  }
  Elements in(dtype, count);
  testing::run_oracle(
      flat_args(dtype, in.bytes.data(), kDouble, doubles.data(), std::ssize(doubles)));
  return in;
}

std::vector<ScalarType> all_dtypes() {
  std::vector<ScalarType> all;
  testing::for_each_dtype([&]<class T>() { all.push_back(dtype_of<T>()); });
  return all;
}

class Copy : public testing::KernelTest {
 protected:
  void check(ScalarType out_dtype, ScalarType in_dtype, const CopyLayout& layout) {
    SCOPED_TRACE(::testing::Message() << in_dtype << " to " << out_dtype << ", sizes "
                                      << ::testing::PrintToString(layout.sizes) << ", strides "
                                      << ::testing::PrintToString(layout.out) << " from "
                                      << ::testing::PrintToString(layout.in));
    const Elements in = numbers(in_dtype, testing::extent(layout.sizes, layout.in));
    Elements out(out_dtype, testing::extent(layout.sizes, layout.out)), want = out;
    CopyArgs args = flat_args(out_dtype, out.bytes.data(), in_dtype, in.bytes.data(), 0);
    args.ndim = static_cast<int>(layout.sizes.size());
    std::copy(layout.sizes.begin(), layout.sizes.end(), args.sizes);
    std::copy(layout.out.begin(), layout.out.end(), args.out_strides);
    std::copy(layout.in.begin(), layout.in.end(), args.in_strides);
    ASSERT_EQ(run(args).status, StatusCode::kOk);
    args.out = want.bytes.data();
    testing::run_oracle(args);
    ASSERT_EQ(out.bytes, want.bytes);  // also between the strides
  }
};

TEST_P(Copy, EveryLayout) {
  for (const CopyLayout& layout : kLayouts) {
    for (const ScalarType dtype : {kFloat, kDouble, kHalf, kBool}) check(dtype, dtype, layout);
  }
}

TEST_P(Copy, EveryCast) {
  for (const CopyLayout& layout : kLayouts) {
    if (testing::count_of(layout.sizes) > 10000) continue;
    for (const ScalarType out : all_dtypes()) {
      for (const ScalarType in : all_dtypes()) check(out, in, layout);
    }
  }
}

// Narrow integers wrap around, and float16 and bfloat16 have all kinds of numbers.
TEST_P(Copy, EveryPatternOf16Bits) {
  std::vector<std::uint16_t> bits(65536 + 7);
  std::iota(bits.begin(), bits.end(), std::uint16_t{0});
  const std::int64_t n = std::ssize(bits);
  for (const ScalarType in : {kHalf, kBFloat16, kShort}) {
    for (const ScalarType out : all_dtypes()) {
      SCOPED_TRACE(::testing::Message() << in << " to " << out);
      Elements got(out, bits.size()), want = got;
      ASSERT_EQ(run(flat_args(out, got.bytes.data(), in, bits.data(), n)).status, StatusCode::kOk);
      testing::run_oracle(flat_args(out, want.bytes.data(), in, bits.data(), n));
      // As float64, where all NaN have the same bits.
      std::vector<double> numbers_got(bits.size()), numbers_want(bits.size());
      for (const auto& [from, to] : {std::pair{&got, &numbers_got}, {&want, &numbers_want}}) {
        testing::run_oracle(flat_args(kDouble, to->data(), out, from->bytes.data(), n));
        for (double& x : *to) x = std::isnan(x) ? -0.123 : x;
      }
      ASSERT_EQ(numbers_got, numbers_want);
    }
  }
}

TEST_P(Copy, RoundsToEveryBfloat16) {
  std::vector<float> in;
  for (const std::uint32_t lower : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
    for (std::uint32_t upper = 0; upper < 0x10000u; ++upper) {
      in.push_back(std::bit_cast<float>(upper << 16 | lower));
    }
  }
  in.push_back(1);  // a rest
  std::vector<BFloat16> out(in.size()), want(in.size());
  const auto n = static_cast<std::int64_t>(in.size());
  run(flat_args(kBFloat16, out.data(), kFloat, in.data(), n));
  testing::run_oracle(flat_args(kBFloat16, want.data(), kFloat, in.data(), n));
  for (std::size_t i = 0; i < in.size(); ++i) {
    ASSERT_EQ(out[i].bits, want[i].bits) << std::bit_cast<std::uint32_t>(in[i]);
  }
}

TEST_P(Copy, NumbersThatDoNotFit) {
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  const double in[7] = {1e30, -1e30, NAN, HUGE_VAL, -2.7, 0x1p63, -0x1p63};
  std::int64_t out[7];
  ASSERT_EQ(run(flat_args(kLong, out, kDouble, in, 7)).status, StatusCode::kOk);
  for (int i : {0, 1, 2, 3, 5, 6}) EXPECT_EQ(out[i], kMin) << i;
  EXPECT_EQ(out[4], -2);
  bool truth[7];
  ASSERT_EQ(run(flat_args(kBool, truth, kDouble, in, 7)).status, StatusCode::kOk);
  for (bool x : truth) EXPECT_TRUE(x);
}

// Blocks with a number that a double with a shift cannot hold are cast one by one.
TEST_P(Copy, LargeIntegersAmongSmall) {
  constexpr std::int64_t kEdge = std::int64_t{1} << 51;
  for (const std::int64_t large :
       {kEdge - 1, kEdge, -kEdge, -kEdge - 1, std::int64_t{(1 << 24) + 1},
        std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    std::vector<std::int64_t> in(1500), back(1500), want_back(1500);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::int64_t>(i) - 700;
    in[600] = large;
    std::vector<float> narrow(1500), want_narrow(1500);
    std::vector<double> wide(1500), want_wide(1500);
    const auto cast = [&](ScalarType out_dtype, void* out, void* want, ScalarType in_dtype,
                          const void* from) {
      ASSERT_EQ(run(flat_args(out_dtype, out, in_dtype, from, 1500)).status, StatusCode::kOk);
      testing::run_oracle(flat_args(out_dtype, want, in_dtype, from, 1500));
    };
    cast(kFloat, narrow.data(), want_narrow.data(), kLong, in.data());
    EXPECT_EQ(narrow, want_narrow) << large;
    cast(kDouble, wide.data(), want_wide.data(), kLong, in.data());
    EXPECT_EQ(wide, want_wide) << large;
    wide[3] = -0.75;
    cast(kLong, back.data(), want_back.data(), kDouble, wide.data());
    EXPECT_EQ(back, want_back) << large;
    cast(kLong, back.data(), want_back.data(), kFloat, narrow.data());
    EXPECT_EQ(back, want_back) << large;
  }
}

TEST_P(Copy, Fill) {
  for (const CopyLayout& layout : kLayouts) {
    std::vector<float> out(testing::extent(layout.sizes, layout.out) + 1), want(out);
    FillArgs args{};
    args.out.data = out.data();
    args.out.dtype = kFloat;
    args.out.ndim = static_cast<int>(layout.sizes.size());
    std::copy(layout.sizes.begin(), layout.sizes.end(), args.out.sizes);
    std::copy(layout.out.begin(), layout.out.end(), args.out.strides);
    args.value = {1.5, 1};
    ASSERT_EQ(run(args).status, StatusCode::kOk);
    args.out.data = want.data();
    testing::run_oracle(args);
    EXPECT_EQ(out, want);
  }
}

TEST_P(Copy, Arange) {
  std::vector<std::int64_t> longs(40);
  ArangeArgs args{};
  args.dtype = kLong;
  args.out = longs.data();
  args.count = 40;
  args.start.i = -3;
  args.step.i = 7;
  ASSERT_EQ(run(args).status, StatusCode::kOk);
  for (std::int64_t i = 0; i < 40; ++i) EXPECT_EQ(longs[static_cast<std::size_t>(i)], -3 + 7 * i);

  // On the CPU groups of eight start from a rounded float; the last 3 do not.
  const int grouped = is_cuda() ? 0 : 32;
  std::vector<float> floats(35);
  args.dtype = kFloat;
  args.out = floats.data();
  args.count = 35;
  args.start.f = 0.1;
  args.step.f = 0.3;
  ASSERT_EQ(run(args).status, StatusCode::kOk);
  for (int i = 0; i < 35; ++i) {
    const double group = static_cast<double>(static_cast<float>(0.1 + 0.3 * (i / 8 * 8)));
    const double want = i < grouped ? group + 0.3 * (i % 8) : 0.1 + 0.3 * i;
    EXPECT_EQ(floats[static_cast<std::size_t>(i)], static_cast<float>(want)) << i;
  }
}

// Counts below, at and above the size of a vector, and counts for several threads; in steps that
// float represents exactly.
TEST_P(Copy, ArangeOfAnyCount) {
  const auto check = [&]<class T>(T start, T step) {
    for (const int count : {1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 1023, 200'001}) {
      std::vector<T> out(static_cast<std::size_t>(count), T(-7)), want(out);
      ArangeArgs args{};
      args.dtype = dtype_of<T>();
      args.out = out.data();
      args.count = count;
      args.start = {static_cast<double>(start), static_cast<std::int64_t>(start)};
      args.step = {static_cast<double>(step), static_cast<std::int64_t>(step)};
      ASSERT_EQ(run(args).status, StatusCode::kOk);
      args.out = want.data();
      testing::run_oracle(args);
      ASSERT_EQ(out, want) << count;
    }
  };
  check(-3.0f, 0.5f);
  check(0.25, 1.0);
  check(std::int64_t{5}, std::int64_t{-2});
}

TEST_P(Copy, FillBetweenGapsOnSeveralThreads) {
  const CopyLayout layouts[] = {
      {{3, 7, 9000}, {130'000, 18'003, 2}, {}},
      {{5, 700, 40}, {30'105, 43, 1}, {}},
  };
  for (const CopyLayout& layout : layouts) {
    std::vector<std::int64_t> out(testing::extent(layout.sizes, layout.out), -7), want(out);
    FillArgs args{};
    args.out.data = out.data();
    args.out.dtype = kLong;
    args.out.ndim = static_cast<int>(layout.sizes.size());
    std::copy(layout.sizes.begin(), layout.sizes.end(), args.out.sizes);
    std::copy(layout.out.begin(), layout.out.end(), args.out.strides);
    args.value = {9, 9};
    ASSERT_EQ(run(args).status, StatusCode::kOk);
    args.out.data = want.data();
    testing::run_oracle(args);
    EXPECT_EQ(out, want);
  }
}

TERN_KERNEL_TESTS(Copy);

}  // namespace
}  // namespace tern
