// Compiled for size.

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/kernels/math/math_dtype.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/ops.h>

// Histograms, composed of other ops.

namespace tern {
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

// The interval of each element, whether it lies in one, and the edges of the intervals.
struct Binned {
  Tensor bin, inside, edges;
};

Binned binned_by(const Tensor& x, const Tensor& edges) {
  const Tensor above = edges_up_to(edges, x);
  const Tensor inside = logical_and(above > 0, x <= edges.select(0, -1));
  return {(above - 1).clamp(0, edges.numel() - 2), inside, edges};
}

Binned binned_evenly(const Tensor& x, std::int64_t bins, const Interval& range) {
  const Tensor edges =
      linspace(range.low, range.high, bins + 1, TensorOptions(x.dtype()).device(x.device()));
  // The rounded position may be one off.
  Tensor bin = equal_bins(x, range, bins);
  bin = bin - (x < edges.index_select(0, bin)).to(kLong);
  bin = bin.clamp_min(0);
  bin = bin + (x >= edges.index_select(0, bin + 1)).to(kLong);
  return {bin.clamp_max(bins - 1), is_inside(x, range), edges};
}

std::tuple<Tensor, Tensor> finished_histogram(const Binned& binned, const Tensor& weight,
                                              bool density) {
  const Tensor& edges = binned.edges;
  Tensor sums = filled_bins(binned.bin, binned.inside, edges.numel() - 1, weight).to(edges.dtype());
  if (density) sums = sums / sums.sum() / edges.diff();
  return {sums, edges};
}

// PyTorch has no histogram of narrow dtypes, whose edges would be too coarse.
void check_not_narrow(const Tensor& self) {
  TERN_CHECK(self.dtype() == kFloat || self.dtype() == kDouble, NotImplementedError,
             "\"histogram\" not implemented for '", self.scalar_type(), "': use to(kFloat) first");
}

void check_edges(const Tensor& self, const Tensor& bins) {
  detail::check_same_device("histogram", {&self, &bins}, {"self", "bins"});
  TERN_CHECK(bins.dim() == 1 && bins.numel() > 1, ShapeError,
             "bins tensor should have one dimension and at least 2 edges, got sizes ",
             bins.sizes());
  TERN_CHECK(bins.dtype() == self.dtype(), DTypeError,
             "input tensor and bins tensors should have the same dtype, got ", self.scalar_type(),
             " and ", bins.scalar_type());
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
  detail::check_same_device("histogram", {&self, &weight}, {"self", "weight"});
  check_not_narrow(self);
  check_edges(self, bins);
  const Tensor weights = checked_weight(self, weight);
  const NoGradGuard no_grad;
  const Tensor x = self.detach().reshape({-1}), edges = bins.detach();
  return finished_histogram(binned_by(x, edges), weights, density);
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
  return finished_histogram(binned_evenly(x, bins, interval), weights, density);
}

namespace {

using ManyEdges = std::tuple<Tensor, std::vector<Tensor>>;

void check_points(const Tensor& self, std::size_t bins) {
  TERN_CHECK(self.dim() >= 2, ShapeError,
             "torch.histogramdd: input tensor should have at least 2 dimensions, got sizes ",
             self.sizes());
  TERN_CHECK(static_cast<std::int64_t>(bins) == self.size(-1), ShapeError,
             "torch.histogramdd: The size of bins must be equal to the innermost dimension of the "
             "input, got ",
             bins, " and ", self.size(-1));
}

// Returns the histogram of points. binned(x, i) bins the coordinates x number i.
template <class Bin>
ManyEdges histogram_of_points(const Tensor& self, const Tensor& weight, bool density,
                              const Bin& binned) {
  detail::check_same_device("histogramdd", {&self, &weight}, {"self", "weight"});
  const std::int64_t d = self.size(-1);
  Tensor weights;
  if (weight.defined()) {
    // The weights have the sizes of a coordinate of all points.
    weights = d == 0 ? weight.detach().reshape({-1}) : checked_weight(self.select(-1, 0), weight);
  }
  const NoGradGuard no_grad;
  const Tensor points = self.detach().reshape(
      {checked_numel(self.sizes().slice(0, static_cast<std::size_t>(self.dim() - 1))), d});
  Tensor bin = zeros({points.size(0)}, TensorOptions(kLong).device(self.device()));
  Tensor inside = full_like(bin, d > 0, TensorOptions(kBool));
  std::vector<std::int64_t> sizes;
  std::vector<Tensor> edges;
  for (std::int64_t i = 0; i < d; ++i) {
    const Binned one = binned(points.select(1, i), i);
    sizes.push_back(one.edges.numel() - 1);
    edges.push_back(one.edges);
    bin = bin * sizes.back() + one.bin;
    inside = logical_and(inside, one.inside);
  }
  Tensor sums =
      filled_bins(bin, inside, checked_numel(sizes), weights).to(self.dtype()).reshape(sizes);
  if (density) sums = sums / sums.sum();
  for (std::int64_t i = 0; density && i < d; ++i) {
    std::vector<std::int64_t> along(static_cast<std::size_t>(d), 1);
    along[static_cast<std::size_t>(i)] = -1;
    sums = sums / edges[static_cast<std::size_t>(i)].diff().reshape(along);
  }
  return {sums, edges};
}

}  // namespace

ManyEdges histogramdd(const Tensor& self, IntArrayRef bins, std::optional<ArrayRef<double>> range,
                      const Tensor& weight, StrictBool density) {
  TERN_OP("histogramdd", self);
  check_points(self, bins.size());
  if (!range) check_not_narrow(self);
  TERN_CHECK(!range || range->size() == 2 * bins.size(), ShapeError, "torch.histogramdd: for a ",
             bins.size(), "-dimensional histogram range should have ", 2 * bins.size(),
             " elements, but got ", range ? range->size() : 0);
  for (const std::int64_t count : bins) check_histogram(self, count);
  return histogram_of_points(self, weight, density, [&](const Tensor& x, std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    Interval given{0, x.numel() == 0 ? 1.0 : 0.0};  // for no points
    if (range) given = {(*range)[2 * at], (*range)[2 * at + 1]};
    if (range && given.low == given.high) given = {given.low - 0.5, given.high + 0.5};
    const Interval interval = checked_interval("torch.histogramdd", x, given, 0.5);
    if (x.dtype() == kFloat || x.dtype() == kDouble) return binned_evenly(x, bins[at], interval);
    return binned_by(x, linspace(interval.low, interval.high, bins[at] + 1, x.options()));
  });
}

ManyEdges histogramdd(const Tensor& self, std::int64_t bins, std::optional<ArrayRef<double>> range,
                      const Tensor& weight, StrictBool density) {
  TERN_OP("histogramdd", self);
  const std::size_t coordinates = self.dim() < 2 ? 0 : static_cast<std::size_t>(self.size(-1));
  return histogramdd(self, std::vector<std::int64_t>(coordinates, bins), range, weight, density);
}

ManyEdges histogramdd(const Tensor& self, TensorList bins,
                      std::optional<ArrayRef<double>> /*range*/, const Tensor& weight,
                      StrictBool density) {
  TERN_OP("histogramdd", self);
  check_points(self, bins.size());
  TERN_CHECK(self.is_floating_point(), NotImplementedError, "\"histogramdd\" not implemented for '",
             self.scalar_type(), "': use to(kFloat) first");
  for (const Tensor& edges : bins) check_edges(self, edges);
  return histogram_of_points(self, weight, density, [&](const Tensor& x, std::int64_t i) {
    return binned_by(x, bins[static_cast<std::size_t>(i)].detach());
  });
}

}  // namespace tern
