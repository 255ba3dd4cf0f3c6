#pragma once

#include <tern/core/tensor/tensor.h>

// Ops that drop random elements in training. Unless `train` is true, they return their input. They
// throw Error unless p lies in [0, 1].

namespace tern {

/// Sets each element to 0 with probability `p` and divides the others by 1 - p. Returns the input
/// unchanged unless `train` is true. Throws Error unless p lies in [0, 1].
TERN_API Tensor dropout(const Tensor& input, double p, StrictBool train);
TERN_API Tensor& dropout_(Tensor& input, double p, StrictBool train);
/// Does the same as dropout() to whole channels: all elements of `input[n][c]` are dropped or kept
/// together. Throws Error unless the input has at least 2 dimensions.
TERN_API Tensor feature_dropout(const Tensor& input, double p, StrictBool train);
TERN_API Tensor& feature_dropout_(Tensor& input, double p, StrictBool train);
/// Sets each element to the negative saturation value of SELU with probability `p`, then scales and
/// shifts all elements so that an input of mean 0 and variance 1 keeps both (Klambauer et al.,
/// 2017). Returns the input unchanged unless `train` is true. Throws Error unless p lies in [0, 1].
TERN_API Tensor alpha_dropout(const Tensor& input, double p, StrictBool train);
TERN_API Tensor& alpha_dropout_(Tensor& input, double p, StrictBool train);
/// Does the same as alpha_dropout() to whole channels, as feature_dropout() chooses them.
TERN_API Tensor feature_alpha_dropout(const Tensor& input, double p, StrictBool train);
TERN_API Tensor& feature_alpha_dropout_(Tensor& input, double p, StrictBool train);

}  // namespace tern
