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

/// Options of nn::functional::gumbel_softmax.
struct GumbelSoftmaxFuncOptions {
  /// The temperature: the smaller, the closer the result is to one-hot.
  TERN_ARG(double, tau) = 1.0;
  /// True: the result is one-hot, with the gradient of the soft result.
  TERN_ARG(bool, hard) = false;
  /// The dimension along which the results sum to 1.
  TERN_ARG(std::int64_t, dim) = -1;
};

/// Options of nn::functional::rrelu.
struct RReLUFuncOptions {
  /// The lower bound of the slopes.
  TERN_ARG(double, lower) = 1.0 / 8;
  /// The upper bound of the slopes.
  TERN_ARG(double, upper) = 1.0 / 3;
  /// True: slopes are drawn; false: all slopes are the mean of the bounds.
  TERN_ARG(bool, training) = false;
  /// True: changes the input itself and returns it.
  TERN_ARG(bool, inplace) = false;
};
}  // namespace functional
}  // namespace tern::nn
