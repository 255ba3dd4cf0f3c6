#pragma once

#include <tern/core/tensor/tensor.h>

// Which elements are in another tensor.

namespace tern {

/// Returns true for each element that is one of `test_elements`; with `invert`, for each that is
/// not. NaN is equal to nothing. Sorts the test elements. `assume_unique` changes nothing.
///
/// Shape: the sizes of `elements`
TERN_API Tensor isin(const Tensor& elements, const Tensor& test_elements,
                     StrictBool assume_unique = false, StrictBool invert = false);
/// Does the same with one number as test element, or as element.
TERN_API Tensor isin(const Tensor& elements, const Scalar& test_element,
                     StrictBool assume_unique = false, StrictBool invert = false);
TERN_API Tensor isin(const Scalar& element, const Tensor& test_elements,
                     StrictBool assume_unique = false, StrictBool invert = false);

}  // namespace tern
