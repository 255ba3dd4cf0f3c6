#pragma once

#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

/// How many tensors one optimizer call takes; a caller with more makes several calls.
constexpr int kMaxOptimTensors = 24;

/// One Adam step for several parameters of one dtype, all contiguous with equal layout; scalars
/// computed in double. Order of operations in float32 (fma = one rounding), as Python's PyTorch:
///   g += weight_decay * p (Adam) or p *= 1 - lr * weight_decay (AdamW, `decoupled`)
///   m = fma(1 - beta1, g - m, m); v = fma((1 - beta2) * g, g, beta2 * v)
///   d = sqrt(v) / sqrt(1 - beta2^t) + eps; p = p + (-(lr / (1 - beta1^t)) * m) / d
/// with amsgrad max_v = max(max_v, v) stands in d for v.
/// The arguments of a graph are frozen, so a capturable optimizer keeps what changes on its device.
/// A kernel that finds `device_lr` reads lr there, and one that finds `device_step` (t, this step
/// counted from 1, which an earlier kernel of the stream has counted up) computes, in double,
/// bias_correction1 = 1 - pow(beta1, t) and bias_correction2_sqrt = sqrt(1 - pow(beta2, t)).
struct AdamArgs {
  ScalarType dtype;
  std::int32_t count;
  std::int32_t amsgrad, decoupled, maximize;
  double lr, beta1, beta2, eps, weight_decay;
  double bias_correction1;       // 1 - beta1^t
  double bias_correction2_sqrt;  // sqrt(1 - beta2^t)
  const double* device_lr;       // device memory; null unless capturable, always on the CPU
  const double* device_step;
  void* param[kMaxOptimTensors];
  const void* grad[kMaxOptimTensors];
  void* exp_avg[kMaxOptimTensors];
  void* exp_avg_sq[kMaxOptimTensors];
  void* max_exp_avg_sq[kMaxOptimTensors];  // null without amsgrad
  std::int64_t numel[kMaxOptimTensors];
};

/// One SGD step: g += weight_decay * p; with momentum: buf = first ? g : mu * buf + (1 - damp) * g,
/// g = nesterov ? g + mu * buf : buf; p -= lr * g. momentum_buffer is null without momentum. lr is
/// read from `device_lr`, as AdamArgs says, when that is not null.
struct SgdArgs {
  ScalarType dtype;
  std::int32_t count;
  std::int32_t nesterov, maximize;
  double lr, momentum, dampening, weight_decay;
  const double* device_lr;
  void* param[kMaxOptimTensors];
  const void* grad[kMaxOptimTensors];
  void* momentum_buffer[kMaxOptimTensors];
  std::int32_t first[kMaxOptimTensors];
  std::int64_t numel[kMaxOptimTensors];
};

TERN_KERNEL_SLOT(adam, AdamArgs)
TERN_KERNEL_SLOT(sgd, SgdArgs)

inline Operands operands(AdamArgs& args) {
  Operands list;
  list.add("the learning rate", args.device_lr, kDouble, 1);
  list.add("the step", args.device_step, kDouble, 1);
  for (std::int32_t i = 0; i < args.count; ++i) {
    const std::int64_t count = args.numel[i];
    list.add("a parameter", args.param[i], args.dtype, count);
    list.add("a gradient", args.grad[i], args.dtype, count);
    list.add("exp_avg", args.exp_avg[i], args.dtype, count);
    list.add("exp_avg_sq", args.exp_avg_sq[i], args.dtype, count);
    if (args.amsgrad != 0) {
      list.add("max_exp_avg_sq", args.max_exp_avg_sq[i], args.dtype, count);
    }
  }
  return list;
}

inline Operands operands(SgdArgs& args) {
  Operands list;
  list.add("the learning rate", args.device_lr, kDouble, 1);
  for (std::int32_t i = 0; i < args.count; ++i) {
    const std::int64_t count = args.numel[i];
    list.add("a parameter", args.param[i], args.dtype, count);
    list.add("a gradient", args.grad[i], args.dtype, count);
    if (args.momentum != 0) {
      list.add("a momentum buffer", args.momentum_buffer[i], args.dtype, count);
    }
  }
  return list;
}

}  // namespace tern::kernels
