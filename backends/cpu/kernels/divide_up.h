#pragma once

#include <cstdint>

namespace tern::cpu {

/// a / b, rounded up; both are positive.
constexpr std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace tern::cpu
