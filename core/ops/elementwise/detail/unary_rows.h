#pragma once

#include <tern/core/ops/elementwise/detail/unary.h>

// Macros that define the ops in the rows of unary.def and special.def, and their in-place forms.

#define TERN_UNARY(name, kind, cost, accuracy, loops, casts, node, saved, gradient)             \
  static Tensor name##_rule(const Tensor& g, const Tensor& saved_tensor) {                      \
    [[maybe_unused]] const Tensor& x = saved_tensor; /* if the input is saved */                \
    [[maybe_unused]] const Tensor& y = saved_tensor; /* if the result is saved */               \
    return gradient;                                                                            \
  }                                                                                             \
  Tensor name(Tensor self) { /* NOLINT(performance-unnecessary-value-param): recycled */        \
    TERN_OP(#name, self);                                                                       \
    if constexpr (detail::CastRule::casts != detail::CastRule::kUnchanged) {                    \
      TERN_AUTOCAST(kUnchanged, casts, name, self);                                             \
    }                                                                                           \
    return detail::unary(#name, node, kernels::ElementwiseOp::name, self, detail::Saved::saved, \
                         name##_rule);                                                          \
  }                                                                                             \
  Tensor& name##_(Tensor& self) {                                                               \
    TERN_OP(#name "_", self);                                                                   \
    return detail::unary_inplace(self, #name "_", node, kernels::ElementwiseOp::name,           \
                                 detail::Saved::saved, name##_rule);                            \
  }
#define TERN_FUNCTION(name, cost, accuracy, casts, node, saved, formula, reference, gradient) \
  TERN_UNARY(name, kFloat, cost, accuracy, kEvery, casts, node, saved, gradient)
#define TERN_BOUNDED_FUNCTION(name, cost, accuracy, casts, node, saved, formula, reference, \
                              gradient, test, formula_of_bounded)                           \
  TERN_UNARY(name, kFloat, cost, accuracy, kEvery, casts, node, saved, gradient)
