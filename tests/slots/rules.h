#pragma once

#include <string_view>

#include <tern/core/kernels/slots.h>
#include <tern/generated/kernel_families.h>

#include "compare.h"

// What a comparison must know about the arguments of a slot, beyond their list of operands.

namespace tern::slots {

using namespace kernels;

// The rules for most slots.
inline void adapt(const void*) {}
inline bool applies(const void*) { return true; }
inline bool reads(const void*, const Operand&) { return false; }
inline Check check(const void*, std::string_view) { return Check::kValues; }
inline double limit(const void*) { return 16; }

/// Clears pointers that only the host can follow.
inline void adapt(ConvolutionArgs* args) { args->algorithm = nullptr; }

/// Numbers of a device do not depend on a generator of the host.
template <class Args>
void set_philox(Args* args) {
  args->generator = nullptr;
  args->seed = 42;
  args->offset = 1000;
}
inline void adapt(RandomArgs* args) { set_philox(args); }
inline void adapt(SampleArgs* args) { set_philox(args); }

/// Calls that only the CPU gets.
inline bool applies(const ConvolutionArgs* args) { return args->channels_last == 0; }

/// Outputs that the kernel reads, too.
inline bool reads(const OptimArgs*, const Operand&) { return true; }
inline bool reads(const IndexArgs* args, const Operand&) { return !reads_indexed(*args); }
inline bool reads(const AdvancedIndexArgs* args, const Operand&) {
  return args->action == IndexAction::kAccumulate;
}
inline bool reads(const GemmArgs* args, const Operand&) { return args->beta != 0; }
inline bool reads(const GridSampleArgs* args, const Operand& operand) {
  return operand.pointer == args->grad_in;  // must be zero
}
inline bool reads(const BatchNormArgs* args, const Operand& operand) {
  const bool computes = args->op == BatchNormOp::kForward && args->training != 0;
  return !computes && (operand.pointer == args->mean || operand.pointer == args->variance);
}
inline bool reads(const LayerNormArgs* args, const Operand& operand) {
  return args->op == LayerNormOp::kBackward &&
         (operand.pointer == args->mean || operand.pointer == args->rstd);
}
inline bool reads(const AttentionArgs* args, const Operand& operand) {
  return args->op == AttentionOp::kBackward &&
         (operand.pointer == args->out || operand.pointer == args->logsumexp);
}
inline bool reads(const RecurrentArgs* args, const Operand& operand) {
  return operand.pointer == args->gates || operand.pointer == args->h || operand.pointer == args->c;
}

/// Scratch memory of a kernel: not compared.
inline Check check(const MultinomialArgs*, std::string_view operand) {
  return operand == "the sums" ? Check::kNothing : Check::kValues;
}

/// Vectors are unique up to their sign.
inline Check check(const LinalgArgs* args, std::string_view operand) {
  const bool has_signs =
      args->op == LinalgOp::kQr ||
      (args->op == LinalgOp::kEigh && operand == "the second output") ||
      (args->op == LinalgOp::kSvd && operand != "the output" && operand != "the info");
  return has_signs ? Check::kMagnitudes : Check::kValues;
}

/// Longer sums, and functions that lose digits, in units of the dtype's epsilon.
inline double limit(const ElementwiseArgs* args) {
  using enum ElementwiseOp;
  const bool loses_digits = args->op == lgamma || args->op == digamma || args->op == polygamma ||
                            args->op == zeta || args->op == ndtri || args->op == log_ndtr ||
                            args->op == igamma || args->op == igammac;
  return loses_digits ? 4096 : 32;
}
inline double limit(const LinalgArgs* args) {
  return args->op == LinalgOp::kEigh || args->op == LinalgOp::kSvd ? 65536 : 4096;
}
inline double limit(const SoftmaxArgs* args) { return args->grad != nullptr ? 1024 : 16; }
inline double limit(const GemmArgs*) { return 64; }
inline double limit(const ConvolutionArgs*) { return 64; }
inline double limit(const ScanArgs*) { return 256; }
inline double limit(const CdistArgs*) { return 64; }
inline double limit(const BatchNormArgs*) { return 128; }
inline double limit(const LayerNormArgs*) { return 128; }
inline double limit(const GridSampleArgs*) { return 256; }
inline double limit(const AttentionArgs* args) {
  return args->op == AttentionOp::kBackward ? 4096 : 64;  // the terms of gradients cancel
}
inline double limit(const RecurrentArgs*) { return 256; }
inline double limit(const ResampleArgs*) { return 64; }
inline double limit(const RandomArgs*) { return 64; }

/// The call of a kernel with these arguments.
template <class Args>
Call call_of(const Args& args, KernelFn reference) {
  return {SlotOf<Args>::slot,
          &args,
          sizeof(Args),
          reference,
          [](void* raw) { return operands(*static_cast<Args*>(raw)); },
          [](void* raw) { adapt(static_cast<Args*>(raw)); },
          [](const void* raw, const Operand& operand) {
            return reads(static_cast<const Args*>(raw), operand);
          },
          [](const void* raw, std::string_view operand) {
            return check(static_cast<const Args*>(raw), operand);
          },
          limit(&args)};
}

}  // namespace tern::slots
