#include <cmath>
#include <vector>

#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/families/batch_norm.h>

#include "backends/kernels/normalize_tensors.h"

namespace tern {
namespace {

using namespace kernels;
using testing::Number;

struct Shape {
  std::int64_t outer, channels, inner;
};

const Shape kShapes[] = {{2, 1, 1},    {5, 7, 1},   {300, 65, 1},  {64, 400, 1},
                         {4000, 3, 1}, {1, 2, 100}, {7, 5, 3},     {3, 2, 9000},
                         {257, 33, 1}, {3, 2, 257}, {1, 66000, 1}, {131, 1100, 1}};

template <class T>
struct Call : testing::NormalizeTensors<T> {
  using Tensors = testing::NormalizeTensors<T>;
  using Tensors::grad_in, Tensors::grad_weight, Tensors::grad_bias;
  using Tensors::in, Tensors::grad, Tensors::weight, Tensors::bias, Tensors::out;

  Call(const Shape& shape, double middle, bool affine, bool training)
      : Tensors(9, shape.outer * shape.channels * shape.inner, middle, shape.channels, affine,
                affine),
        mean(static_cast<std::size_t>(shape.channels), middle + 0.25),
        variance(mean.size(), 1.5),
        shape_(shape),
        training_(training) {}

  BatchNormArgs args(BatchNormOp op) {
    auto args = this->template args_of<BatchNormArgs>(op);
    args.training = training_ ? 1 : 0;
    args.outer = shape_.outer;
    args.channels = shape_.channels;
    args.inner = shape_.inner;
    args.mean = mean.data();
    args.variance = variance.data();
    return args;
  }

  /// Computes forward and backward with the oracle.
  void run_oracle() {
    this->forget_results();
    testing::run_oracle(args(BatchNormOp::kForward));
    testing::run_oracle(args(BatchNormOp::kBackward));
  }

  /// Compares with the oracle's results for the same operands.
  void check() const {
    Call want = *this, plain = *this;
    want.run_oracle();
    plain.weight.clear();  // so that the results are the normalized elements
    plain.bias.clear();
    plain.run_oracle();
    const Number eps = testing::error_limit<T>(64);
    const auto count = static_cast<Number>(shape_.outer * shape_.inner);
    std::vector<Number> product_size(mean.size(), 0);
    for (std::size_t i = 0; i < in.size(); ++i) {
      const auto c = i / static_cast<std::size_t>(shape_.inner) % mean.size();
      const Number rstd = 1 / std::sqrt(want.variance[c] + 1e-5), x = std::abs(plain.out[i]);
      ASSERT_LE(std::abs(Number(out[i]) - want.out[i]), eps * (2 + x)) << i;
      ASSERT_LE(std::abs(Number(grad_in[i]) - want.grad_in[i]), eps * rstd * 8) << i;
      product_size[c] += std::abs(grad[i]) * x;
    }
    for (std::size_t c = 0; c < mean.size(); ++c) {
      const double about = want.mean[c], spread = want.variance[c];
      ASSERT_LE(std::abs(mean[c] - about), 1e-12L * (1 + std::abs(about)) + eps);
      ASSERT_LE(std::abs(variance[c] - spread), eps * spread);
      ASSERT_LE(std::abs(Number(grad_bias[c]) - want.grad_bias[c]), eps * count);
      ASSERT_LE(std::abs(Number(grad_weight[c]) - want.grad_weight[c]),
                1e-6L + eps * product_size[c]);
    }
  }

  std::vector<double> mean, variance;

 private:
  Shape shape_;
  bool training_;
};

class BatchNorm : public testing::KernelTest {
 protected:
  template <class T>
  void compute(Call<T>& call) const {
    for (const BatchNormOp op : {BatchNormOp::kForward, BatchNormOp::kBackward}) {
      ASSERT_EQ(run(call.args(op)).status, StatusCode::kOk);
    }
  }

  template <class T>
  void check(double middle) const {
    for (const Shape& shape : kShapes) {
      if (testing::kNarrow<T> &&
          shape.outer * shape.channels * shape.inner > testing::kManyElements) {
        continue;
      }
      for (const bool training : {true, false}) {
        SCOPED_TRACE(::testing::Message() << shape.outer << ' ' << shape.channels << ' '
                                          << shape.inner << " training " << training);
        Call<T> call(shape, middle, shape.channels % 2 == 1, training);
        compute(call);
        call.check();
      }
    }
  }
};

TEST_P(BatchNorm, IsAccurate) {
  testing::for_each_floating([&]<class T>() { check<T>(0.3); });
}

TEST_P(BatchNorm, KeepsItsDigitsBesideALargeMean) { check<float>(1e4); }

TEST_P(BatchNorm, ComputesOnlyWhatIsWanted) {
  for (const bool training : {true, false}) {
    Call<float> whole({40, 65, 3}, 0.1, true, training);
    compute(whole);
    for (const int wanted : {1, 2, 4, 3, 5, 6}) {
      SCOPED_TRACE(::testing::Message() << wanted << " training " << training);
      Call<float> call({40, 65, 3}, 0.1, true, training);
      run(call.args(BatchNormOp::kForward));
      call.expect_wanted(wanted, whole, call.args(BatchNormOp::kBackward),
                         [this](const BatchNormArgs& args) { run(args); });
    }
  }
}

TEST_P(BatchNorm, ComputesStatisticsAlone) {
  for (const std::int64_t inner : {1, 3}) {
    Call<float> whole({40, 65, inner}, 0.1, true, true), alone = whole;
    run(whole.args(BatchNormOp::kForward));
    BatchNormArgs args = alone.args(BatchNormOp::kForward);
    args.out = nullptr;
    run(args);
    EXPECT_EQ(alone.mean, whole.mean) << inner;
    EXPECT_EQ(alone.variance, whole.variance) << inner;
  }
}

using BatchNormThreads = BatchNorm;

TEST_P(BatchNormThreads, SameBitsForAnyThreadCount) {
  const int before = get_num_threads();
  // One thread takes the rows of the first shape, which is larger than the cache, one by one.
  for (const Shape& shape : {Shape{16500, 130, 1}, Shape{1000, 130, 1}, Shape{40, 13, 300}}) {
    for (const bool training : {true, false}) {
      const Call<float> given(shape, 0.5, true, training);
      std::vector<std::vector<float>> results;
      for (const int threads : {1, 2, 3}) {
        set_num_threads(threads);
        Call<float> call = given;
        compute(call);
        results.push_back(call.grad_weight);
        for (const auto& part : {call.grad_bias, call.grad_in, call.out}) {
          results.back().insert(results.back().end(), part.begin(), part.end());
        }
      }
      EXPECT_TRUE(results[0] == results[1]);
      EXPECT_TRUE(results[0] == results[2]);
    }
  }
  set_num_threads(before);
}

using BatchNormRange = BatchNorm;

// With an eps of 0, a power of two before the input changes nothing but the size of its gradient.
TEST_P(BatchNormRange, SquaresMayLeaveTheRange) {
  const auto check_exponent = [&]<class T>(const Shape& shape, double exponent) {
    SCOPED_TRACE(exponent);
    Call<T> plain(shape, 0.3, true, true);
    Call<T> scaled = plain;
    for (T& x : scaled.in) x *= static_cast<T>(std::exp2(exponent));
    for (Call<T>* call : {&plain, &scaled}) {
      for (const BatchNormOp op : {BatchNormOp::kForward, BatchNormOp::kBackward}) {
        BatchNormArgs args = call->args(op);
        args.eps = 0;
        ASSERT_EQ(run(args).status, StatusCode::kOk);
      }
    }
    for (std::size_t i = 0; i < plain.in.size(); ++i) {
      ASSERT_NEAR(scaled.out[i], plain.out[i], 1e-5) << i;
      ASSERT_NEAR(scaled.grad_in[i] * std::exp2(exponent), plain.grad_in[i], 1e-4) << i;
    }
    for (std::size_t i = 0; i < plain.grad_weight.size(); ++i) {
      ASSERT_NEAR(scaled.grad_weight[i], plain.grad_weight[i], 1e-4) << i;
    }
  };
  for (const Shape& shape : {Shape{70, 67, 1}, Shape{3, 5, 40}}) {
    for (const double exponent : {62, 100, 125, -60, -100}) {
      check_exponent.operator()<float>(shape, exponent);
    }
    // The variance is a float64.
    for (const double exponent : {500, -500}) check_exponent.operator()<double>(shape, exponent);
  }
}

// In evaluation, an element minus a large mean overflows.
TEST_P(BatchNormRange, MeansMayBeLarge) {
  for (const Shape& shape : {Shape{4, 3, 1}, Shape{1, 3, 4}, Shape{200, 3, 1}}) {
    Call<float> call(shape, 0, false, false);
    std::fill(call.in.begin(), call.in.end(), 3e38f);
    std::fill(call.mean.begin(), call.mean.end(), -3e38);
    std::fill(call.variance.begin(), call.variance.end(), 1e38);
    compute(call);
    for (const float x : call.out) EXPECT_NEAR(x, 6e19f, 1e14);
  }
}

TEST_P(BatchNorm, UnsupportedDtype) {
  Call<double> call({2, 2, 1}, 0, false, true);
  BatchNormArgs args = call.args(BatchNormOp::kForward);
  args.dtype = kLong;
  EXPECT_EQ(run(args).status, StatusCode::kUnsupportedDtype);
}

TERN_KERNEL_TESTS(BatchNorm);
TERN_CPU_KERNEL_TESTS(BatchNormThreads);
TERN_CPU_KERNEL_TESTS(BatchNormRange);

}  // namespace
}  // namespace tern
