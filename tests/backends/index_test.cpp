#include <vector>

#include "backends/kernel_test.h"

namespace tern {
namespace {

using namespace kernels;
using testing::Noise;

struct Shape {
  std::int64_t outer, in_size, out_size, inner, count;
};

const Shape kReading[] = {{1, 5, 7, 1, 7},      {1, 1, 1, 1, 1},        {3, 5, 9, 4, 9},
                          {1, 100, 50, 16, 50}, {40, 300, 200, 1, 200}, {2, 9, 100, 700, 100}};

class Index : public testing::KernelTest {
 protected:
  /// All four ops over one shape; `count` indices read from or add into `limit` places.
  template <class T>
  void check(const Shape& shape) {
    for (IndexOp op : {IndexOp::kSelect, IndexOp::kAdd, IndexOp::kGather, IndexOp::kScatterAdd}) {
      check_op<T>(op, shape);
    }
  }

 private:
  template <class T>
  void check_op(IndexOp op, const Shape& shape) {
    const bool adds = op == IndexOp::kAdd || op == IndexOp::kScatterAdd;
    const bool per_element = op == IndexOp::kGather || op == IndexOp::kScatterAdd;
    const std::int64_t count = shape.count, inner = shape.inner, limit = shape.in_size;
    Noise noise(9);
    std::vector<std::int64_t> index(
        static_cast<std::size_t>(per_element ? shape.outer * count * inner : count));
    for (auto& i : index)
      i = static_cast<std::int64_t>(noise.bits() % static_cast<std::uint64_t>(limit));
    const auto numbers = [&](std::int64_t n) {
      std::vector<T> x(static_cast<std::size_t>(n));
      for (T& v : x) v = static_cast<T>(noise.uniform(-50, 50));
      return x;
    };
    const std::vector<T> in = numbers(shape.outer * (adds ? count : limit) * inner);
    std::vector<T> out = numbers(shape.outer * (adds ? limit : count) * inner), want = out;
    for (std::int64_t o = 0; o < shape.outer; ++o) {
      for (std::int64_t j = 0; j < count; ++j) {
        for (std::int64_t i = 0; i < inner; ++i) {
          const std::int64_t here = (o * count + j) * inner + i;
          const std::int64_t at = index[static_cast<std::size_t>(per_element ? here : j)];
          const auto there = static_cast<std::size_t>((o * limit + at) * inner + i);
          if (adds) {
            want[there] += in[static_cast<std::size_t>(here)];
          } else {
            want[static_cast<std::size_t>(here)] = in[there];
          }
        }
      }
    }
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
    ASSERT_EQ(run(args).status, StatusCode::kOk);
    EXPECT_EQ(out, want) << "op " << static_cast<int>(op);

    index.back() = limit;
    const std::vector<T> before = out;
    KernelContext context = run(args);
    EXPECT_EQ(context.status, StatusCode::kIndexOutOfRange);
    EXPECT_EQ(context.detail, limit);
    EXPECT_EQ(context.limit, limit);
    index.back() = -1;
    context = run(args);
    EXPECT_EQ(context.status, StatusCode::kIndexOutOfRange);
    EXPECT_EQ(context.detail, -1);
    EXPECT_EQ(out, before);
  }
};

TEST_P(Index, AllOps) {
  for (const Shape& shape : kReading) {
    check<float>(shape);
    check<double>(shape);
    check<std::int64_t>(shape);
  }
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

TERN_KERNEL_TESTS(Index);

}  // namespace
}  // namespace tern
