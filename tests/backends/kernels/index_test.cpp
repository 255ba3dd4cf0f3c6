#include <cmath>
#include <vector>

#include "backends/cuda/emulator/emulator.h"
#include "backends/kernel_test.h"

#include <tern/core/kernels/families/index.h>
#include <tern/core/tensor/detail/allocator.h>

namespace tern {
namespace {

using namespace kernels;
using testing::Noise;

struct IndexShape {
  std::int64_t outer, in_size, out_size, inner, count;
};

const IndexShape kReading[] = {{1, 5, 7, 1, 7},       {1, 1, 1, 1, 1},        {3, 5, 9, 4, 9},
                               {1, 100, 50, 16, 50},  {40, 300, 200, 1, 200}, {2, 9, 100, 700, 100},
                               {2, 9, 100, 257, 100}, {70000, 3, 2, 1, 2},    {1, 9, 100, 700, 100},
                               {3, 9, 50, 1, 50},     {3, 9, 50, 3001, 50}};

class Index : public testing::KernelTest {
 protected:
  /// Runs all four ops over one shape; `count` indices read from or add into `limit` rows.
  template <class T>
  void check(const IndexShape& shape) {
    for (IndexOp op : {IndexOp::kSelect, IndexOp::kAdd, IndexOp::kGather, IndexOp::kScatterAdd}) {
      check_op<T>(op, shape);
    }
  }

 private:
  template <class T>
  void check_op(IndexOp op, const IndexShape& shape) {
    const bool adds = op == IndexOp::kAdd || op == IndexOp::kScatterAdd;
    const bool per_element = op == IndexOp::kGather || op == IndexOp::kScatterAdd;
    const std::int64_t count = shape.count, inner = shape.inner, limit = shape.in_size;
    Noise noise(9);
    std::vector<std::int64_t> index(
        static_cast<std::size_t>(per_element ? shape.outer * count * inner : count));
    for (auto& i : index)
      i = static_cast<std::int64_t>(noise.bits() % static_cast<std::uint64_t>(limit));
    // On CUDA multiples of 1/256, whose sums are exact in float32 and so the same in any order.
    const bool exact = is_cuda();
    const auto numbers = [&](std::int64_t n) {
      std::vector<T> x(static_cast<std::size_t>(n));
      for (T& v : x) {
        if constexpr (testing::kFloating<T>) {
          const double number = noise.uniform(-5, 5);
          v = static_cast<T>(exact ? std::trunc(number * 256) / 256 : number);
        } else {
          v = static_cast<T>(noise.bits() >> 34);  // sums wrap around if narrow
        }
      }
      return x;
    };
    std::vector<T> in = numbers(shape.outer * (adds ? count : limit) * inner);
    std::vector<T> out = numbers(shape.outer * (adds ? limit : count) * inner), want = out;
    IndexArgs args{};
    args.op = op;
    args.dtype = dtype_of<T>();
    args.outer = shape.outer;
    args.inner = inner;
    args.in_size = adds ? count : limit;
    args.out_size = adds ? limit : count;
    args.count = count;
    args.limit = limit;
    args.in = in.data();
    args.index = index.data();
    args.out = out.data();
    IndexArgs wanted = args;
    wanted.out = want.data();
    ASSERT_EQ(run(args).status, StatusCode::kOk);
    testing::run_oracle(wanted);
    EXPECT_TRUE(out == want) << "op " << static_cast<int>(op);

    // The CPU checks all indices first; a device skips elements with a bad index, here the last
    // one. The oracle gets a good index that changes nothing: it adds 0, or reads what is there
    // already.
    std::vector<std::int64_t> good = index;
    std::vector<T> neutral = in;
    wanted.index = good.data();
    wanted.in = neutral.data();
    for (std::int64_t here = 0; adds && here < std::ssize(in); ++here) {
      const bool is_bad =
          per_element ? here + 1 == std::ssize(in) : here / inner % count == count - 1;
      if (is_bad) neutral[static_cast<std::size_t>(here)] = T(0);
    }
    for (const std::int64_t bad : {limit, std::int64_t{-1}}) {
      index.back() = bad;
      const KernelContext context = run(args);
      EXPECT_EQ(context.status, StatusCode::kIndexOutOfRange);
      EXPECT_EQ(context.detail, bad);
      EXPECT_EQ(context.limit, limit);
      if (is_cuda()) testing::run_oracle(wanted);
      EXPECT_TRUE(out == want);
    }
  }
};

// Not shuffled, because the oracle adds in the order of j.
TEST_P(Index, AllOps) {
  const std::uint64_t before = emulator::set_order(0);
  for (const IndexShape& shape : kReading) {
    testing::for_each_dtype([&]<class T>() {
      if constexpr (!std::is_same_v<T, bool>) {  // std::vector<bool> is no array
        // Long rows and many of them divide the work, which does not depend on the dtype.
        const bool is_slow = testing::has_sanitizer() || is_cuda();
        const bool is_large = shape.inner > (is_slow ? 256 : 257) || shape.outer > 1000;
        if (!is_large || std::is_same_v<T, float>) check<T>(shape);
      }
    });
  }
  emulator::set_order(before);
}

TEST_P(Index, Bool) {
  const bool in[3] = {true, false, true};
  const std::int64_t index[4] = {2, 1, 0, 1};
  bool out[4] = {};
  IndexArgs args{};
  args.op = IndexOp::kSelect;
  args.dtype = kBool;
  args.outer = args.inner = 1;
  args.in_size = args.limit = 3;
  args.out_size = args.count = 4;
  args.in = in;
  args.index = index;
  args.out = out;
  ASSERT_EQ(run(args).status, StatusCode::kOk);
  EXPECT_TRUE(out[0] && !out[1] && out[2] && !out[3]);
}

TEST_P(Index, AddsBools) {
  const bool in[4] = {true, false, true, false};
  const std::int64_t index[4] = {2, 1, 2, 0};
  bool out[4] = {true, false, false, false};
  IndexArgs args{};
  args.op = IndexOp::kAdd;
  args.dtype = kBool;
  args.outer = args.inner = 1;
  args.in_size = args.count = 4;
  args.out_size = args.limit = 4;
  args.in = in;
  args.index = index;
  args.out = out;
  ASSERT_EQ(run(args).status, StatusCode::kOk);
  EXPECT_TRUE(out[0] && !out[1] && out[2] && !out[3]);
}

// Rows that are not aligned to 16 bytes, and elements of every size.
TEST_P(Index, SelectsRowsFromAnyPlace) {
  std::vector<unsigned char> in(9 * 64 * 8), out(4 * 64 * 8 + 16);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<unsigned char>(i * 7 + i / 256);
  const std::int64_t index[4] = {3, 0, 7, 3};
  for (const ScalarType dtype : {kByte, kHalf, kFloat, kDouble}) {
    for (const std::int64_t inner : {1, 3, 16, 48, 64}) {
      for (const std::size_t shift : {0, 1}) {
        const std::size_t bytes = element_size(dtype),
                          row = static_cast<std::size_t>(inner) * bytes;
        IndexArgs args{};
        args.op = IndexOp::kSelect;
        args.dtype = dtype;
        args.outer = 1;
        args.inner = inner;
        args.in_size = args.limit = 8;
        args.out_size = args.count = 4;
        args.in = in.data() + shift * bytes;
        args.index = index;
        args.out = out.data();
        ASSERT_EQ(run(args).status, StatusCode::kOk);
        for (std::size_t j = 0; j < 4; ++j) {
          const auto from = in.data() + shift * bytes + static_cast<std::size_t>(index[j]) * row;
          EXPECT_EQ(std::memcmp(out.data() + j * row, from, row), 0) << bytes << ' ' << inner;
        }
      }
    }
  }
}

// Sums and products of many terms for one element are rounded once.
TEST_P(Index, CombinesManyTermsWithOneElement) {
  constexpr std::int64_t kCount = 4096, kInner = 3;
  for (const ScalarType dtype : {kHalf, kBFloat16, kFloat, kDouble}) {
    for (const IndexOp op : {IndexOp::kAdd, IndexOp::kScatterAdd, IndexOp::kScatterProd}) {
      for (const std::int64_t rows : {4, 100000}) {
        for (const bool in_order : {false, true}) {
          visit_dtype(dtype, [&](auto tag) {
            using T = typename decltype(tag)::type;
            if constexpr (testing::kFloating<T>) {
              // A run of terms for row 2 between runs for 1 and 3, as long and shorter.
              std::vector<std::int64_t> index;
              for (std::int64_t j = 0; j < kCount + 67; ++j) {
                const std::int64_t row = j % 64 != 1 ? 2 : j < 640 ? 1 : 3;
                for (std::int64_t i = 0; i < (op == IndexOp::kAdd ? 1 : kInner); ++i)
                  index.push_back(row);
              }
              const bool multiplies = op == IndexOp::kScatterProd;
              const std::int64_t count = kCount + 67;
              std::vector<T> in(static_cast<std::size_t>(count * kInner), static_cast<T>(1.0F));
              for (std::size_t k = 0; multiplies && k < in.size(); ++k)
                in[k] = static_cast<T>(k / kInner % 2 == 0 ? 2.0F : 0.5F);
              std::vector<T> out(static_cast<std::size_t>(rows * kInner), static_cast<T>(1.0F));
              std::vector<T> want = out;
              IndexArgs args{};
              args.op = op;
              args.dtype = dtype;
              args.outer = 1;
              args.inner = kInner;
              args.in_size = args.count = count;
              args.out_size = args.limit = rows;
              args.in = in.data();
              args.index = index.data();
              args.out = out.data();
              args.in_order = in_order ? 1 : 0;
              ASSERT_EQ(run(args).status, StatusCode::kOk);
              args.out = want.data();
              testing::run_oracle(args);
              EXPECT_TRUE(out == want) << dtype << ' ' << static_cast<int>(op) << ' ' << rows;
              const double result = static_cast<double>(out[2 * kInner]);
              EXPECT_TRUE(multiplies || result > 4000) << result;
            }
          });
        }
      }
    }
  }
}

// Narrow rows are added in float32. Only rows that the index names are converted, not the table.
TEST_P(Index, AddsFewRowsWithLittleMemory) {
  constexpr std::int64_t kOuter = 2, kRows = 8000, kInner = 1100;
  Noise noise(4);
  const auto numbers = [&](std::int64_t rows) {
    std::vector<Half> x(static_cast<std::size_t>(kOuter * rows * kInner));
    for (Half& v : x) v = Half(static_cast<float>(std::trunc(noise.uniform(-5, 5))));  // exact sums
    return x;
  };
  std::vector<std::int64_t> index{7999, 3, 5000, 3, 0, 3, 7999};
  for (std::int64_t j = 0; j < 200; ++j) index.push_back(j % 3 * 1000);  // shared by threads
  const std::vector<Half> in = numbers(std::ssize(index));
  std::vector<Half> out = numbers(kRows), want = out;
  IndexArgs args{};
  args.op = IndexOp::kAdd;
  args.dtype = kHalf;
  args.outer = kOuter;
  args.inner = kInner;
  args.in_size = args.count = std::ssize(index);
  args.out_size = args.limit = kRows;
  args.in = in.data();
  args.index = index.data();
  args.out = out.data();
  Allocator& allocator = tern::detail::allocator_of(kCPU);
  allocator.reset_peak(0);
  const std::int64_t before = allocator.stats(0).live_bytes;
  ASSERT_EQ(run(args).status, StatusCode::kOk);
  EXPECT_LT(allocator.stats(0).peak_bytes - before, 100'000);
  args.out = want.data();
  testing::run_oracle(args);
  EXPECT_TRUE(out == want);
}

TERN_KERNEL_TESTS(Index);

}  // namespace
}  // namespace tern
