#include <cmath>
#include <vector>

#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/families/layer_norm.h>

#include "backends/kernels/normalize_tensors.h"

namespace tern {
namespace {

using namespace kernels;
using testing::Number;

struct LayerNormShape {
  std::int64_t rows, size;
};

const LayerNormShape kLayerNormShapes[] = {
    {1, 1},      {1, 7},     {3, 16},    {5, 33}, {70, 10}, {64, 400}, {2, 9000},
    {300, 1000}, {5000, 20}, {130, 128}, {2, 32}, {2, 257}, {3, 1025}, {66000, 1}};

template <class T>
struct LayerNormCall : testing::NormalizeTensors<T> {
  using Tensors = testing::NormalizeTensors<T>;
  using Tensors::grad_in, Tensors::grad_weight, Tensors::grad_bias;
  using Tensors::in, Tensors::grad, Tensors::weight, Tensors::bias, Tensors::out;
  std::int32_t root_mean_square = 0;

  LayerNormCall(const LayerNormShape& shape, double mean, bool has_weight, bool has_bias)
      : Tensors(7, shape.rows * shape.size, mean, shape.size, has_weight, has_bias),
        shape_(shape),
        mean_(static_cast<std::size_t>(shape.rows)),
        rstd_(mean_) {}

  LayerNormArgs args(LayerNormOp op) {
    auto args = this->template args_of<LayerNormArgs>(op);
    args.rows = shape_.rows;
    args.size = shape_.size;
    args.root_mean_square = root_mean_square;
    args.mean = mean_.data();
    args.rstd = rstd_.data();
    return args;
  }

  /// Computes forward and backward with the oracle.
  void run_oracle() {
    this->forget_results();
    testing::run_oracle(args(LayerNormOp::kForward));
    testing::run_oracle(args(LayerNormOp::kBackward));
  }

  /// Compares with the oracle's results for the same operands.
  void check() const {
    LayerNormCall want = *this, plain = *this;
    want.run_oracle();
    plain.weight.clear();  // so that the results are the normalized elements
    plain.bias.clear();
    plain.run_oracle();
    const auto n = static_cast<std::size_t>(shape_.size);
    const Number eps = testing::error_limit<T>(64);
    std::vector<Number> dw_size(n, 0), db_size(n, 0);
    for (std::size_t row = 0; row < mean_.size(); ++row) {
      const double mean = want.mean_[row], rstd = want.rstd_[row];
      ASSERT_LE(std::abs(mean_[row] - mean), 1e-12L * (1 + std::abs(mean)) + eps);
      ASSERT_LE(std::abs(rstd_[row] - rstd), eps * rstd);
      Number h_size = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const Number g = std::abs(grad[row * n + i]);
        h_size = std::max(h_size, weight.empty() ? g : g * std::abs(weight[i]));
        dw_size[i] += g * std::abs(plain.out[row * n + i]);
        db_size[i] += g;
      }
      for (std::size_t at = row * n; at < (row + 1) * n; ++at) {
        const Number y = want.out[at], dx = want.grad_in[at];
        ASSERT_LE(std::abs(out[at] - y), eps * (2 + std::abs(y))) << row << ' ' << at - row * n;
        ASSERT_LE(std::abs(grad_in[at] - dx), eps * rstd * (1 + h_size))
            << row << ' ' << at - row * n;
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_LE(std::abs(Number(grad_weight[i]) - want.grad_weight[i]), 1e-6L + eps * dw_size[i])
          << i;
      ASSERT_LE(std::abs(Number(grad_bias[i]) - want.grad_bias[i]), eps * db_size[i]) << i;
    }
  }

 private:
  LayerNormShape shape_;
  std::vector<double> mean_, rstd_;
};

class LayerNorm : public testing::KernelTest {
 protected:
  template <class T>
  void compute(LayerNormCall<T>& call) const {
    for (const LayerNormOp op : {LayerNormOp::kForward, LayerNormOp::kBackward}) {
      ASSERT_EQ(run(call.args(op)).status, StatusCode::kOk);
    }
  }

  template <class T>
  void check(double mean) const {
    for (const LayerNormShape& shape : kLayerNormShapes) {
      const bool is_large = shape.rows * shape.size > testing::kManyElements;
      if (is_large && !std::is_same_v<T, float>) continue;
      for (const bool has_weight : {true, false}) {
        for (const bool has_bias : {true, false}) {
          if (is_large && is_cuda() && has_weight != has_bias) continue;  // the emulator is slow
          SCOPED_TRACE(::testing::Message() << shape.rows << " x " << shape.size);
          LayerNormCall<T> call(shape, mean, has_weight, has_bias);
          compute(call);
          call.check();
        }
      }
    }
  }
};

TEST_P(LayerNorm, IsAccurate) {
  testing::for_each_floating([&]<class T>() { check<T>(0.3); });
}

TEST_P(LayerNorm, TakesTheMeanAsZeroIfAsked) {
  testing::for_each_floating([&]<class T>() {
    for (const LayerNormShape& shape : kLayerNormShapes) {
      if (testing::kNarrow<T> && shape.rows * shape.size > testing::kManyElements) continue;
      SCOPED_TRACE(::testing::Message() << shape.rows << " x " << shape.size);
      LayerNormCall<T> call(shape, 0.3, true, false);
      call.root_mean_square = 1;
      compute(call);
      call.check();
    }
  });
}

TEST_P(LayerNorm, KeepsItsDigitsBesideALargeMean) { check<float>(1e4); }

TEST_P(LayerNorm, OneFarElementCostsNothing) {
  LayerNormCall<float> call({4, 768}, 0, true, true);
  for (std::size_t i = 0; i < call.in.size(); i += 768) call.in[i] = 3e4f;
  compute(call);
  call.check();
}

TEST_P(LayerNorm, ComputesOnlyWhatIsWanted) {
  LayerNormCall<float> whole({100, 300}, 0.1, true, true);
  compute(whole);
  for (const int wanted : {1, 2, 4, 3, 6}) {
    LayerNormCall<float> call({100, 300}, 0.1, true, true);
    run(call.args(LayerNormOp::kForward));
    call.expect_wanted(wanted, whole, call.args(LayerNormOp::kBackward),
                       [this](const LayerNormArgs& args) { run(args); });
  }
  LayerNormArgs args = whole.args(LayerNormOp::kForward);
  const std::vector<float> out = whole.out;
  args.mean = args.rstd = nullptr;
  run(args);
  EXPECT_EQ(whole.out, out);
}

using LayerNormThreads = LayerNorm;

TEST_P(LayerNormThreads, SameBitsForAnyThreadCount) {
  const int before = get_num_threads();
  std::vector<std::vector<float>> results;
  for (const int threads : {1, 2, 3}) {
    set_num_threads(threads);
    LayerNormCall<float> call({1000, 130}, 0.5, true, true);
    compute(call);
    results.push_back(call.grad_weight);
    for (const auto& part : {call.grad_bias, call.grad_in, call.out}) {
      results.back().insert(results.back().end(), part.begin(), part.end());
    }
  }
  set_num_threads(before);
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST_P(LayerNorm, ConstantAndInfiniteRows) {
  LayerNormCall<float> call({3, 40}, 0, false, false);
  std::fill_n(call.in.begin(), 40, 0.1f);
  call.in[41] = std::numeric_limits<float>::infinity();
  call.in[82] = NAN;
  LayerNormArgs args = call.args(LayerNormOp::kForward);
  run(args);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_NEAR(call.out[i], 0, 1e-4);
  for (std::size_t i = 40; i < 120; ++i) EXPECT_TRUE(std::isnan(call.out[i]));
}

using LayerNormRange = LayerNorm;

// With an eps of 0, a power of two before the input changes nothing but the size of its gradient.
TEST_P(LayerNormRange, SquaresMayLeaveTheRange) {
  const auto check_exponent = [&]<class T>(double exponent, std::int32_t root_mean_square) {
    SCOPED_TRACE(exponent);
    LayerNormCall<T> plain({3, 70}, 0.3, true, true);
    plain.root_mean_square = root_mean_square;
    LayerNormCall<T> scaled = plain;
    for (T& x : scaled.in) x *= static_cast<T>(std::exp2(exponent));
    for (LayerNormCall<T>* call : {&plain, &scaled}) {
      for (const LayerNormOp op : {LayerNormOp::kForward, LayerNormOp::kBackward}) {
        LayerNormArgs args = call->args(op);
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
  for (const std::int32_t root_mean_square : {0, 1}) {
    for (const double exponent : {62, 100, 125, -60, -100}) {
      check_exponent.operator()<float>(exponent, root_mean_square);
      check_exponent.operator()<double>(exponent * 8, root_mean_square);
    }
  }
}

TEST_P(LayerNorm, UnsupportedDtype) {
  LayerNormCall<double> call({1, 2}, 0, false, false);
  LayerNormArgs args = call.args(LayerNormOp::kForward);
  args.dtype = kLong;
  EXPECT_EQ(run(args).status, StatusCode::kUnsupportedDtype);
}

TERN_KERNEL_TESTS(LayerNorm);
TERN_CPU_KERNEL_TESTS(LayerNormThreads);
TERN_CPU_KERNEL_TESTS(LayerNormRange);

}  // namespace
}  // namespace tern
