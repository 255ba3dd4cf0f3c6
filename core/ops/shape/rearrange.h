#pragma once

#include <tern/core/tensor/tensor.h>

// Ops that copy elements to other positions.

namespace tern {

/// Returns a copy with the order of the elements reversed along each dimension of `dims`. Throws
/// Error for a dimension that is listed twice.
///
/// Example:
///   tern::tensor({1, 2, 3}).flip(0);  // tensor([3, 2, 1])
TERN_API Tensor flip(const Tensor& self, IntArrayRef dims);
/// Reverses the columns, dimension 1; see flip(). Throws ShapeError for fewer than two dimensions.
TERN_API Tensor fliplr(const Tensor& self);
/// Reverses the rows, dimension 0; see flip(). Throws ShapeError for a 0-d tensor.
TERN_API Tensor flipud(const Tensor& self);
/// Returns a copy turned by k * 90 degrees in the plane of two dimensions, from the first towards
/// the second. Throws Error unless `dims` names two different dimensions.
///
/// Example:
///   tern::tensor({{1, 2}, {3, 4}}).rot90();  // tensor([[2, 4], [1, 3]])
TERN_API Tensor rot90(const Tensor& self, StrictInt k = 1, IntArrayRef dims = {0, 1});
/// Returns a copy with the elements moved by `shifts` along `dims`; elements that leave at the end
/// come in at the start. Without `dims`, the tensor is moved as if it were flat. Throws Error
/// unless both lists have one length.
///
/// Example:
///   tern::tensor({1, 2, 3}).roll(1);  // tensor([3, 1, 2])
TERN_API Tensor roll(const Tensor& self, IntArrayRef shifts, IntArrayRef dims = {});
/// Returns a copy that holds the tensor repeats[i] times along dimension i; there may be more
/// repeats than dimensions, for new dimensions in front. Throws ShapeError for fewer, and for a
/// negative number.
///
/// Shape: [a, b] -> [2, a, 3 * b] with repeats = {2, 1, 3}
TERN_API Tensor repeat(const Tensor& self, IntArrayRef repeats);
/// Does the same as repeat(), with ones in front of a shorter list.
TERN_API Tensor tile(const Tensor& self, IntArrayRef dims);
/// Returns a copy with each slice of dimension `dim` repeated in place, or each element of the flat
/// tensor without `dim`. `repeats` is one number, or an integer tensor with one number per slice.
/// `output_size`, if given, must be the resulting size of the dimension. Throws Error for negative
/// numbers and when sizes do not fit. A tensor `repeats` on a GPU is read by the host.
///
/// Example:
///   tern::tensor({1, 2}).repeat_interleave(2);  // tensor([1, 1, 2, 2])
TERN_API Tensor repeat_interleave(const Tensor& self, StrictInt repeats,
                                  std::optional<StrictInt> dim = std::nullopt,
                                  std::optional<StrictInt> output_size = std::nullopt);
TERN_API Tensor repeat_interleave(const Tensor& self, const Tensor& repeats,
                                  std::optional<StrictInt> dim = std::nullopt,
                                  std::optional<StrictInt> output_size = std::nullopt);
/// Returns index i repeats[i] times, for each i, as a 1-d int64 tensor. Throws Error unless
/// `repeats` is a 1-d tensor of int32 or int64 without negative numbers.
///
/// Example:
///   repeat_interleave(tern::tensor({1, 0, 2}));  // tensor([0, 2, 2])
TERN_API Tensor repeat_interleave(const Tensor& repeats);

}  // namespace tern
