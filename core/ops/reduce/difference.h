#pragma once

#include <tern/core/tensor/tensor.h>

// Finite differences, and integrals by the trapezoidal rule.

namespace tern {

/// Returns the differences of neighbours along `dim`, out[j] = x[j + 1] - x[j], `n` times in a row.
/// `prepend` and `append` are joined to `self` first. bool tensors give logical_xor() of
/// neighbours. Throws Error for a negative `n`, ShapeError for a 0-d tensor and for tensors that do
/// not fit.
///
/// Shape: [a, b] -> [a, b - n] with dim = -1
TERN_API Tensor diff(const Tensor& self, StrictInt n = 1, StrictInt dim = -1,
                     const Tensor& prepend = {}, const Tensor& append = {});
/// Returns estimates of the derivatives of `input` along the dimensions `dim` (all if empty), one
/// tensor per dimension: central differences inside, one-sided differences of order `edge_order` (1
/// or 2) at both ends. `spacing` is the distance of neighbours, one for all dimensions or one for
/// each; or the vectors of coordinates, one for each dimension. Throws Error and ShapeError for
/// arguments that do not fit.
TERN_API std::vector<Tensor> gradient(const Tensor& input, const Scalar& spacing = 1,
                                      IntArrayRef dim = {}, StrictInt edge_order = 1);
TERN_API std::vector<Tensor> gradient(const Tensor& input, ArrayRef<Scalar> spacing,
                                      IntArrayRef dim = {}, StrictInt edge_order = 1);
TERN_API std::vector<Tensor> gradient(const Tensor& input, TensorList spacing, IntArrayRef dim = {},
                                      StrictInt edge_order = 1);
/// Returns the integral of `y` along `dim` by the trapezoidal rule, with samples `dx` apart or at
/// the coordinates `x`, a vector or a tensor that broadcasts. Throws NotImplementedError for bool,
/// ShapeError if `x` does not fit.
///
/// Shape: [a, b] -> [a] with dim = -1
TERN_API Tensor trapezoid(const Tensor& y, const Scalar& dx = 1, StrictInt dim = -1);
TERN_API Tensor trapezoid(const Tensor& y, const Tensor& x, StrictInt dim = -1);
/// Returns the running integrals along `dim`, with the arguments and errors of trapezoid().
///
/// Shape: [a, b] -> [a, b - 1] with dim = -1
TERN_API Tensor cumulative_trapezoid(const Tensor& y, const Scalar& dx = 1, StrictInt dim = -1);
TERN_API Tensor cumulative_trapezoid(const Tensor& y, const Tensor& x, StrictInt dim = -1);

}  // namespace tern
