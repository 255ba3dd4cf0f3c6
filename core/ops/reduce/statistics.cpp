// Compiled for size.

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/kernels/math/math_dtype.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/ops.h>

// Covariances and histograms, composed of other ops.

namespace tern {
namespace {

// Checks the weights of cov(); `kind` is "fweights" or "aweights".
void check_observation_weights(const char* kind, const Tensor& weights, bool of_floats,
                               std::int64_t observations) {
  TERN_CHECK(weights.dim() <= 1, ShapeError, "expected ", kind,
             " to have one or fewer dimensions but got ", kind, " with ", weights.dim(),
             " dimensions, sizes ", weights.sizes());
  TERN_CHECK(weights.is_floating_point() == of_floats && weights.dtype() != kBool, DTypeError,
             "expected ", kind, " to have ", of_floats ? "floating point" : "integral",
             " dtype but got ", kind, " with ", weights.scalar_type(), " dtype");
  TERN_CHECK(weights.numel() == observations, ShapeError, "expected ", kind,
             " to have the same numel as there are observations in the input but got ",
             weights.numel(), " != ", observations);
  TERN_CHECK(observations == 0 || weights.is_meta() || (weights.detach() >= 0).all().item<bool>(),
             Error, kind, " cannot be negative");
}

Tensor weighted(const Tensor& x, const Tensor& weights) {
  return weights.defined() ? x * weights : x;
}

// Returns `factor`, or 0 if it is negative.
Tensor non_negative(const Tensor& factor) { return where(factor <= 0, zeros_like(factor), factor); }

Tensor covariance(const Tensor& self, std::int64_t correction, const Tensor& fweights,
                  const Tensor& aweights) {
  TERN_CHECK(self.dim() <= 2, ShapeError,
             "expected input to have two or fewer dimensions but got an input with ", self.dim(),
             " dimensions, sizes ", self.sizes());
  TERN_CHECK(self.dtype() != kBool, NotImplementedError,
             "bool dtype is not supported for input. Got Bool: use to(kFloat) first");
  const Tensor in = self.dim() < 2 ? self.reshape({1, -1}) : self;
  const std::int64_t observations = in.size(1);
  if (fweights.defined()) {
    check_observation_weights("fweights", fweights, false, observations);
  }
  if (aweights.defined()) {
    check_observation_weights("aweights", aweights, true, observations);
  }
  const Tensor weights = fweights.defined() && aweights.defined() ? fweights * aweights
                         : fweights.defined()                     ? fweights
                                                                  : aweights;
  if (!weights.defined()) {
    const Tensor centred = in - (in.sum(1, true) / observations);
    const std::int64_t divisor = std::max<std::int64_t>(observations - correction, 0);
    return (centred.mm(centred.t()) / divisor).squeeze();
  }
  const Tensor total = weights.sum();
  TERN_CHECK(total.is_meta() || (total.detach() != 0).item<bool>(), Error,
             "weights sum to zero, can't be normalized");
  const Tensor divisor = aweights.defined() && correction != 0
                             ? total - (weights * aweights).sum() * correction / total
                             : total - correction;
  const Tensor centred = in - weighted(in, weights).sum(1, true) / total;
  return (centred.mm(weighted(centred, weights).t()) / non_negative(divisor)).squeeze();
}

}  // namespace

Tensor cov(const Tensor& self, StrictInt correction, const Tensor& fweights,
           const Tensor& aweights) {
  TERN_OP("cov", self);
  TERN_AUTOCAST_INNER_OPS();
  detail::check_same_device("cov", {&self, &fweights, &aweights}, {"self", "fweights", "aweights"});
  return covariance(self, correction, fweights, aweights);
}

Tensor corrcoef(const Tensor& self) {
  TERN_OP("corrcoef", self);
  TERN_AUTOCAST_INNER_OPS();
  const Tensor c = covariance(self, 1, {}, {});
  if (c.dim() == 0) return c / c;  // NOLINT(misc-redundant-expression): 1, or NaN
  const Tensor deviation = sqrt(c.as_strided({c.size(0)}, {c.stride(0) + c.stride(1)}));
  return (c / deviation.unsqueeze(1) / deviation.unsqueeze(0)).clamp(-1, 1);
}

namespace {

// Returns the sums of `terms` by their int64 `index` below `count`.
Tensor sums_by_index(const Tensor& index, std::int64_t count, const Tensor& terms) {
  return zeros({count}, TensorOptions(terms.dtype()).device(terms.device()))
      .index_add(0, index, terms);
}

Tensor counts_by_index(const Tensor& index, std::int64_t count) {
  return sums_by_index(index, count, ones_like(index));
}

}  // namespace

Tensor bincount(const Tensor& self, const Tensor& weights, StrictInt minlength) {
  TERN_OP("bincount", self);
  detail::check_same_device("bincount", {&self, &weights}, {"self", "weights"});
  TERN_CHECK(!self.is_floating_point() && self.dtype() != kBool, NotImplementedError,
             "\"bincount\" not implemented for '", self.scalar_type(), '\'');
  TERN_CHECK(minlength >= 0, Error, "minlength should be >= 0, got ", std::int64_t{minlength});
  TERN_CHECK(self.dim() == 1, ShapeError,
             "bincount only supports 1-d non-negative integral inputs. Got sizes ", self.sizes());
  TERN_CHECK(!weights.defined() || (weights.dim() == 1 && weights.size(0) == self.size(0)),
             ShapeError, "weights should be 1-d and have the same length as input, got sizes ",
             weights.defined() ? weights.sizes() : IntArrayRef(), " and ", self.sizes());
  const TensorOptions options = TensorOptions(kLong).device(self.device());
  if (self.numel() == 0) return zeros({minlength}, options);
  const auto [smallest, largest] = aminmax(self);
  const auto lowest = smallest.item<std::int64_t>(), highest = largest.item<std::int64_t>();
  TERN_CHECK(lowest >= 0, Error,
             "bincount only supports 1-d non-negative integral inputs. The smallest element is ",
             lowest);
  TERN_CHECK(highest < std::numeric_limits<std::int64_t>::max(), Error,
             "the largest element is too large: ", highest);
  const std::int64_t count = std::max<std::int64_t>(highest + 1, minlength);
  const Tensor index = self.to(kLong);
  if (!weights.defined()) return counts_by_index(index, count);
  return sums_by_index(index, count, weights.dtype() == kFloat ? weights : weights.to(kDouble));
}

namespace {

struct Interval {
  double low, high;
};

// Returns the numbers around x that histc() takes as a range: x - 1 and x + 1, or the next numbers
// of T where these are equal to x.
template <class T>
Interval around(T x) {
  constexpr T kMax = std::numeric_limits<T>::max();
  return {std::min(x - 1, std::nextafter(x, -kMax)), std::max(x + 1, std::nextafter(x, kMax))};
}

// Returns the range of a histogram in the dtype of x, float32 or float64: that of the elements if
// `given` is empty. A range of one number grows at both ends, by `margin` or else by around().
Interval checked_interval(const char* name, const Tensor& x, Interval given,
                          std::optional<double> margin = std::nullopt) {
  if (x.is_meta()) return {0, 1};  // has no elements to look at
  if (given.low == given.high && x.numel() > 0) {
    const std::tuple<Tensor, Tensor> ends = aminmax(x);
    given = {std::get<0>(ends).item<double>(), std::get<1>(ends).item<double>()};
  }
  TERN_CHECK(std::isfinite(given.low) && std::isfinite(given.high), Error, name, ": range of [",
             given.low, ", ", given.high, "] is not finite");
  TERN_CHECK(given.low <= given.high, Error, name, ": max must be larger than min, got [",
             given.low, ", ", given.high, "]");
  const bool is_float = x.dtype() == kFloat;
  if (given.low == given.high && margin) {
    given = {given.low - *margin, given.high + *margin};
  } else if (given.low == given.high) {
    given = is_float ? around(static_cast<float>(given.low)) : around(given.low);
  }
  if (!is_float) return given;
  detail::check_representable(given.low, kFloat);
  detail::check_representable(given.high, kFloat);
  return {static_cast<float>(given.low), static_cast<float>(given.high)};
}

void check_histogram(const Tensor& self, std::int64_t bins) {
  TERN_CHECK(self.is_floating_point(), NotImplementedError, "\"histogram\" not implemented for '",
             self.scalar_type(), "': use to(kFloat) first");
  TERN_CHECK(bins > 0, Error, "bins must be > 0, but got ", bins);
  TERN_CHECK(bins < std::numeric_limits<std::int32_t>::max(), Error, "too many bins: ", bins);
}

// Returns the number of the equal interval in which each element lies; any number outside.
Tensor equal_bins(const Tensor& x, const Interval& range, std::int64_t bins) {
  const double most =
      x.dtype() == kFloat ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
  // `bins` has at most 31 bits, so no scaled difference or product leaves the range of the dtype.
  const bool fits = (range.high - range.low) * static_cast<double>(bins) <= most;
  const double scale = fits ? 1 : 0x1p-33, low = range.low * scale;
  const Tensor position = ((fits ? x : x * scale) - low) * bins / (range.high * scale - low);
  return where(isfinite(position), position, 0).clamp(0, bins).to(kLong).clamp_max(bins - 1);
}

Tensor is_inside(const Tensor& x, const Interval& range) {
  return logical_and(x >= range.low, x <= range.high);
}

// Adds up the weights, or counts, by `bin`; elements outside go to a bin of their own.
Tensor filled_bins(const Tensor& bin, const Tensor& inside, std::int64_t bins,
                   const Tensor& weight) {
  const Tensor index = where(inside, bin, bins);
  const Tensor sums =
      weight.defined() ? sums_by_index(index, bins + 1, weight) : counts_by_index(index, bins + 1);
  return sums.narrow(0, 0, bins);
}

}  // namespace

Tensor histc(const Tensor& self, StrictInt bins, const Scalar& min, const Scalar& max) {
  TERN_OP("histc", self);
  check_histogram(self, bins);
  const NoGradGuard no_grad;
  const Tensor x = self.detach().reshape({-1}).to(kernels::math_dtype(self.dtype()));
  const Interval range = checked_interval("torch.histc", x, {min.toDouble(), max.toDouble()});
  return filled_bins(equal_bins(x, range, bins), is_inside(x, range), bins, {}).to(self.dtype());
}

namespace {

// Returns how many of the increasing `edges` are at most x, by binary search.
Tensor edges_up_to(const Tensor& edges, const Tensor& x) {
  const std::int64_t count = edges.numel();
  Tensor found = zeros_like(x, TensorOptions(kLong));
  std::int64_t step = 1;
  while (step * 2 <= count) step *= 2;
  for (; step > 0; step /= 2) {
    const Tensor next = found + step;
    const Tensor edge = edges.index_select(0, (next - 1).clamp_max(count - 1));
    found = where(logical_and(next <= count, edge <= x), next, found);
  }
  return found;
}

// `bin` is the interval of each element between `edges`.
std::tuple<Tensor, Tensor> finished_histogram(const Tensor& bin, const Tensor& inside,
                                              const Tensor& edges, const Tensor& weight,
                                              bool density) {
  Tensor sums = filled_bins(bin, inside, edges.numel() - 1, weight).to(edges.dtype());
  if (density) sums = sums / sums.sum() / edges.diff();
  return {sums, edges};
}

// PyTorch has no histogram of narrow dtypes, whose edges would be too coarse.
void check_not_narrow(const Tensor& self) {
  TERN_CHECK(self.dtype() == kFloat || self.dtype() == kDouble, NotImplementedError,
             "\"histogram\" not implemented for '", self.scalar_type(), "': use to(kFloat) first");
}

// Returns the weights as a vector.
Tensor checked_weight(const Tensor& self, const Tensor& weight) {
  if (!weight.defined()) return {};
  TERN_CHECK(weight.sizes() == self.sizes(), ShapeError,
             "if weight tensor is provided it should have the same shape as the input tensor, got ",
             weight.sizes(), " and ", self.sizes());
  TERN_CHECK(weight.dtype() == self.dtype(), DTypeError,
             "if weight tensor is provided, input tensor and weight tensor should have the same "
             "dtype, got ",
             self.scalar_type(), " and ", weight.scalar_type());
  return weight.detach().reshape({-1});
}

}  // namespace

std::tuple<Tensor, Tensor> histogram(const Tensor& self, const Tensor& bins, const Tensor& weight,
                                     StrictBool density) {
  TERN_OP("histogram", self, bins);
  detail::check_same_device("histogram", {&self, &bins, &weight}, {"self", "bins", "weight"});
  TERN_CHECK(bins.dim() == 1 && bins.numel() > 1, ShapeError,
             "bins tensor should have one dimension and at least 2 edges, got sizes ",
             bins.sizes());
  check_not_narrow(self);
  TERN_CHECK(bins.dtype() == self.dtype(), DTypeError,
             "input tensor and bins tensors should have the same dtype, got ", self.scalar_type(),
             " and ", bins.scalar_type());
  const Tensor weights = checked_weight(self, weight);
  const NoGradGuard no_grad;
  const Tensor x = self.detach().reshape({-1}), edges = bins.detach();
  const Tensor above = edges_up_to(edges, x);
  const Tensor last = edges.select(0, -1);
  const Tensor inside = logical_and(above > 0, x <= last);
  const Tensor bin = (above - 1).clamp(0, edges.numel() - 2);
  return finished_histogram(bin, inside, edges, weights, density);
}

std::tuple<Tensor, Tensor> histogram(const Tensor& self, StrictInt bins, ArrayRef<double> range,
                                     const Tensor& weight, StrictBool density) {
  TERN_OP("histogram", self);
  detail::check_same_device("histogram", {&self, &weight}, {"self", "weight"});
  check_not_narrow(self);
  check_histogram(self, bins);
  TERN_CHECK(range.empty() || range.size() == 2, ShapeError, "range should have 2 elements, got ",
             range.size());
  const Tensor weights = checked_weight(self, weight);
  const NoGradGuard no_grad;
  const Tensor x = self.detach().reshape({-1});
  const Interval unit{0, x.numel() == 0 ? 1.0 : 0.0};  // for no elements
  const Interval interval = checked_interval(
      "torch.histogram", x, range.empty() ? unit : Interval{range[0], range[1]}, 0.5);
  const Tensor edges = linspace(interval.low, interval.high, bins + 1,
                                TensorOptions(self.dtype()).device(self.device()));
  // The rounded position may be one off.
  Tensor bin = equal_bins(x, interval, bins);
  bin = bin - (x < edges.index_select(0, bin)).to(kLong);
  bin = bin.clamp_min(0);
  bin = bin + (x >= edges.index_select(0, bin + 1)).to(kLong);
  return finished_histogram(bin.clamp_max(bins - 1), is_inside(x, interval), edges, weights,
                            density);
}

}  // namespace tern
