#pragma once

#include <string_view>

#include <tern/core/tensor/tensor.h>

// Ops with one index per element, along one dimension.

namespace tern {

/// Picks elements along dimension `dim`: out[.., j, ..] = self[.., index[.., j, ..], ..]. `index`,
/// of int64 or int32, has the shape of the result and is nowhere larger than self, except along
/// `dim`. Throws ShapeError, DTypeError, and IndexError out of range. The gradient is dense,
/// whatever `sparse_grad` says.
TERN_API Tensor gather(const Tensor& self, StrictInt dim, const Tensor& index,
                       StrictBool sparse_grad = false);
/// Returns a copy of self with element index[.., j, ..] along dimension `dim` replaced by
/// source[.., j, ..], or by a number: where gather() with the same `index` would read. Of equal
/// indices the last one wins on the CPU. `reduce` is "add" or "multiply" and combines instead; it
/// has no gradient. Throws ShapeError, DTypeError, and IndexError out of range.
TERN_API Tensor scatter(const Tensor& self, StrictInt dim, const Tensor& index,
                        const Tensor& source);
TERN_API Tensor scatter(const Tensor& self, StrictInt dim, const Tensor& index,
                        const Scalar& value);
TERN_API Tensor scatter(const Tensor& self, StrictInt dim, const Tensor& index,
                        const Tensor& source, std::string_view reduce);
TERN_API Tensor scatter(const Tensor& self, StrictInt dim, const Tensor& index, const Scalar& value,
                        std::string_view reduce);
TERN_API Tensor& scatter_(Tensor& self, StrictInt dim, const Tensor& index, const Tensor& source);
TERN_API Tensor& scatter_(Tensor& self, StrictInt dim, const Tensor& index, const Scalar& value);
TERN_API Tensor& scatter_(Tensor& self, StrictInt dim, const Tensor& index, const Tensor& source,
                          std::string_view reduce);
TERN_API Tensor& scatter_(Tensor& self, StrictInt dim, const Tensor& index, const Scalar& value,
                          std::string_view reduce);
/// Returns a copy of self with the elements of `source` added where gather() with the same `index`
/// would read. Equal indices accumulate. Throws ShapeError, DTypeError, and IndexError out of
/// range.
TERN_API Tensor scatter_add(const Tensor& self, StrictInt dim, const Tensor& index,
                            const Tensor& source);
TERN_API Tensor& scatter_add_(Tensor& self, StrictInt dim, const Tensor& index,
                              const Tensor& source);

}  // namespace tern
