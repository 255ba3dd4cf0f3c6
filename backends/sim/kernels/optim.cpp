#include <cstdint>

#include <tern/backends/sim/kernels/kernels.h>
#include <tern/backends/sim/kernels/number.h>
#include <tern/core/kernels/optim/formulas.h>

namespace tern::sim {
namespace {

template <class Rule, class T>
void optim_tensor(const OptimArgs& args, std::int32_t t) {
  const auto constants = optim_constants<Rule, double>(args);
  const unsigned form = optim_form<Rule, double>(args);
  T* param = static_cast<T*>(args.param[t]);
  const T* grad = static_cast<const T*>(args.grad[t]);
  for (std::int64_t i = 0; i < args.numel[t]; ++i) {
    double states[kMaxOptimStates] = {};
    for (int k = 0; k < kMaxOptimStates; ++k) {
      if (const T* state = static_cast<const T*>(args.state[k][t])) states[k] = state[i];
    }
    const double p = param[i], g = grad[i];
    param[i] =
        static_cast<T>(optim_element<Rule>(form, constants, p, g, states[0], states[1], states[2]));
    for (int k = 0; k < kMaxOptimStates; ++k) {
      if (T* state = static_cast<T*>(args.state[k][t])) state[i] = static_cast<T>(states[k]);
    }
  }
}

bool supports(const OptimArgs& args) { return is_floating_point(args.dtype); }

void optim(const OptimArgs& given, KernelContext&) {
  OptimArgs args = given;
  if (args.device_lr != nullptr) args.lr = *args.device_lr;
  if (args.device_step != nullptr) args.step = *args.device_step;
  visit_optim_rule(args.rule, [&](auto rule) {
    using Rule = decltype(rule);
    visit_floating_dtype(args.dtype, [&](auto tag) {
      for (std::int32_t t = 0; t < args.count; ++t) {
        optim_tensor<Rule, typename decltype(tag)::type>(args, t);
      }
    });
  });
}

}  // namespace

void register_optim(OracleTable& table) { set<OptimArgs, supports, optim>(table); }

}  // namespace tern::sim
