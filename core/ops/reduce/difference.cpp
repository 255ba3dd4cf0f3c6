// Compiled for size.

#include <algorithm>

#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/ops.h>
#include <tern/core/ops/reduce/detail/reduce.h>
#include <tern/core/tensor/detail/shape.h>

// Finite differences and integrals, composed of other ops.

namespace tern {
namespace {

void check_joins(const Tensor& self, const Tensor& other, std::int64_t dim) {
  if (!other.defined()) return;
  TERN_CHECK(other.dim() == self.dim(), ShapeError,
             "diff expects prepend or append to be the same dimension as input, got ", other.dim(),
             " and ", self.dim(), " dimensions");
  for (std::int64_t d = 0; d < self.dim(); ++d) {
    TERN_CHECK(d == dim || other.size(d) == self.size(d), ShapeError,
               "diff expects the shape of tensor to prepend or append to match that of input "
               "except along the differencing dimension; input.size(",
               d, ") = ", self.size(d), ", but got tensor.size(", d, ") = ", other.size(d));
  }
}

// All elements along `dim` but the last, and all but the first.
struct Neighbours {
  Tensor left, right;

  Neighbours(const Tensor& x, std::int64_t dim) {
    const std::int64_t count = x.size(dim) - 1;
    left = x.narrow(dim, 0, std::max<std::int64_t>(count, 0));
    right = count > 0 ? x.narrow(dim, 1, count) : left.narrow(dim, 0, 0);
  }
};

}  // namespace

Tensor diff(const Tensor& self, StrictInt n, StrictInt dim, const Tensor& prepend,
            const Tensor& append) {
  TERN_OP("diff", self);
  TERN_CHECK(self.dim() > 0, ShapeError,
             "diff expects input to be at least one-dimensional (dim >= 1), got dim = 0 and sizes ",
             self.sizes());
  const std::int64_t along = wrap_dim(dim, self.dim());
  TERN_CHECK(n >= 0, Error, "order must be non-negative but got ", std::int64_t{n});
  detail::check_same_device("diff", {&self, &prepend, &append}, {"self", "prepend", "append"});
  check_joins(self, prepend, along);
  check_joins(self, append, along);
  std::vector<Tensor> parts;
  for (const Tensor* part : {&prepend, &self, &append}) {
    if (part->defined()) parts.push_back(*part);
  }
  Tensor result = parts.size() > 1 && n > 0 ? cat(parts, along) : self;
  if (n == 0) return self.clone();
  for (std::int64_t i = 0; i < n && result.size(along) > 0; ++i) {
    const Neighbours at(result, along);
    result = self.dtype() == kBool && result.dtype() == kBool ? logical_xor(at.right, at.left)
                                                              : at.right - at.left;
  }
  return result;
}

namespace {

// What one derivative is made of: the samples, a dimension of theirs, the order at the ends.
struct Derivative {
  const Tensor& f;
  std::int64_t dim, edge_order;

  // Element i of the dimension, from the end if i is negative.
  Tensor sample(std::int64_t i) const { return f.narrow(dim, i < 0 ? f.size(dim) + i : i, 1); }

  // Samples h apart.
  Tensor uniform(double h) const {
    const std::int64_t n = f.size(dim);
    const auto edge = [&](std::int64_t a, std::int64_t b, std::int64_t c) {
      return edge_order == 1 ? (sample(b) - sample(a)) / h
                             : (sample(b) * 2 - sample(a) * 1.5 - sample(c) * 0.5) / h;
    };
    const Tensor first = edge(0, 1, 2);
    // Backwards, the differences have the other sign.
    const Tensor last = edge_order == 1
                            ? (sample(-1) - sample(-2)) / h
                            : (sample(-1) * 1.5 - sample(-2) * 2 + sample(-3) * 0.5) / h;
    const Tensor middle = (f.narrow(dim, 2, n - 2) - f.narrow(dim, 0, n - 2)) / (2 * h);
    return cat({first, middle, last}, dim);
  }

  // Samples at `coordinates`. The second order differences three samples at distances p and q: the
  // derivative of the parabola through them.
  Tensor at(const Tensor& coordinates) const {
    const std::int64_t n = f.size(dim);
    DimVector shape(f.sizes());
    for (std::int64_t& size : shape) size = 1;
    shape[static_cast<std::size_t>(dim)] = n - 1;
    const Tensor h = coordinates.diff().reshape(shape);
    const Tensor p = h.narrow(dim, 0, n - 2), q = h.narrow(dim, 1, n - 2), both = p + q;
    const Tensor left = f.narrow(dim, 0, n - 2), centre = f.narrow(dim, 1, n - 2);
    const Tensor right = f.narrow(dim, 2, n - 2);
    const Tensor middle =
        left * (-q / (p * both)) + centre * ((q - p) / (p * q)) + right * (p / (q * both));
    if (edge_order == 1) {
      return cat({(sample(1) - sample(0)) / h.narrow(dim, 0, 1), middle,
                  (sample(-1) - sample(-2)) / h.narrow(dim, n - 2, 1)},
                 dim);
    }
    const auto edge = [&](std::int64_t i) {
      const auto of = [&](const Tensor& t) { return t.narrow(dim, i, 1); };
      return Triple{of(p), of(q), of(both)};
    };
    const Triple low = edge(0), high = edge(n - 3);
    const Tensor first = sample(0) * (-(low.p * 2 + low.q) / (low.p * low.both)) +
                         sample(1) * (low.both / (low.p * low.q)) +
                         sample(2) * (-low.p / (low.q * low.both));
    const Tensor last = sample(-3) * (high.q / (high.p * high.both)) +
                        sample(-2) * (-high.both / (high.p * high.q)) +
                        sample(-1) * ((high.q * 2 + high.p) / (high.q * high.both));
    return cat({first, middle, last}, dim);
  }

  struct Triple {
    Tensor p, q, both;
  };
};

// Returns the dimensions to differentiate along, after all checks. `spacings` is the number of
// spacings; 0 if one serves all dimensions.
DimVector gradient_dims(const Tensor& input, std::size_t spacings, IntArrayRef dim,
                        std::int64_t edge_order) {
  TERN_CHECK(input.dtype() != kByte, NotImplementedError,
             "torch.gradient does not support uint8 input.");
  TERN_CHECK(edge_order == 1 || edge_order == 2, Error,
             "torch.gradient only supports edge_order=1 and edge_order=2. Got ", edge_order);
  DimVector dims;
  if (dim.empty()) {
    for (std::int64_t d = 0; d < input.dim(); ++d) dims.push_back(d);
  }
  for (std::int64_t d : dim) {
    const std::int64_t wrapped = wrap_dim(d, input.dim());
    TERN_CHECK(std::find(dims.begin(), dims.end(), wrapped) == dims.end(), Error, "dim ", wrapped,
               " appears multiple times in the list of dims: ", dim);
    dims.push_back(wrapped);
  }
  TERN_CHECK(spacings == 0 || spacings == dims.size(), ShapeError,
             "torch.gradient expected one spacing for each dimension, got ", spacings,
             " spacings for ", dims.size(), " dimensions");
  for (std::int64_t d : dims) {
    TERN_CHECK(
        input.dim() > 0 && input.size(d) > edge_order, ShapeError,
        "torch.gradient expected each dimension size to be at least edge_order+1, got sizes ",
        input.sizes(), " and edge_order ", edge_order);
  }
  return dims;
}

// Returns derivative(i, rule) for each dimension i.
template <class Rule>
std::vector<Tensor> gradients_of(const Tensor& input, const DimVector& dims,
                                 std::int64_t edge_order, const Rule& rule) {
  std::vector<Tensor> result;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    result.push_back(rule(Derivative{input, dims[i], edge_order}, i));
  }
  return result;
}

}  // namespace

std::vector<Tensor> gradient(const Tensor& input, const Scalar& spacing, IntArrayRef dim,
                             StrictInt edge_order) {
  TERN_OP("gradient", input);
  return gradients_of(
      input, gradient_dims(input, 0, dim, edge_order), edge_order,
      [&](const Derivative& rule, std::size_t) { return rule.uniform(spacing.toDouble()); });
}

std::vector<Tensor> gradient(const Tensor& input, ArrayRef<Scalar> spacing, IntArrayRef dim,
                             StrictInt edge_order) {
  TERN_OP("gradient", input);
  return gradients_of(
      input, gradient_dims(input, spacing.size(), dim, edge_order), edge_order,
      [&](const Derivative& rule, std::size_t i) { return rule.uniform(spacing[i].toDouble()); });
}

std::vector<Tensor> gradient(const Tensor& input, TensorList spacing, IntArrayRef dim,
                             StrictInt edge_order) {
  TERN_OP("gradient", input);
  for (const Tensor& coordinates : spacing) detail::check_arguments("spacing", coordinates);
  const DimVector dims = gradient_dims(input, spacing.size(), dim, edge_order);
  for (std::size_t i = 0; i < spacing.size(); ++i) {
    TERN_CHECK(
        spacing[i].defined() && spacing[i].dim() == 1 && spacing[i].size(0) == input.size(dims[i]),
        ShapeError, "torch.gradient expected each element of spacing to have one dimension ",
        "with a coordinate for each of the ", input.size(dims[i]), " samples, got element ", i,
        " of sizes ", spacing[i].defined() ? spacing[i].sizes() : IntArrayRef());
  }
  return gradients_of(input, dims, edge_order,
                      [&](const Derivative& rule, std::size_t i) { return rule.at(spacing[i]); });
}

namespace {

void check_no_bool(const char* arguments, bool is_bool) {
  TERN_CHECK(!is_bool, NotImplementedError, "received a bool input for ", arguments,
             ", but bool is not supported. Got Bool: use to(kFloat) first");
}

double checked_distance(const Tensor& y, const Scalar& dx) {
  check_no_bool("`y`", y.scalar_type() == kBool);
  TERN_CHECK(!dx.is_boolean(), Error, "Currently, we only support dx as a real number.");
  return dx.toDouble();
}

// Returns the distances of the coordinates `x`, which broadcast to neighbours of `y`.
Tensor distances(const Tensor& y, const Tensor& x, std::int64_t dim) {
  check_no_bool("`x` or `y`", y.scalar_type() == kBool || x.dtype() == kBool);
  DimVector shape;
  if (x.dim() == 1) {
    TERN_CHECK(x.size(0) == y.size(dim), ShapeError,
               "There must be one `x` value for each sample point, got ", x.size(0), " values for ",
               y.size(dim), " points");
    for (std::int64_t d = 0; d < y.dim(); ++d) shape.push_back(d == dim ? x.size(0) : 1);
  } else {
    for (std::int64_t d = x.dim(); d < y.dim(); ++d) shape.push_back(1);
    for (std::int64_t size : x.sizes()) shape.push_back(size);
  }
  const Neighbours at(x.reshape(shape), dim);
  return at.right - at.left;
}

Tensor sums_of_neighbours(const Tensor& y, std::int64_t dim) {
  const Neighbours at(y, dim);
  return at.left + at.right;
}

std::int64_t integral_dim(const Tensor& y, std::int64_t dim) {
  TERN_CHECK(y.dim() > 0, IndexError, "Dimension specified as ", dim,
             " but tensor has no dimensions");
  return wrap_dim(dim, y.dim());
}

// The integral of no samples.
Tensor no_integral(const Tensor& y, std::int64_t dim) {
  return zeros_like(y.sum(dim)).to(y.dtype());
}

}  // namespace

Tensor trapezoid(const Tensor& y, const Scalar& dx, StrictInt dim) {
  TERN_OP("trapezoid", y);
  TERN_AUTOCAST_INNER_OPS();
  const std::int64_t along = integral_dim(y, dim);
  const double distance = checked_distance(y, dx);
  if (y.size(along) == 0) return no_integral(y, along);
  const Tensor ends = y.select(along, 0) + y.select(along, -1);
  return (y.sum(along) - ends * 0.5) * distance;
}

Tensor trapezoid(const Tensor& y, const Tensor& x, StrictInt dim) {
  TERN_OP("trapezoid", y, x);
  TERN_AUTOCAST_INNER_OPS();
  const std::int64_t along = integral_dim(y, dim);
  if (y.size(along) == 0) return no_integral(y, along);
  const Tensor widths = distances(y, x, along);
  return (sums_of_neighbours(y, along) * widths).sum(along) / 2;
}

Tensor cumulative_trapezoid(const Tensor& y, const Scalar& dx, StrictInt dim) {
  TERN_OP("cumulative_trapezoid", y);
  TERN_AUTOCAST_INNER_OPS();
  const std::int64_t along = integral_dim(y, dim);
  const double distance = checked_distance(y, dx);
  return (sums_of_neighbours(y, along) * (distance / 2)).cumsum(along);
}

Tensor cumulative_trapezoid(const Tensor& y, const Tensor& x, StrictInt dim) {
  TERN_OP("cumulative_trapezoid", y, x);
  TERN_AUTOCAST_INNER_OPS();
  const std::int64_t along = integral_dim(y, dim);
  const Tensor widths = distances(y, x, along);
  return (sums_of_neighbours(y, along) * widths).cumsum(along) / 2;
}

}  // namespace tern
