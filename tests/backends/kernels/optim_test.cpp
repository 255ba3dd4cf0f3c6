#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <vector>

#include <tern/core/kernels/optim/formulas.h>

#include "backends/kernel_test.h"

// The optimizers beside plain loops, bit for bit, and beside the oracle, up to rounding.

namespace tern {
namespace {

using namespace kernels;
using testing::Noise;

constexpr int kTensors = 5;

/// The elements of a tensor. Wide dtypes have one that is split among threads (see kManyElements).
template <class T>
constexpr std::int64_t numel(int tensor) {
  constexpr std::int64_t kNumel[kTensors] = {1, 7, testing::kNarrow<T> ? 500 : 33000, 64, 333};
  return kNumel[tensor];
}

template <class T>
struct State {
  std::vector<T> p[kTensors], g[kTensors], m[kTensors], v[kTensors], top[kTensors];

  /// With `is_variance`, m is a mean of squares that is larger than the square of the mean `top`.
  explicit State(bool is_variance = false) {
    Noise noise(2);
    for (int t = 0; t < kTensors; ++t) {
      for (auto* values : {&p[t], &g[t], &m[t], &v[t], &top[t]}) {
        values->resize(static_cast<std::size_t>(numel<T>(t)));
        for (T& x : *values) x = static_cast<T>(noise.uniform(-1, 1));
      }
      for (auto* squares : {&v[t], &top[t]}) {
        for (T& x : *squares) x = x * x;
      }
      if (is_variance) {
        for (T& x : m[t]) x = 2 + x * x;
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

  /// Compares up to rounding.
  bool is_near(const State& oracle) const {
    const auto near = [](const std::vector<T>& a, const std::vector<T>& b) {
      return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](T x, T y) {
        return std::abs(x - y) <= testing::error_limit<T>(8) * (1 + std::abs(y));
      });
    };
    for (int t = 0; t < kTensors; ++t) {
      if (!near(p[t], oracle.p[t]) || !near(m[t], oracle.m[t]) || !near(v[t], oracle.v[t]) ||
          !near(top[t], oracle.top[t])) {
        return false;
      }
    }
    return true;
  }
};

/// Steps the elements one by one, in the type for T. The formulas are those that all backends
/// share; PyTorch's numbers judge them (golden/optim/optim.json). The oracle computes in double, so
/// it has other bits.
template <class Rule, class T>
void step_plainly(const OptimArgs& args, State<T>& s) {
  using Math = MathType<T>;
  const auto constants = optim_constants<Rule, Math>(args);
  const unsigned form = optim_form<Rule, Math>(args);
  for (int t = 0; t < kTensors; ++t) {
    for (std::size_t i = 0; i < s.p[t].size(); ++i) {
      Math m = s.m[t][i], v = s.v[t][i], top = s.top[t][i];
      s.p[t][i] = optim_element<Rule>(form, constants, Math(s.p[t][i]), Math(s.g[t][i]), m, v, top);
      s.m[t][i] = m, s.v[t][i] = v, s.top[t][i] = top;
    }
  }
}

template <class Rule>
using NumberArray = std::array<double, sizeof(typename Rule::Numbers) / sizeof(double)>;

template <class Rule>
typename Rule::Numbers numbers_of(const NumberArray<Rule>& numbers) {
  return std::bit_cast<typename Rule::Numbers>(numbers);
}

/// Returns true if the first state of a rule is a mean of squares: a negative one gives NaN.
template <class Rule>
bool takes_root_of_first_state() {
  NumberArray<Rule> numbers;
  numbers.fill(0.5);
  OptimArgs args{};
  set_optim_rule<Rule>(args, 0, numbers_of<Rule>(numbers));
  args.lr = args.step = 1;
  double first = -9, second = 1, third = 1;
  return std::isnan(optim_element<Rule>(optim_form<Rule, double>(args),
                                        optim_constants<Rule, double>(args), 1.0, 1.0, first,
                                        second, third));
}

class Optim : public testing::KernelTest {
 protected:
  template <class T>
  void step(OptimArgs args, State<T>& state) {
    bind(args, state);
    ASSERT_EQ(run(args).status, StatusCode::kOk);
  }

  /// Points the arguments to a state.
  template <class T>
  static void bind(OptimArgs& args, State<T>& state) {
    args.dtype = dtype_of<T>();
    args.count = kTensors;
    for (int t = 0; t < kTensors; ++t) {
      args.param[t] = state.p[t].data();
      args.grad[t] = state.g[t].data();
      std::vector<T>* const states[] = {&state.m[t], &state.v[t], &state.top[t]};
      for (int k = 0; k < kMaxOptimStates; ++k) {
        args.state[k][t] = (args.states >> k & 1) != 0 ? states[k]->data() : nullptr;
      }
      args.numel[t] = numel<T>(t);
    }
  }

  template <class Rule, class T>
  void check(const typename Rule::Numbers& numbers, unsigned form, double lr, double step_number) {
    SCOPED_TRACE(::testing::Message() << Rule::kName << " of " << dtype_of<T>() << ", form " << form
                                      << ", step " << step_number);
    static const State<T> kInitial(takes_root_of_first_state<Rule>());
    State<T> state = kInitial, plain = kInitial, oracle = kInitial;
    OptimArgs args{};
    set_optim_rule<Rule>(args, form, numbers);
    args.lr = lr;
    args.step = step_number;
    step(args, state);
    step_plainly<Rule>(args, plain);
    // CUDA adds products unrounded.
    EXPECT_TRUE(is_cuda() ? state.is_near(plain) : state == plain);
    bind(args, oracle);
    testing::run_oracle(args);
    EXPECT_TRUE(state.is_near(oracle));
  }

  template <class Rule>
  void check(const typename Rule::Numbers& numbers, unsigned form, double lr, double step = 3) {
    check<Rule, float>(numbers, form, lr, step);
    check<Rule, double>(numbers, form, lr, step);
    check<Rule, Half>(numbers, form, lr, step);
    check<Rule, BFloat16>(numbers, form, lr, step);
  }
};

TEST_P(Optim, Adam) {
  for (unsigned form = 0; form < 8; ++form) {  // maximize, amsgrad, decoupled
    for (double weight_decay : {0.0, 0.01}) {
      for (double beta1 : {0.9, 0.3, 0.0}) {
        SCOPED_TRACE(::testing::Message() << form << ' ' << weight_decay << ' ' << beta1);
        check<AdamRule>({beta1, 0.999, 1e-8, weight_decay}, form, 1e-3);
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
          check<SgdRule>({momentum, dampening, weight_decay}, form, 0.1);
        }
      }
    }
  }
}

TEST_P(Optim, Rmsprop) {
  for (unsigned form = 0; form < 4; ++form) {  // maximize, centered
    for (double alpha : {0.99, 0.3}) {
      for (double momentum : {0.0, 0.9}) {
        for (double weight_decay : {0.0, 0.01}) {
          SCOPED_TRACE(::testing::Message()
                       << form << ' ' << alpha << ' ' << momentum << ' ' << weight_decay);
          check<RmspropRule>({momentum, alpha, 1e-2, weight_decay}, form, 0.01);
        }
      }
    }
  }
}

/// Calls check<Rule>(numbers, form, step) for each rule.
template <class... Rules, class Check>
void with_drawn_numbers(OptimRuleList<Rules...>, const Check& check) {
  // Smaller ones would divide by differences of almost equal numbers.
  constexpr double kNumbers[] = {0.3, 0.6, 0.9}, kSteps[] = {1, 3, 9};
  Noise noise(3);
  const auto drawn_of = [&](const auto& choices) {
    return choices[noise.bits() % std::size(choices)];
  };
  const auto check_rule = [&]<class Rule>() {
    NumberArray<Rule> numbers;
    for (unsigned form = 0; form < Rule::kForms; ++form) {
      for (int draw = 0; draw < 4; ++draw) {
        std::ranges::generate(numbers, [&] { return drawn_of(kNumbers); });
        check.template operator()<Rule>(numbers_of<Rule>(numbers), form, drawn_of(kSteps));
      }
    }
  };
  (check_rule.template operator()<Rules>(), ...);
}

// Every rule of rules_adaptive.h and rules_sign.h.
TEST_P(Optim, OtherRules) {
  const auto check_rule = [&]<class Rule>(const typename Rule::Numbers& numbers, unsigned form,
                                          double step) { check<Rule>(numbers, form, 0.1, step); };
  with_drawn_numbers(AdaptiveRules(), check_rule);
  with_drawn_numbers(SignRules(), check_rule);
}

TEST_P(Optim, NumbersThatChangeTheFormula) {
  for (unsigned form = 0; form < 2; ++form) {
    check<AsgdRule>({0.01, 0.999, 0.1, /*mu=*/1}, form, 0.1);
    for (double step : {5, 6}) {  // the first that RAdam rectifies is 6
      check<RadamRule>({0.9, 0.999, 1e-2, 0.01}, form, 0.1, step);
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
