#include <limits>
#include <vector>

#include <tern/core/kernels/optim_formulas.h>

#include "backends/kernel_test.h"

// Adam and SGD against plain loops, bit for bit.

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
void adam_reference(const AdamRule::Numbers& n, unsigned form, double lr, double step,
                    State<T>& s) {
  const T weight = rounded<T>(1 - n.beta1);
  const double correction1 = 1 - std::pow(n.beta1, step);
  const double correction2_sqrt = std::sqrt(1 - std::pow(n.beta2, step));
  for (int t = 0; t < kTensors; ++t) {
    for (std::size_t i = 0; i < s.p[t].size(); ++i) {
      T& p = s.p[t][i];
      T& m = s.m[t][i];
      T& v = s.v[t][i];
      T g = (form & AdamRule::kMaximize) != 0 ? -s.g[t][i] : s.g[t][i];
      if (n.weight_decay != 0) {
        if ((form & AdamRule::kDecoupled) != 0) {
          p *= rounded<T>(1 - lr * n.weight_decay);
        } else {
          g = std::fma(rounded<T>(n.weight_decay), p, g);
        }
      }
      m = weight < T(0.5) ? std::fma(weight, g - m, m) : std::fma(-(g - m), T(1) - weight, g);
      v = std::fma(rounded<T>(1 - n.beta2) * g, g, rounded<T>(n.beta2) * v);
      T second = v;
      if ((form & AdamRule::kAmsgrad) != 0) second = s.top[t][i] = std::max(s.top[t][i], v);
      const T d = std::sqrt(second) / rounded<T>(correction2_sqrt) + rounded<T>(n.eps);
      p = p + rounded<T>(-(lr / correction1)) * m / d;
    }
  }
}

template <class T>
void sgd_reference(const SgdRule::Numbers& n, unsigned form, double lr, State<T>& s) {
  const T mu = rounded<T>(n.momentum);
  for (int t = 0; t < kTensors; ++t) {
    for (std::size_t i = 0; i < s.p[t].size(); ++i) {
      T& p = s.p[t][i];
      T& buffer = s.m[t][i];
      T g = (form & SgdRule::kMaximize) != 0 ? -s.g[t][i] : s.g[t][i];
      if (n.weight_decay != 0) g = std::fma(rounded<T>(n.weight_decay), p, g);
      if (n.momentum != 0) {
        const bool first = (form & SgdRule::kFirst) != 0;
        buffer = first ? g : std::fma(rounded<T>(1 - n.dampening), g, mu * buffer);
        g = (form & SgdRule::kNesterov) != 0 ? std::fma(mu, buffer, g) : buffer;
      }
      p = std::fma(-rounded<T>(lr), g, p);
    }
  }
}

class Optim : public testing::KernelTest {
 protected:
  template <class T>
  void step(OptimArgs args, State<T>& state) {
    args.dtype = dtype_of<T>();
    args.count = kTensors;
    for (int t = 0; t < kTensors; ++t) {
      args.param[t] = state.p[t].data();
      args.grad[t] = state.g[t].data();
      std::vector<T>* const states[] = {&state.m[t], &state.v[t], &state.top[t]};
      for (int k = 0; k < kMaxOptimStates; ++k) {
        args.state[k][t] = (args.states >> k & 1) != 0 ? states[k]->data() : nullptr;
      }
      args.numel[t] = kNumel[t];
    }
    ASSERT_EQ(run(args).status, StatusCode::kOk);
  }

  template <class T>
  void check_adam(const AdamRule::Numbers& numbers, unsigned form) {
    State<T> state, want;
    OptimArgs args{};
    set_optim_rule<AdamRule>(args, form, numbers);
    args.lr = 1e-3;
    args.step = 3;
    step(args, state);
    adam_reference(numbers, form, args.lr, args.step, want);
    EXPECT_TRUE(state == want);
  }

  template <class T>
  void check_sgd(const SgdRule::Numbers& numbers, unsigned form) {
    State<T> state, want;
    OptimArgs args{};
    set_optim_rule<SgdRule>(args, form, numbers);
    args.lr = 0.1;
    step(args, state);
    sgd_reference(numbers, form, args.lr, want);
    EXPECT_TRUE(state == want);
  }
};

TEST_P(Optim, Adam) {
  for (unsigned form = 0; form < 8; ++form) {  // maximize, decoupled, amsgrad
    for (double weight_decay : {0.0, 0.01}) {
      for (double beta1 : {0.9, 0.3, 0.0}) {
        SCOPED_TRACE(::testing::Message() << form << ' ' << weight_decay << ' ' << beta1);
        check_adam<float>({beta1, 0.999, 1e-8, weight_decay}, form);
        check_adam<double>({beta1, 0.999, 1e-8, weight_decay}, form);
      }
    }
  }
}

#if defined(__x86_64__)
TEST_P(Optim, AMomentThatFadedIsZero) {
  float param = 1, grad = 0, m = 1e-39F, v = 0;
  OptimArgs args{};
  set_optim_rule<AdamRule>(args, 0, {0.9, 0.999, 1e-8, 0});
  args.dtype = kFloat;
  args.count = 1;
  args.lr = 1e-3;
  args.step = 1;
  args.param[0] = &param;
  args.grad[0] = &grad;
  args.state[0][0] = &m;
  args.state[1][0] = &v;
  args.numel[0] = 1;
  ASSERT_EQ(run(args).status, StatusCode::kOk);
  EXPECT_EQ(m, is_cuda() ? 0.9F * 1e-39F : 0.0F);  // denormals cost a GPU nothing
  EXPECT_EQ(param, 1.0F);
  volatile float smallest = std::numeric_limits<float>::min();
  EXPECT_GT(smallest / 2, 0.0F) << "the thread's own mode has changed";
}
#endif

TEST_P(Optim, Sgd) {
  for (unsigned form = 0; form < 8; ++form) {  // maximize, nesterov, first
    for (double momentum : {0.0, 0.9}) {
      for (double dampening : {0.0, 0.1}) {
        for (double weight_decay : {0.0, 0.01}) {
          SCOPED_TRACE(::testing::Message()
                       << form << ' ' << momentum << ' ' << dampening << ' ' << weight_decay);
          check_sgd<float>({momentum, dampening, weight_decay}, form);
          check_sgd<double>({momentum, dampening, weight_decay}, form);
        }
      }
    }
  }
}

/// A call of every rule with one parameter, which has no elements.
template <class... Rules>
std::vector<OptimArgs> empty_calls(ScalarType dtype, OptimRuleList<Rules...>) {
  static float none = 0;
  std::vector<OptimArgs> calls;
  (set_optim_rule<Rules>(calls.emplace_back(), 0, {}), ...);
  for (OptimArgs& args : calls) {
    args.dtype = dtype;
    args.count = 1;
    args.step = 1;
    args.param[0] = &none;
    args.grad[0] = &none;
    for (int k = 0; k < kMaxOptimStates; ++k) {
      args.state[k][0] = (args.states >> k & 1) != 0 ? &none : nullptr;
    }
  }
  return calls;
}

TEST_P(Optim, NoElements) {
  for (const OptimArgs& args : empty_calls(kFloat, OptimRules())) {
    EXPECT_EQ(run(args).status, StatusCode::kOk);
  }
}

TEST_P(Optim, UnsupportedDtype) {
  for (const ScalarType dtype : {kLong, kBool}) {
    for (const OptimArgs& args : empty_calls(dtype, OptimRules())) {
      EXPECT_EQ(run(args).status, StatusCode::kUnsupportedDtype);
    }
  }
}

TERN_KERNEL_TESTS(Optim);

}  // namespace
}  // namespace tern
