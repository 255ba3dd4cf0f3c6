#pragma once

#include <cstdint>
#include <optional>

#include <tern/core/tensor/tensor.h>
#include <tern/nn/options/options_arg.h>

namespace tern::nn {

/// Options of BatchNorm and InstanceNorm modules. With `kDefault`, affine and track_running_stats
/// are true by default.
template <bool kDefault>
struct TERN_API ChannelNormOptions {
  /// Sets num_features.
  ChannelNormOptions(std::int64_t num_features) : num_features_(num_features) {}
  template <class T>
  requires tern::detail::kIsBool<T> ChannelNormOptions(T)
  = delete;
  /// The number of channels.
  TERN_ARG(std::int64_t, num_features);
  /// A number added to the variance.
  TERN_ARG(double, eps) = 1e-5;
  /// The weight of a batch in the running statistics. nullopt: they are the plain average over all
  /// batches; an InstanceNorm does not update them.
  TERN_ARG(std::optional<double>, momentum) = 0.1;
  /// True: the module has weight and bias. Default: `true` for BatchNorm, `false` for InstanceNorm.
  TERN_ARG(bool, affine) = kDefault;
  /// False: an affine module has no bias.
  TERN_ARG(bool, bias) = true;
  /// True: the module has running statistics. False: every batch is normalised by its own
  /// statistics. Default: `true` for BatchNorm, `false` for InstanceNorm.
  TERN_ARG(bool, track_running_stats) = kDefault;
  /// The device of parameters and statistics; the default device unless given.
  TERN_ARG(std::optional<Device>, device);
  /// The dtype of parameters and statistics; the default dtype unless given.
  TERN_ARG(std::optional<ScalarType>, dtype);
};
/// Options of BatchNorm modules.
using BatchNormOptions = ChannelNormOptions<true>;
using BatchNorm1dOptions = BatchNormOptions;
using BatchNorm2dOptions = BatchNormOptions;
using BatchNorm3dOptions = BatchNormOptions;
/// Options of InstanceNorm modules.
using InstanceNormOptions = ChannelNormOptions<false>;
using InstanceNorm1dOptions = InstanceNormOptions;
using InstanceNorm2dOptions = InstanceNormOptions;
using InstanceNorm3dOptions = InstanceNormOptions;

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

/// Options of nn::functional::instance_norm.
struct InstanceNormFuncOptions {
  /// The running mean, [C]; undefined: there is none.
  TERN_ARG(Tensor, running_mean);
  /// The running variance, [C]; undefined: there is none.
  TERN_ARG(Tensor, running_var);
  /// The factor of each channel, [C]; undefined means 1.
  TERN_ARG(Tensor, weight);
  /// The summand of each channel, [C]; undefined means 0.
  TERN_ARG(Tensor, bias);
  /// True: uses the statistics of each sample and updates the running statistics. False: uses the
  /// running statistics.
  TERN_ARG(bool, use_input_stats) = true;
  /// The weight of the batch in the running statistics.
  TERN_ARG(double, momentum) = 0.1;
  /// A number added to the variance.
  TERN_ARG(double, eps) = 1e-5;
};
}  // namespace functional
}  // namespace tern::nn
