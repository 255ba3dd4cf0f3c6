#pragma once

#include <string_view>

#include <tern/core/tensor/tensor.h>

// Ops that order elements: sorting, selection, quantiles, search in sorted tensors, unique
// elements. NaN is larger than every number, and -0 equals 0.

namespace tern {

/// Sorts along `dim` and returns the sorted values and their int64 indices in `self`. Equal
/// elements keep their order, with and without `stable`. NaN is the largest element. Throws
/// IndexError for a dimension out of range.
///
/// A bool as second argument is `stable`, an integer is a dimension: `sort(x, true)`, `sort(x, 0)`.
///
/// Example:
///   const auto [values, indices] = tern::tensor({3, 1, 2}).sort();  // [1, 2, 3], [1, 2, 0]
TERN_API std::tuple<Tensor, Tensor> sort(const Tensor& self, StrictInt dim = -1,
                                         StrictBool descending = false);
TERN_API std::tuple<Tensor, Tensor> sort(const Tensor& self, std::optional<StrictBool> stable,
                                         StrictInt dim = -1, StrictBool descending = false);
/// Returns the indices that sort() returns, with the same arguments.
TERN_API Tensor argsort(const Tensor& self, StrictInt dim = -1, StrictBool descending = false);
TERN_API Tensor argsort(const Tensor& self, std::optional<StrictBool> stable, StrictInt dim = -1,
                        StrictBool descending = false);
/// Returns the values sorted along the first dimension.
TERN_API Tensor msort(const Tensor& self);
/// Returns the k largest elements along `dim`, or the k smallest ones, and their int64 indices. The
/// result is always sorted, the most extreme element first; of equal elements the first ones are
/// chosen. Throws Error for a k out of range, NotImplementedError for bool.
///
/// Shape: [a, b] -> [a, k]
TERN_API std::tuple<Tensor, Tensor> topk(const Tensor& self, StrictInt k, StrictInt dim = -1,
                                         StrictBool largest = true, StrictBool sorted = true);
/// Returns the k-th smallest element along `dim`, with k from 1 on, and its int64 index. Throws
/// Error for a k out of range, IndexError for an empty dimension, NotImplementedError for bool.
TERN_API std::tuple<Tensor, Tensor> kthvalue(const Tensor& self, StrictInt k, StrictInt dim = -1,
                                             StrictBool keepdim = false);
/// Returns the median, the lower one of two; NaN if an element is NaN. Without `dim` of all
/// elements: equal ones share the gradient, and an empty tensor gives NaN, or the smallest number
/// of an integral dtype. With `dim` returns the medians and their int64 indices. Throws IndexError
/// for an empty dimension, NotImplementedError for bool.
TERN_API Tensor median(const Tensor& self);
TERN_API std::tuple<Tensor, Tensor> median(const Tensor& self, StrictInt dim,
                                           StrictBool keepdim = false);
/// Returns the median of the elements that are not NaN (see median()); NaN if there are none.
TERN_API Tensor nanmedian(const Tensor& self);
TERN_API std::tuple<Tensor, Tensor> nanmedian(const Tensor& self, StrictInt dim,
                                              StrictBool keepdim = false);
/// Returns the most frequent element along `dim`, the smallest of several, and the int64 index
/// where it occurs last. Each NaN counts alone. Throws IndexError for an empty dimension.
TERN_API std::tuple<Tensor, Tensor> mode(const Tensor& self, StrictInt dim = -1,
                                         StrictBool keepdim = false);

/// Returns the quantile q of all elements or along `dim`: the element at rank q (n - 1) of the n
/// sorted elements. Between two ranks, `interpolation` says which value to take: "linear", "lower",
/// "higher", "midpoint" or "nearest". NaN if an element is NaN. A 1-d `q` of the same dtype gives
/// its quantiles along a new first dimension. Throws Error for q outside of [0, 1], an empty
/// tensor, and dtypes other than float32 and float64.
///
/// Shape: [a, b] -> [a] with dim = 1, [c, a] for c quantiles
TERN_API Tensor quantile(const Tensor& self, double q, std::optional<StrictInt> dim = std::nullopt,
                         StrictBool keepdim = false, std::string_view interpolation = "linear");
TERN_API Tensor quantile(const Tensor& self, const Tensor& q,
                         std::optional<StrictInt> dim = std::nullopt, StrictBool keepdim = false,
                         std::string_view interpolation = "linear");
/// Returns the quantile of the elements that are not NaN (see quantile()); NaN if there are none.
TERN_API Tensor nanquantile(const Tensor& self, double q,
                            std::optional<StrictInt> dim = std::nullopt, StrictBool keepdim = false,
                            std::string_view interpolation = "linear");
TERN_API Tensor nanquantile(const Tensor& self, const Tensor& q,
                            std::optional<StrictInt> dim = std::nullopt, StrictBool keepdim = false,
                            std::string_view interpolation = "linear");

/// Returns the int64 index in the last dimension of `sorted_sequence` at which each value would be
/// inserted to keep the order: before equal elements, or behind them with `right` or side "right".
/// With `out_int32` the indices are int32. `sorter`, an int64 tensor of the same sizes, names the
/// elements in sorted order if the sequence is not sorted itself. Throws ShapeError when sizes do
/// not fit, IndexError for a sorter index out of range, Error for a wrong side.
///
/// Shape: [n], [a, b] -> [a, b]; or [a, n], [a, b] -> [a, b], row by row
TERN_API Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& input,
                             StrictBool out_int32 = false, StrictBool right = false,
                             std::optional<std::string_view> side = std::nullopt,
                             const Tensor& sorter = {});
TERN_API Tensor searchsorted(const Tensor& sorted_sequence, const Scalar& input,
                             StrictBool out_int32 = false, StrictBool right = false,
                             std::optional<std::string_view> side = std::nullopt,
                             const Tensor& sorter = {});
/// Returns the index of the bucket of each value: searchsorted() in the 1-d `boundaries`.
TERN_API Tensor bucketize(const Tensor& input, const Tensor& boundaries,
                          StrictBool out_int32 = false, StrictBool right = false);
TERN_API Tensor bucketize(const Scalar& input, const Tensor& boundaries,
                          StrictBool out_int32 = false, StrictBool right = false);

/// Returns the unique elements of the whole tensor, always sorted; with `return_inverse` for each
/// element the index of its equal among them, with the sizes of `self`; and with `return_counts`
/// how often each one occurs. What is not asked for is an empty int64 tensor. Each NaN is unique.
/// On a GPU this waits for the number of elements.
///
/// Example:
///   std::get<0>(tern::tensor({2, 1, 2}).unique());  // [1, 2]
TERN_API std::tuple<Tensor, Tensor, Tensor> unique(const Tensor& self, StrictBool sorted = true,
                                                   StrictBool return_inverse = false,
                                                   StrictBool return_counts = false);
/// Returns the unique slices of dimension `dim` in lexicographic order, and the same further
/// results as unique().
TERN_API std::tuple<Tensor, Tensor, Tensor> unique_dim(const Tensor& input, StrictInt dim,
                                                       StrictBool sorted = true,
                                                       StrictBool return_inverse = false,
                                                       StrictBool return_counts = false);
/// Returns the tensor with only the first one of equal neighbours, of all elements or of the
/// slices of dimension `dim`, and the same further results as unique().
TERN_API std::tuple<Tensor, Tensor, Tensor> unique_consecutive(
    const Tensor& self, StrictBool return_inverse = false, StrictBool return_counts = false,
    std::optional<StrictInt> dim = std::nullopt);

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
