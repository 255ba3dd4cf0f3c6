#pragma once

#include <cstdint>

#include <tern/core/base/array_ref.h>
#include <tern/core/base/small_vector.h>
#include <tern/core/base/visibility.h>

// The shape rules that ops share. Sizes and strides count elements.

namespace tern {

/// Product of the sizes; throws ShapeError when it does not fit an int64, or a size is negative.
TERN_API std::int64_t checked_numel(IntArrayRef sizes);
/// Strides of a row-major tensor; an empty dimension counts as 1.
TERN_API DimVector contiguous_strides(IntArrayRef sizes);
/// True when the elements lie in row-major order without gaps.
TERN_API bool is_contiguous(IntArrayRef sizes, IntArrayRef strides);
/// True when the elements fill a block without gaps or overlap, in any order of dimensions.
TERN_API bool is_dense(IntArrayRef sizes, IntArrayRef strides);
/// The number of elements from the first to the last one. Throws ShapeError, which names `op`, for
/// negative strides and where elements may overlap.
TERN_API std::int64_t checked_extent(const char* op, IntArrayRef sizes, IntArrayRef strides);
/// `dim` counted from the front; throws IndexError ("Dimension out of range (expected to be in
/// range of [-2, 1], but got 2)"). A 0-d tensor has the dims 0 and -1.
TERN_API std::int64_t wrap_dim(std::int64_t dim, std::int64_t ndim);
/// Sizes after broadcasting; throws ShapeError naming both and the dimension.
TERN_API DimVector broadcast_sizes(IntArrayRef a, IntArrayRef b);
/// True when `from` broadcasts to exactly `to`.
TERN_API bool is_expandable_to(IntArrayRef from, IntArrayRef to);
/// Strides that show a tensor as `sizes` (stride 0 where it is repeated). The shapes fit.
TERN_API DimVector broadcast_strides(IntArrayRef from_sizes, IntArrayRef from_strides,
                                     IntArrayRef sizes);
/// Replaces a -1 in `sizes`; throws ShapeError ("shape '[2, 4]' is invalid for input of size 6").
TERN_API DimVector infer_sizes(IntArrayRef sizes, std::int64_t numel);
/// Strides that show the same memory as `sizes`; false when only a copy could.
TERN_API bool view_strides(IntArrayRef sizes, IntArrayRef strides, IntArrayRef new_sizes,
                           DimVector& result);
/// Strides of a dense tensor whose dimensions lie in the order of the given strides.
TERN_API DimVector dense_strides(IntArrayRef sizes, IntArrayRef strides);
/// Strides of a fresh tensor in the dimension order of a dense one; row-major otherwise.
TERN_API DimVector preserved_strides(IntArrayRef sizes, IntArrayRef strides);

}  // namespace tern
