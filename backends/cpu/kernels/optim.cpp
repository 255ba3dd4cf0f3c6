#include <algorithm>

#include <tern/core/base/flush_denormal.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/families/optim.h>
#include <tern/core/kernels/optim_formulas.h>

namespace tern::cpu {
namespace {

using namespace kernels;

constexpr std::int64_t kOptimGrain = 16384;

/// Runs `step(tensor, begin, end)` over all tensors as if they were one.
template <class Step>
void for_each_piece(int count, const std::int64_t* numel, const Step& step) {
  // A moment without new gradients fades into denormals and stays there: slow, and too small for
  // any parameter to notice.
  const detail::FlushDenormals flush;
  std::int64_t total = 0;
  for (int t = 0; t < count; ++t) total += numel[t];
  parallel_for(0, total, kOptimGrain, [&](std::int64_t begin, std::int64_t end) {
    for (int t = 0; t < count && end > 0; ++t) {
      if (begin < numel[t]) step(t, std::max<std::int64_t>(begin, 0), std::min(end, numel[t]));
      begin -= numel[t];
      end -= numel[t];
    }
  });
}

/// `n` elements; the form is a constant so that the loop has no branch.
template <unsigned kForm, class T>
void adam_run(T* __restrict p, const T* __restrict grad, T* __restrict m, T* __restrict v,
              T* __restrict top, std::int64_t n, const AdamNumbers<T>& numbers) {
  const AdamNumbers<T> c = numbers;
  for (std::int64_t i = 0; i < n; ++i) {
    T none = 0;
    p[i] =
        adam_element(kForm, c, p[i], grad[i], m[i], v[i], (kForm & kAmsgrad) != 0 ? top[i] : none);
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
  const AdamNumbers<T> numbers = adam_numbers<T>(args);
  const AdamRun<T> run =
      adam_run_of<T>(adam_form<T>(args), std::make_integer_sequence<unsigned, kAdamForms>());
  for_each_piece(args.count, args.numel, [&](int t, std::int64_t begin, std::int64_t end) {
    run(static_cast<T*>(args.param[t]) + begin, static_cast<const T*>(args.grad[t]) + begin,
        static_cast<T*>(args.exp_avg[t]) + begin, static_cast<T*>(args.exp_avg_sq[t]) + begin,
        args.amsgrad != 0 ? static_cast<T*>(args.max_exp_avg_sq[t]) + begin : nullptr, end - begin,
        numbers);
  });
}

template <unsigned kForm, class T>
void sgd_run(T* __restrict p, const T* __restrict grad, T* __restrict buffer, std::int64_t n,
             const SgdNumbers<T>& numbers) {
  const SgdNumbers<T> c = numbers;
  for (std::int64_t i = 0; i < n; ++i) {
    T none = 0;
    p[i] = sgd_element(kForm, c, p[i], grad[i], (kForm & kMomentum) != 0 ? buffer[i] : none);
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
  const SgdNumbers<T> numbers = sgd_numbers<T>(args, args.lr);
  for_each_piece(args.count, args.numel, [&](int t, std::int64_t begin, std::int64_t end) {
    const auto buffer = static_cast<T*>(args.momentum_buffer[t]);
    const auto run =
        sgd_run_of<T>(sgd_form(args, t), std::make_integer_sequence<unsigned, kSgdForms>());
    run(static_cast<T*>(args.param[t]) + begin, static_cast<const T*>(args.grad[t]) + begin,
        buffer == nullptr ? nullptr : buffer + begin, end - begin, numbers);
  });
}

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

}  // namespace

void register_optim(kernels::KernelTable& table) {
  kernels::set<kernels::AdamArgs, adam>(table);
  kernels::set<kernels::SgdArgs, sgd>(table);
}

}  // namespace tern::cpu
