#pragma once

#include <tern/core/kernels/operand.h>

namespace tern::kernels {

/// Returns the operands of a normalisation of `count` elements. weight and bias have `features`
/// elements; the means, and the second statistic `spread`, have `groups` elements.
template <class Args>
Operands normalize_operands(Args& args, std::int64_t count, std::int64_t features,
                            std::int64_t groups, const char* spread_name, double*& spread) {
  return Operands()
      .add("the input", args.in, args.dtype, count)
      .add("the weight", args.weight, args.dtype, features)
      .add("the bias", args.bias, args.dtype, features)
      .add("the output", args.out, args.dtype, count)
      .add("the means", args.mean, kDouble, groups)
      .add(spread_name, spread, kDouble, groups)
      .add("the gradient", args.grad, args.dtype, count)
      .add("the input's gradient", args.grad_in, args.dtype, count)
      .add("the weight's gradient", args.grad_weight, args.dtype, features)
      .add("the bias's gradient", args.grad_bias, args.dtype, features);
}

}  // namespace tern::kernels
