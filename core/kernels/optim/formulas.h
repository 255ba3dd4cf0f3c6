#pragma once

#include <cmath>
#include <cstring>
#include <type_traits>

#include <tern/core/kernels/families/optim.h>
#include <tern/core/kernels/formulas/binary.h>
#include <tern/core/kernels/optim/helpers.h>
#include <tern/core/kernels/optim/rules_adaptive.h>
#include <tern/core/kernels/optim/rules_sign.h>

// The update rules of the optimizers, in PyTorch's order of operations. All backends compute with
// these formulas. Tests compare them with PyTorch's numbers.
//
// A rule is a struct in the list at the end of its header with these members, some of which most
// rules inherit from PlainRule:
//   kName                 its name, which enters the plugin's build id
//   Numbers               a struct of doubles: the numbers among the optimizer's options in their
//                         order, without the learning rate; then those that the optimizer computes
//   Form                  bit 0 is kMaximize, which negates gradients; from bit 1 on the other
//   bools
//                         among the options in their order; then what no option sets. A bit kFirst
//                         is set for a parameter whose first state is undefined
//   kForms                2 to the power of the number of bits
//   implied<T>(numbers)   returns the bits of the form that follow from the numbers
//   kStates               the most state tensors of a parameter, up to kMaxOptimStates
//   states(form)          returns a mask: bit k is set if the form uses state k
//   kStepNumbers          the count of numbers that depend on the step, up to kMaxOptimStepNumbers
//   step_number(k, numbers, step)             returns number k of these; only if there are any
//   Constants<T>                              a struct of what one element needs, rounded to T
//   constants<T>(numbers, lr, step_numbers)   returns it
//   step(form, constants, x, g, state...)     returns the new parameter and changes the states
// The CPU passes `form` as a constant, so its loops have no branches, and negates gradients itself.
// Every form costs the library a loop for each dtype and each instruction set. Rules of optimizers
// that few programs use therefore have few forms: a weight decay of 0 is added like any other.

namespace tern::kernels {

/// Adam and AdamW:
///   g += weight_decay * p, or with kDecoupled p *= 1 - lr * weight_decay
///   m += (1 - beta1) * (g - m);  v = beta2 * v + (1 - beta2) * g * g
///   p -= lr / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + eps)
/// With kAmsgrad the last line uses the largest v so far.
struct AdamRule {
  static constexpr const char* kName = "Adam";
  struct Numbers {
    double beta1, beta2, eps, weight_decay;
  };
  enum Form : unsigned { kMaximize = 1, kAmsgrad = 2, kDecoupled = 4, kDecay = 8, kFarMean = 16 };
  static constexpr unsigned kForms = 32;

  template <class T>
  static unsigned implied(const Numbers& n) {
    return (n.weight_decay != 0 ? kDecay : 0U) |
           (static_cast<T>(1 - n.beta1) < T(0.5) ? 0U : kFarMean);
  }
  static constexpr int kStates = 3;
  static constexpr unsigned states(unsigned form) { return (form & kAmsgrad) != 0 ? 0b111 : 0b011; }

  static constexpr int kStepNumbers = 2;
  TERN_HOST_DEVICE static double step_number(int k, const Numbers& n, double t) {
    const double correction = 1 - std::pow(k == 0 ? n.beta1 : n.beta2, t);
    return k == 0 ? correction : std::sqrt(correction);
  }

  template <class T>
  struct Constants {
    T decay, shrink, weight, rest, beta2, square_weight, bias, inverse_bias, eps, step;
  };
  template <class T>
  TERN_HOST_DEVICE static Constants<T> constants(const Numbers& n, double lr,
                                                 const double* step_numbers) {
    const T weight = static_cast<T>(1 - n.beta1), bias = static_cast<T>(step_numbers[1]);
    return {static_cast<T>(n.weight_decay),
            static_cast<T>(1 - lr * n.weight_decay),
            weight,
            T(1) - weight,
            static_cast<T>(n.beta2),
            static_cast<T>(1 - n.beta2),
            bias,
            T(1) / bias,
            static_cast<T>(n.eps),
            static_cast<T>(-(lr / step_numbers[0]))};
  }

  template <class T>
  TERN_HOST_DEVICE static T step(unsigned form, const Constants<T>& c, T x, T g, T& exp_avg,
                                 T& exp_avg_sq, T& max_exp_avg_sq) {
    if ((form & kMaximize) != 0) g = -g;
    if ((form & kDecay) != 0) {
      if ((form & kDecoupled) != 0) {
        x *= c.shrink;
      } else {
        g = math::fma(c.decay, x, g);
      }
    }
    exp_avg = move_average((form & kFarMean) != 0, exp_avg, g, c.weight, c.rest);
    exp_avg_sq = math::fma(c.square_weight * g, g, c.beta2 * exp_avg_sq);
    T second = exp_avg_sq;
    if ((form & kAmsgrad) != 0) {
      second = formulas::maximum::value(max_exp_avg_sq, second);
      max_exp_avg_sq = second;
    }
    return x + c.step * exp_avg / (divide(math::sqrt(second), c.bias, c.inverse_bias) + c.eps);
  }
};

/// SGD:
///   g += weight_decay * p
///   buf = momentum * buf + (1 - dampening) * g, or with kFirst buf = g
///   g = buf, or with kNesterov g += momentum * buf
///   p -= lr * g
/// The lines about buf apply only with momentum.
struct SgdRule {
  static constexpr const char* kName = "SGD";
  struct Numbers {
    double momentum, dampening, weight_decay;
  };
  enum Form : unsigned { kMaximize = 1, kNesterov = 2, kFirst = 4, kDecay = 8, kMomentum = 16 };
  static constexpr unsigned kForms = 32;

  template <class T>
  static unsigned implied(const Numbers& n) {
    return (n.weight_decay != 0 ? kDecay : 0U) | (n.momentum != 0 ? kMomentum : 0U);
  }
  static constexpr int kStates = 1;
  static constexpr unsigned states(unsigned form) { return (form & kMomentum) != 0 ? 1 : 0; }

  static constexpr int kStepNumbers = 0;

  template <class T>
  struct Constants {
    T lr, momentum, undamped, decay;
  };
  template <class T>
  TERN_HOST_DEVICE static Constants<T> constants(const Numbers& n, double lr,
                                                 const double* /*step_numbers*/) {
    return {static_cast<T>(-lr), static_cast<T>(n.momentum), static_cast<T>(1 - n.dampening),
            static_cast<T>(n.weight_decay)};
  }

  template <class T>
  TERN_HOST_DEVICE static T step(unsigned form, const Constants<T>& c, T x, T g,
                                 T& momentum_buffer) {
    if ((form & kMaximize) != 0) g = -g;
    if ((form & kDecay) != 0) g = math::fma(c.decay, x, g);
    if ((form & kMomentum) != 0) {
      T buffer = g;
      if ((form & kFirst) == 0) buffer = math::fma(c.undamped, g, c.momentum * momentum_buffer);
      momentum_buffer = buffer;
      g = (form & kNesterov) != 0 ? math::fma(c.momentum, buffer, g) : buffer;
    }
    return math::fma(c.lr, g, x);
  }
};

/// RMSprop:
///   g += weight_decay * p
///   v = alpha * v + (1 - alpha) * g * g
///   a += (1 - alpha) * (g - a), only with kCentered
///   d = sqrt(v) + eps, or with kCentered d = sqrt(v - a * a) + eps
///   p -= lr * g / d, or with momentum buf = momentum * buf + g / d;  p -= lr * buf
struct RmspropRule {
  static constexpr const char* kName = "RMSprop";
  struct Numbers {
    double momentum, alpha, eps, weight_decay;
  };
  enum Form : unsigned { kMaximize = 1, kCentered = 2, kMomentum = 4, kDecay = 8, kFarMean = 16 };
  static constexpr unsigned kForms = 32;

  template <class T>
  static unsigned implied(const Numbers& n) {
    return (n.weight_decay != 0 ? kDecay : 0U) | (n.momentum > 0 ? kMomentum : 0U) |
           (static_cast<T>(1 - n.alpha) < T(0.5) ? 0U : kFarMean);
  }
  static constexpr int kStates = 3;
  static constexpr unsigned states(unsigned form) {
    return 0b001 | ((form & kMomentum) != 0 ? 0b010 : 0) | ((form & kCentered) != 0 ? 0b100 : 0);
  }

  static constexpr int kStepNumbers = 0;

  template <class T>
  struct Constants {
    T lr, alpha, weight, rest, eps, decay, momentum;
  };
  template <class T>
  TERN_HOST_DEVICE static Constants<T> constants(const Numbers& n, double lr,
                                                 const double* /*step_numbers*/) {
    const T weight = static_cast<T>(1 - n.alpha);
    return {static_cast<T>(-lr),
            static_cast<T>(n.alpha),
            weight,
            T(1) - weight,
            static_cast<T>(n.eps),
            static_cast<T>(n.weight_decay),
            static_cast<T>(n.momentum)};
  }

  template <class T>
  TERN_HOST_DEVICE static T step(unsigned form, const Constants<T>& c, T x, T g, T& square_avg,
                                 T& momentum_buffer, T& grad_avg) {
    if ((form & kMaximize) != 0) g = -g;
    if ((form & kDecay) != 0) g = math::fma(c.decay, x, g);
    square_avg = math::fma(c.weight * g, g, c.alpha * square_avg);
    T variance = square_avg;
    if ((form & kCentered) != 0) {
      grad_avg = move_average((form & kFarMean) != 0, grad_avg, g, c.weight, c.rest);
      variance = math::fma(-grad_avg, grad_avg, variance);
    }
    const T deviation = math::sqrt(variance) + c.eps;
    if ((form & kMomentum) == 0) return x + c.lr * g / deviation;
    momentum_buffer = c.momentum * momentum_buffer + g / deviation;
    return math::fma(c.lr, momentum_buffer, x);
  }
};

using CommonRules = OptimRuleList<AdamRule, SgdRule, RmspropRule>;

template <class... As, class... Bs, class... Cs>
OptimRuleList<As..., Bs..., Cs...> joined(OptimRuleList<As...>, OptimRuleList<Bs...>,
                                          OptimRuleList<Cs...>);

/// All rules. OptimArgs::rule is an index in this list.
using OptimRules = decltype(joined(CommonRules(), AdaptiveRules(), SignRules()));

// Functions for every rule.

/// Returns the index of the rule in the list; -1 for a rule that is not in it.
template <class Rule, class... Rules>
constexpr std::int32_t optim_rule_index(OptimRuleList<Rules...>) {
  std::int32_t index = 0, found = -1;
  ((std::is_same_v<Rule, Rules> ? void(found = index) : void(), ++index), ...);
  return found;
}

/// Calls visit(Rule()) with the rule of this index.
template <class Visit, class... Rules>
void visit_optim_rule(std::int32_t rule, const Visit& visit, OptimRuleList<Rules...>) {
  std::int32_t index = 0;
  ((index++ == rule ? visit(Rules()) : void()), ...);
}
template <class Visit>
void visit_optim_rule(std::int32_t rule, const Visit& visit) {
  visit_optim_rule(rule, visit, OptimRules());
}

template <class Numbers>
void set_optim_numbers(OptimArgs& args, const Numbers& numbers) {
  static_assert(sizeof(numbers) <= sizeof(args.numbers));
  std::memcpy(args.numbers, &numbers, sizeof(numbers));
}

/// Writes rule, form, numbers and states. `options` are the bits of the form that the numbers do
/// not imply.
template <class Rule>
void set_optim_rule(OptimArgs& args, unsigned options, const typename Rule::Numbers& numbers) {
  constexpr std::int32_t kIndex = optim_rule_index<Rule>(OptimRules());
  static_assert(kIndex >= 0);
  args.rule = kIndex;
  args.form = options;
  args.states = Rule::states(options | Rule::template implied<double>(numbers));
  set_optim_numbers(args, numbers);
}

template <class Rule>
TERN_HOST_DEVICE typename Rule::Numbers optim_numbers(const OptimArgs& args) {
  typename Rule::Numbers numbers;
  std::memcpy(&numbers, args.numbers, sizeof(numbers));
  return numbers;
}

/// Returns the form with the bits that the numbers imply in T.
template <class Rule, class T>
unsigned optim_form(const OptimArgs& args) {
  return args.form | Rule::template implied<T>(optim_numbers<Rule>(args));
}

/// Returns the constants of a step whose learning rate and number are on the host.
template <class Rule, class T>
typename Rule::template Constants<T> optim_constants(const OptimArgs& args) {
  const auto numbers = optim_numbers<Rule>(args);
  double step_numbers[kMaxOptimStepNumbers] = {};
  if constexpr (Rule::kStepNumbers > 0) {
    for (int k = 0; k < Rule::kStepNumbers; ++k) {
      step_numbers[k] = Rule::step_number(k, numbers, args.step);
    }
  }
  return Rule::template constants<T>(numbers, args.lr, step_numbers);
}

/// Steps one element. A rule takes as many of the states as it has.
template <class Rule, class T>
TERN_HOST_DEVICE T optim_element(unsigned form, const typename Rule::template Constants<T>& c, T x,
                                 T g, T& state0, T& state1, T& state2) {
  static_assert(kMaxOptimStates == 3);
  if constexpr (Rule::kStates == 0) {
    return Rule::step(form, c, x, g);
  } else if constexpr (Rule::kStates == 1) {
    return Rule::step(form, c, x, g, state0);
  } else if constexpr (Rule::kStates == 2) {
    return Rule::step(form, c, x, g, state0, state1);
  } else {
    return Rule::step(form, c, x, g, state0, state1, state2);
  }
}

}  // namespace tern::kernels
