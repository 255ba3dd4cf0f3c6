#include <tern/core/autograd/record.h>
#include <tern/core/kernels/math/math_dtype.h>
#include <tern/core/ops/common/detail/inplace.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/linalg/detail/product.h>
#include <tern/core/ops/ops.h>

// Products that are added to a tensor.

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;

// Returns a factor of matrices of `dtype`, truncated for integers.
Scalar factor_in(ScalarType dtype, const Scalar& factor) {
  // Products of float16 and bfloat16 are scaled in float32.
  detail::check_representable(factor,
                              is_floating_point(dtype) ? kernels::math_dtype(dtype) : dtype);
  return is_floating_point(dtype) ? factor : Scalar(factor.toLong());
}

bool is_zero(const Scalar& factor) { return factor == Scalar(0); }

// The sum beta * input + alpha * a b of matrices or of batches of matrices.
struct WeightedSum {
  const char* name;
  Scalar beta, alpha;

  WeightedSum(const char* op, ScalarType dtype, const Scalar& beta_given, const Scalar& alpha_given)
      : name(op), beta(factor_in(dtype, beta_given)), alpha(factor_in(dtype, alpha_given)) {}

  // Computes the sum without history. `out`, if defined, receives it: the tensor `input` itself.
  Tensor operator()(const Tensor& input, const Tensor& a, const Tensor& b,
                    const Tensor& out) const {
    const NoGradGuard no_grad;
    const bool is_batch = a.dim() == 3;
    DimVector sizes(a.sizes());
    sizes.back() = b.sizes().back();
    check_in_place(input, out, sizes);
    const Tensor start = expand(input.detach(), sizes);
    const bool reuses = out.defined() && out.is_contiguous() &&
                        out.self().storage != a.self().storage &&
                        out.self().storage != b.self().storage;
    Tensor sum =
        reuses ? detail::make_alias(out) : detail::make_tensor(sizes, a.dtype(), a.device());
    if (!is_zero(beta) && !reuses) sum.copy_(start);
    if (is_zero(alpha)) {  // 0 ignores even NaN, as does beta
      is_zero(beta) ? sum.zero_() : sum.mul_(beta);
    } else {
      detail::multiply({name, nullptr, alpha.toDouble(), beta.toDouble()}, a,
                       is_batch ? a.strides()[0] : 0, b, is_batch ? b.strides()[0] : 0,
                       is_batch ? sizes[0] : 1, sum);
    }
    if (!out.defined() || reuses) return sum;
    detail::copy_elements(out, sum);
    return out;
  }

  static void check_in_place(const Tensor& input, const Tensor& out, IntArrayRef sizes) {
    TERN_CHECK(!out.defined() || input.sizes() == sizes, ShapeError,
               "Bad in-place call: input tensor size ", input.sizes(), " and output tensor size ",
               sizes, " should match");
  }
};

// The result of an in-place form must have the sizes of `self`, also if it is recorded.
const Tensor& checked_sizes(const Tensor& self, const Tensor& result) {
  WeightedSum::check_in_place(self, result, result.sizes());
  return result;
}

void check_addmm(const Tensor& self, const Tensor& a, const Tensor& b) {
  detail::check_matrix("mat1", a);
  detail::check_matrix("mat2", b);
  detail::check_same_device("addmm", {&self, &a, &b}, {"self", "mat1", "mat2"});
  detail::check_same_dtype_of_matrices(a, b);
  TERN_CHECK(self.dtype() == a.dtype(), DTypeError,
             "self and mat2 must have the same dtype, but got ", self.scalar_type(), " and ",
             b.scalar_type());
  detail::check_inner_sizes(a, b);
}

Tensor addmm_into(const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& beta_given,
                  const Scalar& alpha_given, const Tensor& into) {
  check_addmm(self, a, b);
  const WeightedSum sum("addmm", a.dtype(), beta_given, alpha_given);
  Tensor out = sum(self, a, b, into);
  if (!needs_grad(self, a, b)) return out;
  const auto beta = sum.beta, alpha = sum.alpha;
  return record(
      "AddmmBackward0", out, wrt(self, [beta](const Tensor& g) { return g * beta; }),
      wrt(
          a, [alpha](const Tensor& g, const Tensor& y) { return g.mm(y.t()) * alpha; }, b),
      wrt(
          b, [alpha](const Tensor& g, const Tensor& x) { return x.t().mm(g) * alpha; }, a));
}

Tensor addmv_into(const Tensor& self, const Tensor& mat, const Tensor& vec,
                  const Scalar& beta_given, const Scalar& alpha_given, const Tensor& into) {
  TERN_CHECK(mat.dim() == 2 && vec.dim() == 1 && self.dim() <= 1, ShapeError,
             "vector + matrix @ vector expected, got ", self.dim(), ", ", mat.dim(), ", ",
             vec.dim());
  detail::check_same_device("addmv", {&self, &mat, &vec}, {"self", "mat", "vec"});
  const std::int64_t rows = mat.size(0);
  TERN_CHECK(mat.size(1) == vec.size(0) && (self.numel() == rows || self.numel() == 1), ShapeError,
             "size mismatch, got input (", self.dim() == 0 ? 1 : self.size(0), "), mat (", rows,
             "x", mat.size(1), "), vec (", vec.size(0), ")");
  TERN_CHECK(self.dtype() == mat.dtype() && mat.dtype() == vec.dtype(), DTypeError,
             "addmv input tensors must have the same dtype, but got ", self.scalar_type(), ", ",
             mat.scalar_type(), ", and ", vec.scalar_type());
  const WeightedSum sum("addmv", mat.dtype(), beta_given, alpha_given);
  WeightedSum::check_in_place(self, into, {rows});
  const auto column = [](const Tensor& x) { return x.detach().unsqueeze(-1); };
  Tensor out = into;
  if (into.defined()) {
    sum(column(self), mat, column(vec), column(into));
  } else {
    out =
        detail::with_sizes(sum(column(self.detach().expand({rows})), mat, column(vec), {}), {rows});
  }
  if (!needs_grad(self, mat, vec)) return out;
  const auto beta = sum.beta, alpha = sum.alpha;
  return record(
      "AddmvBackward0", out, wrt(self, [beta](const Tensor& g) { return g * beta; }),
      wrt(
          mat, [alpha](const Tensor& g, const Tensor& v) { return g.outer(v) * alpha; }, vec),
      wrt(
          vec, [alpha](const Tensor& g, const Tensor& a) { return a.t().mv(g) * alpha; }, mat));
}

// Bool has no sums: true where self or a product is true.
Tensor addr_of_bool(const Tensor& self, const Tensor& products, const Scalar& beta,
                    const Scalar& alpha) {
  const Tensor none = zeros({}, self.options());
  const Tensor first = is_zero(beta) ? none : self, second = is_zero(alpha) ? none : products;
  return first.logical_or(second).expand(products.sizes()).contiguous();
}

Tensor addr_into(const Tensor& self, const Tensor& vec1, const Tensor& vec2, const Scalar& beta,
                 const Scalar& alpha, const Tensor& into) {
  TERN_CHECK(vec1.dim() == 1, ShapeError, "Expected 1-D argument vec1, but got ", vec1.dim(), "-D");
  TERN_CHECK(vec2.dim() == 1, ShapeError, "Expected 1-D argument vec2, but got ", vec2.dim(), "-D");
  detail::check_same_device("addr", {&self, &vec1, &vec2}, {"self", "vec1", "vec2"});
  TERN_CHECK(!into.defined() || self.dim() == 2, ShapeError, "2D tensor expected, got ", self.dim(),
             "D tensor for input");
  const ScalarType dtype = detail::result_type({self, vec1, vec2});
  for (const auto& [name, factor] : {std::pair("beta", &beta), std::pair("alpha", &alpha)}) {
    TERN_CHECK(dtype == kBool || !factor->is_boolean(), DTypeError, "Boolean ", name,
               " only supported for Boolean results, got a result of ", dtype);
    TERN_CHECK(is_floating_point(dtype) || !factor->is_floating_point(), DTypeError,
               "For integral input tensors, argument ", name,
               " must not be a floating point number.");
  }
  const DimVector sizes{vec1.size(0), vec2.size(0)};
  Tensor out;
  {
    const NoGradGuard no_grad;
    const Tensor start = self.detach().expand(sizes), column = vec1.detach().unsqueeze(1);
    const Tensor row = vec2.detach();
    if (dtype == kBool) {
      out = addr_of_bool(start, column.logical_and(row), beta, alpha);
    } else if (is_zero(beta)) {  // 0 ignores even NaN
      out = (column.to(dtype) * alpha).mul(row);
    } else {
      const Tensor scaled = beta == Scalar(1) ? start : start.to(dtype) * beta;
      out = addcmul(scaled, column.to(dtype), row.to(dtype), alpha);
    }
    if (into.defined()) {
      TERN_CHECK(can_cast(dtype, into.dtype()), DTypeError, "result type ", dtype,
                 " can't be cast to the desired output type ", into.scalar_type());
      detail::copy_elements(into, out);
      out = into;
    }
  }
  if (!needs_grad(self, vec1, vec2)) return out;
  return record(
      "AddrBackward0", out, wrt(self, [beta](const Tensor& g) { return g * beta; }),
      wrt(
          vec1, [alpha](const Tensor& g, const Tensor& v) { return g.mv(v.to(g.dtype())) * alpha; },
          vec2),
      wrt(
          vec2,
          [alpha](const Tensor& g, const Tensor& v) { return g.t().mv(v.to(g.dtype())) * alpha; },
          vec1));
}

void check_batches(const Tensor& batch1, const Tensor& batch2) {
  TERN_CHECK(batch1.dim() == 3, ShapeError, "batch1 must be a 3D tensor");
  TERN_CHECK(batch2.dim() == 3, ShapeError, "batch2 must be a 3D tensor");
}

Tensor baddbmm_into(const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                    const Scalar& beta_given, const Scalar& alpha_given, const Tensor& into) {
  check_batches(batch1, batch2);
  detail::check_same_device("baddbmm", {&self, &batch1, &batch2}, {"self", "batch1", "batch2"});
  TERN_CHECK(batch1.size(0) == batch2.size(0) && batch1.size(2) == batch2.size(1), ShapeError,
             "Expected size for first two dimensions of batch2 tensor to be: [", batch1.size(0),
             ", ", batch1.size(2), "] but got: [", batch2.size(0), ", ", batch2.size(1), "].");
  TERN_CHECK(self.dtype() == batch1.dtype() && batch1.dtype() == batch2.dtype(), DTypeError,
             "Input dtypes must be the same, got: input ", self.scalar_type(),
             ", batch1: ", batch1.scalar_type(), ", batch2: ", batch2.scalar_type());
  const WeightedSum sum("baddbmm", batch1.dtype(), beta_given, alpha_given);
  Tensor out = sum(self, batch1, batch2, into);
  if (!needs_grad(self, batch1, batch2)) return out;
  const auto beta = sum.beta, alpha = sum.alpha;
  return record(
      "BaddbmmBackward0", out, wrt(self, [beta](const Tensor& g) { return g * beta; }),
      wrt(
          batch1, [alpha](const Tensor& g, const Tensor& b) { return g.bmm(b.mT()) * alpha; },
          batch2),
      wrt(
          batch2, [alpha](const Tensor& g, const Tensor& a) { return a.mT().bmm(g) * alpha; },
          batch1));
}

Tensor addbmm_into(const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                   const Scalar& beta_given, const Scalar& alpha_given, const Tensor& into) {
  check_batches(batch1, batch2);
  detail::check_same_device("addbmm", {&self, &batch1, &batch2}, {"self", "batch1", "batch2"});
  TERN_CHECK(batch1.size(0) == batch2.size(0), ShapeError,
             "batch1 and batch2 must have same number of batches, got ", batch1.size(0), " and ",
             batch2.size(0));
  TERN_CHECK(batch1.size(2) == batch2.size(1), ShapeError, "Incompatible matrix sizes for bmm (",
             batch1.size(1), "x", batch1.size(2), " and ", batch2.size(1), "x", batch2.size(2),
             ")");
  detail::check_same_dtype_of_matrices(batch1, batch2);
  TERN_CHECK(self.dtype() == batch1.dtype(), DTypeError,
             "self and mat2 must have the same dtype, but got ", self.scalar_type(), " and ",
             batch2.scalar_type());
  const WeightedSum sum("addbmm", batch1.dtype(), beta_given, alpha_given);
  // The sum over the batch is one product: [m, b k] x [b k, n].
  const std::int64_t inner = batch1.size(0) * batch1.size(2);
  const Tensor wide = batch1.detach().transpose(0, 1).reshape({batch1.size(1), inner});
  const Tensor tall = batch2.detach().reshape({inner, batch2.size(2)});
  Tensor out = sum(self, wide, tall, into);
  if (!needs_grad(self, batch1, batch2)) return out;
  const auto beta = sum.beta, alpha = sum.alpha;
  const auto batch = batch1.size(0);
  const auto repeated = [batch](const Tensor& g) {
    return g.unsqueeze(0).expand({batch, g.size(0), g.size(1)});
  };
  return record(
      "AddbmmBackward0", out, wrt(self, [beta](const Tensor& g) { return g * beta; }),
      wrt(
          batch1, [=](const Tensor& g, const Tensor& b) { return repeated(g).bmm(b.mT()) * alpha; },
          batch2),
      wrt(
          batch2, [=](const Tensor& g, const Tensor& a) { return a.mT().bmm(repeated(g)) * alpha; },
          batch1));
}

using Into = Tensor (*)(const Tensor&, const Tensor&, const Tensor&, const Scalar&, const Scalar&,
                        const Tensor&);

Tensor& add_product_in_place(Into into, Tensor& self, const Tensor& a, const Tensor& b,
                             const Scalar& beta, const Scalar& alpha) {
  const auto op = [&](const Tensor& x, const Tensor& out) {
    return checked_sizes(x, into(x, a, b, beta, alpha, out));
  };
  return detail::overwrite_into(self, op, a, b);
}

}  // namespace

// NOLINTBEGIN(bugprone-macro-parentheses): names of parameters
#define TERN_ADDED_PRODUCT(name, first, second, cpu)                                             \
  Tensor name(const Tensor& self, const Tensor& first, const Tensor& second, const Scalar& beta, \
              const Scalar& alpha) {                                                             \
    TERN_OP(#name, self, first, second);                                                         \
    TERN_AUTOCAST(cpu, kLower, name, self, first, second, beta, alpha);                          \
    return name##_into(self, first, second, beta, alpha, {});                                    \
  }                                                                                              \
  Tensor& name##_(Tensor& self, const Tensor& first, const Tensor& second, const Scalar& beta,   \
                  const Scalar& alpha) {                                                         \
    TERN_OP(#name "_", self, first, second);                                                     \
    return add_product_in_place(name##_into, self, first, second, beta, alpha);                  \
  }
TERN_ADDED_PRODUCT(addmm, a, b, kLower)
TERN_ADDED_PRODUCT(addmv, mat, vec, kUnchanged)
TERN_ADDED_PRODUCT(addr, vec1, vec2, kUnchanged)
TERN_ADDED_PRODUCT(baddbmm, batch1, batch2, kLower)
TERN_ADDED_PRODUCT(addbmm, batch1, batch2, kLower)
#undef TERN_ADDED_PRODUCT
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace tern
