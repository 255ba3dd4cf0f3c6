#pragma once

#include <cstdint>
#include <optional>

#include <tern/core/tensor/tensor.h>
#include <tern/nn/options/options_arg.h>

namespace tern::nn {

/// Options of BatchNorm modules.
struct BatchNormOptions {
  /// Sets num_features.
  BatchNormOptions(std::int64_t num_features) : num_features_(num_features) {}
  template <class T>
  requires tern::detail::kIsBool<T> BatchNormOptions(T)
  = delete;
  /// The number of channels, dimension 1 of the input.
  TERN_ARG(std::int64_t, num_features);
  /// A number added to the variance.
  TERN_ARG(double, eps) = 1e-5;
  /// The weight of a batch in the running statistics. nullopt: they are the plain average over all
  /// batches.
  TERN_ARG(std::optional<double>, momentum) = 0.1;
  /// True: the module has weight and bias.
  TERN_ARG(bool, affine) = true;
  /// True: the module has running statistics. False: every batch is normalised by its own
  /// statistics.
  TERN_ARG(bool, track_running_stats) = true;
  /// The device of parameters and statistics; the default device unless given.
  TERN_ARG(std::optional<Device>, device);
  /// The dtype of parameters and statistics; the default dtype unless given.
  TERN_ARG(std::optional<ScalarType>, dtype);
};
/// Options of BatchNorm1d.
using BatchNorm1dOptions = BatchNormOptions;

namespace functional {
/// Options of nn::functional::batch_norm.
struct BatchNormFuncOptions {
  /// The factor of each channel, [C]; undefined means 1.
  TERN_ARG(Tensor, weight);
  /// The summand of each channel, [C]; undefined means 0.
  TERN_ARG(Tensor, bias);
  /// True: uses the batch's own statistics and updates the running statistics.
  TERN_ARG(bool, training) = false;
  /// The weight of the batch in the running statistics.
  TERN_ARG(double, momentum) = 0.1;
  /// A number added to the variance.
  TERN_ARG(double, eps) = 1e-5;
};
}  // namespace functional
}  // namespace tern::nn
