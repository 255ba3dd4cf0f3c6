#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/ops/common/detail/inplace.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/ops.h>

// Comparisons and logical ops.

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using detail::Operand;
using detail::result_type;
using detail::run_elementwise;
using kernels::ElementwiseOp;

Tensor compare(const char* name, ElementwiseOp op, const Tensor& self, const Operand& other,
               const Tensor& out = {}) {
  return run_elementwise({name, op, result_type({self, other}), /*compares=*/true}, {self, other},
                         out);
}

Tensor test(const char* name, ElementwiseOp op, const Tensor& self, const Tensor& out = {}) {
  return run_elementwise({name, op, self.dtype(), /*compares=*/true}, {self}, out);
}

Tensor zero_gradient(const Tensor& g) { return zeros_like(g); }

// PyTorch does not record logical ops in place, not even of leaves; the tensor keeps its history.
template <class Into>
Tensor& change_unrecorded(Tensor& self, const Into& into) {
  const NoGradGuard no_grad;
  detail::check_inplace(self, /*recorded=*/false);
  into(self.detach());
  self.self().storage->bump_version();
  return self;
}

// Comparisons in place of floating tensors are recorded: what they overwrite has the gradient 0.
template <class... Others>
Tensor& compare_in_place(const char* name, ElementwiseOp op, Tensor& self, const Operand& other,
                         const char* node, const Others&... others) {
  if (!self.is_floating_point()) {
    return change_unrecorded(self, [&](const Tensor& x) { compare(name, op, x, other, x); });
  }
  const auto into = [&](const Tensor& x, const Tensor& out) {
    Tensor result = compare(name, op, x, other, detail::result_like(x, out));
    if (!needs_grad(x, others...)) return result;
    return record(node, result, wrt(x, zero_gradient), wrt(others, zero_gradient)...);
  };
  return detail::overwrite_into(self, into, others...);
}

}  // namespace

#define TERN_COMPARISON(name, Node)                                                            \
  Tensor name(const Tensor& self, const Tensor& other) {                                       \
    TERN_OP(#name, self, other);                                                               \
    return compare(#name, ElementwiseOp::name, self, other);                                   \
  }                                                                                            \
  Tensor name(const Tensor& self, const Scalar& other) {                                       \
    TERN_OP(#name, self);                                                                      \
    return compare(#name, ElementwiseOp::name, self, other);                                   \
  }                                                                                            \
  Tensor& name##_(Tensor& self, const Tensor& other) {                                         \
    TERN_OP(#name "_", self, other);                                                           \
    return compare_in_place(#name, ElementwiseOp::name, self, other, Node "Backward1", other); \
  }                                                                                            \
  Tensor& name##_(Tensor& self, const Scalar& other) {                                         \
    TERN_OP(#name "_", self);                                                                  \
    return compare_in_place(#name, ElementwiseOp::name, self, other, Node "Backward0");        \
  }
TERN_COMPARISON(eq, "Eq")
TERN_COMPARISON(ne, "Ne")
TERN_COMPARISON(lt, "Lt")
TERN_COMPARISON(le, "Le")
TERN_COMPARISON(gt, "Gt")
TERN_COMPARISON(ge, "Ge")
#undef TERN_COMPARISON

#define TERN_LOGICAL(name)                                                                 \
  Tensor name(const Tensor& self, const Tensor& other) {                                   \
    TERN_OP(#name, self, other);                                                           \
    return compare(#name, ElementwiseOp::name, self, other);                               \
  }                                                                                        \
  Tensor& name##_(Tensor& self, const Tensor& other) {                                     \
    TERN_OP(#name "_", self, other);                                                       \
    return change_unrecorded(                                                              \
        self, [&](const Tensor& x) { compare(#name, ElementwiseOp::name, x, other, x); }); \
  }
TERN_LOGICAL(logical_and)
TERN_LOGICAL(logical_or)
TERN_LOGICAL(logical_xor)
#undef TERN_LOGICAL

Tensor& logical_not_(Tensor& self) {
  TERN_OP("logical_not_", self);
  return change_unrecorded(
      self, [](const Tensor& x) { test("logical_not", ElementwiseOp::logical_not, x, x); });
}

Tensor isnan(const Tensor& self) {
  TERN_OP("isnan", self);
  return test("isnan", ElementwiseOp::isnan, self);
}
Tensor isinf(const Tensor& self) {
  TERN_OP("isinf", self);
  return test("isinf", ElementwiseOp::isinf, self);
}
Tensor isfinite(const Tensor& self) {
  TERN_OP("isfinite", self);
  return logical_not(logical_or(isnan(self), isinf(self)));
}
Tensor logical_not(const Tensor& self) {
  TERN_OP("logical_not", self);
  return test("logical_not", ElementwiseOp::logical_not, self);
}
bool equal(const Tensor& self, const Tensor& other) {
  TERN_OP("equal", self, other);
  if (self.sizes() != other.sizes()) return false;
  return eq(self, other).all().item<bool>();
}

Tensor isclose(const Tensor& self, const Tensor& other, double rtol, double atol,
               StrictBool equal_nan) {
  TERN_OP("isclose", self, other);
  TERN_CHECK(self.dtype() == other.dtype(), DTypeError, self.scalar_type(), " did not match ",
             other.scalar_type());
  const NoGradGuard no_grad;
  Tensor close = self == other;
  if (equal_nan) close = logical_or(close, logical_and(isnan(self), isnan(other)));
  if (!self.is_floating_point()) {
    const Tensor a = self.to(kDouble), b = other.to(kDouble);
    return logical_or(close, abs(a - b) <= abs(b) * rtol + atol);
  }
  // An infinite difference is never close, even with an infinite tolerance.
  const Tensor difference = abs(self - other);
  const Tensor within = difference <= abs(other) * rtol + atol;
  return logical_or(close, logical_and(isfinite(difference), within));
}

bool allclose(const Tensor& self, const Tensor& other, double rtol, double atol,
              StrictBool equal_nan) {
  TERN_OP("allclose", self, other);
  return isclose(self, other, rtol, atol, equal_nan).all().item<bool>();
}

}  // namespace tern
