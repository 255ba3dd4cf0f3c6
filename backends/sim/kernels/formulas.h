#pragma once

#include <cstdint>

#include <tern/core/kernels/families/elementwise.h>

namespace tern::sim {

/// Computes an elementwise op on numbers. A comparison returns 0 or 1. Operands that the op does
/// not have are ignored.
double formula(kernels::ElementwiseOp op, double a, double b, double c, double scale);
std::int64_t formula(kernels::ElementwiseOp op, std::int64_t a, std::int64_t b, std::int64_t c,
                     std::int64_t scale);

}  // namespace tern::sim
