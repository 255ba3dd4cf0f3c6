#pragma once

#include <cstdint>
#include <optional>

#include <tern/core/tensor/options.h>
#include <tern/nn/options_arg.h>

namespace tern::nn {

/// Options of Linear.
struct LinearOptions {
  LinearOptions(std::int64_t in_features, std::int64_t out_features)
      : in_features_(in_features), out_features_(out_features) {}
  TERN_ARG(std::int64_t, in_features);
  TERN_ARG(std::int64_t, out_features);
  /// Whether there is a bias.
  TERN_ARG(bool, bias) = true;
  /// Where and as what the parameters are made; the defaults unless given.
  TERN_ARG(std::optional<Device>, device);
  TERN_ARG(std::optional<ScalarType>, dtype);
};

/// Options of Flatten: the first and the last dimension of those that become one.
struct FlattenOptions {
  TERN_ARG(std::int64_t, start_dim) = 1;
  TERN_ARG(std::int64_t, end_dim) = -1;
};

}  // namespace tern::nn
