#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <tern/core/tensor/options.h>
#include <tern/nn/options/options_arg.h>

namespace tern::nn {

/// Options of Linear.
struct LinearOptions {
  /// Sets both sizes.
  LinearOptions(StrictInt in_features, StrictInt out_features)
      : in_features_(in_features), out_features_(out_features) {}
  /// The last size of the input.
  TERN_ARG(std::int64_t, in_features);
  /// The last size of the result.
  TERN_ARG(std::int64_t, out_features);
  /// True: the module has a bias.
  TERN_ARG(bool, bias) = true;
  /// The device of the parameters; the default device unless given.
  TERN_ARG(std::optional<Device>, device);
  /// The dtype of the parameters; the default dtype unless given.
  TERN_ARG(std::optional<ScalarType>, dtype);
};

/// Options of Bilinear.
struct BilinearOptions {
  /// Sets the sizes.
  BilinearOptions(StrictInt in1_features, StrictInt in2_features, StrictInt out_features)
      : in1_features_(in1_features), in2_features_(in2_features), out_features_(out_features) {}
  /// The last size of the first input.
  TERN_ARG(std::int64_t, in1_features);
  /// The last size of the second input.
  TERN_ARG(std::int64_t, in2_features);
  /// The last size of the result.
  TERN_ARG(std::int64_t, out_features);
  /// True: the module has a bias.
  TERN_ARG(bool, bias) = true;
  /// The device of the parameters; the default device unless given.
  TERN_ARG(std::optional<Device>, device);
  /// The dtype of the parameters; the default dtype unless given.
  TERN_ARG(std::optional<ScalarType>, dtype);
};

/// Options of Flatten.
struct FlattenOptions {
  /// The first dimension to flatten; negative numbers count from the end.
  TERN_ARG(std::int64_t, start_dim) = 1;
  /// The last dimension to flatten; negative numbers count from the end.
  TERN_ARG(std::int64_t, end_dim) = -1;
};

/// Options of Unflatten.
struct UnflattenOptions {
  /// Sets the dimension and the sizes that replace it.
  UnflattenOptions(StrictInt dim, std::vector<std::int64_t> sizes)
      : dim_(dim), sizes_(std::move(sizes)) {}
  /// The dimension to cut; negative numbers count from the end.
  TERN_ARG(std::int64_t, dim);
  /// The sizes that replace the dimension; one may be -1 and is inferred.
  TERN_ARG(std::vector<std::int64_t>, sizes);
};

}  // namespace tern::nn
