#pragma once

#include <cstdint>

#include <tern/nn/options_arg.h>

namespace tern::nn {

/// Options of ReLU.
struct ReLUOptions {
  ReLUOptions(bool inplace = false) : inplace_(inplace) {}
  /// Whether the input itself is changed.
  TERN_ARG(bool, inplace);
};

namespace functional {
using ReLUFuncOptions = ReLUOptions;

/// Options of softmax and log_softmax.
struct SoftmaxFuncOptions {
  SoftmaxFuncOptions(std::int64_t dim) : dim_(dim) {}
  /// The dimension along which the results sum to 1.
  TERN_ARG(std::int64_t, dim);
};
using LogSoftmaxFuncOptions = SoftmaxFuncOptions;
}  // namespace functional
}  // namespace tern::nn
