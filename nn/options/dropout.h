#pragma once

#include <tern/nn/options_arg.h>

namespace tern::nn {

/// Options of Dropout.
struct DropoutOptions {
  DropoutOptions(double p = 0.5) : p_(p) {}
  /// The probability that an element becomes zero.
  TERN_ARG(double, p);
  /// Whether the input itself is changed.
  TERN_ARG(bool, inplace) = false;
};

namespace functional {
/// Options of dropout.
struct DropoutFuncOptions {
  TERN_ARG(double, p) = 0.5;
  /// Whether anything is dropped at all.
  TERN_ARG(bool, training) = true;
  TERN_ARG(bool, inplace) = false;
};
}  // namespace functional
}  // namespace tern::nn
