#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <tern/backends/cuda/device/cudnn/library.h>
#include <tern/core/kernels/families/attention.h>

#include "backends/cuda/emulator/cudnn.h"
#include "backends/cuda/emulator/emulator.h"
#include "backends/kernel_test.h"

// Attention that CUDA computes through cuDNN, and when our own kernels compute. Plans live as long
// as the process, so tests of refusals use shapes of their own.

namespace tern {
namespace {

using namespace kernels;
using emulator::Cudnn;

struct AttentionSizes {
  std::int64_t batch, heads, group, queries, keys, size, value_size;
};

constexpr AttentionSizes kSmall{1, 2, 1, 6, 9, 8, 8};

/// One call with all of its memory. Tensors are [batch, rows, heads, size], as layers make them,
/// or [batch, heads, rows, size].
template <class T>
struct NarrowAttention {
  AttentionSizes sizes;
  std::vector<T> q, k, v, out, grad, grad_q, grad_k, grad_v;
  std::vector<double> logsumexp;
  std::unique_ptr<bool[]> bits;
  AttentionArgs args{};

  NarrowAttention(const AttentionSizes& s, bool is_causal, bool heads_last = true) : sizes(s) {
    testing::Noise noise(17);
    const std::int64_t shared = s.heads / s.group;
    const auto make = [&](std::vector<T>& to, std::int64_t heads, std::int64_t rows,
                          std::int64_t size) {
      to.resize(static_cast<std::size_t>(s.batch * heads * rows * size));
      for (T& x : to) x = static_cast<T>(noise.uniform(-1.5, 1.5));
      if (heads_last) return AttentionStrides{heads * rows * size, size, heads * size};
      return AttentionStrides{heads * rows * size, rows * size, size};
    };
    args.dtype = dtype_of<T>();
    args.is_causal = is_causal ? 1 : 0;
    args.options = kCudnnAttention;
    args.batch = s.batch;
    args.heads = s.heads;
    args.group = s.group;
    args.queries = s.queries;
    args.keys = s.keys;
    args.size = s.size;
    args.value_size = s.value_size;
    args.scale = 0.7;
    args.q_strides = make(q, s.heads, s.queries, s.size);
    args.k_strides = make(k, shared, s.keys, s.size);
    args.v_strides = make(v, shared, s.keys, s.value_size);
    args.out_strides = make(out, s.heads, s.queries, s.value_size);
    args.grad_strides = make(grad, s.heads, s.queries, s.value_size);
    args.grad_q_strides = make(grad_q, s.heads, s.queries, s.size);
    args.grad_k_strides = make(grad_k, shared, s.keys, s.size);
    args.grad_v_strides = make(grad_v, shared, s.keys, s.value_size);
    logsumexp.resize(static_cast<std::size_t>(s.batch * s.heads * s.queries), NAN);
    bits = std::make_unique<bool[]>(logsumexp.size() * static_cast<std::size_t>(s.keys));
    std::fill_n(bits.get(), logsumexp.size() * static_cast<std::size_t>(s.keys), true);
    args.q = q.data();
    args.k = k.data();
    args.v = v.data();
    args.out = out.data();
    args.logsumexp = logsumexp.data();
  }
  NarrowAttention(const NarrowAttention&) = delete;
  NarrowAttention& operator=(const NarrowAttention&) = delete;

  AttentionArgs forward() const { return args; }
  AttentionArgs backward() {
    AttentionArgs a = args;
    a.op = AttentionOp::kBackward;
    a.grad = grad.data();
    a.grad_q = grad_q.data();
    a.grad_k = grad_k.data();
    a.grad_v = grad_v.data();
    return a;
  }
};

class CudnnAttention : public ::testing::Test {
 protected:
  CudnnAttention() { emulator::cuda_kernels().register_kernels(&table_); }
  ~CudnnAttention() override {
    cudnn_.version = 92600;
    cudnn_.graph_status = cudnn_.execute_status = 0;
    cudnn_.only_racing = false;
    emulator::is_capturing() = false;
    emulator::most_scratch() = SIZE_MAX;
    emulator::notes().clear();
  }

  /// Runs a call. Returns how often cuDNN computed.
  int executions(AttentionArgs args) {
    const int before = cudnn_.executions;
    context_ = {};
    const testing::Guards guards(operands(args));
    table_[Slot::attention](&args, &context_);
    return cudnn_.executions - before;
  }

  /// Runs both passes with changed arguments, compares them with the oracle's, and returns how
  /// often cuDNN computed in each pass.
  template <class T, class Change>
  std::string run(NarrowAttention<T>& got, NarrowAttention<T>& want, const Change& change) {
    change(got);
    change(want);
    testing::run_oracle(want.forward());
    const int forward = executions(got.forward());
    EXPECT_EQ(context_.status, StatusCode::kOk);
    expect_near<T>("out", got.out, want.out);
    for (std::size_t i = 0; i < got.logsumexp.size(); ++i) {
      EXPECT_NEAR(got.logsumexp[i], want.logsumexp[i], 1e-5 * (1 + std::abs(want.logsumexp[i])));
    }
    got.out = want.out;
    got.logsumexp = want.logsumexp;
    testing::run_oracle(want.backward());
    const int backward = executions(got.backward());
    EXPECT_EQ(context_.status, StatusCode::kOk);
    expect_near<T>("grad_q", got.grad_q, want.grad_q);
    expect_near<T>("grad_k", got.grad_k, want.grad_k);
    expect_near<T>("grad_v", got.grad_v, want.grad_v);
    return std::to_string(forward) + std::to_string(backward);
  }
  template <class T>
  std::string run(const AttentionSizes& sizes, bool is_causal, bool heads_last = true) {
    NarrowAttention<T> got(sizes, is_causal, heads_last), want(sizes, is_causal, heads_last);
    return run(got, want, [](NarrowAttention<T>&) {});
  }
  template <class Change>
  std::string changed(const AttentionSizes& sizes, const Change& change) {
    NarrowAttention<Half> got(sizes, false), want(sizes, false);
    return run(got, want, change);
  }
  std::string with_options(const AttentionSizes& sizes, std::int32_t options) {
    return changed(sizes, [&](NarrowAttention<Half>& call) { call.args.options = options; });
  }

  Cudnn& cudnn_ = emulator::cudnn();
  KernelContext context_;

  /// Weights and gradients of scores are rounded before they are multiplied.
  template <class T>
  static void expect_near(const char* name, const std::vector<T>& got, const std::vector<T>& want) {
    for (std::size_t i = 0; i < got.size(); ++i) {
      const auto a = static_cast<double>(got[i]), b = static_cast<double>(want[i]);
      ASSERT_LE(std::abs(a - b),
                static_cast<double>(testing::error_limit<T>(1)) * (2 + std::abs(b)))
          << name << " at " << i;
    }
  }

 private:
  KernelTable table_;
};

TEST_F(CudnnAttention, EqualsTheOracle) {
  for (const AttentionSizes& sizes :
       {AttentionSizes{2, 2, 1, 5, 7, 8, 16}, AttentionSizes{1, 4, 2, 17, 20, 16, 8},
        AttentionSizes{1, 6, 3, 9, 3, 24, 24}, AttentionSizes{3, 1, 1, 1, 4, 8, 8},
        AttentionSizes{1, 2, 2, 3, 1, 128, 128}}) {
    for (const bool is_causal : {false, true}) {
      for (const bool heads_last : {false, true}) {
        SCOPED_TRACE(::testing::Message() << sizes.queries << " x " << sizes.keys << " causal "
                                          << is_causal << " heads last " << heads_last);
        EXPECT_EQ(run<Half>(sizes, is_causal, heads_last), "11");
        EXPECT_EQ(run<BFloat16>(sizes, is_causal, heads_last), "11");
      }
    }
  }
}

// What cuDNN gives to the own kernels: its logsumexp is a float, as that of a query with one key
// is.
TEST_F(CudnnAttention, LeavesGradientsToOwnKernels) {
  for (const bool is_causal : {false, true}) {
    NarrowAttention<Half> got(kSmall, is_causal), want(kSmall, is_causal);
    for (const double scale : {0.7, 1.5}) {  // some keys have more than half of the weight
      got.args.scale = want.args.scale = scale;
      EXPECT_EQ(executions(got.forward()), 1);
      testing::run_oracle(want.forward());
      got.out = want.out;  // which cuDNN rounds more often
      got.args.options = 0;
      EXPECT_EQ(executions(got.backward()), 0);
      got.args.options = kCudnnAttention;
      testing::run_oracle(want.backward());
      expect_near<Half>("grad_q", got.grad_q, want.grad_q);
      expect_near<Half>("grad_k", got.grad_k, want.grad_k);
      expect_near<Half>("grad_v", got.grad_v, want.grad_v);
    }
  }
}

TEST_F(CudnnAttention, ComputesOnlyTheWantedGradients) {
  NarrowAttention<Half> all(kSmall, true), one(kSmall, true);
  for (NarrowAttention<Half>* call : {&all, &one}) executions(call->forward());
  EXPECT_EQ(executions(all.backward()), 1);
  for (int wanted = 0; wanted < 3; ++wanted) {
    const auto q = one.grad_q, k = one.grad_k, v = one.grad_v;
    AttentionArgs args = one.backward();
    if (wanted != 0) args.grad_q = nullptr;
    if (wanted != 1) args.grad_k = nullptr;
    if (wanted != 2) args.grad_v = nullptr;
    EXPECT_EQ(executions(args), 1);
    EXPECT_EQ(one.grad_q, wanted == 0 ? all.grad_q : q);
    EXPECT_EQ(one.grad_k, wanted == 1 ? all.grad_k : k);
    EXPECT_EQ(one.grad_v, wanted == 2 ? all.grad_v : v);
  }
}

TEST_F(CudnnAttention, OwnKernelsComputeWhatItDoesNotDescribe) {
  EXPECT_EQ(run<float>(kSmall, false), "00");
  EXPECT_EQ(run<Half>({1, 2, 1, 6, 9, 12, 8}, false), "00");
  EXPECT_EQ(run<Half>({1, 2, 1, 6, 9, 8, 12}, false), "00");
  EXPECT_EQ(run<Half>({1, 1, 1, 3, 4, 136, 8}, false), "00");
  EXPECT_EQ(run<Half>({1, 2, 1, 1, 1, 8, 8}, true), "10");
  EXPECT_EQ(run<Half>({1, 1, 1, 1, 5, 8, 8}, false), "00");
  EXPECT_EQ(changed(kSmall,
                    [](NarrowAttention<Half>& call) {
                      call.args.mask = call.bits.get();
                      call.args.mask_dtype = kBool;
                      call.args.mask_strides[2] = 9;
                      call.args.mask_strides[3] = 1;
                    }),
            "00");
  EXPECT_EQ(changed(kSmall,
                    [](NarrowAttention<Half>& call) {
                      call.args.keep = call.bits.get();
                      call.args.keep_scale = 1;
                    }),
            "00");
}

TEST_F(CudnnAttention, OwnKernelsComputeRowsThatAreNotAligned) {
  const auto moved = [](NarrowAttention<Half>& call) {
    call.q.insert(call.q.begin(), Half(0.5f));
    call.args.q = call.q.data() + 1;
  };
  EXPECT_EQ(changed(kSmall, moved), "00");
  const auto spread = [](NarrowAttention<Half>& call) {
    call.k.resize(1000, Half(0.25f));
    call.args.k = call.k.data();
    call.args.k_strides.row = 20;
    call.args.k_strides.head = 200;
  };
  EXPECT_EQ(changed(kSmall, spread), "00");
  const auto repeated = [](NarrowAttention<Half>& call) { call.args.v_strides.head = 0; };
  EXPECT_EQ(changed(kSmall, repeated), "00");
  const auto lone = [](NarrowAttention<Half>& call) {  // the stride of one head means nothing
    call.args.q_strides.head = call.args.k_strides.head = 3;
  };
  EXPECT_EQ(changed({2, 1, 1, 6, 9, 8, 8}, lone), "11");
}

TEST_F(CudnnAttention, SettingsAndOldVersionsLeaveItToOwnKernels) {
  EXPECT_EQ(with_options(kSmall, kCudnnAttention), "11");
  EXPECT_EQ(with_options(kSmall, 0), "00");
  EXPECT_EQ(with_options(kSmall, kCudnnAttention | kDeterministicAttention), "10");
  cudnn_.version = 91501;
  EXPECT_EQ(with_options(kSmall, kCudnnAttention), "00");
}

TEST_F(CudnnAttention, APlanIsMadeOncePerShape) {
  run<Half>({1, 1, 1, 11, 4, 8, 8}, false);
  const int before = cudnn_.searches;
  run<Half>({1, 1, 1, 11, 4, 8, 8}, false);
  EXPECT_EQ(cudnn_.searches, before);
  run<Half>({1, 1, 1, 11, 4, 8, 8}, true);
  EXPECT_EQ(cudnn_.searches, before + 2);
}

TEST_F(CudnnAttention, OwnKernelsComputeWhatCudnnRefuses) {
  const AttentionSizes sizes{1, 1, 1, 12, 4, 8, 8};
  cudnn_.graph_status = static_cast<int>(cuda::device::cudnn::kNotSupported);
  EXPECT_EQ(run<Half>(sizes, false), "00");
  cudnn_.graph_status = 0;
  EXPECT_EQ(run<Half>(sizes, false), "00");  // remembered
  EXPECT_EQ(run<Half>(sizes, true), "11");
}

TEST_F(CudnnAttention, OwnKernelsComputeWithoutMemory) {
  const AttentionSizes sizes{1, 1, 1, 40, 4, 8, 8};
  emulator::most_scratch() = 400;  // has room for the dots of our own kernels
  EXPECT_EQ(run<BFloat16>(sizes, false), "10");
  emulator::most_scratch() = SIZE_MAX;
  EXPECT_EQ(run<BFloat16>(sizes, false), "11");
  cudnn_.only_racing = true;  // which needs a workspace
  emulator::most_scratch() = 100;
  NarrowAttention<Half> call({1, 1, 1, 13, 4, 8, 8}, false);
  EXPECT_EQ(executions(call.forward()), 0);
  EXPECT_EQ(context_.status, StatusCode::kOk);
  EXPECT_EQ(emulator::notes(),
            std::vector<std::string>{"attention without cuDNN: no memory for its workspace"});
}

TEST_F(CudnnAttention, ACaptureMakesThePlanThatItLacks) {
  emulator::is_capturing() = true;
  EXPECT_EQ(run<Half>({1, 1, 1, 14, 4, 8, 8}, true), "11");
}

TEST_F(CudnnAttention, FailuresOfTheDeviceAreReported) {
  cudnn_.execute_status = static_cast<int>(cuda::device::cudnn::kExecutionFailed);
  NarrowAttention<Half> call(kSmall, false);
  for (const AttentionArgs& args : {call.forward(), call.backward()}) {
    executions(args);
    EXPECT_EQ(context_.status, StatusCode::kDeviceFault);
    EXPECT_STREQ(context_.message, "CUDA error: CUDNN_STATUS_EXECUTION_FAILED");
  }
}

}  // namespace
}  // namespace tern
