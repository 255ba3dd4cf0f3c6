#pragma once

#include <cstdint>
#include <optional>

#include <tern/core/tensor/tensor.h>
#include <tern/nn/options_arg.h>

namespace tern::nn {

/// Options of BatchNorm.
struct BatchNormOptions {
  BatchNormOptions(std::int64_t num_features) : num_features_(num_features) {}
  /// The number of channels, dimension 1 of the input.
  TERN_ARG(std::int64_t, num_features);
  /// Added to the variance.
  TERN_ARG(double, eps) = 1e-5;
  /// How much of a batch goes into the running statistics; none: their plain average.
  TERN_ARG(std::optional<double>, momentum) = 0.1;
  /// Whether there are weight and bias.
  TERN_ARG(bool, affine) = true;
  /// Whether there are running statistics; without them every batch is normalised by its own.
  TERN_ARG(bool, track_running_stats) = true;
  /// Where and as what the parameters and statistics are made; the defaults unless given.
  TERN_ARG(std::optional<Device>, device);
  TERN_ARG(std::optional<ScalarType>, dtype);
};
using BatchNorm1dOptions = BatchNormOptions;

namespace functional {
/// Options of batch_norm.
struct BatchNormFuncOptions {
  TERN_ARG(Tensor, weight);
  TERN_ARG(Tensor, bias);
  /// Whether the batch's own statistics are used, and the running ones updated.
  TERN_ARG(bool, training) = false;
  TERN_ARG(double, momentum) = 0.1;
  TERN_ARG(double, eps) = 1e-5;
};
}  // namespace functional
}  // namespace tern::nn
