#pragma once

#include <tern/nn/options/options_arg.h>

namespace tern::nn {

/// Options of Dropout.
struct DropoutOptions {
  /// Sets p.
  DropoutOptions(double p = 0.5) : p_(p) {}
  /// The probability that an element becomes 0. Default: `0.5`.
  TERN_ARG(double, p);
  /// True: changes the input itself and returns it.
  TERN_ARG(bool, inplace) = false;
};

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
}  // namespace functional
}  // namespace tern::nn
