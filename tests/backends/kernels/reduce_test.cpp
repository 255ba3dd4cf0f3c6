#include <memory>
#include <vector>

#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/families/reduce.h>

#include "backends/kernel_test.h"

namespace tern {
namespace {

using namespace kernels;
using testing::Noise;
using testing::Number;

using Dims = std::vector<std::int64_t>;

struct ReduceLayout {
  Dims kept, kept_in, kept_out;
  Dims reduced, reduced_in;
};

std::vector<ReduceLayout> layouts() {
  std::vector<ReduceLayout> all;
  for (std::int64_t n : {1, 2, 3, 15, 16, 17, 63, 64, 65, 127, 300, 5000, 70001}) {
    all.push_back({{}, {}, {}, {n}, {1}});  // all
    if (n > 300) continue;
    all.push_back({{37}, {n}, {1}, {n}, {1}});  // rows
    all.push_back({{n}, {1}, {1}, {37}, {n}});  // columns
    all.push_back({{n}, {37}, {1}, {37}, {1}});
    all.push_back({{37}, {2 * n}, {1}, {n}, {2}});  // steps
    all.push_back({{n}, {2}, {1}, {37}, {2 * n}});
    all.push_back({{4}, {3 * n}, {2}, {n, 3}, {3, 1}});  // a dimension that was not merged
  }
  for (std::int64_t n : {255, 256, 257, 1025}) {  // where blocks end
    all.push_back({{5}, {n}, {1}, {n}, {1}});
    all.push_back({{n}, {1}, {1}, {5}, {n}});
  }
  all.push_back({{700}, {1}, {1}, {300}, {700}});
  all.push_back({{70000}, {3}, {1}, {3}, {1}});  // more rows than the limit of blocks in some grids
  all.push_back({{70000}, {1}, {1}, {3}, {70000}});
  all.push_back({{3}, {1}, {1}, {50000}, {3}});      // few columns, many rows
  all.push_back({{2}, {60000}, {1}, {60000}, {1}});  // few long rows
  all.push_back({{}, {}, {}, {50, 60}, {1, 50}});    // a transposed matrix
  all.push_back({{5}, {7}, {1}, {4, 7}, {35, 1}});   // the outer and the inner dimension
  all.push_back({{5, 6}, {6, 1}, {6, 1}, {9}, {30}});
  all.push_back({{3, 4}, {1, 60}, {1, 3}, {20}, {3}});  // a permuted result
  all.push_back({{10}, {2}, {3}, {11}, {40}});          // steps
  all.push_back({{10}, {0}, {1}, {11}, {1}});           // an expanded tensor
  all.push_back({{6}, {1}, {1}, {}, {}});               // nothing to reduce
  return all;
}

template <class T>
T sample(Noise& noise, ReduceOp op) {
  if constexpr (std::is_same_v<T, bool>) {
    return noise.bits() % 16 != 0;
  } else if constexpr (std::is_integral_v<T>) {
    if (op == ReduceOp::kProd) return noise.bits() % 4 == 0 ? static_cast<T>(-1) : T(1);
    if (op == ReduceOp::kSum) return static_cast<T>(noise.bits() >> 34);  // wraps around if narrow
    return static_cast<T>(static_cast<std::int64_t>(noise.bits() % 64) - 32);
  } else {
    if (op == ReduceOp::kProd) return static_cast<T>(noise.uniform(0.999, 1.001));
    // The squares are infinite, except in float64.
    const double large = std::is_same_v<T, Half> ? 600 : 1e30;
    if (op == ReduceOp::kNorm) return static_cast<T>(noise.uniform(-large, large));
    if (op == ReduceOp::kAny) return noise.bits() % 4096 == 0 ? T(0.5) : T(0);
    if (op == ReduceOp::kAll) return noise.bits() % 4096 == 0 ? T(0) : T(0.5);
    if (op == ReduceOp::kNanSum && noise.bits() % 4 != 0)
      return static_cast<T>(noise.uniform(0, 1));
    if (op == ReduceOp::kNanSum) return T(NAN);
    // Few distinct values, so that extremes occur more than once.
    if (op != ReduceOp::kSum && noise.bits() % 1024 == 0) return T(NAN);
    return static_cast<T>(op == ReduceOp::kSum ? noise.uniform(0, 1)
                                               : static_cast<double>(noise.bits() % 64));
  }
}

class Reduce : public testing::KernelTest {
 protected:
  template <class T>
  void check_all_layouts(ReduceOp op) {
    for (const ReduceLayout& layout : layouts()) {
      SCOPED_TRACE(::testing::Message()
                   << "op " << static_cast<int>(op) << " of " << dtype_info(dtype_of<T>()).name
                   << ", kept " << ::testing::PrintToString(layout.kept) << ", reduced "
                   << ::testing::PrintToString(layout.reduced));
      if (op == ReduceOp::kAny || op == ReduceOp::kAll) {
        check<T, bool>(op, layout);
      } else if (op == ReduceOp::kArgmax || op == ReduceOp::kArgmin || op == ReduceOp::kCount) {
        check<T, std::int64_t>(op, layout);
      } else if (op == ReduceOp::kSum || op == ReduceOp::kProd) {
        check<T, std::conditional_t<testing::kFloating<T>, T, std::int64_t>>(op, layout);
      } else {
        check<T, T>(op, layout);
      }
    }
  }

  template <class T, class Out>
  void check(ReduceOp op, const ReduceLayout& layout) {
    Noise noise(11);
    Dims sizes = layout.kept, strides = layout.kept_in;
    sizes.insert(sizes.end(), layout.reduced.begin(), layout.reduced.end());
    strides.insert(strides.end(), layout.reduced_in.begin(), layout.reduced_in.end());
    const std::size_t n = testing::extent(sizes, strides);
    // Many elements divide the work, which does not depend on the dtype: two sizes of elements show
    // it.
    const bool is_one = std::is_same_v<T, float> || (std::is_same_v<T, std::int64_t> && !is_cuda());
    if (!is_one && static_cast<std::int64_t>(n) > testing::kManyElements) return;
    const auto in = std::make_unique<T[]>(n);
    for (std::size_t i = 0; i < n; ++i) in[i] = sample<T>(noise, op);
    const std::size_t out_count = testing::extent(layout.kept, layout.kept_out);
    const auto out = std::make_unique<Out[]>(out_count);
    const auto values = std::make_unique<T[]>(out_count);

    ReduceArgs args = arguments<T, Out>(op, layout);
    args.in = in.get();
    args.out = out.get();
    args.values = values.get();
    const bool is_mean = op == ReduceOp::kSum && testing::kFloating<T>;
    args.scale = is_mean ? 0.25 : 1;
    ASSERT_EQ(run(args).status, StatusCode::kOk);

    const auto want = std::make_unique<Out[]>(out_count);
    const auto want_values = std::make_unique<T[]>(out_count);
    args.out = want.get();
    args.values = want_values.get();
    testing::run_oracle(args);
    const bool rounds = testing::kFloating<T> && (op == ReduceOp::kSum || op == ReduceOp::kProd ||
                                                  op == ReduceOp::kNorm || op == ReduceOp::kNanSum);
    // A product rounds once per factor; narrow results are rounded once, after float32.
    const Number wide_limit = op == ReduceOp::kProd ? 1000 : 20;
    const Number limit = !rounds ? 0 : testing::kNarrow<T> ? 1 : wide_limit;
    for (std::size_t at = 0; at < out_count; ++at) {
      ASSERT_LE(testing::ulps(out[at], Number(want[at])), limit) << "result " << at;
      ASSERT_EQ(testing::ulps(values[at], Number(want_values[at])), 0) << "result " << at;
    }
  }

  /// Returns the result of a reduction of all elements, and the oracle's.
  std::pair<float, float> reduce_all(ReduceOp op, const std::vector<float>& in) {
    float out = 0, want = 0;
    ReduceArgs args = arguments<float, float>(op, {{}, {}, {}, {std::ssize(in)}, {1}});
    args.in = in.data();
    args.out = &out;
    EXPECT_EQ(run(args).status, StatusCode::kOk);
    args.out = &want;
    testing::run_oracle(args);
    return {out, want};
  }

  template <class T, class Out>
  static ReduceArgs arguments(ReduceOp op, const ReduceLayout& layout) {
    ReduceArgs args{};
    args.op = op;
    args.in_dtype = dtype_of<T>();
    args.out_dtype = dtype_of<Out>();
    args.kept_ndim = static_cast<int>(layout.kept.size());
    args.reduced_ndim = static_cast<int>(layout.reduced.size());
    std::copy(layout.kept.begin(), layout.kept.end(), args.kept_sizes);
    std::copy(layout.kept_in.begin(), layout.kept_in.end(), args.kept_in_strides);
    std::copy(layout.kept_out.begin(), layout.kept_out.end(), args.kept_out_strides);
    std::copy(layout.reduced.begin(), layout.reduced.end(), args.reduced_sizes);
    std::copy(layout.reduced_in.begin(), layout.reduced_in.end(), args.reduced_in_strides);
    args.scale = 1;
    return args;
  }
};

using ReduceThreads = Reduce;

TEST_P(Reduce, SumAndProduct) {
  for (ReduceOp op : {ReduceOp::kSum, ReduceOp::kProd}) {
    testing::for_each_dtype([&]<class T>() { check_all_layouts<T>(op); });
  }
}

TEST_P(Reduce, NanSum) {
  testing::for_each_floating([&]<class T>() { check_all_layouts<T>(ReduceOp::kNanSum); });
}

TEST_P(Reduce, Count) {
  testing::for_each_dtype([&]<class T>() { check_all_layouts<T>(ReduceOp::kCount); });
}

TEST_P(Reduce, Norm) {
  testing::for_each_floating([&]<class T>() { check_all_layouts<T>(ReduceOp::kNorm); });
}

// The squares of tiny floats are 0.
TEST_P(Reduce, NormOfTinyNumbers) {
  Noise noise(2);
  for (const double scale : {1e-30, 1e-17, 1.0}) {
    std::vector<float> in(5000);
    for (float& x : in) x = static_cast<float>(noise.uniform(-scale, scale));
    const auto [out, want] = reduce_all(ReduceOp::kNorm, in);
    EXPECT_NEAR(out / want, 1, 1e-5) << scale;
  }
}

// The product is in the range of float, but not that of every second element.
TEST_P(Reduce, ProductOfLargeAndSmall) {
  std::vector<float> in(4096, 1.25f);
  for (std::size_t i = 0; i < in.size(); i += 2) in[i] = 0.8f;
  const auto [out, want] = reduce_all(ReduceOp::kProd, in);
  EXPECT_NEAR(out, want, 1e-3);
}

// The product of all is in the range, but not that of the first half, not even in double. CUDA
// kernels multiply as PyTorch does, to infinity or NaN.
TEST_P(ReduceThreads, ProductOfLargeThenSmall) {
  for (const std::size_t half : {5, 20, 100, 2048}) {
    std::vector<float> in(2 * half, 0.01f);
    std::fill_n(in.begin(), half, 100.0f);
    in[0] = -3e20f;
    in[2 * half - 1] = 1e-22f;
    const auto [out, want] = reduce_all(ReduceOp::kProd, in);
    EXPECT_NEAR(out / want, 1, 1e-3) << half;
  }
}

// The same down columns, where the products of 32 rows leave the range of float.
TEST_P(ReduceThreads, ProductOfLargeThenSmallColumns) {
  constexpr std::int64_t kRows = 128, kColumns = 70;
  std::vector<float> in(kRows * kColumns, 0.01f);
  std::fill_n(in.begin(), in.size() / 2, 100.0f);
  for (std::int64_t c = 0; c < kColumns; c += 7) in[static_cast<std::size_t>(c)] = 0;
  std::vector<float> out(kColumns);
  ReduceArgs args =
      arguments<float, float>(ReduceOp::kProd, {{kColumns}, {1}, {1}, {kRows}, {kColumns}});
  args.in = in.data();
  args.out = out.data();
  ASSERT_EQ(run(args).status, StatusCode::kOk);
  for (std::int64_t c = 0; c < kColumns; ++c) {
    EXPECT_NEAR(out[static_cast<std::size_t>(c)], c % 7 == 0 ? 0 : 1, 1e-3) << "column " << c;
  }
}

TEST_P(Reduce, ProductWithZeroInfinityOrNan) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const std::size_t n : {3, 40, 3000}) {
    for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
      std::vector<float> in(n, -1);
      in[at] = 0;
      EXPECT_EQ(reduce_all(ReduceOp::kProd, in).first, 0) << n;
      in[at] = infinity;
      EXPECT_EQ(reduce_all(ReduceOp::kProd, in).first, n % 2 == 0 ? -infinity : infinity) << n;
      in[at == 0 ? 1 : 0] = 0;
      EXPECT_TRUE(std::isnan(reduce_all(ReduceOp::kProd, in).first)) << n;
    }
  }
}

TEST_P(Reduce, Extremes) {
  for (ReduceOp op : {ReduceOp::kAmax, ReduceOp::kAmin, ReduceOp::kArgmax, ReduceOp::kArgmin}) {
    testing::for_each_dtype([&]<class T>() { check_all_layouts<T>(op); });
  }
}

TEST_P(Reduce, AnyAndAll) {
  for (ReduceOp op : {ReduceOp::kAny, ReduceOp::kAll}) {
    testing::for_each_dtype([&]<class T>() { check_all_layouts<T>(op); });
  }
}

TEST_P(Reduce, NothingGivesTheIdentity) {
  const ReduceLayout layout{{3}, {1}, {1}, {0}, {1}};
  float out[3];
  const float in[1] = {5};
  for (const auto& [op, want] :
       {std::pair{ReduceOp::kSum, 0.0f}, {ReduceOp::kProd, 1.0f}, {ReduceOp::kNorm, 0.0f}}) {
    ReduceArgs args = arguments<float, float>(op, layout);
    args.in = in;
    args.out = out;
    ASSERT_EQ(run(args).status, StatusCode::kOk);
    for (float x : out) EXPECT_EQ(x, want);
  }
  bool truth[3];
  for (const auto& [op, want] : {std::pair{ReduceOp::kAny, false}, {ReduceOp::kAll, true}}) {
    ReduceArgs args = arguments<float, bool>(op, layout);
    args.in = in;
    args.out = truth;
    ASSERT_EQ(run(args).status, StatusCode::kOk);
    for (bool x : truth) EXPECT_EQ(x, want);
  }
}

// A number is true if it differs from 0. The bits of -0 do, and NaN is neither above nor below 0.
TEST_P(Reduce, MinusZeroIsFalseAndNanIsTrue) {
  testing::for_each_floating([&]<class T>() {
    const T in[4] = {T(-0.0f), T(0.0f), testing::Limits<T>::quiet_NaN(),
                     testing::Limits<T>::denorm_min()};
    bool out[2];
    ReduceArgs args = arguments<T, bool>(ReduceOp::kAny, {{2}, {2}, {1}, {2}, {1}});
    args.in = in;
    args.out = out;
    ASSERT_EQ(run(args).status, StatusCode::kOk);
    EXPECT_FALSE(out[0]);
    EXPECT_TRUE(out[1]);
  });
}

TEST_P(Reduce, AllInfinite) {
  const std::vector<float> in(200, -std::numeric_limits<float>::infinity());
  std::int64_t index = -1;
  float value = 0;
  ReduceArgs args = arguments<float, std::int64_t>(ReduceOp::kArgmax, {{}, {}, {}, {200}, {1}});
  args.in = in.data();
  args.out = &index;
  args.values = &value;
  ASSERT_EQ(run(args).status, StatusCode::kOk);
  EXPECT_EQ(index, 0);
  EXPECT_EQ(value, in[0]);
}

TEST_P(Reduce, LongSumsKeepTheirDigits) {
  constexpr std::int64_t kCount = 10'000'000;
  const std::vector<float> in(kCount, 0.1f);
  float sum = 0;
  ReduceArgs args = arguments<float, float>(ReduceOp::kSum, {{}, {}, {}, {kCount}, {1}});
  args.in = in.data();
  args.out = &sum;
  ASSERT_EQ(run(args).status, StatusCode::kOk);
  EXPECT_NEAR(sum, 1e6, 1);
  // The same down a column.
  float columns[2];
  args = arguments<float, float>(ReduceOp::kSum, {{2}, {1}, {1}, {kCount / 2}, {2}});
  args.in = in.data();
  args.out = columns;
  ASSERT_EQ(run(args).status, StatusCode::kOk);
  EXPECT_NEAR(columns[0], 5e5, 0.5);
  EXPECT_NEAR(columns[1], 5e5, 0.5);
}

// Not guaranteed, but true and useful: the parts depend on the sizes alone.
TEST_P(ReduceThreads, SameBitsForAnyThreadCount) {
  Noise noise(5);
  std::vector<float> in(400'000);
  for (float& x : in) x = static_cast<float>(noise.uniform(-1, 1));
  const int threads = get_num_threads();
  for (const ReduceLayout& layout :
       {ReduceLayout{{}, {}, {}, {400'000}, {1}}, ReduceLayout{{4}, {1}, {1}, {100'000}, {4}},
        ReduceLayout{{400}, {1}, {1}, {1000}, {400}}}) {
    std::vector<float> results[2];
    for (int count : {1, 3}) {
      set_num_threads(count);
      auto& out = results[count / 2];
      out.resize(400);
      ReduceArgs args = arguments<float, float>(ReduceOp::kSum, layout);
      args.in = in.data();
      args.out = out.data();
      ASSERT_EQ(run(args).status, StatusCode::kOk);
    }
    EXPECT_EQ(results[0], results[1]);
  }
  set_num_threads(threads);
}

TEST_P(Reduce, UnsupportedDtype) {
  ReduceArgs args = arguments<bool, bool>(ReduceOp::kSum, {{}, {}, {}, {2}, {1}});
  bool x[2] = {};
  args.in = args.out = x;
  EXPECT_EQ(run(args).status, StatusCode::kUnsupportedDtype);
}

TERN_KERNEL_TESTS(Reduce);
TERN_CPU_KERNEL_TESTS(ReduceThreads);

}  // namespace
}  // namespace tern
