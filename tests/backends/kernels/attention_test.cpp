#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "backends/kernel_test.h"
#include "sanitizer.h"

#include <tern/core/kernels/families/attention.h>

namespace tern {
namespace {

using namespace kernels;
using testing::Noise;
using testing::Number;

enum class MaskKind { kNone, kCausal, kBool, kAdded, kPadding };

struct AttentionShape {
  std::int64_t batch, heads, group, queries, keys, size, value_size;
};

// Blocks of the CPU have 48 queries and 64 keys, those of CUDA 32 of each and 128 elements. Of two
// keys one has most of the weight.
const AttentionShape kAttentionShapes[] = {{1, 1, 1, 1, 1, 1, 1},    {2, 2, 1, 5, 7, 4, 3},
                                           {1, 4, 2, 49, 70, 8, 5},  {1, 1, 1, 100, 65, 17, 9},
                                           {1, 2, 2, 64, 64, 3, 33}, {2, 1, 1, 3, 200, 2, 130},
                                           {3, 6, 3, 1, 70, 8, 5},   {1, 2, 1, 60, 2, 8, 5}};

/// One call with all of its memory. Rows have gaps behind them.
template <class T>
struct AttentionCall {
  using Wide = MathType<T>;
  static constexpr std::int64_t kGap = 3;

  AttentionShape shape;
  MaskKind mask_kind;
  std::vector<T> q, k, v, out, grad, grad_q, grad_k, grad_v;
  std::vector<Wide> added;
  std::unique_ptr<bool[]> allowed, keep;
  std::vector<double> logsumexp;
  bool drops;

  AttentionCall(const AttentionShape& s, MaskKind kind, bool drops_)
      : shape(s), mask_kind(kind), drops(drops_) {
    Noise noise(11);
    const std::int64_t shared = s.heads / s.group;
    const auto fill = [&](std::vector<T>& to, std::int64_t heads, std::int64_t rows,
                          std::int64_t size) {
      to.resize(static_cast<std::size_t>(s.batch * heads * rows * (size + kGap)));
      for (T& x : to) x = static_cast<T>(noise.uniform(-1.5, 1.5));
    };
    fill(q, s.heads, s.queries, s.size);
    fill(k, shared, s.keys, s.size);
    fill(v, shared, s.keys, s.value_size);
    fill(grad, s.heads, s.queries, s.value_size);
    fill(out, s.heads, s.queries, s.value_size);
    grad_q = q;
    grad_k = k;
    grad_v = v;
    const auto scores = static_cast<std::size_t>(s.batch * s.heads * s.queries * s.keys);
    logsumexp.resize(static_cast<std::size_t>(s.batch * s.heads * s.queries));
    added.resize(scores);
    allowed = std::make_unique<bool[]>(scores);
    keep = std::make_unique<bool[]>(scores);
    for (std::size_t i = 0; i < scores; ++i) {
      added[i] = static_cast<Wide>(noise.uniform(-2, 2));
      if (noise.uniform(0, 1) < 0.1) added[i] = -std::numeric_limits<Wide>::infinity();
      // The second query may attend to nothing.
      const auto row = static_cast<std::int64_t>(i) / s.keys;
      allowed[i] = noise.uniform(0, 1) < 0.7 && row % s.queries != 1;
      keep[i] = noise.uniform(0, 1) < 0.6;
    }
  }

  static AttentionStrides strides(std::int64_t heads, std::int64_t rows, std::int64_t size) {
    return {heads * rows * (size + kGap), rows * (size + kGap), size + kGap};
  }

  AttentionArgs args(AttentionOp op) {
    const AttentionShape& s = shape;
    const std::int64_t shared = s.heads / s.group;
    AttentionArgs a{};
    a.op = op;
    a.dtype = dtype_of<T>();
    a.is_causal = mask_kind == MaskKind::kCausal ? 1 : 0;
    a.batch = s.batch;
    a.heads = s.heads;
    a.group = s.group;
    a.queries = s.queries;
    a.keys = s.keys;
    a.size = s.size;
    a.value_size = s.value_size;
    a.scale = 0.7;
    a.q = q.data();
    a.k = k.data();
    a.v = v.data();
    a.out = out.data();
    a.logsumexp = logsumexp.data();
    a.q_strides = a.grad_q_strides = strides(s.heads, s.queries, s.size);
    a.k_strides = a.grad_k_strides = strides(shared, s.keys, s.size);
    a.v_strides = a.grad_v_strides = strides(shared, s.keys, s.value_size);
    a.out_strides = a.grad_strides = strides(s.heads, s.queries, s.value_size);
    set_mask(a);
    if (drops) {
      a.keep = keep.get();
      a.keep_scale = 1 / 0.6;
    }
    if (op == AttentionOp::kForward) return a;
    a.grad = grad.data();
    a.grad_q = grad_q.data();
    a.grad_k = grad_k.data();
    a.grad_v = grad_v.data();
    return a;
  }

  void set_mask(AttentionArgs& a) {
    const AttentionShape& s = shape;
    const bool is_bool = mask_kind == MaskKind::kBool || mask_kind == MaskKind::kPadding;
    if (!is_bool && mask_kind != MaskKind::kAdded) return;
    a.mask_dtype = is_bool ? kBool : dtype_of<Wide>();
    a.mask = is_bool ? static_cast<const void*>(allowed.get()) : added.data();
    const std::int64_t rows[] = {s.heads * s.queries * s.keys, s.queries * s.keys, s.keys, 1};
    const std::int64_t padding[] = {s.keys, 0, 0, 1};
    std::copy_n(mask_kind == MaskKind::kPadding ? padding : rows, 4, a.mask_strides);
  }
};

class Attention : public testing::KernelTest {
 protected:
  template <class T>
  void check(const AttentionShape& shape, MaskKind kind, bool drops) const {
    SCOPED_TRACE(::testing::Message()
                 << dtype_of<T>() << ' ' << shape.heads << ' ' << shape.queries << ' ' << shape.keys
                 << ' ' << shape.size << ' ' << shape.value_size << " mask "
                 << static_cast<int>(kind) << " drops " << drops);
    AttentionCall<T> got(shape, kind, drops), want(shape, kind, drops);
    // Both backward passes read the oracle's output, and each its own logsumexp.
    testing::run_oracle(want.args(AttentionOp::kForward));
    ASSERT_EQ(run(got.args(AttentionOp::kForward)).status, StatusCode::kOk);
    expect_near("out", got.out, want.out, 4);
    for (std::size_t i = 0; i < got.logsumexp.size(); ++i) {
      if (std::isinf(want.logsumexp[i])) {
        ASSERT_EQ(got.logsumexp[i], want.logsumexp[i]) << i;
      } else {
        ASSERT_LE(std::abs(got.logsumexp[i] - want.logsumexp[i]), limit<T>() * 8) << i;
      }
    }
    got.out = want.out;
    testing::run_oracle(want.args(AttentionOp::kBackward));
    ASSERT_EQ(run(got.args(AttentionOp::kBackward)).status, StatusCode::kOk);
    expect_near("grad_q", got.grad_q, want.grad_q, 8);
    expect_near("grad_k", got.grad_k, want.grad_k, 32);
    expect_near("grad_v", got.grad_v, want.grad_v, 32);
  }

 private:
  /// Results differ by some units of the largest terms.
  template <class T>
  static double limit() {
    return static_cast<double>(testing::error_limit<T>(32));
  }
  template <class T>
  static void expect_near(const char* name, const std::vector<T>& got, const std::vector<T>& want,
                          double size) {
    for (std::size_t i = 0; i < got.size(); ++i) {
      const auto a = static_cast<double>(got[i]), b = static_cast<double>(want[i]);
      ASSERT_LE(std::abs(a - b), limit<T>() * (size + std::abs(b))) << name << " at " << i;
    }
  }
};

TEST_P(Attention, EqualsTheOracle) {
  for (const AttentionShape& shape : kAttentionShapes) {
    const bool is_large = shape.queries * shape.keys > 500;
    // Another shape has partial blocks of both, too.
    if (is_cuda() && testing::has_sanitizer() && shape.queries == 100) continue;
    testing::for_each_floating([&]<class T>() {
      // The emulator is slow, and the division of the work does not depend on dtype and mask.
      if (is_cuda() && is_large) {
        if (std::is_same_v<T, float>) check<T>(shape, MaskKind::kCausal, true);
      } else if (is_cuda() && (!std::is_same_v<T, float> || testing::has_sanitizer())) {
        check<T>(shape, MaskKind::kBool, true);
        check<T>(shape, MaskKind::kAdded, false);
      } else {
        for (const MaskKind kind : {MaskKind::kNone, MaskKind::kCausal, MaskKind::kBool,
                                    MaskKind::kAdded, MaskKind::kPadding}) {
          check<T>(shape, kind, false);
        }
        check<T>(shape, MaskKind::kCausal, true);
        check<T>(shape, MaskKind::kBool, true);
      }
    });
  }
}

TEST_P(Attention, ComputesOnlyTheWantedGradients) {
  for (int wanted = 0; wanted < 3; ++wanted) {
    const AttentionShape shape{1, 2, 1, 50, 70, 5, 6};
    AttentionCall<float> all(shape, MaskKind::kCausal, false), one(shape, MaskKind::kCausal, false);
    for (AttentionCall<float>* call : {&all, &one}) {
      ASSERT_EQ(run(call->args(AttentionOp::kForward)).status, StatusCode::kOk);
    }
    ASSERT_EQ(run(all.args(AttentionOp::kBackward)).status, StatusCode::kOk);
    AttentionArgs args = one.args(AttentionOp::kBackward);
    if (wanted != 0) args.grad_q = nullptr;
    if (wanted != 1) args.grad_k = nullptr;
    if (wanted != 2) args.grad_v = nullptr;
    ASSERT_EQ(run(args).status, StatusCode::kOk);
    EXPECT_EQ(one.grad_q == all.grad_q, wanted == 0);
    EXPECT_EQ(one.grad_k == all.grad_k, wanted == 1);
    EXPECT_EQ(one.grad_v == all.grad_v, wanted == 2);
  }
}

// The softmax over one key is constant, however the output of a narrow dtype was rounded.
TEST_P(Attention, GivesNoGradientThroughTheOnlyAllowedKey) {
  const auto expect_none = []<class T>(AttentionCall<T>& call, const auto& run) {
    const AttentionShape& s = call.shape;
    for (std::int64_t i = 0; i < s.heads * s.queries * s.keys; ++i) {
      // Query 1 has no key at all.
      call.allowed[i] = i / s.keys % s.queries != 1 && i % s.keys == i / s.keys * 7 % s.keys;
      call.keep[i] = call.keep[i] || i % 3 == 0;
    }
    run(call.args(AttentionOp::kForward));
    const AttentionArgs args = call.args(AttentionOp::kBackward);
    run(args);
    const auto largest = [](const std::vector<T>& rows, std::int64_t size) {
      double most = 0;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const bool is_gap = static_cast<std::int64_t>(i) % (size + AttentionCall<T>::kGap) >= size;
        if (!is_gap) most = std::max(most, std::abs(static_cast<double>(rows[i])));
      }
      return most;
    };
    EXPECT_EQ(largest(call.grad_q, s.size), 0) << dtype_of<T>();
    EXPECT_EQ(largest(call.grad_k, s.size), 0) << dtype_of<T>();
    EXPECT_GT(largest(call.grad_v, s.value_size), 1) << dtype_of<T>();
  };
  for (const AttentionShape& shape :
       {AttentionShape{1, 2, 1, 7, 9, 8, 6}, AttentionShape{1, 2, 2, 50, 70, 5, 17}}) {
    for (const bool drops : {false, true}) {
      testing::for_each_floating([&]<class T>() {
        if constexpr (!std::is_same_v<T, double>) {  // whose rounding is not noticeable
          AttentionCall<T> call(shape, MaskKind::kBool, drops);
          AttentionCall<T> of_oracle(shape, MaskKind::kBool, drops);
          expect_none(call, [&](const AttentionArgs& args) { run(args); });
          expect_none(of_oracle, [&](const AttentionArgs& args) { testing::run_oracle(args); });
        }
      });
    }
  }
}

TERN_KERNEL_TESTS(Attention);

class AttentionThreads : public testing::KernelTest {};

// One head of key and value is cut into parts, whose number must not depend on the threads.
TEST_P(AttentionThreads, DoNotChangeTheBits) {
  for (const AttentionShape& shape :
       {AttentionShape{1, 2, 2, 150, 300, 9, 20}, AttentionShape{5, 8, 1, 60, 70, 8, 8}}) {
    for (const bool drops : {false, true}) {
      set_num_threads(1);
      AttentionCall<float> one(shape, MaskKind::kCausal, drops);
      for (const AttentionOp op : {AttentionOp::kForward, AttentionOp::kBackward})
        run(one.args(op));
      for (const int threads : {2, 3, 4}) {
        set_num_threads(threads);
        AttentionCall<float> many(shape, MaskKind::kCausal, drops);
        for (const AttentionOp op : {AttentionOp::kForward, AttentionOp::kBackward}) {
          run(many.args(op));
        }
        EXPECT_EQ(many.out, one.out);
        EXPECT_EQ(many.logsumexp, one.logsumexp);
        EXPECT_EQ(many.grad_q, one.grad_q);
        EXPECT_EQ(many.grad_k, one.grad_k);
        EXPECT_EQ(many.grad_v, one.grad_v);
      }
    }
  }
}

TERN_CPU_KERNEL_TESTS(AttentionThreads);

}  // namespace
}  // namespace tern
