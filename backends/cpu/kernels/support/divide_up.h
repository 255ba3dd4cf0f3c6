#pragma once

#include <cstdint>

namespace tern::cpu {

/// Returns a / b, rounded up; both must be positive.
constexpr std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace tern::cpu
