#include <array>
#include <limits>
#include <vector>

#include "backends/kernel_test.h"

#include <tern/core/kernels/families/optim.h>

// Adam and SGD against the formulas of args.h, bit for bit.

namespace tern {
namespace {

using namespace kernels;
using testing::Noise;

constexpr std::int64_t kNumel[] = {1, 7, 20000, 64, 333};
constexpr int kTensors = 5;

template <class T>
struct State {
  std::vector<T> p[kTensors], g[kTensors], m[kTensors], v[kTensors], top[kTensors];

  State() {
    Noise noise(2);
    for (int t = 0; t < kTensors; ++t) {
      for (auto* values : {&p[t], &g[t], &m[t], &v[t], &top[t]}) {
        values->resize(static_cast<std::size_t>(kNumel[t]));
        for (T& x : *values) x = static_cast<T>(noise.uniform(-1, 1));
      }
      for (auto* squares : {&v[t], &top[t]}) {
        for (T& x : *squares) x *= x;
      }
    }
  }
  bool operator==(const State& other) const {
    for (int t = 0; t < kTensors; ++t) {
      if (p[t] != other.p[t] || m[t] != other.m[t] || v[t] != other.v[t] ||
          top[t] != other.top[t]) {
        return false;
      }
    }
    return true;
  }
};

template <class T>
T rounded(double x) {
  return static_cast<T>(x);
}

template <class T>
void adam_reference(const AdamArgs& a, State<T>& s) {
  const T weight = rounded<T>(1 - a.beta1);
  for (int t = 0; t < kTensors; ++t) {
    for (std::size_t i = 0; i < s.p[t].size(); ++i) {
      T& p = s.p[t][i];
      T& m = s.m[t][i];
      T& v = s.v[t][i];
      T g = a.maximize != 0 ? -s.g[t][i] : s.g[t][i];
      if (a.weight_decay != 0) {
        if (a.decoupled != 0) {
          p *= rounded<T>(1 - a.lr * a.weight_decay);
        } else {
          g = std::fma(rounded<T>(a.weight_decay), p, g);
        }
      }
      m = weight < T(0.5) ? std::fma(weight, g - m, m) : std::fma(-(g - m), T(1) - weight, g);
      v = std::fma(rounded<T>(1 - a.beta2) * g, g, rounded<T>(a.beta2) * v);
      T second = v;
      if (a.amsgrad != 0) second = s.top[t][i] = std::max(s.top[t][i], v);
      const T d = std::sqrt(second) / rounded<T>(a.bias_correction2_sqrt) + rounded<T>(a.eps);
      p = p + rounded<T>(-(a.lr / a.bias_correction1)) * m / d;
    }
  }
}

template <class T>
void sgd_reference(const SgdArgs& a, State<T>& s) {
  const T mu = rounded<T>(a.momentum);
  for (int t = 0; t < kTensors; ++t) {
    for (std::size_t i = 0; i < s.p[t].size(); ++i) {
      T& p = s.p[t][i];
      T& buffer = s.m[t][i];
      T g = a.maximize != 0 ? -s.g[t][i] : s.g[t][i];
      if (a.weight_decay != 0) g = std::fma(rounded<T>(a.weight_decay), p, g);
      if (a.momentum_buffer[t] != nullptr) {
        buffer = a.first[t] != 0 ? g : std::fma(rounded<T>(1 - a.dampening), g, mu * buffer);
        g = a.nesterov != 0 ? std::fma(mu, buffer, g) : buffer;
      }
      p = std::fma(-rounded<T>(a.lr), g, p);
    }
  }
}

class Optim : public testing::KernelTest {
 protected:
  template <class T>
  void check_adam(AdamArgs args) {
    State<T> state, want;
    args.dtype = dtype_of<T>();
    args.count = kTensors;
    for (int t = 0; t < kTensors; ++t) {
      args.param[t] = state.p[t].data();
      args.grad[t] = state.g[t].data();
      args.exp_avg[t] = state.m[t].data();
      args.exp_avg_sq[t] = state.v[t].data();
      args.max_exp_avg_sq[t] = args.amsgrad != 0 ? state.top[t].data() : nullptr;
      args.numel[t] = kNumel[t];
    }
    ASSERT_EQ(run(args).status, StatusCode::kOk);
    adam_reference(args, want);
    EXPECT_TRUE(state == want);
  }

  template <class T>
  void check_sgd(SgdArgs args, bool first) {
    State<T> state, want;
    args.dtype = dtype_of<T>();
    args.count = kTensors;
    for (int t = 0; t < kTensors; ++t) {
      args.param[t] = state.p[t].data();
      args.grad[t] = state.g[t].data();
      args.momentum_buffer[t] = args.momentum != 0 ? state.m[t].data() : nullptr;
      args.first[t] = first ? 1 : 0;
      args.numel[t] = kNumel[t];
    }
    ASSERT_EQ(run(args).status, StatusCode::kOk);
    sgd_reference(args, want);
    EXPECT_TRUE(state == want);
  }
};

TEST_P(Optim, Adam) {
  for (int form = 0; form < 16; ++form) {
    SCOPED_TRACE(form);
    for (double beta1 : {0.9, 0.3, 0.0}) {
      AdamArgs args{};
      args.lr = 1e-3;
      args.beta1 = beta1;
      args.beta2 = 0.999;
      args.eps = 1e-8;
      args.weight_decay = (form & 1) != 0 ? 0.01 : 0;
      args.decoupled = (form >> 1) & 1;
      args.maximize = (form >> 2) & 1;
      args.amsgrad = (form >> 3) & 1;
      args.bias_correction1 = 1 - std::pow(beta1, 3);
      args.bias_correction2_sqrt = std::sqrt(1 - std::pow(0.999, 3));
      check_adam<float>(args);
      check_adam<double>(args);
    }
  }
}

#if defined(__x86_64__)
TEST_P(Optim, AMomentThatFadedIsZero) {
  float param = 1, grad = 0, m = 1e-39F, v = 0;
  AdamArgs args{};
  args.dtype = kFloat;
  args.count = 1;
  args.lr = 1e-3;
  args.beta1 = 0.9;
  args.beta2 = 0.999;
  args.eps = 1e-8;
  args.bias_correction1 = args.bias_correction2_sqrt = 1;
  args.param[0] = &param;
  args.grad[0] = &grad;
  args.exp_avg[0] = &m;
  args.exp_avg_sq[0] = &v;
  args.numel[0] = 1;
  ASSERT_EQ(run(args).status, StatusCode::kOk);
  EXPECT_EQ(m, is_cuda() ? 0.9F * 1e-39F : 0.0F);  // denormals cost a GPU nothing
  EXPECT_EQ(param, 1.0F);
  volatile float smallest = std::numeric_limits<float>::min();
  EXPECT_GT(smallest / 2, 0.0F) << "the thread's own mode has changed";
}
#endif

TEST_P(Optim, Sgd) {
  for (int form = 0; form < 16; ++form) {
    SCOPED_TRACE(form);
    SgdArgs args{};
    args.lr = 0.1;
    args.weight_decay = (form & 1) != 0 ? 0.01 : 0;
    args.momentum = (form & 2) != 0 ? 0.9 : 0;
    args.dampening = (form & 4) != 0 ? 0.1 : 0;
    args.nesterov = (form >> 1) & 1 & (form >> 3);
    args.maximize = (form >> 3) & 1;
    for (bool first : {true, false}) {
      check_sgd<float>(args, first);
      check_sgd<double>(args, first);
    }
  }
}

TEST_P(Optim, NoElements) {
  float none = 0;
  AdamArgs adam{};
  adam.dtype = kFloat;
  adam.count = 1;
  adam.bias_correction1 = adam.bias_correction2_sqrt = 1;
  adam.param[0] = adam.exp_avg[0] = adam.exp_avg_sq[0] = &none;
  adam.grad[0] = &none;
  EXPECT_EQ(run(adam).status, StatusCode::kOk);
  SgdArgs sgd{};
  sgd.dtype = kFloat;
  sgd.count = 1;
  sgd.param[0] = &none;
  sgd.grad[0] = &none;
  EXPECT_EQ(run(sgd).status, StatusCode::kOk);
}

TEST_P(Optim, UnsupportedDtype) {
  AdamArgs adam{};
  adam.dtype = kLong;
  EXPECT_EQ(run(adam).status, StatusCode::kUnsupportedDtype);
  SgdArgs sgd{};
  sgd.dtype = kBool;
  EXPECT_EQ(run(sgd).status, StatusCode::kUnsupportedDtype);
}

TERN_KERNEL_TESTS(Optim);

}  // namespace
}  // namespace tern
