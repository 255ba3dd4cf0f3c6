#pragma once

#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

/// A requirement on the elements of an argument.
enum class RequireOp : std::int32_t {
  kDivisor,      // the divisor of integers: not 0
  kProbability,  // the probability of bernoulli: in [0, 1]
  kDeviation,    // the standard deviation of normal: at least 0
  kRate,         // the rate of poisson: at least 0
  kWeight,       // the weight of multinomial: at least 0 and finite
  kTotal,        // the sum of multinomial's weights: more than 0
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
