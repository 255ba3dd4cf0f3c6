#include <array>
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

bool is_near(Number got, Number want, Number limit) { return std::abs(got - want) <= limit; }

class Softmax : public testing::KernelTest {
 protected:
  template <class T>
  std::vector<T> compute(SoftmaxOp op, const SoftmaxShape& shape, const std::vector<T>& in,
                         const std::vector<T>& grad = {}) {
    std::vector<T> out(in.size());
    SoftmaxArgs args{op,          dtype_of<T>(), shape.outer, shape.size,
                     shape.inner, in.data(),     grad.data(), out.data()};
    EXPECT_EQ(run(args).status, StatusCode::kOk);
    return out;
  }

  template <class T>
  void check(const SoftmaxShape& shape) {
    SCOPED_TRACE(::testing::Message() << shape.outer << ' ' << shape.size << ' ' << shape.inner);
    const auto n = static_cast<std::size_t>(shape.outer * shape.size * shape.inner);
    Noise noise(4);
    std::vector<T> in(n), grad(n);
    for (T& x : in) x = static_cast<T>(noise.uniform(-5, 5));
    for (T& x : grad) x = static_cast<T>(noise.uniform(-1, 1));
    const std::vector<T> y = compute(SoftmaxOp::kSoftmax, shape, in);
    const std::vector<T> log_y = compute(SoftmaxOp::kLogSoftmax, shape, in);
    const std::vector<T> dx = compute(SoftmaxOp::kSoftmaxBackward, shape, y, grad);
    const std::vector<T> log_dx = compute(SoftmaxOp::kLogSoftmaxBackward, shape, log_y, grad);
    const Number eps = 64 * std::numeric_limits<T>::epsilon();
    for (std::int64_t o = 0; o < shape.outer; ++o) {
      for (std::int64_t i = 0; i < shape.inner; ++i) {
        const auto at = [&](std::int64_t j) {
          return static_cast<std::size_t>((o * shape.size + j) * shape.inner + i);
        };
        Number sum = 0, dot = 0, grad_sum = 0, grad_size = 0;
        for (std::int64_t j = 0; j < shape.size; ++j) {
          sum += std::exp(Number(in[at(j)]));
          dot += Number(y[at(j)]) * grad[at(j)];
          grad_sum += grad[at(j)];
          grad_size += std::abs(grad[at(j)]);
        }
        for (std::int64_t j = 0; j < shape.size; ++j) {
          const Number p = std::exp(Number(in[at(j)])) / sum, log_p = in[at(j)] - std::log(sum);
          ASSERT_PRED3(is_near, y[at(j)], p, eps * p);
          ASSERT_PRED3(is_near, log_y[at(j)], log_p, eps * (10 - log_p));
          ASSERT_PRED3(is_near, dx[at(j)], y[at(j)] * (grad[at(j)] - dot), eps * p);
          ASSERT_PRED3(is_near, log_dx[at(j)],
                       grad[at(j)] - std::exp(Number(log_y[at(j)])) * grad_sum,
                       eps * (1 + p * grad_size));
        }
      }
    }
  }
};

TEST_P(Softmax, AllForms) {
  for (const SoftmaxShape& shape : kSoftmaxShapes) {
    check<float>(shape);
    check<double>(shape);
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

TEST_P(Softmax, UnsupportedDtype) {
  std::int64_t x[2] = {};
  const SoftmaxArgs args{SoftmaxOp::kSoftmax, kLong, 1, 2, 1, x, nullptr, x};
  EXPECT_EQ(run(args).status, StatusCode::kUnsupportedDtype);
}

TERN_KERNEL_TESTS(Softmax);

}  // namespace
}  // namespace tern
