#pragma once

#include <tern/core/tensor/tensor.h>

namespace tern {

/// Returns all choices of r elements of a 1-d tensor as rows, in the order of their indices. With
/// `with_replacement` an element may be chosen several times. Throws ShapeError for other numbers
/// of dimensions and for too many choices, Error for a negative r.
///
/// Shape: [n] -> [n! / (r! * (n - r)!), r]
TERN_API Tensor combinations(const Tensor& input, StrictInt r = 2,
                             StrictBool with_replacement = false);

}  // namespace tern
