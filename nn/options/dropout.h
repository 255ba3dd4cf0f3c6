#pragma once

#include <tern/nn/options/options_arg.h>

namespace tern::nn {

/// Options of the dropout layers.
struct DropoutOptions {
  /// Leaves every option at its default.
  DropoutOptions() = default;
  /// Sets p. No bool converts: true would drop everything.
  template <tern::detail::NumberArgument T>
  DropoutOptions(const T& p) : p_(p) {}
  /// The probability that an element, or a channel, is dropped. Default: `0.5`.
  TERN_ARG(double, p) = 0.5;
  /// True: changes the input itself and returns it.
  TERN_ARG(bool, inplace) = false;
};
/// Options of the other dropout layers.
using Dropout1dOptions = DropoutOptions;
using Dropout2dOptions = DropoutOptions;
using Dropout3dOptions = DropoutOptions;
using AlphaDropoutOptions = DropoutOptions;
using FeatureAlphaDropoutOptions = DropoutOptions;

namespace functional {
/// Options of nn::functional::dropout.
struct DropoutFuncOptions {
  /// The probability that an element becomes 0.
  TERN_ARG(double, p) = 0.5;
  /// False: the input is returned unchanged.
  TERN_ARG(bool, training) = true;
  /// True: changes the input itself and returns it.
  TERN_ARG(bool, inplace) = false;
};
/// Options of nn::functional::dropout1d.
using Dropout1dFuncOptions = DropoutFuncOptions;
/// Options of nn::functional::dropout2d.
using Dropout2dFuncOptions = DropoutFuncOptions;
/// Options of nn::functional::dropout3d.
using Dropout3dFuncOptions = DropoutFuncOptions;

/// Options of nn::functional::alpha_dropout.
struct AlphaDropoutFuncOptions {
  /// The probability that an element is dropped.
  TERN_ARG(double, p) = 0.5;
  /// False: the input is returned unchanged.
  TERN_ARG(bool, training) = false;
  /// True: changes the input itself and returns it.
  TERN_ARG(bool, inplace) = false;
};
/// Options of nn::functional::feature_alpha_dropout.
using FeatureAlphaDropoutFuncOptions = AlphaDropoutFuncOptions;
}  // namespace functional
}  // namespace tern::nn
