#pragma once

#include <cstdint>

#include <tern/nn/options/options_arg.h>

namespace tern::nn {

/// Options of ReLU.
struct ReLUOptions {
  /// Leaves every option at its default.
  ReLUOptions() = default;
  /// Sets inplace.
  template <class T>
  requires tern::detail::BoolArgument<T> ReLUOptions(const T& inplace)
      : inplace_(StrictBool(inplace)) {}
  /// True: changes the input itself and returns it. Default: `false`.
  TERN_ARG(bool, inplace) = false;
};

namespace functional {
/// Options of nn::functional::relu.
using ReLUFuncOptions = ReLUOptions;

/// Options of softmax and log_softmax.
struct SoftmaxFuncOptions {
  /// Sets dim.
  SoftmaxFuncOptions(std::int64_t dim) : dim_(dim) {}
  template <class T>
  requires tern::detail::kIsBool<T> SoftmaxFuncOptions(T)
  = delete;
  /// The dimension along which the results sum to 1.
  TERN_ARG(std::int64_t, dim);
};
/// Options of nn::functional::log_softmax.
using LogSoftmaxFuncOptions = SoftmaxFuncOptions;
}  // namespace functional
}  // namespace tern::nn
