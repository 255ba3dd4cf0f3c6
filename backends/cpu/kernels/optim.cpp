#include <algorithm>

#include <tern/core/base/flush_denormal.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/optim_formulas.h>
#include <tern/core/kernels/visit_dtype.h>

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

/// Steps `n` elements. The form is a constant, so that the loop has no branch, and each state is a
/// parameter of the function, so that the compiler knows that no two of them overlap.
template <class Rule, unsigned kForm, class T>
void optim_run(T* __restrict p, const T* __restrict grad, T* __restrict state0,
               T* __restrict state1, T* __restrict state2, std::int64_t n,
               const typename Rule::template Constants<T>& constants) {
  constexpr unsigned kStates = Rule::states(kForm);
  const auto c = constants;
  for (std::int64_t i = 0; i < n; ++i) {
    T none = 0;
    p[i] = optim_element<Rule>(kForm, c, p[i], grad[i], (kStates & 1) != 0 ? state0[i] : none,
                               (kStates & 2) != 0 ? state1[i] : none,
                               (kStates & 4) != 0 ? state2[i] : none);
  }
}

template <class Rule, class T>
using OptimRun = void (*)(T*, const T*, T*, T*, T*, std::int64_t,
                          const typename Rule::template Constants<T>&);

template <class Rule, class T, unsigned... kForms>
OptimRun<Rule, T> optim_run_of(unsigned form, std::integer_sequence<unsigned, kForms...>) {
  static constexpr OptimRun<Rule, T> kRuns[] = {optim_run<Rule, kForms, T>...};
  return kRuns[form];
}

template <class Rule, class T>
void optim_typed(const OptimArgs& args) {
  const auto constants = optim_constants<Rule, T>(args);
  const OptimRun<Rule, T> run = optim_run_of<Rule, T>(
      optim_form<Rule, T>(args), std::make_integer_sequence<unsigned, Rule::kForms>());
  for_each_piece(args.count, args.numel, [&](int t, std::int64_t begin, std::int64_t end) {
    const auto state = [&](int k) {
      T* const data = static_cast<T*>(args.state[k][t]);
      return data == nullptr ? nullptr : data + begin;
    };
    run(static_cast<T*>(args.param[t]) + begin, static_cast<const T*>(args.grad[t]) + begin,
        state(0), state(1), state(2), end - begin, constants);
  });
}

void optim(const OptimArgs& args, KernelContext& context) {
  visit_optim_rule(args.rule, [&](auto rule) {
    using Rule = decltype(rule);
    visit_floating(args.dtype, context,
                   [&](auto tag) { optim_typed<Rule, typename decltype(tag)::type>(args); });
  });
}

}  // namespace

void register_optim(kernels::KernelTable& table) { kernels::set<kernels::OptimArgs, optim>(table); }

}  // namespace tern::cpu
