#pragma once

#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

/// What the elements of an argument must be.
enum class RequireOp : std::int32_t {
  kDivisor,      // of an integer remainder: not 0
  kProbability,  // of bernoulli: in [0, 1]
};

/// Stops with kInvalidValue unless all `count` values keep the rule; CUDA says so at the next wait.
struct RequireArgs {
  RequireOp op;
  ScalarType dtype;
  std::int64_t count;
  const void* values;
};

TERN_KERNEL_SLOT(require, RequireArgs)

inline Operands operands(RequireArgs& args) {
  return Operands().add("the values", args.values, args.dtype, args.count);
}

}  // namespace tern::kernels
