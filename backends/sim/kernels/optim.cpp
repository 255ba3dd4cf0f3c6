#include <algorithm>
#include <cmath>
#include <cstdint>

#include <tern/backends/sim/kernels/kernels.h>

namespace tern::sim {
namespace {

template <class T>
void adam_step(const AdamArgs& args, std::int32_t t) {
  T* param = static_cast<T*>(args.param[t]);
  const T* grad = static_cast<const T*>(args.grad[t]);
  T* exp_avg = static_cast<T*>(args.exp_avg[t]);
  T* exp_avg_sq = static_cast<T*>(args.exp_avg_sq[t]);
  T* max_exp_avg_sq = static_cast<T*>(args.max_exp_avg_sq[t]);
  for (std::int64_t i = 0; i < args.numel[t]; ++i) {
    double p = param[i];
    double g = args.maximize != 0 ? -grad[i] : grad[i];
    if (args.decoupled != 0) {
      p *= 1 - args.lr * args.weight_decay;
    } else {
      g += args.weight_decay * p;
    }
    const double m = exp_avg[i] + (1 - args.beta1) * (g - exp_avg[i]);
    double v = args.beta2 * exp_avg_sq[i] + (1 - args.beta2) * g * g;
    exp_avg[i] = static_cast<T>(m);
    exp_avg_sq[i] = static_cast<T>(v);
    if (args.amsgrad != 0) {
      v = std::max(v, double{max_exp_avg_sq[i]});
      max_exp_avg_sq[i] = static_cast<T>(v);
    }
    const double denominator = std::sqrt(v) / args.bias_correction2_sqrt + args.eps;
    param[i] = static_cast<T>(p - args.lr / args.bias_correction1 * m / denominator);
  }
}

template <class T>
void sgd_step(const SgdArgs& args, std::int32_t t) {
  T* param = static_cast<T*>(args.param[t]);
  const T* grad = static_cast<const T*>(args.grad[t]);
  T* buffer = static_cast<T*>(args.momentum_buffer[t]);
  for (std::int64_t i = 0; i < args.numel[t]; ++i) {
    double g = args.maximize != 0 ? -grad[i] : grad[i];
    g += args.weight_decay * param[i];
    if (args.momentum != 0) {
      const double moved = args.momentum * buffer[i] + (1 - args.dampening) * g;
      const double velocity = args.first[t] != 0 ? g : moved;
      buffer[i] = static_cast<T>(velocity);
      g = args.nesterov != 0 ? g + args.momentum * velocity : velocity;
    }
    param[i] = static_cast<T>(param[i] - args.lr * g);
  }
}

bool supports(const AdamArgs& args) { return is_floating_point(args.dtype); }
bool supports(const SgdArgs& args) { return is_floating_point(args.dtype); }

void adam(const AdamArgs& given, KernelContext&) {
  AdamArgs args = given;
  if (args.device_lr != nullptr) args.lr = *args.device_lr;
  if (args.device_step != nullptr) {
    args.bias_correction1 = 1 - std::pow(args.beta1, *args.device_step);
    args.bias_correction2_sqrt = std::sqrt(1 - std::pow(args.beta2, *args.device_step));
  }
  for (std::int32_t t = 0; t < args.count; ++t) {
    args.dtype == kDouble ? adam_step<double>(args, t) : adam_step<float>(args, t);
  }
}

void sgd(const SgdArgs& given, KernelContext&) {
  SgdArgs args = given;
  if (args.device_lr != nullptr) args.lr = *args.device_lr;
  for (std::int32_t t = 0; t < args.count; ++t) {
    args.dtype == kDouble ? sgd_step<double>(args, t) : sgd_step<float>(args, t);
  }
}

}  // namespace

void register_optim(OracleTable& table) {
  set<AdamArgs, supports, adam>(table);
  set<SgdArgs, supports, sgd>(table);
}

}  // namespace tern::sim
