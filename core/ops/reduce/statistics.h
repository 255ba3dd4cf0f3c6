#pragma once

#include <tern/core/tensor/tensor.h>

// Covariances and histograms.

namespace tern {

/// Returns the covariance matrix of variables (the rows of `self`) over observations (the columns);
/// a vector is one variable and gives its variance. Divides by the sum of weights minus
/// `correction`. The int `fweights` count how often an observation occurs, the floating `aweights`
/// tell how much it matters; both are vectors with one weight per observation. Throws ShapeError
/// and DTypeError for arguments that do not fit, Error for negative weights.
///
/// Shape: [variables, observations] -> [variables, variables]; [observations] -> []
TERN_API Tensor cov(const Tensor& self, StrictInt correction = 1, const Tensor& fweights = {},
                    const Tensor& aweights = {});
/// Returns the correlation coefficients, the covariances (see cov()) divided by the standard
/// deviations of both variables, limited to [-1, 1].
///
/// Shape: [variables, observations] -> [variables, variables]; [observations] -> []
TERN_API Tensor corrcoef(const Tensor& self);
/// Counts the elements in each of `bins` equal intervals between `min` and `max`, in the dtype of
/// `self`. The last interval contains `max`; elements outside are not counted. If `min` and `max`
/// are equal, they become the smallest and largest element. Throws Error for `bins` < 1, `max` <
/// `min` and a range that is not finite, NotImplementedError for integers. There is no gradient.
///
/// Shape: any -> [bins]
TERN_API Tensor histc(const Tensor& self, StrictInt bins = 100, const Scalar& min = 0,
                      const Scalar& max = 0);
/// Counts how often each integer from 0 on occurs in a vector of integers, or adds the `weights` of
/// its occurrences. The result has at least `minlength` elements; it is int64, with weights float32
/// for float32 and float64 otherwise. Waits for the device. Throws Error for negative integers,
/// `minlength` < 0 and weights of another shape, NotImplementedError for other dtypes.
///
/// Shape: [n] -> [max(self.max() + 1, minlength)]
TERN_API Tensor bincount(const Tensor& self, const Tensor& weights = {}, StrictInt minlength = 0);
/// Counts the elements in intervals, or adds the `weight` of each element. The intervals lie
/// between the increasing edges `bins`, or are `bins` equal ones in `range` (the smallest to the
/// largest element by default). The last interval contains its end; elements outside are not
/// counted. With `density`, divides by the total and by each width, so that the integral is 1.
/// Returns the histogram and the edges. Throws Error and ShapeError for arguments that do not fit,
/// NotImplementedError for integers. There is no gradient.
///
/// Shape: any -> [bins], [bins + 1]
TERN_API std::tuple<Tensor, Tensor> histogram(const Tensor& self, const Tensor& bins,
                                              const Tensor& weight = {},
                                              StrictBool density = false);
TERN_API std::tuple<Tensor, Tensor> histogram(const Tensor& self, StrictInt bins = 100,
                                              ArrayRef<double> range = {},
                                              const Tensor& weight = {},
                                              StrictBool density = false);
/// Counts the points in boxes, or adds the `weight` of each point. A point has the coordinates in
/// the last dimension; coordinate i is in one of the intervals of histogram() that its edges or its
/// number of bins in `bins` make. `range` has two numbers for each coordinate, by default the
/// smallest and the largest. With `density`, divides by the total and by the volume of each box.
/// Returns the histogram and the edges of each coordinate. Throws Error and ShapeError for
/// arguments that do not fit, NotImplementedError for integers, and for float16 and bfloat16
/// without a range or edges. There is no gradient.
///
/// Shape: [..., d], with weight [...] -> [bins[0], .., bins[d - 1]], d times [bins[i] + 1]
TERN_API std::tuple<Tensor, std::vector<Tensor>> histogramdd(
    const Tensor& self, IntArrayRef bins, std::optional<ArrayRef<double>> range = std::nullopt,
    const Tensor& weight = {}, StrictBool density = false);
TERN_API std::tuple<Tensor, std::vector<Tensor>> histogramdd(
    const Tensor& self, std::int64_t bins, std::optional<ArrayRef<double>> range = std::nullopt,
    const Tensor& weight = {}, StrictBool density = false);
TERN_API std::tuple<Tensor, std::vector<Tensor>> histogramdd(
    const Tensor& self, TensorList bins, std::optional<ArrayRef<double>> range = std::nullopt,
    const Tensor& weight = {}, StrictBool density = false);

}  // namespace tern
