#pragma once

#include <tern/core/ops/loss/reduction.h>

namespace tern {

/// The type of kBatchMean.
struct BatchMean {};
/// The reduction of KLDivLoss alone that divides the sum by the size of dimension 0.
constexpr BatchMean kBatchMean;

}  // namespace tern

namespace tern::nn::detail {

/// What the options of losses have.
struct ReductionOption {
  /// libtorch's name of the type of the option `reduction`.
  using reduction_t = Reduction;
};

}  // namespace tern::nn::detail
