#pragma once

#include <cstdint>
#include <optional>

#include <tern/core/kernels/families/elementwise.h>

namespace tern::sim {

/// Computes an elementwise op on numbers. A comparison returns 0 or 1. Operands that the op does
/// not have are ignored.
double formula(kernels::ElementwiseOp op, double a, double b, double c, double scale);
std::int64_t formula(kernels::ElementwiseOp op, std::int64_t a, std::int64_t b, std::int64_t c,
                     std::int64_t scale);

/// Computes the reference that stands in the row of an op, with more digits than double has;
/// returns nothing if the row has none.
std::optional<long double> reference(kernels::ElementwiseOp op, long double a, long double b);

}  // namespace tern::sim
