#pragma once

#include <cstdint>

#include <tern/core/base/array_ref.h>
#include <tern/core/base/small_vector.h>
#include <tern/core/base/visibility.h>
#include <tern/core/tensor/memory_format.h>

// The shape rules that ops share. Sizes and strides count elements.

namespace tern {

/// Returns the product of the sizes. Throws ShapeError when a size is negative or the product
/// exceeds INT64_MAX / 8.
TERN_API std::int64_t checked_numel(IntArrayRef sizes);
/// Returns the strides of a row-major tensor. An empty dimension counts as size 1.
TERN_API DimVector contiguous_strides(IntArrayRef sizes);
/// Returns true when the elements lie in row-major order without gaps.
TERN_API bool is_contiguous(IntArrayRef sizes, IntArrayRef strides);
/// Returns true when the elements fill a block without gaps or overlap, in any order of dimensions.
TERN_API bool is_dense(IntArrayRef sizes, IntArrayRef strides);
/// Returns how many elements the memory spans from the first to the last element. Throws
/// ShapeError, whose text names `op`, for negative strides, for a span that is too large, and when
/// elements may overlap.
TERN_API std::int64_t checked_extent(const char* op, IntArrayRef sizes, IntArrayRef strides);
/// Returns `dim` counted from the front. Throws IndexError ("Dimension out of range (expected to be
/// in range of [-2, 1], but got 2)"). A 0-d tensor has the dims 0 and -1.
TERN_API std::int64_t wrap_dim(std::int64_t dim, std::int64_t ndim);
/// One flag per dimension.
using DimMask = SmallVector<bool, 5>;
/// Returns a mask of `ndim` dimensions, at least one, in which those of `dims` are marked. Throws
/// IndexError for a dimension out of range, and Error for one that is listed twice ("dim 0 appears
/// multiple times in the list of dims").
TERN_API DimMask marked_dims(IntArrayRef dims, std::int64_t ndim);
/// Returns the sizes after broadcasting. Throws ShapeError, whose text names both shapes and the
/// dimension.
TERN_API DimVector broadcast_sizes(IntArrayRef a, IntArrayRef b);
/// Returns true when `from` broadcasts to exactly `to`.
TERN_API bool is_expandable_to(IntArrayRef from, IntArrayRef to);
/// Returns the strides that broadcast a tensor to `sizes`, with stride 0 in repeated dimensions.
/// `from_sizes` must be expandable to `sizes`.
TERN_API DimVector broadcast_strides(IntArrayRef from_sizes, IntArrayRef from_strides,
                                     IntArrayRef sizes);
/// Returns `sizes` with a -1 replaced. Throws ShapeError ("shape '[2, 4]' is invalid for input of
/// size 6").
TERN_API DimVector infer_sizes(IntArrayRef sizes, std::int64_t numel);
/// Sets `result` to the strides that view the same memory as `new_sizes`. Returns false when only a
/// copy can have these sizes.
TERN_API bool view_strides(IntArrayRef sizes, IntArrayRef strides, IntArrayRef new_sizes,
                           DimVector& result);
/// Returns the dimensions from the fastest to the slowest in memory. The first of the lists of
/// strides that tells two dimensions apart decides; a stride of 0 tells nothing. As PyTorch.
TERN_API DimVector order_of_dims(IntArrayRef sizes, ArrayRef<IntArrayRef> strides);
/// Returns the strides of a dense tensor whose dimensions have this order.
TERN_API DimVector strides_in_order(IntArrayRef sizes, const DimVector& order);
/// Returns the strides of a dense tensor whose dimensions have the memory order of `strides`, as
/// PyTorch chooses them: a dimension with stride 0 stays where it is.
TERN_API DimVector dense_strides(IntArrayRef sizes, IntArrayRef strides);
/// Returns `strides` if they are dense, otherwise dense_strides(), for a copy.
TERN_API DimVector preserved_strides(IntArrayRef sizes, IntArrayRef strides);
/// Returns the strides of a new tensor in a format. Throws ShapeError for a format of another
/// number of dimensions, and Error for Preserve.
TERN_API DimVector format_strides(IntArrayRef sizes, MemoryFormat format);
/// Returns true if the elements lie in the order of the format without gaps. Strides of dimensions
/// of size 1 do not matter. Preserve counts as row-major.
TERN_API bool has_format(IntArrayRef sizes, IntArrayRef strides, MemoryFormat format);
/// Returns the format that the strides follow, perhaps with gaps; Contiguous if several fit.
TERN_API MemoryFormat suggested_format(IntArrayRef sizes, IntArrayRef strides);

}  // namespace tern
