#pragma once

#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

/// A requirement on the elements of an argument.
enum class RequireOp : std::int32_t {
  kDivisor,      // the divisor of an integer remainder: not 0
  kProbability,  // the probability of bernoulli: in [0, 1]
};

/// Stops with kInvalidValue unless all `count` values satisfy `op`; CUDA reports it at the next
/// wait.
struct RequireArgs {
  RequireOp op;
  ScalarType dtype;  // not narrow
  std::int64_t count;
  const void* values;
};

TERN_KERNEL_SLOT(require, RequireArgs)

inline Operands operands(RequireArgs& args) {
  return Operands().add("the values", args.values, args.dtype, args.count);
}

}  // namespace tern::kernels
