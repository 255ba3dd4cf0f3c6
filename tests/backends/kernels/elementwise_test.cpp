#include <memory>
#include <string>
#include <vector>

#include "backends/kernels/elementwise_oracle.h"

#include <tern/core/kernels/families/elementwise.h>

// Every elementwise op in every dtype and layout against the oracle.

namespace tern {
namespace {

using namespace kernels;
using testing::Noise;
using testing::Number;

using Dims = std::vector<std::int64_t>;

/// Strides of the output and of up to three inputs over `sizes`.
struct ElementwiseLayout {
  std::string name;
  Dims sizes, out;
  Dims in[3];
  bool in_place = false;
  unsigned immediates = 0;  // a bit for each input that is a number of the call
};

std::vector<ElementwiseLayout> layouts(int inputs) {
  std::vector<ElementwiseLayout> all;
  for (std::int64_t n : {1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 200, 1023, 1500}) {
    all.push_back({"row of " + std::to_string(n), {n}, {1}, {{1}, {1}, {1}}});
  }
  all.push_back({"0-d", {}, {}, {{}, {}, {}}});
  all.push_back({"in place", {1301}, {1}, {{1}, {1}, {1}}, true});
  all.push_back({"transposed", {35, 70}, {70, 1}, {{1, 35}, {70, 1}, {1, 35}}});
  all.push_back({"all transposed, in place", {35, 70}, {1, 35}, {{1, 35}, {70, 1}, {70, 1}}, true});
  all.push_back({"steps", {150}, {3}, {{2}, {1}, {5}}});
  all.push_back({"steps in place", {150}, {3}, {{3}, {1}, {3}}, true});
  all.push_back({"permuted", {3, 17, 21}, {357, 21, 1}, {{1, 3, 51}, {21, 0, 1}, {0, 1, 17}}});
  all.push_back({"small rows", {60, 3}, {3, 1}, {{3, 1}, {0, 1}, {1, 0}}});
  all.push_back(
      {"tiny 4-d", {3, 2, 3, 2}, {12, 6, 2, 1}, {{1, 3, 6, 18}, {0, 1, 2, 0}, {4, 2, 0, 1}}});
  all.push_back({"wide rows", {3, 150}, {150, 1}, {{150, 1}, {0, 1}, {1, 0}}});
  for (unsigned numbers = 1; numbers < (1U << inputs); ++numbers) {
    ElementwiseLayout stride_0{"numbers " + std::to_string(numbers), {1130}, {1}, {{1}, {1}, {1}}};
    ElementwiseLayout rows{"row numbers " + std::to_string(numbers),
                           {3, 130},
                           {130, 1},
                           {{130, 1}, {130, 1}, {130, 1}}};
    for (int k = 0; k < inputs; ++k) {
      if ((numbers >> k & 1) == 0) continue;
      stride_0.in[k] = {0};
      rows.in[k] = {1, 0};
    }
    all.push_back(stride_0);
    all.push_back(rows);
    if (numbers + 1 == 1U << inputs) continue;  // the ops of tern give no such call
    stride_0.name = "immediates " + std::to_string(numbers);
    stride_0.immediates = numbers;
    all.push_back(stride_0);
  }
  return all;
}

template <class T>
T sample(Noise& noise, ElementwiseOp op, int input) {
  if constexpr (std::is_same_v<T, bool>) {
    return (noise.bits() & 256) != 0;
  } else if constexpr (std::is_integral_v<T>) {
    constexpr T kSpecial[] = {std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), T(-1)};
    const std::uint64_t bits = noise.bits() >> 8;
    auto x = static_cast<T>(bits >> 8);
    // Small numbers are equal more often, and as exponents do not take long.
    if (bits % 4 != 0 || (op == ElementwiseOp::pow && input == 1)) {
      x = static_cast<T>(x % 8);
    } else if (bits % 16 == 0) {
      x = kSpecial[(bits >> 4) % std::size(kSpecial)];
    }
    return divides(op) && input == 1 && x == 0 ? T(3) : x;
  } else {
    using Limits = testing::Limits<T>;
    constexpr T kInfinity = Limits::infinity();
    constexpr T kSpecial[] = {0,
                              -T(0),
                              1,
                              -1,
                              T(0.5),
                              T(2.5),
                              T(-2.5),
                              3,
                              kInfinity,
                              -kInfinity,
                              Limits::quiet_NaN(),
                              Limits::denorm_min(),
                              Limits::min(),
                              Limits::max()};
    const ElementwiseInfo& info = elementwise_info(op);
    if (info.has(ElementwiseInfo::kUnitInputs)) {
      const bool is_logit = op == ElementwiseOp::bce_logits && input == 0;
      return static_cast<T>(noise.uniform(0, is_logit ? 9 : 1));
    }
    // CUDA adds the product of the gradient of tanh unrounded.
    const bool is_short = info.has(ElementwiseInfo::kRoundsTwice) &&
                          (!std::is_same_v<T, double> || op == ElementwiseOp::tanh_backward);
    constexpr std::size_t kExtremes = 3;                                 // the last ones
    const bool is_bounded = is_short || op == ElementwiseOp::polygamma;  // else it may be denormal
    if (noise.bits() % 16 == 0) {
      return kSpecial[noise.bits() % (std::size(kSpecial) - (is_bounded ? kExtremes : 0))];
    }
    if (is_short) return static_cast<T>(static_cast<float>(noise.bits() % 1024) / 64 - 8);
    return static_cast<T>(noise.uniform(-8, 8));
  }
}

class Elementwise : public testing::KernelTest {
 protected:
  template <class T>
  void check(ElementwiseOp op, const ElementwiseLayout& layout, double scale) {
    SCOPED_TRACE(std::string(elementwise_info(op).name) + " of " + dtype_info(dtype_of<T>()).name +
                 ", " + layout.name);
    if (elementwise_info(op).kind == ElementwiseKind::kCompare) {
      check_typed<T, bool>(op, layout, scale);
    } else {
      check_typed<T, T>(op, layout, scale);
    }
  }

 private:
  template <class T, class Out>
  void check_typed(ElementwiseOp op, const ElementwiseLayout& layout, double scale) {
    const int inputs = elementwise_info(op).inputs;
    if (layout.in_place && (op == ElementwiseOp::where_op || !std::is_same_v<T, Out>)) return;
    Noise noise(static_cast<std::uint64_t>(op) + 7);
    std::unique_ptr<T[]> values[3];
    std::unique_ptr<bool[]> condition;
    ElementwiseArgs args{};
    args.op = op;
    args.dtype = dtype_of<T>();
    args.inputs = inputs;
    args.ndim = static_cast<int>(layout.sizes.size());
    if (testing::kNarrow<T> && rounds_numbers(op)) scale = static_cast<double>(T(scale));
    args.scale = {scale, static_cast<std::int64_t>(scale)};
    std::copy(layout.sizes.begin(), layout.sizes.end(), args.sizes);
    std::copy(layout.out.begin(), layout.out.end(), args.out_strides);
    for (int k = 0; k < inputs; ++k) {
      const std::size_t n = testing::extent(layout.sizes, layout.in[k]);
      values[k] = std::make_unique<T[]>(n);
      for (std::size_t i = 0; i < n; ++i) values[k][i] = sample<T>(noise, op, k);
      args.in[k] = values[k].get();
      std::copy(layout.in[k].begin(), layout.in[k].end(), args.in_strides[k]);
      if (op == ElementwiseOp::where_op && k == 0) {
        condition = std::make_unique<bool[]>(n);
        for (std::size_t i = 0; i < n; ++i) {
          condition[i] = (noise.bits() & 16) != 0;
          values[0][i] = condition[i] ? T(1) : T(0);
        }
        args.in[0] = condition.get();
      }
      if ((layout.immediates >> k & 1) != 0) {
        args.in[k] = nullptr;
        const bool is_unit = elementwise_info(op).has(ElementwiseInfo::kUnitInputs);
        args.immediate[k] = {is_unit ? 0.5 : 5, 5};
      }
    }
    const std::size_t out_count = testing::extent(layout.sizes, layout.out);
    const auto out = std::make_unique<Out[]>(out_count);
    args.out = layout.in_place ? static_cast<void*>(values[0].get()) : out.get();
    const auto want = testing::oracle_of<T, Out>(args);
    ASSERT_EQ(run(args).status, StatusCode::kOk);
    // The elements between the strides are untouched, too.
    for (std::size_t at = 0; at < out_count; ++at) {
      const Out got = static_cast<const Out*>(args.out)[at];
      ASSERT_LE(testing::ulps(got, Number(want[at])), testing::tolerance<T>(op))
          << "at " << at << ": got " << Number(got) << " want " << want[at];
    }
  }
};

template <class Body>
void for_each_op(const Body& body) {
  for (int i = 0; i < kElementwiseOps; ++i) body(static_cast<ElementwiseOp>(i));
}

TEST_P(Elementwise, EveryOpInEveryLayout) {
  for_each_op([&](ElementwiseOp op) {
    const ElementwiseInfo& info = elementwise_info(op);
    for (const ElementwiseLayout& layout : layouts(info.inputs)) {
      testing::for_each_dtype([&]<class T>() {
        if (takes<MathType<T>>(info.kind)) check<T>(op, layout, 1);
      });
    }
  });
}

TEST_P(Elementwise, Scale) {
  using enum ElementwiseOp;
  for (ElementwiseOp op : {add, sub, addcmul}) {
    for (const ElementwiseLayout& layout : layouts(elementwise_info(op).inputs)) {
      check<float>(op, layout, op == addcmul ? 0.75 : 0.1);
      check<double>(op, layout, -0.3);
      check<Half>(op, layout, op == addcmul ? 0.75 : 0.1);
      check<BFloat16>(op, layout, op == addcmul ? 0.75 : 0.1);
      check<std::int64_t>(op, layout, 3);
      check<std::int32_t>(op, layout, 3);
      check<std::int16_t>(op, layout, 1000);
      check<std::int8_t>(op, layout, -3);
      check<std::uint8_t>(op, layout, 3);
    }
  }
  check<bool>(add, layouts(2)[5], 0);
}

TEST_P(Elementwise, Lerp) {
  for (double weight : {-1.75, -0.3, 0.0, 0.3, 0.5, 0.7, 1.0, 2.5}) {
    for (const ElementwiseLayout& layout : layouts(2)) {
      check<float>(ElementwiseOp::lerp, layout, weight);
      check<double>(ElementwiseOp::lerp, layout, weight);
      check<Half>(ElementwiseOp::lerp, layout, weight);
    }
  }
}

TEST_P(Elementwise, LargeEnoughForThreads) {
  using enum ElementwiseOp;
  const ElementwiseLayout row{"row", {200003}, {1}, {{1}, {0}, {1}}};
  const ElementwiseLayout transposed{
      "transposed", {400, 500}, {500, 1}, {{1, 400}, {500, 1}, {0, 1}}};
  for (ElementwiseOp op : {add, exp, eq, clamp, remainder, cos, div_floor, atan2}) {
    for (const ElementwiseLayout& layout : {row, transposed}) check<float>(op, layout, 1);
    if (!is_cuda()) check<Half>(op, row, 1);
    if (!is_cuda() && takes<int>(elementwise_info(op).kind)) check<std::uint8_t>(op, row, 1);
  }
}

/// Returns the arguments of an op on `n` contiguous elements, without the inputs.
ElementwiseArgs row_args(ElementwiseOp op, ScalarType dtype, std::int64_t n, void* out) {
  ElementwiseArgs args{};
  args.op = op;
  args.dtype = dtype;
  args.inputs = elementwise_info(op).inputs;
  args.ndim = 1;
  args.sizes[0] = n;
  args.out = out;
  args.out_strides[0] = 1;
  for (auto& strides : args.in_strides) strides[0] = 1;
  args.scale = {1, 1};
  return args;
}

TEST_P(Elementwise, Immediates) {
  const float in[3] = {1, 5, std::numeric_limits<float>::quiet_NaN()};
  float out[3];
  ElementwiseArgs args = row_args(ElementwiseOp::clamp, kFloat, 3, out);
  args.in[0] = in;
  args.immediate[1].f = 2;
  args.immediate[2].f = 3;
  EXPECT_EQ(run(args).status, StatusCode::kOk);
  EXPECT_EQ(out[0], 2);
  EXPECT_EQ(out[1], 3);
  EXPECT_TRUE(std::isnan(out[2]));
  args.immediate[2].f = 1;  // the upper bound wins
  EXPECT_EQ(run(args).status, StatusCode::kOk);
  EXPECT_EQ(out[0], 1);
}

// Factors keep the precision of float32; bounds are rounded by the front.
TEST_P(Elementwise, NumbersOfNarrowDtypes) {
  const Half in[2] = {3, 1000};
  Half out[2];
  ElementwiseArgs args = row_args(ElementwiseOp::mul, kHalf, 2, out);
  args.in[0] = in;
  args.immediate[1].f = 1.00049;  // as float16 this is 1.0009765625
  EXPECT_EQ(run(args).status, StatusCode::kOk);
  EXPECT_EQ(out[1].bits, Half(1000.49f).bits);
  Half want[2];
  args.out = want;
  testing::run_oracle(args);
  EXPECT_EQ(out[0].bits, want[0].bits);
  EXPECT_EQ(out[1].bits, want[1].bits);
}

TEST_P(Elementwise, NarrowIntegersWrapAround) {
  testing::for_each_dtype([&]<class T>() {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      constexpr T kMin = std::numeric_limits<T>::min(), kMost = std::numeric_limits<T>::max();
      const T a[3] = {kMin, kMost, kMost}, b[3] = {static_cast<T>(-1), kMost, 2};
      T out[3], want[3];
      for (ElementwiseOp op :
           {ElementwiseOp::neg, ElementwiseOp::add, ElementwiseOp::sub, ElementwiseOp::mul,
            ElementwiseOp::remainder, ElementwiseOp::fmod, ElementwiseOp::div_floor,
            ElementwiseOp::div_trunc, ElementwiseOp::lcm}) {
        ElementwiseArgs args = row_args(op, dtype_of<T>(), 3, out);
        args.in[0] = a;
        args.in[1] = b;
        ASSERT_EQ(run(args).status, StatusCode::kOk);
        args.out = want;
        testing::run_oracle(args);
        for (int i = 0; i < 3; ++i) {
          EXPECT_EQ(+out[i], +want[i])
              << elementwise_info(op).name << " of " << dtype_of<T>() << " at " << i;
        }
      }
    }
  });
}

TEST_P(Elementwise, IntegersWrapAround) {
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  const std::int64_t a[2] = {kMin, 3037000500}, b[2] = {-1, 3037000500};
  std::int64_t out[2];
  const auto compute = [&](ElementwiseOp op) {
    ElementwiseArgs args = row_args(op, kLong, 2, out);
    args.in[0] = a;
    args.in[1] = b;
    return run(args).status;
  };
  EXPECT_EQ(compute(ElementwiseOp::neg), StatusCode::kOk);
  EXPECT_EQ(out[0], kMin);
  EXPECT_EQ(compute(ElementwiseOp::abs), StatusCode::kOk);
  EXPECT_EQ(out[0], kMin);
  EXPECT_EQ(compute(ElementwiseOp::mul), StatusCode::kOk);
  EXPECT_EQ(out[0], kMin);
  EXPECT_EQ(out[1], -9223372036709301616);
  for (ElementwiseOp op : {ElementwiseOp::remainder, ElementwiseOp::fmod}) {
    EXPECT_EQ(compute(op), StatusCode::kOk);
    EXPECT_EQ(out[0], 0);
  }
  for (ElementwiseOp op : {ElementwiseOp::div_floor, ElementwiseOp::div_trunc}) {
    EXPECT_EQ(compute(op), StatusCode::kOk);  // the quotient would trap
    EXPECT_EQ(out[0], kMin);
    EXPECT_EQ(out[1], 1);
  }
}

TEST_P(Elementwise, ZeroDivision) {
  std::int64_t a[4] = {7, -7, 7, -7}, b[4] = {2, 2, 0, -2};
  ElementwiseArgs args{};
  args.op = ElementwiseOp::remainder;
  args.dtype = kLong;
  args.inputs = 2;
  args.ndim = 1;
  args.sizes[0] = 4;
  args.out = a;
  args.in[0] = a;
  args.in[1] = b;
  args.out_strides[0] = args.in_strides[0][0] = args.in_strides[1][0] = 1;
  const KernelContext context = run(args);
  if (is_cuda()) {  // a kernel cannot check its data before it starts
    EXPECT_EQ(context.status, StatusCode::kOk);
    EXPECT_EQ(a[2], 0);
  } else {
    EXPECT_EQ(context.status, StatusCode::kInvalidValue);
    EXPECT_STREQ(context.message, "ZeroDivisionError: an integer was divided by 0.");
    EXPECT_EQ(a[0], 7);  // nothing was written
    args.in[1] = nullptr;
    EXPECT_EQ(run(args).status, StatusCode::kInvalidValue);
    args.immediate[1].i = 2;
    EXPECT_EQ(run(args).status, StatusCode::kOk);
    EXPECT_EQ(a[1], 1);
  }
}

TEST_P(Elementwise, UnsupportedDtype) {
  std::int64_t x = 1;
  ElementwiseArgs args{};
  args.op = ElementwiseOp::exp;
  args.dtype = kLong;
  args.inputs = 1;
  args.out = &x;
  args.in[0] = &x;
  EXPECT_EQ(run(args).status, StatusCode::kUnsupportedDtype);
}

TERN_KERNEL_TESTS(Elementwise);

}  // namespace
}  // namespace tern
