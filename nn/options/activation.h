#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <tern/core/tensor/options.h>
#include <tern/nn/options/options_arg.h>

namespace tern::nn {

/// Options of activations that can only choose to work in place.
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
/// Options of SELU, ReLU6, SiLU, Mish, Hardsigmoid and Hardswish.
using SELUOptions = ReLUOptions;
using ReLU6Options = ReLUOptions;
using SiLUOptions = ReLUOptions;
using MishOptions = ReLUOptions;
using HardsigmoidOptions = ReLUOptions;
using HardswishOptions = ReLUOptions;

/// Options of ELU.
struct ELUOptions {
  /// Leaves every option at its default.
  ELUOptions() = default;
  /// Sets alpha.
  template <tern::detail::NumberArgument T>
  ELUOptions(const T& alpha) : alpha_(alpha) {}
  /// The factor of e^x - 1 for negative x. Default: `1`.
  TERN_ARG(double, alpha) = 1;
  /// True: changes the input itself and returns it.
  TERN_ARG(bool, inplace) = false;
};

/// Options of CELU.
struct CELUOptions {
  /// Leaves every option at its default.
  CELUOptions() = default;
  /// Sets alpha.
  template <tern::detail::NumberArgument T>
  CELUOptions(const T& alpha) : alpha_(alpha) {}
  /// The scale of the negative part; not 0. Default: `1`.
  TERN_ARG(double, alpha) = 1;
  /// True: changes the input itself and returns it.
  TERN_ARG(bool, inplace) = false;
};

/// Options of LeakyReLU.
struct LeakyReLUOptions {
  /// Leaves every option at its default.
  LeakyReLUOptions() = default;
  /// Sets negative_slope.
  template <tern::detail::NumberArgument T>
  LeakyReLUOptions(const T& negative_slope) : negative_slope_(negative_slope) {}
  /// The factor of negative x. Default: `0.01`.
  TERN_ARG(double, negative_slope) = 0.01;
  /// True: changes the input itself and returns it.
  TERN_ARG(bool, inplace) = false;
};

/// Options of RReLU.
struct RReLUOptions {
  /// The lower bound of the slopes.
  TERN_ARG(double, lower) = 1.0 / 8;
  /// The upper bound of the slopes.
  TERN_ARG(double, upper) = 1.0 / 3;
  /// True: changes the input itself and returns it.
  TERN_ARG(bool, inplace) = false;
};

/// Options of PReLU.
struct PReLUOptions {
  /// Leaves every option at its default.
  PReLUOptions() = default;
  /// Sets num_parameters.
  template <tern::detail::IntArgument T>
  PReLUOptions(const T& num_parameters) : num_parameters_(num_parameters) {}
  /// The number of slopes: 1, or one for each channel (dimension 1). Default: `1`.
  TERN_ARG(std::int64_t, num_parameters) = 1;
  /// The first value of each slope.
  TERN_ARG(double, init) = 0.25;
  /// The device of the slopes; the default device unless given.
  TERN_ARG(std::optional<Device>, device);
  /// The dtype of the slopes; the default dtype unless given.
  TERN_ARG(std::optional<ScalarType>, dtype);
};

/// Options of Hardtanh.
struct HardtanhOptions {
  /// The lower bound of the result.
  TERN_ARG(double, min_val) = -1;
  /// The upper bound of the result.
  TERN_ARG(double, max_val) = 1;
  /// True: changes the input itself and returns it.
  TERN_ARG(bool, inplace) = false;
};

/// Options of Hardshrink.
struct HardshrinkOptions {
  /// Leaves every option at its default.
  HardshrinkOptions() = default;
  /// Sets lambda.
  template <tern::detail::NumberArgument T>
  HardshrinkOptions(const T& lambda) : lambda_(lambda) {}
  /// Elements up to this magnitude become 0. Default: `0.5`.
  TERN_ARG(double, lambda) = 0.5;
};

/// Options of Softshrink.
struct SoftshrinkOptions {
  /// Leaves every option at its default.
  SoftshrinkOptions() = default;
  /// Sets lambda.
  template <tern::detail::NumberArgument T>
  SoftshrinkOptions(const T& lambda) : lambda_(lambda) {}
  /// Elements move towards 0 by this number, which is not negative. Default: `0.5`.
  TERN_ARG(double, lambda) = 0.5;
};

/// Options of Threshold.
struct ThresholdOptions {
  /// Sets both numbers.
  ThresholdOptions(double threshold, double value) : threshold_(threshold), value_(value) {}
  /// Elements above this number stay.
  TERN_ARG(double, threshold);
  /// The value of the others.
  TERN_ARG(double, value);
  /// True: changes the input itself and returns it.
  TERN_ARG(bool, inplace) = false;
};

/// Options of Softplus.
struct SoftplusOptions {
  /// Leaves every option at its default.
  SoftplusOptions() = default;
  /// Sets beta.
  template <tern::detail::NumberArgument T>
  SoftplusOptions(const T& beta) : beta_(beta) {}
  /// The factor of x. Default: `1`.
  TERN_ARG(double, beta) = 1;
  /// Where beta * x is above this number, the result is x.
  TERN_ARG(double, threshold) = 20;
};

/// Options of GELU.
struct GELUOptions {
  /// "none" for the exact function, "tanh" for its approximation.
  TERN_ARG(std::string, approximate) = "none";
};

/// Options of GLU.
struct GLUOptions {
  /// Leaves every option at its default.
  GLUOptions() = default;
  /// Sets dim.
  template <tern::detail::IntArgument T>
  GLUOptions(const T& dim) : dim_(dim) {}
  /// The dimension that is cut into halves. Default: `-1`.
  TERN_ARG(std::int64_t, dim) = -1;
};

/// Options of Softmax.
struct SoftmaxOptions {
  /// Sets dim.
  template <tern::detail::IntArgument T>
  SoftmaxOptions(const T& dim) : dim_(dim) {}
  /// The dimension along which the results sum to 1.
  TERN_ARG(std::int64_t, dim);
};
/// Options of Softmin and LogSoftmax.
using SoftminOptions = SoftmaxOptions;
using LogSoftmaxOptions = SoftmaxOptions;

namespace functional {
/// Options of functions; the same as those of the layers.
using ReLUFuncOptions = ReLUOptions;
using SELUFuncOptions = SELUOptions;
using ReLU6FuncOptions = ReLU6Options;
using SiLUFuncOptions = SiLUOptions;
using MishFuncOptions = MishOptions;
using HardsigmoidFuncOptions = HardsigmoidOptions;
using HardswishFuncOptions = HardswishOptions;
using ELUFuncOptions = ELUOptions;
using CELUFuncOptions = CELUOptions;
using LeakyReLUFuncOptions = LeakyReLUOptions;
using HardtanhFuncOptions = HardtanhOptions;
using HardshrinkFuncOptions = HardshrinkOptions;
using SoftshrinkFuncOptions = SoftshrinkOptions;
using ThresholdFuncOptions = ThresholdOptions;
using SoftplusFuncOptions = SoftplusOptions;
using GELUFuncOptions = GELUOptions;
using GLUFuncOptions = GLUOptions;

/// Options of softmax, softmin and log_softmax.
struct SoftmaxFuncOptions {
  /// Sets dim.
  template <tern::detail::IntArgument T>
  SoftmaxFuncOptions(const T& dim) : dim_(dim) {}
  /// The dimension along which the results sum to 1.
  TERN_ARG(std::int64_t, dim);
  /// The dtype that the input is converted to first; its own unless given.
  TERN_ARG(std::optional<ScalarType>, dtype);
};
/// Options of softmin and log_softmax.
using SoftminFuncOptions = SoftmaxFuncOptions;
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
