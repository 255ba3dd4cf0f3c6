#include <memory>
#include <string>
#include <vector>

#include "backends/narrow.h"

#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/kernels/math_dtype.h>

// The CPU's kernels in the narrow dtypes against the oracle. Some of them convert elements in
// tiles, others have loops of their own.

namespace tern {
namespace {

using namespace kernels;
using testing::kIsFloat;
using testing::Noise;
using testing::sample;
using testing::steps;

using Dims = std::vector<std::int64_t>;

/// Returns the allowed distance. Both sides round a float32 whose last digits may differ.
std::int64_t limit_of(ElementwiseOp op) {
  using enum ElementwiseOp;
  switch (op) {
    case exp:
    case expm1:
    case log:
    case log1p:
    case rsqrt:
    case sin:
    case cos:
    case tanh:
    case sigmoid:
    case pow:
    case bce:
    case bce_backward:
    case bce_logits:
    case lerp:
    case addcmul:
    case sigmoid_backward:
    case tanh_backward:
      return 1;
    default:
      return 0;
  }
}

/// Returns true for inputs between 0 and 1: others overflow in float32, but not in the oracle.
bool is_fraction(ElementwiseOp op, int input) {
  using enum ElementwiseOp;
  return op == bce || op == bce_backward ||
         (input == 1 && (op == sigmoid_backward || op == tanh_backward));
}

struct Layout {
  std::string name;
  Dims sizes, out;
  Dims in[3];
  unsigned immediates = 0;  // a bit for each input that is a number of the call
  bool in_place = false;
};

std::vector<Layout> layouts(int inputs) {
  std::vector<Layout> all;
  for (const std::int64_t n : {1, 2, 7, 31, 33, 64, 97, 128, 191, 1023, 1500, 70001}) {
    all.push_back({"row of " + std::to_string(n), {n}, {1}, {{1}, {1}, {1}}});
  }
  all.push_back({"0-d", {}, {}, {{}, {}, {}}});
  all.push_back({"in place", {1301}, {1}, {{1}, {1}, {1}}, 0, true});
  all.push_back({"transposed", {35, 70}, {70, 1}, {{1, 35}, {70, 1}, {1, 35}}});
  all.push_back({"steps", {150}, {3}, {{2}, {1}, {5}}});
  all.push_back({"steps in place", {150}, {3}, {{3}, {1}, {3}}, 0, true});
  all.push_back({"small rows", {60, 3}, {3, 1}, {{3, 1}, {0, 1}, {1, 0}}});
  all.push_back({"wide rows", {3, 150}, {150, 1}, {{150, 1}, {0, 1}, {1, 0}}});
  for (unsigned numbers = 1; numbers + 1 < (1U << inputs); ++numbers) {
    Layout stride_0{"numbers " + std::to_string(numbers), {1130}, {1}, {{1}, {1}, {1}}};
    for (int k = 0; k < inputs; ++k) {
      if ((numbers >> k & 1) != 0) stride_0.in[k] = {0};
    }
    all.push_back(stride_0);
    stride_0.immediates = numbers;
    all.push_back(stride_0);
  }
  return all;
}

class NarrowElementwise : public testing::KernelTest {
 protected:
  NarrowElementwise() { set_num_threads(3); }

  template <class T>
  void check_op(ElementwiseOp op, double scale) {
    const ElementwiseInfo& info = elementwise_info(op);
    if (!takes<MathType<T>>(info.kind)) return;
    for (const Layout& layout : layouts(info.inputs)) {
      SCOPED_TRACE(std::string(info.name) + " of " + dtype_info(dtype_of<T>()).name + ", " +
                   layout.name);
      if (info.kind == ElementwiseKind::kCompare) {
        if (!layout.in_place) check<T, std::uint8_t>(op, layout, scale);
      } else {
        check<T, T>(op, layout, scale);
      }
    }
  }

 private:
  template <class T, class Out>
  void check(ElementwiseOp op, const Layout& layout, double scale) {
    if (op == ElementwiseOp::where_op && layout.in_place) return;
    Noise noise(static_cast<std::uint64_t>(op) + 7);
    std::vector<T> values[3];
    std::unique_ptr<bool[]> condition;
    ElementwiseArgs args{};
    args.op = op;
    args.dtype = dtype_of<T>();
    args.inputs = elementwise_info(op).inputs;
    args.ndim = static_cast<int>(layout.sizes.size());
    args.scale = {scale, static_cast<std::int64_t>(scale)};
    std::copy(layout.sizes.begin(), layout.sizes.end(), args.sizes);
    std::copy(layout.out.begin(), layout.out.end(), args.out_strides);
    for (int k = 0; k < args.inputs; ++k) {
      const std::size_t n = testing::extent(layout.sizes, layout.in[k]);
      values[k].resize(n);
      const bool divides = op == ElementwiseOp::remainder && k == 1;
      const bool counts = op == ElementwiseOp::pow && k == 1;
      for (T& x : values[k]) {
        x = sample<T>(noise);
        if (divides && float(x) == 0) x = T(3);
        if (is_fraction(op, k)) x = T(noise.uniform(0.1, 0.9));
        if (counts && !kIsFloat<T>) x = T(noise.bits() % 8);
      }
      args.in[k] = values[k].data();
      std::copy(layout.in[k].begin(), layout.in[k].end(), args.in_strides[k]);
      if (op == ElementwiseOp::where_op && k == 0) {
        condition = std::make_unique<bool[]>(n);
        for (std::size_t i = 0; i < n; ++i) condition[i] = (noise.bits() & 16) != 0;
        args.in[0] = condition.get();
      }
      if ((layout.immediates >> k & 1) != 0) {
        args.in[k] = nullptr;
        args.immediate[k] = {5, 5};
      }
    }
    // One more element, to detect a write beyond the end.
    const std::size_t out_count = testing::extent(layout.sizes, layout.out);
    std::vector<Out> out(out_count + 1, Out(1)), want(out);
    std::vector<T> before = values[0];
    args.out = layout.in_place ? static_cast<void*>(values[0].data()) : out.data();
    ASSERT_EQ(run(args).status, StatusCode::kOk);
    if (layout.in_place) {
      std::copy_n(reinterpret_cast<const Out*>(values[0].data()), out_count, out.data());
      args.in[0] = before.data();
      std::copy_n(reinterpret_cast<const Out*>(before.data()), out_count, want.data());
    }
    args.out = want.data();
    testing::run_oracle(args);
    // The elements between the strides are untouched, too.
    for (std::size_t i = 0; i <= out_count; ++i) {
      ASSERT_LE(steps(out[i], want[i]), limit_of(op))
          << "at " << i << ": got " << float(out[i]) << " want " << float(want[i]);
    }
  }
};

TEST_P(NarrowElementwise, EveryElementwiseOp) {
  for (int i = 0; i < kElementwiseOps; ++i) {
    const auto op = static_cast<ElementwiseOp>(i);
    check_op<std::uint8_t>(op, 1);
    check_op<std::int8_t>(op, 1);
    check_op<std::int16_t>(op, 1);
    check_op<Half>(op, 1);
    check_op<BFloat16>(op, 1);
  }
}

TEST_P(NarrowElementwise, Scale) {
  for (const ElementwiseOp op : {ElementwiseOp::add, ElementwiseOp::sub, ElementwiseOp::addcmul}) {
    check_op<std::uint8_t>(op, 3);
    check_op<std::int8_t>(op, -3);
    check_op<std::int16_t>(op, 1000);
    check_op<Half>(op, 0.5);
    check_op<BFloat16>(op, -0.25);
  }
}

TERN_CPU_KERNEL_TESTS(NarrowElementwise);

}  // namespace
}  // namespace tern
