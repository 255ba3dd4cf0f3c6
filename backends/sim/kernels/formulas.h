#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include <tern/backends/sim/kernels/losses.h>
#include <tern/backends/sim/kernels/number.h>
#include <tern/backends/sim/kernels/special.h>
#include <tern/core/kernels/families/elementwise.h>

namespace tern::sim {

/// Computes an elementwise op on numbers. A comparison returns 0 or 1. Operands that the op does
/// not have are ignored.
double formula(kernels::ElementwiseOp op, double a, double b, double c, double scale);
std::int64_t formula(kernels::ElementwiseOp op, std::int64_t a, std::int64_t b, std::int64_t c,
                     std::int64_t scale);

/// Computes the reference that stands in the row of an op in elementwise.def; returns nothing if
/// the row has none. Tests take T = long double, which has more digits than the kernels.
template <class T>
std::optional<T> reference(kernels::ElementwiseOp op, T a, T b) {
  switch (op) {
#define TERN_FUNCTION(name, cost, accuracy, casts, node, saved, formula, reference, gradient) \
  case kernels::ElementwiseOp::name:                                                          \
    return static_cast<T>(reference);
#define TERN_FUNCTION_OF_TWO(name, cost, accuracy, loops, traits, formula, reference) \
  case kernels::ElementwiseOp::name:                                                  \
    return static_cast<T>(reference);
#include <tern/core/kernels/families/elementwise.def>
    default:
      return std::nullopt;
  }
}

}  // namespace tern::sim
