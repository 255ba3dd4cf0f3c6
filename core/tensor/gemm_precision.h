#pragma once

#include <cstdint>

namespace tern::kernels {

/// How exact a product of float32 matrices must be. kMedium lets a backend round the operands to
/// bfloat16, kHigh to 10 bits of fraction or more; sums stay float32. Any may compute as kHighest.
enum class GemmPrecision : std::int32_t { kHighest, kHigh, kMedium };

}  // namespace tern::kernels
