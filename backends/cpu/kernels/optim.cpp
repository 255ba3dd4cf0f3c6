#include <algorithm>
#include <cmath>
#include <limits>

#include <tern/backends/cpu/kernels/kernels.h>
#include <tern/backends/cpu/kernels/loops.h>
#include <tern/core/base/flush_denormal.h>
#include <tern/core/base/thread_pool.h>

namespace tern::cpu {
namespace {

using namespace kernels;

constexpr std::int64_t kGrain = 16384;

/// Runs `step(tensor, begin, end)` over all tensors as if they were one.
template <class Step>
void for_each_piece(int count, const std::int64_t* numel, const Step& step) {
  // A moment without new gradients fades into denormals and stays there: slow, and too small for
  // any parameter to notice.
  const detail::FlushDenormals flush;
  std::int64_t total = 0;
  for (int t = 0; t < count; ++t) total += numel[t];
  parallel_for(0, total, kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (int t = 0; t < count && end > 0; ++t) {
      if (begin < numel[t]) step(t, std::max<std::int64_t>(begin, 0), std::min(end, numel[t]));
      begin -= numel[t];
      end -= numel[t];
    }
  });
}

/// The numbers of one Adam step, rounded to the dtype as PyTorch does.
template <class T>
struct AdamNumbers {
  explicit AdamNumbers(const AdamArgs& a)
      : decay(static_cast<T>(a.weight_decay)),
        shrink(static_cast<T>(1 - a.lr * a.weight_decay)),
        weight(static_cast<T>(1 - a.beta1)),
        rest(T(1) - weight),
        beta2(static_cast<T>(a.beta2)),
        square_weight(static_cast<T>(1 - a.beta2)),
        bias(static_cast<T>(a.bias_correction2_sqrt)),
        inverse_bias(T(1) / bias),
        eps(static_cast<T>(a.eps)),
        step(static_cast<T>(-(a.lr / a.bias_correction1))) {}
  T decay, shrink, weight, rest, beta2, square_weight, bias, inverse_bias, eps, step;
};

/// a / b, correctly rounded, where `inverse` is 1 / b: three multiplications instead of a division
/// (Markstein, IBM J. Res. Dev. 34, 1990). a is not denormal.
template <class T>
T divide(T a, T b, [[maybe_unused]] T inverse) {
#ifdef __FMA__
  const T near = a * inverse;
  const T exact = math::fma(math::fma(-near, b, a), inverse, near);
  return near == std::numeric_limits<T>::infinity() ? near : exact;
#else
  return a / b;
#endif
}

enum AdamForm : unsigned { kDecay = 1, kDecoupled = 2, kMaximize = 4, kAmsgrad = 8, kFarLerp = 16 };

/// `n` elements; the form is a constant so that the loop has no branch.
template <unsigned kForm, class T>
void adam_run(T* __restrict p, const T* __restrict grad, T* __restrict m, T* __restrict v,
              T* __restrict top, std::int64_t n, const AdamNumbers<T>& numbers) {
  const AdamNumbers<T> c = numbers;
  for (std::int64_t i = 0; i < n; ++i) {
    T x = p[i];
    T g = (kForm & kMaximize) != 0 ? -grad[i] : grad[i];
    if constexpr ((kForm & kDecay) != 0) {
      if constexpr ((kForm & kDecoupled) != 0) {
        x *= c.shrink;
      } else {
        g = math::fma(c.decay, x, g);
      }
    }
    // PyTorch's lerp starts from the nearer end.
    const T difference = g - m[i];
    if constexpr ((kForm & kFarLerp) != 0) {
      m[i] = math::fma(-difference, c.rest, g);
    } else {
      m[i] = math::fma(c.weight, difference, m[i]);
    }
    v[i] = math::fma(c.square_weight * g, g, c.beta2 * v[i]);
    T second = v[i];
    if constexpr ((kForm & kAmsgrad) != 0) {
      second = formulas::maximum::value(top[i], second);
      top[i] = second;
    }
    p[i] = x + c.step * m[i] / (divide(math::sqrt(second), c.bias, c.inverse_bias) + c.eps);
  }
}

template <class T>
using AdamRun = void (*)(T*, const T*, T*, T*, T*, std::int64_t, const AdamNumbers<T>&);

template <class T, unsigned... kForms>
AdamRun<T> adam_run_of(unsigned form, std::integer_sequence<unsigned, kForms...>) {
  static constexpr AdamRun<T> kRuns[] = {adam_run<kForms, T>...};
  return kRuns[form];
}

template <class T>
void adam_typed(const AdamArgs& args) {
  const AdamNumbers<T> numbers(args);
  const unsigned form =
      (args.weight_decay != 0 ? kDecay : 0U) | (args.decoupled != 0 ? kDecoupled : 0U) |
      (args.maximize != 0 ? kMaximize : 0U) | (args.amsgrad != 0 ? kAmsgrad : 0U) |
      (numbers.weight < T(0.5) ? 0U : kFarLerp);
  const AdamRun<T> run = adam_run_of<T>(form, std::make_integer_sequence<unsigned, 32>());
  for_each_piece(args.count, args.numel, [&](int t, std::int64_t begin, std::int64_t end) {
    run(static_cast<T*>(args.param[t]) + begin, static_cast<const T*>(args.grad[t]) + begin,
        static_cast<T*>(args.exp_avg[t]) + begin, static_cast<T*>(args.exp_avg_sq[t]) + begin,
        args.amsgrad != 0 ? static_cast<T*>(args.max_exp_avg_sq[t]) + begin : nullptr, end - begin,
        numbers);
  });
}

template <class T>
struct SgdNumbers {
  explicit SgdNumbers(const SgdArgs& a)
      : lr(static_cast<T>(-a.lr)),
        momentum(static_cast<T>(a.momentum)),
        undamped(static_cast<T>(1 - a.dampening)),
        decay(static_cast<T>(a.weight_decay)) {}
  T lr, momentum, undamped, decay;
};

enum SgdForm : unsigned {
  kSgdDecay = 1,
  kSgdMaximize = 2,
  kMomentum = 4,
  kNesterov = 8,
  kFirst = 16
};

template <unsigned kForm, class T>
void sgd_run(T* __restrict p, const T* __restrict grad, T* __restrict buffer, std::int64_t n,
             const SgdNumbers<T>& numbers) {
  const SgdNumbers<T> c = numbers;
  for (std::int64_t i = 0; i < n; ++i) {
    T g = (kForm & kSgdMaximize) != 0 ? -grad[i] : grad[i];
    if constexpr ((kForm & kSgdDecay) != 0) g = math::fma(c.decay, p[i], g);
    if constexpr ((kForm & kMomentum) != 0) {
      T b = g;
      if constexpr ((kForm & kFirst) == 0) b = math::fma(c.undamped, g, c.momentum * buffer[i]);
      buffer[i] = b;
      g = (kForm & kNesterov) != 0 ? math::fma(c.momentum, b, g) : b;
    }
    p[i] = math::fma(c.lr, g, p[i]);
  }
}

template <class T>
using SgdRun = void (*)(T*, const T*, T*, std::int64_t, const SgdNumbers<T>&);

template <class T, unsigned... kForms>
SgdRun<T> sgd_run_of(unsigned form, std::integer_sequence<unsigned, kForms...>) {
  static constexpr SgdRun<T> kRuns[] = {sgd_run<kForms, T>...};
  return kRuns[form];
}

template <class T>
void sgd_typed(const SgdArgs& args) {
  const SgdNumbers<T> numbers(args);
  const unsigned shared = (args.weight_decay != 0 ? kSgdDecay : 0U) |
                          (args.maximize != 0 ? kSgdMaximize : 0U) |
                          (args.nesterov != 0 ? kNesterov : 0U);
  for_each_piece(args.count, args.numel, [&](int t, std::int64_t begin, std::int64_t end) {
    const auto buffer = static_cast<T*>(args.momentum_buffer[t]);
    const unsigned form =
        shared | (buffer != nullptr ? kMomentum : 0U) | (args.first[t] != 0 ? kFirst : 0U);
    sgd_run_of<T>(form, std::make_integer_sequence<unsigned, 32>())(
        static_cast<T*>(args.param[t]) + begin, static_cast<const T*>(args.grad[t]) + begin,
        buffer == nullptr ? nullptr : buffer + begin, end - begin, numbers);
  });
}

}  // namespace

void adam(const AdamArgs& args, KernelContext& context) {
  if (args.dtype == kFloat) {
    adam_typed<float>(args);
  } else if (args.dtype == kDouble) {
    adam_typed<double>(args);
  } else {
    context.status = StatusCode::kUnsupportedDtype;
  }
}

void sgd(const SgdArgs& args, KernelContext& context) {
  if (args.dtype == kFloat) {
    sgd_typed<float>(args);
  } else if (args.dtype == kDouble) {
    sgd_typed<double>(args);
  } else {
    context.status = StatusCode::kUnsupportedDtype;
  }
}

}  // namespace tern::cpu
