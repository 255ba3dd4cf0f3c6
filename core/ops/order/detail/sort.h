#pragma once

#include <tern/core/kernels/families/order_statistics.h>
#include <tern/core/tensor/tensor.h>

// What the ops that order elements share.

namespace tern::detail {

/// Sorts along `dim`, which is counted from the front, without history. A dense tensor's values and
/// indices keep the order of its dimensions. `wants_values` and `wants_indices` say what to write;
/// the other tensor is undefined.
std::tuple<Tensor, Tensor> run_sort(const char* name, const Tensor& self, std::int64_t dim,
                                    bool descending, bool wants_values, bool wants_indices);

/// Selects one element along `dim`, which is counted from the front, or the first k of the sorted
/// ones. Returns the values and indices, without history, with `dim` kept.
std::tuple<Tensor, Tensor> run_order_statistic(const char* name, kernels::OrderStatistic op,
                                               const Tensor& self, std::int64_t dim,
                                               std::int64_t k = 0, bool largest = false);

/// Returns zeros of `sizes` with the gradients `g` in the elements that `indices` name along `dim`.
/// Without `keepdim`, `g` and `indices` lack the dimension.
Tensor put_along(const Tensor& g, IntArrayRef sizes, std::int64_t dim, const Tensor& indices,
                 bool keepdim);

/// Shares the gradient `g` of the extreme or middle element `best` evenly among the elements of `x`
/// that equal it. All NaNs are equal. The shapes broadcast, and `dims` are the reduced dimensions.
Tensor share_among_equals(const Tensor& g, const Tensor& x, const Tensor& best, IntArrayRef dims);

}  // namespace tern::detail
