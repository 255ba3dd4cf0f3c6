#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <tern/core/tensor/options.h>
#include <tern/nn/options/options_arg.h>

namespace tern::nn {

/// Options of AdaptiveLogSoftmaxWithLoss.
struct AdaptiveLogSoftmaxWithLossOptions {
  /// Sets the sizes and the cutoffs.
  AdaptiveLogSoftmaxWithLossOptions(StrictInt in_features, StrictInt n_classes,
                                    std::vector<std::int64_t> cutoffs)
      : in_features_(in_features), n_classes_(n_classes), cutoffs_(std::move(cutoffs)) {}
  /// The last size of the input.
  TERN_ARG(std::int64_t, in_features);
  /// The number of classes, the frequent ones first.
  TERN_ARG(std::int64_t, n_classes);
  /// The first class of each cluster, in increasing order; the classes before belong to the head.
  TERN_ARG(std::vector<std::int64_t>, cutoffs);
  /// Cluster i, counted from 1, has in_features / div_value^i features.
  TERN_ARG(double, div_value) = 4.0;
  /// True: the head has a bias.
  TERN_ARG(bool, head_bias) = false;
  /// The device of the parameters; the default device unless given.
  TERN_ARG(std::optional<Device>, device);
  /// The dtype of the parameters; the default dtype unless given.
  TERN_ARG(std::optional<ScalarType>, dtype);
};

}  // namespace tern::nn
