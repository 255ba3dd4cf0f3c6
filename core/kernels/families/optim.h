#pragma once

#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

/// The most parameters of one call. The step of an optimizer with more makes several calls.
constexpr int kMaxOptimTensors = 24;
/// The most state tensors that a rule keeps for one parameter.
constexpr int kMaxOptimStates = 3;
/// The most numbers of a rule, the learning rate aside.
constexpr int kMaxOptimNumbers = 6;
/// The most numbers of a rule that depend on the number of the step.
constexpr int kMaxOptimStepNumbers = 3;

/// Steps several parameters of one dtype by one rule of optim/formulas.h. Each parameter, its
/// gradient and its states are contiguous and have the same size. Numbers are float64; the rule
/// rounds what it computes from them to the dtype.
///
/// A CUDA graph freezes its arguments, so what changes between replays lies in device memory: a
/// kernel reads the learning rate from `device_lr` and the number of the step from `device_step`
/// where these are not null. An earlier kernel of the stream has counted that step.
struct OptimArgs {
  std::int32_t rule;  // an index in OptimRules
  ScalarType dtype;   // float32 or float64
  std::int32_t count;
  std::uint32_t form;    // options of the rule, one bit each
  std::uint32_t states;  // bit k: the rule uses state k in this form
  double lr;
  double step;                       // the number of this step, counted from 1
  double numbers[kMaxOptimNumbers];  // the rule's struct Numbers
  const double* device_lr;           // null outside of a graph
  const double* device_step;         // null where only the host counts
  void* param[kMaxOptimTensors];
  const void* grad[kMaxOptimTensors];
  void* state[kMaxOptimStates][kMaxOptimTensors];  // null for a state that is not used
  std::int64_t numel[kMaxOptimTensors];
};

TERN_KERNEL_SLOT(optim, OptimArgs)

inline Operands operands(OptimArgs& args) {
  static constexpr const char* kStates[kMaxOptimStates] = {"state 0", "state 1", "state 2"};
  Operands list;
  list.add("the learning rate", args.device_lr, kDouble, 1);
  list.add("the step", args.device_step, kDouble, 1);
  for (std::int32_t i = 0; i < args.count; ++i) {
    const std::int64_t count = args.numel[i];
    list.add("a parameter", args.param[i], args.dtype, count);
    list.add("a gradient", args.grad[i], args.dtype, count);
    for (int k = 0; k < kMaxOptimStates; ++k) {
      list.add(kStates[k], args.state[k][i], args.dtype, count);
    }
  }
  return list;
}

}  // namespace tern::kernels
