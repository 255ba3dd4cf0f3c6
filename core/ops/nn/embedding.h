#pragma once

#include <optional>
#include <tuple>

#include <tern/core/tensor/tensor.h>

// Ops that look up rows of a table, and the one-hot form of an index.

namespace tern {

/// Returns the rows of the table `weight` that the integers `indices` name. The gradient adds the
/// rows of equal indices, except for `padding_idx`, whose row gets the gradient 0; with
/// `scale_grad_by_freq` it is divided by the number of times that the index occurs. Any dtype of
/// `weight`; int64 and int32 indices. Throws ShapeError unless `weight` is a matrix, DTypeError for
/// other indices, IndexError for an index out of range or below 0, and NotImplementedError if
/// `sparse` is true.
///
/// Shape: weight [rows, dim], indices [*] -> [*, dim]
TERN_API Tensor embedding(const Tensor& weight, const Tensor& indices, StrictInt padding_idx = -1,
                          StrictBool scale_grad_by_freq = false, StrictBool sparse = false);
/// Combines rows of the table `weight` in bags: bag b has the indices from offsets[b] up to the
/// next offset, and an empty bag gives zeros. `mode` is 0 for the sum, 1 for the mean and 2 for the
/// maximum of each column, where NaN wins. `per_sample_weights` has one factor per index, for sums
/// alone. With `include_last_offset` the last offset is where the last bag ends. Indices equal to
/// `padding_idx` do not count; a negative one counts from the end.
///
/// Returns the result, the bag of each index (the number of bags if the index does not count), the
/// number of indices of each bag, and the chosen row for each element of a maximum (for other modes
/// the third result again). Second derivatives exist, too.
///
/// Throws ShapeError unless `weight` is a matrix and the others are vectors of matching lengths,
/// DTypeError for indices other than int64 and int32, IndexError for an index out of range, and
/// Error on the CPU unless the offsets start at 0, do not decrease and end within `indices`.
///
/// Shape: weight [rows, dim], indices [n], offsets [bags] -> [bags, dim], [n], [bags], [bags, dim]
TERN_API std::tuple<Tensor, Tensor, Tensor, Tensor> embedding_bag(
    const Tensor& weight, const Tensor& indices, const Tensor& offsets,
    StrictBool scale_grad_by_freq = false, StrictInt mode = 0, StrictBool sparse = false,
    const Tensor& per_sample_weights = {}, StrictBool include_last_offset = false,
    std::optional<StrictInt> padding_idx = std::nullopt);
/// Returns 1 at the class that each element of the int64 `input` names, and 0 elsewhere.
/// `num_classes` = -1 stands for the largest class plus 1. Throws DTypeError unless the dtype is
/// int64, Error for a class below 0 or above the last.
///
/// Shape: [*] -> [*, num_classes]
TERN_API Tensor one_hot(const Tensor& input, StrictInt num_classes = -1);

}  // namespace tern
