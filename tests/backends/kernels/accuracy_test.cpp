#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "backends/kernels/elementwise_oracle.h"

#include <tern/backends/sim/kernels/formulas.h>
#include <tern/core/kernels/families/elementwise.h>

// Every elementwise op of floats is exact within 4 units in the last place of the oracle;
// functions with a reference in their row, of the reference in long double, and those that are
// accurate for every input, over the whole range of float and double.
// With TERN_TEST_FULL=1 every 257th float is tried, else every 40009th.

namespace tern {
namespace {

using namespace kernels;
using testing::Number;

/// Calls check(op) for the functions of `inputs` floating numbers that are exact over the whole
/// range.
template <class Check>
void each_function(int inputs, const Check& check) {
  for (int i = 0; i < kElementwiseOps; ++i) {
    const ElementwiseInfo& info = kElementwiseInfo[i];
    const bool is_exact = info.accuracy == ElementwiseAccuracy::kAccurate ||
                          (inputs == 1 && info.accuracy == ElementwiseAccuracy::kRounded);
    if (info.inputs == inputs && info.kind == ElementwiseKind::kFloat && is_exact) {
      check(static_cast<ElementwiseOp>(i));
    }
  }
}

class Accuracy : public testing::KernelTest {
 protected:
  template <class T>
  std::vector<T> compute(ElementwiseOp op, const std::vector<T>& a, const std::vector<T>& b = {},
                         const std::vector<T>& c = {}) {
    std::vector<T> out(a.size());
    EXPECT_EQ(run(args_of(op, a, b, c, out)).status, StatusCode::kOk);
    return out;
  }

  template <class T>
  static ElementwiseArgs args_of(ElementwiseOp op, const std::vector<T>& a, const std::vector<T>& b,
                                 const std::vector<T>& c, std::vector<T>& out) {
    ElementwiseArgs args{};
    args.op = op;
    args.dtype = dtype_of<T>();
    args.inputs = elementwise_info(op).inputs;
    args.ndim = 1;
    args.sizes[0] = static_cast<std::int64_t>(a.size());
    args.out = out.data();
    args.in[0] = a.data();
    args.in[1] = b.data();
    args.in[2] = c.data();
    args.scale = {1, 1};
    args.out_strides[0] = 1;
    for (auto& strides : args.in_strides) strides[0] = 1;
    return args;
  }

  template <class T>
  void check(ElementwiseOp op, const std::vector<T>& a, const std::vector<T>& b = {},
             const std::vector<T>& c = {}) {
    std::vector<T> got(a.size());
    const ElementwiseArgs args = args_of(op, a, b, c, got);
    const bool has_reference = sim::reference<Number>(op, 1, 1).has_value();
    const auto oracle = has_reference ? nullptr : testing::oracle_of<T, T>(args);
    ASSERT_EQ(run(args).status, StatusCode::kOk);
    Number worst = 0;
    std::size_t where = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const Number want = has_reference ? *sim::reference<Number>(op, a[i], b.empty() ? T(0) : b[i])
                                        : Number(oracle[i]);
      const Number off = testing::ulps(got[i], want);
      if (off > worst) worst = off, where = i;
    }
    EXPECT_LE(worst, 4) << elementwise_info(op).name << " of " << dtype_info(dtype_of<T>()).name
                        << " at " << std::hexfloat << a[where] << ' '
                        << (b.empty() ? T(0) : b[where]) << ": " << got[where];
  }
};

template <class T, class Bits>
std::vector<T> patterns(Bits step) {
  std::vector<T> all;
  Bits bits = 0;
  do {
    T x;
    std::memcpy(&x, &bits, sizeof(x));
    all.push_back(x);
  } while (!__builtin_add_overflow(bits, step, &bits));
  constexpr double kHardForErfc = 0x1.fa40000f076a7p+2;
  // Special arguments of functions: overflow, underflow, the ends of reduced ranges, zeros.
  const double edges[] = {
      0,    0x1p-149,  0x1p-126,  0x1p-24,  0x1p-13,  0.3465736, 0.5,     0.6931472,
      1,    1.0397208, 1.4142135, 2,        9.01,     17.3287,   20,      25,
      87.3, 88.02969,  88.37626,  88.5,     88.72284, 89,        103.278, 103.98,
      104,  709.7827,  710.4758,  745.1332, 746,      1048576,   1e9,     kHardForErfc};
  for (double edge : edges) {
    T x = static_cast<T>(edge);
    for (int i = 0; i < 3; ++i) x = std::nextafter(x, -std::numeric_limits<T>::infinity());
    for (int i = 0; i < 7; ++i) {
      all.push_back(x);
      all.push_back(-x);
      x = std::nextafter(x, std::numeric_limits<T>::infinity());
    }
  }
  for (int i = 1; i < 2000; ++i) {
    all.push_back(static_cast<T>(i * 1.5707963267948966));
    all.push_back(static_cast<T>(-i * 0.7853981633974483));
  }
  return all;
}

bool full_count() { return std::getenv("TERN_TEST_FULL") != nullptr; }

TEST_P(Accuracy, Float) {
  const auto all = patterns<float>(std::uint32_t(full_count() ? 257 : 40009));
  each_function(1, [&](ElementwiseOp op) { check<float>(op, all); });
}

TEST_P(Accuracy, Double) {
  const auto all = patterns<double>(std::uint64_t(full_count() ? 4398046511119 : 281474976710597));
  each_function(1, [&](ElementwiseOp op) { check<double>(op, all); });
}

// Functions of two floats, at all pairs of some numbers of every scale.
TEST_P(Accuracy, Pairs) {
  const auto check_pairs = [&]<class T>(const std::vector<T>& all) {
    const std::size_t step = all.size() / (full_count() ? 1500 : 300) + 1;
    std::vector<T> a, b;
    for (std::size_t i = 0; i < all.size(); i += step) {
      for (std::size_t k = 0; k < all.size(); k += step) {
        a.push_back(all[i]);
        b.push_back(all[k]);
      }
    }
    each_function(2, [&](ElementwiseOp op) { check<T>(op, a, b); });
  };
  check_pairs(patterns<float>(std::uint32_t(1000003)));
  check_pairs(patterns<double>(std::uint64_t(4398046511104003)));
}

TEST_P(Accuracy, Pow) {
  const auto some = patterns<float>(std::uint32_t(full_count() ? 4000037 : 40000003));
  std::vector<float> base, exponent;
  for (float a : some) {
    for (float b :
         {0.0f, -0.0f, 0.5f, 1.0f, -1.0f, 2.0f, 3.0f, -3.0f, 2.5f, 101.0f, 1e9f, 16777216.0f,
          16777215.0f, std::numeric_limits<float>::infinity(),
          -std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN(), a}) {
      base.push_back(a);
      exponent.push_back(b);
    }
  }
  testing::Noise noise(1);
  for (int i = 0; i < (full_count() ? 3000000 : 30000); ++i) {
    base.push_back(static_cast<float>(noise.uniform(0, 4)));
    exponent.push_back(static_cast<float>(noise.uniform(-60, 60)));
  }
  check<float>(ElementwiseOp::pow, base, exponent);
}

// All ops whose results are floating numbers, except for functions of many steps in double. Left
// out: where_op moves elements, and the loss of logits is a difference that may lose digits in
// every formula, as is the gradient of tanh in float. A rounded quotient of floats may be the next
// integer.
template <class T, class Check>
void every_op(const Check& check) {
  testing::Noise noise(5);
  std::vector<T> small[3], wide[3];  // in [0, 1), as probabilities are; of any sign and scale
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < 20011; ++i) {
      small[k].push_back(static_cast<T>(noise.uniform(0, 1)));
      wide[k].push_back(static_cast<T>(noise.uniform(-1, 1) * std::exp2(noise.uniform(-30, 20))));
    }
  }
  for (int i = 0; i < kElementwiseOps; ++i) {
    const auto op = static_cast<ElementwiseOp>(i);
    const ElementwiseInfo& info = elementwise_info(op);
    const bool is_rough = info.accuracy == ElementwiseAccuracy::kManySteps ||
                          info.accuracy == ElementwiseAccuracy::kCancels;
    if (info.kind == ElementwiseKind::kCompare || info.kind == ElementwiseKind::kInteger ||
        op == ElementwiseOp::where_op || op == ElementwiseOp::bce_logits ||
        (is_rough && (std::is_same_v<T, double> || op == ElementwiseOp::polygamma)) ||
        ((op == ElementwiseOp::tanh_backward || op == ElementwiseOp::div_trunc) &&
         std::is_same_v<T, float>)) {
      continue;
    }
    check(op, small);
    if (!info.has(ElementwiseInfo::kUnitInputs) && !info.has(ElementwiseInfo::kUsualScale)) {
      check(op, wide);
    }
  }
}

TEST_P(Accuracy, EveryOp) {
  every_op<float>([&](ElementwiseOp op, const std::vector<float>(&in)[3]) {
    check<float>(op, in[0], in[1], in[2]);
  });
  every_op<double>([&](ElementwiseOp op, const std::vector<double>(&in)[3]) {
    // The oracle rounds the square of this one in double, CUDA does not.
    const bool rounds_less = is_cuda() && op == ElementwiseOp::tanh_backward;
    if (!rounds_less) check<double>(op, in[0], in[1], in[2]);
  });
}

// A CPU computes denormal probabilities, and all others next to them, in another way.
TEST_P(Accuracy, BinaryCrossEntropyAtTheEnds) {
  const auto check_ends = [&]<class T>(T) {
    using Limits = std::numeric_limits<T>;
    std::vector<T> x, target;
    const auto add = [&](T probability) {
      for (const double t : {0.0, 0.25, 1.0}) {
        x.push_back(probability);
        target.push_back(static_cast<T>(t));
      }
    };
    for (const T probability :
         {T(0), Limits::min(), Limits::epsilon(), T(0.5), 1 - Limits::epsilon() / 2, T(1)}) {
      add(probability);
    }
    check<T>(ElementwiseOp::bce, x, target);
    const std::vector<T> without = compute(ElementwiseOp::bce, x, target);
    add(Limits::denorm_min());
    add(Limits::min() / 3);
    check<T>(ElementwiseOp::bce, x, target);
    std::vector<T> with = compute(ElementwiseOp::bce, x, target);
    with.resize(without.size());
    EXPECT_EQ(with, without);
  };
  check_ends(1.0f);
  check_ends(1.0);
}

// The value of an element depends neither on its neighbours nor on its index.
TEST_P(Accuracy, SameBitsAtEveryPlace) {
  testing::Noise noise(3);
  each_function(1, [&](ElementwiseOp op) {
    std::vector<float> a(137);
    for (float& x : a) x = static_cast<float>(noise.uniform(-3, 30));
    a[100] = 3e7f;
    const std::vector<float> all = compute(op, a);
    for (std::size_t i = 0; i < a.size(); ++i) {
      const std::vector<float> one = compute(op, std::vector<float>{a[i]});
      ASSERT_EQ(std::memcmp(&one[0], &all[i], sizeof(float)), 0)
          << elementwise_info(op).name << " at " << a[i];
    }
  });
}

TERN_KERNEL_TESTS(Accuracy);

}  // namespace
}  // namespace tern
