// Compiled for size.

#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/ops/elementwise/detail/unary.h>
#include <tern/core/ops/ops.h>

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using detail::Operand;
using detail::Saved;
using kernels::ElementwiseOp;

constexpr double kRootHalf = 0.707106781186547524401, kRootOfTwoOverPi = 0.797884560802865355880,
                 kRootOfTwoPi = 2.506628274631000502416;

// Throws for dtypes that PyTorch's kernel does not have.
void refuse_narrow(const char* kernel, const Operand& x, const Operand& y) {
  const ScalarType dtype = detail::result_type({x, y});
  if (dtype == kHalf || dtype == kBFloat16) detail::throw_not_implemented(kernel, dtype, {x, y});
}
void refuse_narrow(const char* kernel, const Tensor& x) { refuse_narrow(kernel, x, x); }

Tensor run_pair(const char* name, ElementwiseOp op, const Operand& x, const Operand& y) {
  const ScalarType dtype = detail::result_type({x, y});
  return detail::run_elementwise({name, op, is_floating_point(dtype) ? dtype : get_default_dtype()},
                                 {x, y}, {});
}

Tensor run_xlog1py(const Operand& x, const Operand& y) {
  return run_pair("special_xlog1py", ElementwiseOp::xlog1py, x, y);
}
Tensor run_zeta(const Operand& x, const Operand& q) {
  refuse_narrow("zeta", x, q);
  return run_pair("special_zeta", ElementwiseOp::zeta, x, q);
}

// Returns y / x, or its limit 1/2 near 0, where y may be denormal, for y = i1(x) or i1e(x).
Tensor over_argument(const Tensor& y, const Tensor& x) {
  const double epsilon = x.dtype() == kDouble  ? 0x1p-52
                         : x.dtype() == kFloat ? 0x1p-23
                         : x.dtype() == kHalf  ? 0x1p-10
                                               : 0x1p-7;
  const Tensor is_tiny = abs(x) <= epsilon;
  return where(is_tiny, 0.5, y / masked_fill(x, is_tiny, 1));
}

// A derivative that PyTorch does not have either: an error in the backward pass.
Tensor no_derivative_of_zeta(const Tensor& /*g*/) {
  detail::raise<NotImplementedError>("the derivative for 'zeta' is not implemented");
}

}  // namespace

Tensor special_entr(Tensor input) {  // NOLINT(performance-unnecessary-value-param): recycled
  TERN_OP("special_entr", input);
  return detail::unary("special_entr", "SpecialEntrBackward0", ElementwiseOp::entr, input,
                       Saved::kInput,
                       [](const Tensor& g, const Tensor& x) { return g * (-1 - log(x)); });
}

Tensor special_erfcx(const Tensor& input) {
  TERN_OP("special_erfcx", input);
  refuse_narrow("erfcx", input);
  Tensor out = detail::run_unary("special_erfcx", ElementwiseOp::erfcx, input, {});
  if (!needs_grad(input)) return out;
  return record("SpecialErfcxBackward0", out,
                wrt(
                    input,
                    [](const Tensor& g, const Tensor& x, const Tensor& y) {
                      return g * (x * y * 2 - kRootOfTwoOverPi / kRootHalf);
                    },
                    input, out));
}

Tensor special_i0e(const Tensor& input) {
  TERN_OP("special_i0e", input);
  Tensor out = detail::run_unary("special_i0e", ElementwiseOp::i0e, input, {});
  if (!needs_grad(input)) return out;
  return record("SpecialI0EBackward0", out,
                wrt(
                    input,
                    [](const Tensor& g, const Tensor& x, const Tensor& y) {
                      return g * (special_i1e(x) - sgn(x) * y);
                    },
                    input, out));
}

Tensor special_i1(const Tensor& input) {
  TERN_OP("special_i1", input);
  Tensor out = detail::run_unary("special_i1", ElementwiseOp::i1, input, {});
  if (!needs_grad(input)) return out;
  return record("SpecialI1Backward0", out,
                wrt(
                    input,
                    [](const Tensor& g, const Tensor& x, const Tensor& y) {
                      return g * (i0(x) - over_argument(y, x));
                    },
                    input, out));
}

Tensor special_i1e(const Tensor& input) {
  TERN_OP("special_i1e", input);
  Tensor out = detail::run_unary("special_i1e", ElementwiseOp::i1e, input, {});
  if (!needs_grad(input)) return out;
  return record("SpecialI1EBackward0", out,
                wrt(
                    input,
                    [](const Tensor& g, const Tensor& x, const Tensor& y) {
                      return g * (special_i0e(x) - sgn(x) * y - over_argument(y, x));
                    },
                    input, out));
}

Tensor special_ndtr(const Tensor& input) {
  TERN_OP("special_ndtr", input);
  return erfc(input * -kRootHalf) * 0.5;
}

Tensor special_log_ndtr(Tensor input) {  // NOLINT(performance-unnecessary-value-param): recycled
  TERN_OP("special_log_ndtr", input);
  refuse_narrow("log_ndtr", input);
  return detail::unary("special_log_ndtr", "SpecialLogNdtrBackward0", ElementwiseOp::log_ndtr,
                       input, Saved::kInput, [](const Tensor& g, const Tensor& x) {
                         return g / special_erfcx(x * -kRootHalf) * kRootOfTwoOverPi;
                       });
}

Tensor special_ndtri(Tensor input) {  // NOLINT(performance-unnecessary-value-param): recycled
  TERN_OP("special_ndtri", input);
  refuse_narrow("ndtri", input);
  return detail::unary(
      "special_ndtri", "SpecialNdtriBackward0", ElementwiseOp::ndtri, input, Saved::kOutput,
      [](const Tensor& g, const Tensor& y) { return g * exp(square(y) / 2) * kRootOfTwoPi; });
}

Tensor special_xlog1py(const Tensor& input, const Tensor& other) {
  TERN_OP("special_xlog1py", input, other);
  Tensor out = run_xlog1py(input, other);
  if (!needs_grad(input, other)) return out;
  return record(
      "SpecialXlog1PyBackward0", out,
      wrt(
          input,
          [](const Tensor& g, const Tensor& x, const Tensor& y) {
            return masked_fill(special_xlog1py(g, y), logical_and(x == 0, y <= -1), 0);
          },
          input, other),
      wrt(
          other, [](const Tensor& g, const Tensor& x, const Tensor& y) { return g * x / (y + 1); },
          input, other));
}

Tensor special_xlog1py(const Tensor& input, const Scalar& other) {
  TERN_OP("special_xlog1py", input);
  Tensor out = run_xlog1py(input, other);
  if (!needs_grad(input)) return out;
  return record("SpecialXlog1PyBackward2", out,
                wrt(
                    input,
                    [other](const Tensor& g, const Tensor& x) {
                      const Tensor slope = special_xlog1py(g, other);
                      return other.toDouble() > -1 ? slope : masked_fill(slope, x == 0, 0);
                    },
                    input));
}

Tensor special_xlog1py(const Scalar& input, const Tensor& other) {
  TERN_OP("special_xlog1py", input, other);
  Tensor out = run_xlog1py(input, other);
  if (!needs_grad(other)) return out;
  return record(
      "SpecialXlog1PyBackward1", out,
      wrt(
          other, [input](const Tensor& g, const Tensor& y) { return g * input / (y + 1); }, other));
}

Tensor special_zeta(const Tensor& input, const Tensor& other) {
  TERN_OP("special_zeta", input, other);
  Tensor out = run_zeta(input, other);
  if (!needs_grad(input, other)) return out;
  return record("SpecialZetaBackward0", out, wrt(input, no_derivative_of_zeta),
                wrt(
                    other,
                    [](const Tensor& g, const Tensor& x, const Tensor& q) {
                      return -g * x * special_zeta(x + 1, q);
                    },
                    input, other));
}

Tensor special_zeta(const Tensor& input, const Scalar& other) {
  TERN_OP("special_zeta", input);
  Tensor out = run_zeta(input, other);
  if (!needs_grad(input)) return out;
  return record("SpecialZetaBackward2", out, wrt(input, no_derivative_of_zeta));
}

Tensor special_zeta(const Scalar& input, const Tensor& other) {
  TERN_OP("special_zeta", input, other);
  Tensor out = run_zeta(input, other);
  if (!needs_grad(other)) return out;
  return record("SpecialZetaBackward1", out,
                wrt(
                    other,
                    [x = input.toDouble()](const Tensor& g, const Tensor& q) {
                      return -g * x * special_zeta(Scalar(x + 1), q);
                    },
                    other));
}

}  // namespace tern
