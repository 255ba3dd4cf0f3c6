// Compiled for size.

#include <cmath>

#include <tern/core/autograd/record.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/families/cdist.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/shape.h>

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using kernels::CdistOp;

constexpr std::int64_t kRowsForProducts = 25;  // PyTorch's number

// Runs the kernel over contiguous tensors x [batch, rows, columns] and y [batch, others, columns].
Tensor run_cdist(const char* name, CdistOp op, double p, const Tensor& x, const Tensor& y,
                 IntArrayRef sizes, const Tensor& gradient = {}, const Tensor& distances = {}) {
  Tensor out = detail::make_tensor(sizes, x.dtype(), x.device());
  if (out.numel() == 0) return out;
  TERN_CHECK(x.dtype() == kFloat || x.dtype() == kDouble, NotImplementedError,
             "not implemented for '", x.scalar_type(), "': use to(kFloat) first");
  const auto dense = [](const Tensor& t) { return t.defined() ? t.detach().contiguous() : t; };
  const Tensor a = dense(x), b = dense(y), g = dense(gradient), d = dense(distances);
  kernels::CdistArgs args{};
  args.op = op;
  args.dtype = x.dtype();
  args.p = p;
  args.columns = x.size(-1);
  args.rows = x.size(-2);
  args.others = y.size(-2);
  args.batch = 1;
  for (std::int64_t i = 0; i + 2 < x.dim(); ++i) args.batch *= x.size(i);
  args.x = a.data_ptr();
  args.y = b.data_ptr();
  args.gradient = g.defined() ? g.data_ptr() : nullptr;
  args.distances = d.defined() ? d.data_ptr() : nullptr;
  args.out = out.data_ptr();
  kernels::run(name, x.device(), x.dtype(), args);
  return out;
}

// The gradient of x for the gradient g of the distances d, of public ops: it can be differentiated.
Tensor gradient_by_ops(double p, const Tensor& x, const Tensor& y, const Tensor& d,
                       const Tensor& g) {
  if (p == 0) return zeros(x.sizes(), x.options());
  const Tensor at_zero = d.detach().eq(0);
  if (p == 2) {
    const Tensor ratio = (g / d.masked_fill(at_zero, 1)).masked_fill(at_zero, 0);
    return x * ratio.sum(-1, true) - ratio.matmul(y);
  }
  const Tensor differences = x.unsqueeze(-2) - y.unsqueeze(-3);
  const Tensor signs = differences.detach().sign(), weights = g.unsqueeze(-1);
  if (p == 1) return (weights * signs).sum(-2);
  const Tensor sizes = differences.abs(), distances = d.unsqueeze(-1);
  if (std::isinf(p)) return (weights * signs * sizes.eq(distances).to(x.dtype())).sum(-2);
  const Tensor quotients = sizes.masked_fill(sizes.detach().eq(0), 1).pow(p - 1) /
                           distances.masked_fill(at_zero.unsqueeze(-1), 1).pow(p - 1);
  return (weights * signs * quotients).masked_fill(at_zero.unsqueeze(-1), 0).sum(-2);
}

Tensor cdist_gradient(const char* name, double p, const Tensor& x, const Tensor& y, const Tensor& d,
                      const Tensor& g) {
  if (g.numel() == 0) return zeros_like(x);
  if (GradMode::is_enabled()) return gradient_by_ops(p, x, y, d, g);
  return run_cdist(name, CdistOp::kBackward, p, x, y, x.sizes(), g, d);
}

// Distances by a product of matrices: |x|^2 + |y|^2 - 2 x y. Narrow dtypes are rounded once.
Tensor distances_by_product(const Tensor& x, const Tensor& y) {
  Tensor out;
  {
    const NoGradGuard no_grad;
    const auto squares = [](const Tensor& t) { return t.square().sum(-1, true); };
    const ScalarType dtype = x.dtype() == kDouble ? kDouble : kFloat;
    const Tensor wide_x = x.detach().to(dtype), wide_y = y.detach().to(dtype);
    const Tensor a = squares(wide_x), b = squares(wide_y);
    const Tensor left = cat({wide_x * -2, a, ones_like(a)}, -1);
    const Tensor right = cat({wide_y, ones_like(b), b}, -1);
    out = left.matmul(right.mT());
    out = out.clamp_min_(0).sqrt_().to(x.dtype());
  }
  if (!needs_grad(x, y)) return out;
  const auto rule = [](bool for_x) {
    return [for_x](const Tensor& g, const Tensor& a, const Tensor& b, const Tensor& d) {
      return for_x ? gradient_by_ops(2, a, b, d, g) : gradient_by_ops(2, b, a, d.mT(), g.mT());
    };
  };
  return record("EuclideanDistBackward0", out, wrt(x, rule(true), x, y, out),
                wrt(y, rule(false), x, y, out));
}

Tensor distances_by_kernel(const Tensor& x, const Tensor& y, double p, IntArrayRef sizes) {
  Tensor out = run_cdist("cdist", CdistOp::kForward, p, x, y, sizes);
  if (!needs_grad(x, y)) return out;
  return record("CdistBackward0", out,
                wrt(
                    x,
                    [p](const Tensor& g, const Tensor& a, const Tensor& b, const Tensor& d) {
                      return cdist_gradient("cdist", p, a, b, d, g);
                    },
                    x, y, out),
                wrt(
                    y,
                    [p](const Tensor& g, const Tensor& a, const Tensor& b, const Tensor& d) {
                      return cdist_gradient("cdist", p, b, a, d.mT(), g.mT());
                    },
                    x, y, out));
}

void check_floating(const char* argument, const Tensor& x) {
  TERN_CHECK(is_floating_point(x.dtype()), DTypeError, "only supports floating-point dtypes, ",
             argument, " got: ", x.scalar_type(), " instead of Float or Double");
}

// The pairs i < j of n rows in order, as indices into an n by n matrix.
Tensor upper_indices(std::int64_t n, const TensorOptions& options) {
  const Tensor all = arange(n * n, options.dtype(kLong));
  const Tensor order = arange(n, options.dtype(kLong));
  const Tensor is_pair = order.unsqueeze(1).lt(order).flatten();
  // The k-th pair stands at the k-th true element.
  const Tensor rank = is_pair.to(kLong).cumsum(0).sub(1).masked_fill(is_pair.logical_not(), 0);
  Tensor start = zeros({n * (n - 1) / 2}, options.dtype(kLong));
  if (n < 2) return start;
  return start.scatter_add(0, rank, all.masked_fill(is_pair.logical_not(), 0));
}

}  // namespace

Tensor cdist(const Tensor& x1, const Tensor& x2, double p, std::optional<StrictInt> compute_mode) {
  TERN_OP("cdist", x1, x2);
  TERN_AUTOCAST(kFloat32, kFloat32, cdist, x1, x2, p, compute_mode);
  TERN_CHECK(x1.dim() >= 2, ShapeError, "only supports at least 2D tensors, X1 got: ", x1.dim(),
             "D");
  TERN_CHECK(x2.dim() >= 2, ShapeError, "only supports at least 2D tensors, X2 got: ", x2.dim(),
             "D");
  TERN_CHECK(x1.size(-1) == x2.size(-1), ShapeError,
             "X1 and X2 must have the same number of columns. X1: ", x1.size(-1),
             " X2: ", x2.size(-1));
  check_floating("X1", x1);
  check_floating("X2", x2);
  TERN_CHECK(x1.dtype() == x2.dtype(), DTypeError, "expected scalar type ", x1.scalar_type(),
             " but found ", x2.scalar_type());
  TERN_CHECK(p >= 0, Error, "only supports non-negative p values, got ", p);
  const std::int64_t mode = compute_mode.value_or(0);
  TERN_CHECK(mode >= 0 && mode <= 2, Error, "possible modes: 0, 1, 2, but was: ", mode);
  detail::check_same_device("cdist", {&x1, &x2}, {"x1", "x2"});
  const auto batch_of = [](const Tensor& t) { return t.sizes().slice(0, t.sizes().size() - 2); };
  DimVector sizes = broadcast_sizes(batch_of(x1), batch_of(x2));
  const auto whole = [&](const Tensor& t) {
    DimVector full = sizes;
    full.push_back(t.size(-2));
    full.push_back(t.size(-1));
    return t.expand(full);
  };
  const Tensor x = whole(x1), y = whole(x2);
  const std::int64_t rows = x1.size(-2), others = x2.size(-2);
  sizes.push_back(rows);
  sizes.push_back(others);
  const bool is_large = rows > kRowsForProducts || others > kRowsForProducts;
  if (p == 2 && x1.size(-1) > 0 && (mode == 1 || (mode == 0 && is_large))) {
    return distances_by_product(x, y).reshape(sizes);
  }
  return distances_by_kernel(x, y, p, sizes);
}

Tensor pdist(const Tensor& input, double p) {
  TERN_OP("pdist", input);
  TERN_AUTOCAST(kUnchanged, kFloat32, pdist, input, p);
  TERN_CHECK(input.dim() == 2, ShapeError, "only supports 2D tensors, got: ", input.dim(), "D");
  check_floating("input", input);
  TERN_CHECK(p >= 0, Error, "only supports non-negative p values, got ", p);
  const std::int64_t n = input.size(0);
  Tensor out = run_cdist("pdist", CdistOp::kPairs, p, input, input, {n == 0 ? 0 : n * (n - 1) / 2});
  if (!needs_grad(input)) return out;
  return record("PdistBackward0", out,
                wrt(
                    input,
                    [p](const Tensor& g, const Tensor& x, const Tensor& d) {
                      if (!GradMode::is_enabled()) {
                        return run_cdist("pdist", CdistOp::kPairsBackward, p, x, x, x.sizes(), g,
                                         d);
                      }
                      const std::int64_t rows = x.size(0);
                      const Tensor index = upper_indices(rows, x.options());
                      const auto square = [&](const Tensor& pairs) {
                        const Tensor upper = zeros({rows * rows}, pairs.options())
                                                 .index_add(0, index, pairs)
                                                 .reshape({rows, rows});
                        return upper + upper.mT();
                      };
                      return gradient_by_ops(p, x, x, square(d), square(g));
                    },
                    input, out));
}

Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, StrictInt dim, double eps) {
  TERN_OP("cosine_similarity", x1, x2);
  TERN_AUTOCAST(kUnchanged, kFloat32, cosine_similarity, x1, x2, dim, eps);
  TERN_CHECK(eps >= 0, Error, "eps must be non-negative, got: ", eps);
  const DimVector sizes = broadcast_sizes(x1.sizes(), x2.sizes());
  // As in PyTorch, a tensor without dimensions promotes like any other.
  const ScalarType dtype = promote_types(x1.dtype(), x2.dtype());
  TERN_CHECK(is_floating_point(dtype), DTypeError,
             "expected common dtype to be floating point, yet common dtype is ", dtype);
  const DimVector dims{wrap_dim(dim, static_cast<std::int64_t>(sizes.size()))};
  const auto normalized = [&](const Tensor& tensor) {
    const Tensor x = tensor.to(dtype).expand(sizes);
    Tensor length = norm(x, 2, dims, true).clone();
    {
      // As in PyTorch, the gradient does not see the bound.
      const NoGradGuard no_grad;
      length.clamp_min_(eps);
    }
    return x / length;
  };
  return (normalized(x1) * normalized(x2)).sum(dims);
}

}  // namespace tern
