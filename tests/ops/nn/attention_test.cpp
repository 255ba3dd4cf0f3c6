#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <tern/core/autograd/gradcheck.h>
#include <tern/core/autograd/node.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/families/attention.h>
#include <tern/tern.h>

#include "brief.h"
#include "error_of.h"

// What the records of attention cannot say: draws, memory, masked rows, and layouts.

namespace tern {
namespace {

constexpr double kForbidden = -std::numeric_limits<double>::infinity();

struct Inputs {
  Tensor q, k, v;

  Inputs(std::int64_t queries, std::int64_t keys, ScalarType dtype = kDouble)
      : q(leaf({2, 4, queries, 6}, dtype)),
        k(leaf({2, 2, keys, 6}, dtype)),
        v(leaf({2, 2, keys, 5}, dtype)) {}
  std::vector<Tensor> all() const { return {q, k, v}; }

 private:
  static Tensor leaf(IntArrayRef sizes, ScalarType dtype) {
    return randn(sizes, dtype).requires_grad_();
  }
};

Tensor attend(const Inputs& x, const std::optional<Tensor>& mask = {}, double dropout_p = 0,
              bool is_causal = false) {
  return scaled_dot_product_attention(x.q, x.k, x.v, mask, dropout_p, is_causal, {}, true);
}

/// The definition, with the matrix of weights.
Tensor naive(const Inputs& x, const Tensor& mask, double dropout_p = 0) {
  const Tensor k = x.k.repeat_interleave(2, 1), v = x.v.repeat_interleave(2, 1);
  Tensor scores = matmul(x.q, k.transpose(-2, -1)) / std::sqrt(6.0);
  if (mask.defined()) scores = scores + mask;
  return matmul(dropout(softmax(scores, -1), dropout_p, true), v);
}

std::vector<Tensor> gradients(const Tensor& out, const Inputs& x, bool create_graph = false) {
  const Tensor direction = cos(arange(out.numel(), out.options())).view(out.sizes());
  return autograd::grad({out}, x.all(), {direction}, {}, create_graph);
}

void expect_close(const Tensor& a, const Tensor& b, double tolerance = 1e-10) {
  EXPECT_TRUE(allclose(a.detach().to(kDouble), b.detach().to(kDouble), tolerance, tolerance))
      << a << "\nis not\n"
      << b;
}

void expect_close(const std::vector<Tensor>& a, const std::vector<Tensor>& b,
                  double tolerance = 1e-10) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) expect_close(a[i], b[i], tolerance);
}

TEST(Attention, IsItsDefinition) {
  for (const auto& [queries, keys] : {std::pair(3, 5), std::pair(50, 130), std::pair(100, 20)}) {
    const Inputs x(queries, keys);
    const Tensor triangle = full({queries, keys}, kForbidden, kDouble).triu(1);
    expect_close(attend(x), naive(x, {}));
    expect_close(gradients(attend(x), x), gradients(naive(x, {}), x));
    expect_close(attend(x, {}, 0, true), naive(x, triangle));
    expect_close(gradients(attend(x, {}, 0, true), x), gradients(naive(x, triangle), x));
    const Tensor mask = randn({2, 1, queries, keys}, kDouble);
    expect_close(attend(x, mask), naive(x, mask));
    expect_close(attend(x, mask.gt(-1)),
                 naive(x, full_like(mask, kForbidden).masked_fill(mask.gt(-1), 0)));
  }
}

TEST(Attention, DrawsAsDropoutDoes) {
  for (const ScalarType dtype : {kDouble, kFloat}) {
    const double tolerance = dtype == kDouble ? 1e-10 : 1e-4;
    const Inputs x(7, 70, dtype);
    manual_seed(3);
    const Tensor got = attend(x, {}, 0.3);
    const Tensor after = rand({3});
    manual_seed(3);
    const Tensor want = naive(x, {}, 0.3);
    EXPECT_TRUE(after.equal(rand({3})));
    EXPECT_EQ(got.grad_fn()->name(), "ScaledDotProductFlashAttentionForCpuBackward0");
    expect_close(got, want, tolerance);
    expect_close(gradients(got, x), gradients(want, x), tolerance);
  }
  const Inputs x(3, 4);
  manual_seed(3);
  const Tensor first = rand({3});
  manual_seed(3);
  EXPECT_EQ(attend(x, {}, 1).abs().max().item<double>(), 0);
  EXPECT_EQ(gradients(attend(x, {}, 1), x)[2].abs().max().item<double>(), 0);
  attend(x, {}, 0);
  EXPECT_TRUE(first.equal(rand({3})));  // neither 0 nor 1 draws
}

TEST(Attention, OneKeyHasTheWeightOneUnderDropout) {
  for (const ScalarType dtype : {kFloat, kHalf, kBFloat16}) {
    const Inputs x(9, 1, dtype);
    Inputs wide(9, 1, kFloat);
    wide.q = x.q.detach().to(kFloat).requires_grad_();
    wide.k = x.k.detach().to(kFloat).requires_grad_();
    wide.v = x.v.detach().to(kFloat).requires_grad_();
    const Tensor direction = randn({2, 4, 9, 5}).to(dtype);
    manual_seed(3);
    const auto got = autograd::grad({attend(x, {}, 0.3)}, x.all(), {direction});
    manual_seed(3);
    const auto want = autograd::grad({naive(wide, {}, 0.3)}, wide.all(), {direction.to(kFloat)});
    // The rounded result of a narrow dtype must not reach query and key.
    EXPECT_EQ(got[0].abs().max().to(kDouble).item<double>(), 0);
    EXPECT_EQ(got[1].abs().max().to(kDouble).item<double>(), 0);
    EXPECT_GT(want[2].abs().max().item<float>(), 1);
    expect_close(got[2], want[2], dtype == kBFloat16 ? 1e-2 : dtype == kHalf ? 2e-3 : 1e-5);
  }
}

TEST(Attention, DrawsOnceForValuesThatShareWeights) {
  const Tensor q = randn({3, 4}, kDouble), k = randn({5, 4}, kDouble);
  const Tensor v = randn({2, 1, 5, 4}, kDouble);
  manual_seed(3);
  const Tensor got = scaled_dot_product_attention(q, k, v, {}, 0.3);
  manual_seed(3);
  const Tensor weights = dropout(softmax(matmul(q, k.t()) / 2, -1), 0.3, true);
  expect_close(got, matmul(weights, v));
}

TEST(Attention, MaskedRowsAreZero) {
  for (const ScalarType dtype : {kDouble, kFloat, kHalf, kBFloat16}) {
    const Inputs x(3, 4, dtype);
    const Tensor allowed = ones({3, 4}, kBool);
    allowed.select(0, 1).zero_();
    const Tensor added = zeros({3, 4}, dtype).masked_fill(allowed.logical_not(), kForbidden);
    for (const Tensor& mask : {allowed, added}) {
      const Tensor out = attend(x, mask);
      EXPECT_EQ(out.select(2, 1).abs().max().to(kDouble).item<double>(), 0);
      EXPECT_GT(out.select(2, 0).abs().min().to(kDouble).item<double>(), 0);
      const std::vector<Tensor> got = gradients(out, x);
      EXPECT_EQ(got[0].select(2, 1).abs().max().to(kDouble).item<double>(), 0);
      for (const Tensor& gradient : got) EXPECT_TRUE(isfinite(gradient).all().item<bool>());
      if (dtype == kDouble) expect_close(got, gradients(attend(x, mask), x, true));
    }
    EXPECT_EQ(attend(x, zeros({1, 4}, kBool)).abs().max().to(kDouble).item<double>(), 0);
  }
}

TEST(Attention, RowsOfInfinitelyLowScoresAreZero) {
  Inputs x(3, 4);
  x.q = ones({2, 4, 3, 6}, kDouble);
  x.q.select(2, 1).select(-1, 0) = kForbidden;
  x.k = ones({2, 2, 4, 6}, kDouble);
  const Tensor out = attend(x);
  EXPECT_EQ(out.select(2, 1).abs().max().item<double>(), 0);
  for (const bool create_graph : {false, true}) {
    const Tensor direction = ones_like(out);
    const Tensor of_values = autograd::grad({out}, {x.v}, {direction}, true, create_graph)[0];
    EXPECT_TRUE(allclose(of_values, full_like(of_values, 1), 1e-12, 1e-12)) << of_values;
  }
}

TEST(Attention, MasksBroadcast) {
  const Inputs x(3, 4);
  const Tensor keys = tensor({true, false, true, true}), rows = keys.expand({3, 4});
  EXPECT_TRUE(attend(x, keys).equal(attend(x, rows)));
  EXPECT_TRUE(attend(x, tensor(true)).equal(attend(x)));
  EXPECT_TRUE(attend(x, tensor(0.5, kDouble)).allclose(attend(x)));
}

TEST(Attention, HasSecondDerivatives) {
  const Inputs x(3, 4);
  const Tensor allowed = ones({3, 4}, kBool);
  allowed.select(0, 1).zero_();
  allowed.select(1, 2).zero_();
  const auto check = [&](const std::optional<Tensor>& mask, double dropout_p, bool is_causal) {
    const auto function = [&](const std::vector<Tensor>& in) {
      manual_seed(5);
      return std::vector<Tensor>{
          scaled_dot_product_attention(in[0], in[1], in[2], mask, dropout_p, is_causal, {}, true)};
    };
    const autograd::GradcheckOptions options{.fast_mode = testing::is_brief_run()};
    EXPECT_TRUE(autograd::gradcheck(function, x.all(), options));
    EXPECT_TRUE(autograd::gradgradcheck(function, x.all(), options));
  };
  check({}, 0, false);
  check({}, 0.4, true);
  check(allowed, 0.4, false);
}

TEST(Attention, GivesTheMaskAGradient) {
  const Inputs x(3, 4);
  const Tensor mask = randn({1, 4}, kDouble).requires_grad_();
  const Tensor got = autograd::grad({attend(x, mask).sum()}, {mask})[0];
  expect_close(got, autograd::grad({naive(x, mask).sum()}, {mask})[0]);
}

TEST(Attention, NeverMakesTheScores) {
  const std::int64_t length = 200, scores = length * length * 4;
  const auto leaf = [&] { return randn({1, 1, length, 4}).cuda().requires_grad_(); };
  const Tensor q = leaf(), k = leaf(), v = leaf();
  cuda::reset_peak_memory_stats();
  const std::int64_t before = cuda::memory_allocated();
  scaled_dot_product_attention(q, k, v, {}, 0, true).sum().backward();
  cuda::synchronize();
  EXPECT_LT(cuda::max_memory_allocated() - before, scores / 4);
}

TEST(Attention, HasTheMemoryOrderOfTheQuery) {
  const Tensor q = randn({2, 7, 4, 6}), k = randn({2, 9, 4, 6});
  const auto heads = [](const Tensor& x) { return x.transpose(1, 2); };
  const Tensor out = scaled_dot_product_attention(heads(q), heads(k), heads(k));
  EXPECT_TRUE(out.transpose(1, 2).is_contiguous());
  expect_close(out,
               scaled_dot_product_attention(heads(q).contiguous(), heads(k).contiguous(),
                                            heads(k).contiguous()),
               1e-6);
}

TEST(Attention, TakesAnyStrides) {
  const Tensor q = randn({2, 3, 5, 7}, kDouble), k = randn({2, 3, 5, 6}, kDouble);
  const auto turned = [](const Tensor& x) { return x.transpose(-2, -1); };
  expect_close(scaled_dot_product_attention(turned(q), turned(k), turned(k)),
               scaled_dot_product_attention(turned(q).contiguous(), turned(k).contiguous(),
                                            turned(k).contiguous()));
  const Tensor one = randn({1, 1, 5, 1}, kDouble).expand({2, 3, 5, 7});
  expect_close(scaled_dot_product_attention(one, one, one.slice(3, 0, 7, 2)),
               scaled_dot_product_attention(one.contiguous(), one.contiguous(),
                                            one.slice(3, 0, 7, 2).contiguous()));
}

TEST(Attention, SumsNarrowDtypesInFloat32) {
  for (const ScalarType dtype : {kHalf, kBFloat16}) {
    const Inputs x(60, 300, dtype);
    Inputs wide(60, 300, kFloat);
    wide.q = x.q.detach().to(kFloat);
    wide.k = x.k.detach().to(kFloat);
    wide.v = x.v.detach().to(kFloat);
    const Tensor out = attend(x), want = attend(wide);
    EXPECT_EQ(out.dtype(), dtype);
    EXPECT_TRUE(out.detach().equal(want.to(dtype)));  // rounded once
    const Tensor mask = randn({60, 300});
    EXPECT_TRUE(attend(x, mask).detach().equal(attend(wide, mask).to(dtype)));
  }
  const Inputs x(4, 5);
  const Tensor mask = randn({4, 5});
  expect_close(attend(x, mask), attend(x, mask.to(kDouble)));
}

TEST(Attention, TakesAnyScale) {
  const Inputs x(3, 4);
  const auto with = [&](double scale) {
    return scaled_dot_product_attention(x.q, x.k, x.v, {}, 0, false, scale, true);
  };
  expect_close(with(0), x.v.mean({2}, true).repeat_interleave(2, 1).expand({2, 4, 3, 5}));
  Inputs minus = x;
  minus.q = -x.q;
  expect_close(with(-1 / std::sqrt(6.0)), attend(minus));
}

TEST(Attention, RefusesWrongCalls) {
  const Inputs x(3, 4);
  EXPECT_EQ(error_of([&] {
              attend(x, ones({3, 4}, kDouble), 0, true);
            }),
            "scaled_dot_product_attention: _scaled_dot_product_attention: Explicit attn_mask "
            "should not be set when is_causal=True");
  EXPECT_EQ(error_of([&] { attend(x, {}, 1.5); }),
            "scaled_dot_product_attention: dropout probability has to be between 0 and 1, but got "
            "1.5");
  EXPECT_NE(error_of<DTypeError>([&] { attend(x, ones({3, 4}, kHalf)); }), "");
  EXPECT_NE(error_of<ShapeError>([&] { attend(x, ones({3, 2, 1, 3, 4}, kDouble)); }), "");
}

TEST(Attention, ThreadsDoNotChangeTheBits) {
  const int before = get_num_threads();
  const Inputs x(130, 200, kFloat);
  set_num_threads(1);
  const Tensor out = attend(x, {}, 0, true);
  const std::vector<Tensor> want = gradients(out, x);
  for (const int threads : {2, 3, 4}) {
    set_num_threads(threads);
    const Tensor again = attend(x, {}, 0, true);
    EXPECT_TRUE(again.equal(out));
    const std::vector<Tensor> got = gradients(again, x);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(got[i].equal(want[i]));
  }
  set_num_threads(before);
}

/// Puts a kernel that records options and computes nothing into the table of the CPU.
class RecordedOptions {
 public:
  RecordedOptions() : before_(kernel()) {
    kernel() = [](const void* args, kernels::KernelContext*) {
      last_ = static_cast<const kernels::AttentionArgs*>(args)->options;
    };
  }
  ~RecordedOptions() { kernel() = before_; }
  RecordedOptions(const RecordedOptions&) = delete;
  RecordedOptions& operator=(const RecordedOptions&) = delete;

  std::int32_t of(const Inputs& x) const {
    last_ = -1;
    attend(x);
    return last_;
  }

 private:
  static kernels::KernelFn& kernel() {
    // The table is a member of an object that is not const.
    return const_cast<kernels::KernelTable&>(
        kernels::backend_of(kCPU).kernels())[kernels::Slot::attention];
  }

  inline static std::int32_t last_ = -1;
  kernels::KernelFn before_;
};

TEST(Attention, LeavesRecurringShapesToCudnn) {
  const Inputs x(3, 4, kFloat);
  const RecordedOptions options;
  EXPECT_EQ(options.of(x), 0);
  backends::cudnn.benchmark = true;
  EXPECT_EQ(options.of(x), kernels::kCudnnAttention);
  use_deterministic_algorithms(true);
  EXPECT_EQ(options.of(x), kernels::kCudnnAttention | kernels::kDeterministicAttention);
  use_deterministic_algorithms(false);
  backends::cudnn.enabled = false;
  EXPECT_EQ(options.of(x), 0);
  backends::cudnn.enabled = true;
  backends::cudnn.benchmark = false;
  backends::cudnn.deterministic = true;
  EXPECT_EQ(options.of(x), kernels::kDeterministicAttention);
  backends::cudnn.deterministic = false;
}

}  // namespace
}  // namespace tern
