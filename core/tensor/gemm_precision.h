#pragma once

#include <cstdint>

namespace tern::kernels {

/// The required precision of a product of float32 matrices. kMedium lets a backend round the
/// operands to bfloat16, kHigh to 10 or more fraction bits; sums stay float32. A backend may treat
/// any value as kHighest.
enum class GemmPrecision : std::int32_t { kHighest, kHigh, kMedium };

}  // namespace tern::kernels
