#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "backends/kernel_test.h"

#include <tern/core/kernels/families/softmax.h>

namespace tern {
namespace {

using namespace kernels;
using testing::Noise;
using testing::Number;

struct SoftmaxShape {
  std::int64_t outer, size, inner;
};

const SoftmaxShape kSoftmaxShapes[] = {{1, 1, 1},     {1, 5, 1},     {7, 10, 1},   {64, 1000, 1},
                                       {3, 70000, 1}, {2, 5, 3},     {1, 10, 100}, {5, 33, 70},
                                       {300, 17, 2},  {1, 2000, 65}, {3, 32, 1},   {3, 257, 1},
                                       {5000, 33, 1}, {70000, 2, 1}, {35001, 3, 2}};

class Softmax : public testing::KernelTest {
 protected:
  template <class T>
  std::vector<T> compute(SoftmaxOp op, const SoftmaxShape& shape, const std::vector<T>& in,
                         const std::vector<T>& grad = {}) {
    std::vector<T> out(in.size());
    EXPECT_EQ(run(args_of(op, shape, in, grad, out)).status, StatusCode::kOk);
    return out;
  }

  template <class T>
  void check(const SoftmaxShape& shape) {
    SCOPED_TRACE(::testing::Message() << shape.outer << ' ' << shape.size << ' ' << shape.inner);
    const auto n = static_cast<std::size_t>(shape.outer * shape.size * shape.inner);
    if (testing::kNarrow<T> && static_cast<std::int64_t>(n) > testing::kManyElements) return;
    Noise noise(4);
    std::vector<T> in(n), grad(n);
    for (T& x : in) x = static_cast<T>(noise.uniform(-5, 5));
    for (T& x : grad) x = static_cast<T>(noise.uniform(-1, 1));
    // Each element may be off by so many units of its size: the sum of what it is made of.
    const auto compare = [&](SoftmaxOp op, const std::vector<T>& from, const auto& size_of) {
      const std::vector<T> got = compute(op, shape, from, grad);
      std::vector<T> want(n);
      testing::run_oracle(args_of(op, shape, from, grad, want));
      constexpr Number kEps = testing::error_limit<T>(64),
                       kLeast = testing::Limits<T>::denorm_min();
      for (std::size_t at = 0; at < n; ++at) {
        const Number wanted = want[at];
        ASSERT_LE(std::abs(Number(got[at]) - wanted), kEps * size_of(at, wanted) + kLeast)
            << "op " << static_cast<int>(op) << " at " << at;
      }
    };
    std::vector<T> y(n), log_y(n);
    testing::run_oracle(args_of(SoftmaxOp::kSoftmax, shape, in, grad, y));
    testing::run_oracle(args_of(SoftmaxOp::kLogSoftmax, shape, in, grad, log_y));
    const std::vector<Number> grad_size = row_sizes(shape, grad);
    compare(SoftmaxOp::kSoftmax, in, [&](std::size_t, Number p) { return p; });
    compare(SoftmaxOp::kLogSoftmax, in, [&](std::size_t, Number log_p) { return 10 - log_p; });
    compare(SoftmaxOp::kSoftmaxBackward, y, [&](std::size_t at, Number) { return Number(y[at]); });
    compare(SoftmaxOp::kLogSoftmaxBackward, log_y,
            [&](std::size_t at, Number) { return 1 + y[at] * grad_size[at]; });
  }

 private:
  template <class T>
  static SoftmaxArgs args_of(SoftmaxOp op, const SoftmaxShape& shape, const std::vector<T>& in,
                             const std::vector<T>& grad, std::vector<T>& out) {
    return {op,          dtype_of<T>(), shape.outer, shape.size,
            shape.inner, in.data(),     grad.data(), out.data()};
  }

  /// Returns for each element the sum of the absolute values of its row.
  template <class T>
  static std::vector<Number> row_sizes(const SoftmaxShape& shape, const std::vector<T>& values) {
    std::vector<Number> sums(static_cast<std::size_t>(shape.outer * shape.inner)), sizes;
    const auto row_of = [&](std::size_t at) {
      const auto inner = static_cast<std::size_t>(shape.inner);
      return at / (static_cast<std::size_t>(shape.size) * inner) * inner + at % inner;
    };
    for (std::size_t at = 0; at < values.size(); ++at) sums[row_of(at)] += std::abs(values[at]);
    for (std::size_t at = 0; at < values.size(); ++at) sizes.push_back(sums[row_of(at)]);
    return sizes;
  }
};

TEST_P(Softmax, AllForms) {
  for (const SoftmaxShape& shape : kSoftmaxShapes) {
    testing::for_each_floating([&]<class T>() { check<T>(shape); });
  }
}

TEST_P(Softmax, Infinities) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (std::int64_t inner : {1, 3}) {
    const auto column = [&](float a, float b, float c) {
      std::vector<float> in;
      for (float x : {a, b, c}) in.insert(in.end(), static_cast<std::size_t>(inner), x);
      return in;
    };
    const SoftmaxShape shape{1, 3, inner};
    const auto width = static_cast<std::size_t>(inner);
    for (SoftmaxOp op : {SoftmaxOp::kSoftmax, SoftmaxOp::kLogSoftmax}) {
      for (const auto& in : {column(-kInfinity, -kInfinity, -kInfinity), column(1, kInfinity, 2),
                             column(1, NAN, 2)}) {
        for (float x : compute(op, shape, in)) EXPECT_TRUE(std::isnan(x));
      }
    }
    const auto in = column(-kInfinity, 1, 1);
    const auto y = compute(SoftmaxOp::kSoftmax, shape, in);
    EXPECT_EQ(y[0], 0);
    EXPECT_EQ(y[width], 0.5f);
    EXPECT_EQ(compute(SoftmaxOp::kLogSoftmax, shape, in)[0], -kInfinity);
    EXPECT_EQ(compute(SoftmaxOp::kSoftmax, shape, column(1000, 1000, -1000))[0], 0.5f);
  }
}

// One element far above all others, at any index: code that misses it computes e^1000 = inf.
TEST_P(Softmax, TheLargestElementAnywhere) {
  const auto check = [&]<class T>(T) {
    for (const auto& [n, inner] :
         {std::array{2, 1}, {3, 1}, {33, 1}, {100, 1}, {3000, 1}, {2, 3}, {33, 3}, {9, 300}}) {
      const SoftmaxShape shape{1, n, inner};
      for (const int largest : {0, n / 2, n - 2, n - 1}) {
        SCOPED_TRACE(::testing::Message() << n << ' ' << inner << ' ' << largest);
        std::vector<T> in(static_cast<std::size_t>(n * inner)), want(in.size()),
            log_want(in.size());
        for (std::size_t i = 0; i < in.size(); ++i) {
          const bool is_largest =
              i / static_cast<std::size_t>(inner) == static_cast<std::size_t>(largest);
          in[i] = is_largest ? T(1000) : T(0);
          want[i] = is_largest ? T(1) : T(0);
          log_want[i] = is_largest ? T(0) : T(-1000);
        }
        EXPECT_EQ(compute(SoftmaxOp::kSoftmax, shape, in), want);
        EXPECT_EQ(compute(SoftmaxOp::kLogSoftmax, shape, in), log_want);
      }
    }
  };
  check(1.0f);
  check(1.0);
}

// A sum of many equal terms that grows in float32 is rounded in the same direction again and again.
TEST_P(Softmax, SumsOfManyElementsKeepDigits) {
  constexpr std::size_t kCount = 300007;
  constexpr double kOthers = kCount - 1;
  const double tolerance = is_cuda() ? 1e-4 : 1e-6;  // CUDA's threads sum a few hundred in float32
  for (const std::int64_t inner : {1, 3}) {
    const SoftmaxShape shape{1, kCount, inner};
    const auto first_of = [&](SoftmaxOp op, float first, float other, float first_grad,
                              float other_grad) {
      const auto width = static_cast<std::size_t>(inner);
      std::vector<float> in(kCount * width, other), grad(kCount * width, other_grad);
      std::fill_n(in.begin(), width, first);
      std::fill_n(grad.begin(), width, first_grad);
      return static_cast<double>(compute(op, shape, in, grad)[0]);
    };
    const auto expect_digits = [&](double actual, double expected) {
      EXPECT_LE(std::abs(actual - expected), tolerance * std::abs(expected))
          << actual << ", not " << expected << ", of " << inner;
    };
    expect_digits(first_of(SoftmaxOp::kSoftmax, 1, 0, 0, 0), 1 / (1 + kOthers * std::exp(-1.0)));
    const float y = 1 / static_cast<float>(kCount), g = 0.1f;
    expect_digits(first_of(SoftmaxOp::kSoftmaxBackward, y, y, 0, 1), -double{y} * y * kOthers);
    expect_digits(first_of(SoftmaxOp::kLogSoftmaxBackward, 0, -1000, g, g), -double{g} * kOthers);
  }
}

TEST_P(Softmax, UnsupportedDtype) {
  std::int64_t x[2] = {};
  const SoftmaxArgs args{SoftmaxOp::kSoftmax, kLong, 1, 2, 1, x, nullptr, x};
  EXPECT_EQ(run(args).status, StatusCode::kUnsupportedDtype);
}

TERN_KERNEL_TESTS(Softmax);

}  // namespace
}  // namespace tern
