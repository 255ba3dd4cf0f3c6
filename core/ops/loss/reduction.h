#pragma once

#include <cstdint>

namespace tern {

/// How a loss combines the losses of its elements: not at all, by their mean, or by their sum.
enum class Reduction : std::uint8_t { None, Mean, Sum };
/// Short names of the reductions, as in libtorch.
constexpr Reduction kNone = Reduction::None;
constexpr Reduction kMean = Reduction::Mean;
constexpr Reduction kSum = Reduction::Sum;

}  // namespace tern
