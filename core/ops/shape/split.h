#pragma once

#include <vector>

#include <tern/core/tensor/tensor.h>

// Views of the parts of a tensor.

namespace tern {

/// Cuts dimension `dim` into pieces of `split_size` elements, as views; the last piece may be
/// smaller. A list gives the size of each piece, as in split_with_sizes(). All pieces share one
/// node: a recorded in-place change of a piece throws Error, and so does the use of a piece for a
/// gradient after a change of its elements.
TERN_API std::vector<Tensor> split(const Tensor& self, IntList split_size, StrictInt dim = 0);
/// Cuts dimension `dim` into pieces of the given sizes, as views. Throws ShapeError unless they sum
/// to the size of the dimension. In-place changes: see split().
TERN_API std::vector<Tensor> split_with_sizes(const Tensor& self, IntArrayRef split_sizes,
                                              StrictInt dim = 0);
/// Cuts dimension `dim` into at most `chunks` pieces of equal size, as views; the last piece may be
/// smaller. In-place changes: see split().
TERN_API std::vector<Tensor> chunk(const Tensor& self, StrictInt chunks, StrictInt dim = 0);
/// Cuts dimension `dim`, as views: a number gives that many pieces, whose sizes differ by at most 1
/// with the larger ones first; a list gives the indices at which to cut. Both may be an int64
/// tensor on the CPU. Throws Error for a number below 1.
///
/// Example:
///   x.tensor_split(3);       // the sizes of an x of 7 elements are 3, 2, 2
///   x.tensor_split({2, 3});  // x[:2], x[2:3], x[3:]
TERN_API std::vector<Tensor> tensor_split(const Tensor& self, IntList indices_or_sections,
                                          StrictInt dim = 0);
TERN_API std::vector<Tensor> tensor_split(const Tensor& self,
                                          const Tensor& tensor_indices_or_sections,
                                          StrictInt dim = 0);
/// Cuts the columns, as tensor_split() does: dimension 1, or 0 of a 1-d tensor. A number of pieces
/// must divide the size. Throws Error for a 0-d tensor.
TERN_API std::vector<Tensor> hsplit(const Tensor& self, IntList indices_or_sections);
/// Cuts the rows, dimension 0, as tensor_split() does. A number of pieces must divide the size.
/// Throws Error for fewer than two dimensions.
TERN_API std::vector<Tensor> vsplit(const Tensor& self, IntList indices_or_sections);
/// Cuts dimension 2, as tensor_split() does. A number of pieces must divide the size. Throws Error
/// for fewer than three dimensions.
TERN_API std::vector<Tensor> dsplit(const Tensor& self, IntList indices_or_sections);
/// Returns all slices of dimension `dim` as views without that dimension. In-place changes: see
/// split().
TERN_API std::vector<Tensor> unbind(const Tensor& self, StrictInt dim = 0);

}  // namespace tern
