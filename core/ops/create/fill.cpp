#include <algorithm>

#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/families/fill.h>
#include <tern/core/ops/common/detail/inplace.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/ops.h>

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;

void fill_elements(const Tensor& out, const Scalar& value) {
  kernels::FillArgs args;
  // Integers store the truncated value, bools whether it is not 0; a value that does not fit is an
  // error. As in PyTorch, a single float16 or bfloat16 becomes infinity instead.
  args.value = visit_dtype(out.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!is_floating_point(dtype_of<T>())) return detail::to_immediate(value.to<T>());
    if (sizeof(T) > 2 || out.numel() != 1) static_cast<void>(value.to<T>());
    return detail::to_immediate(value.toDouble());
  });
  if (out.numel() == 0) return;
  TERN_CHECK(out.dim() <= kernels::kMaxDims, ShapeError, "tensors may have up to ",
             kernels::kMaxDims, " dimensions, got ", out.dim());
  args.out.data = out.data_ptr();
  args.out.dtype = out.dtype();
  args.out.ndim = static_cast<std::int32_t>(out.dim());
  std::copy(out.sizes().begin(), out.sizes().end(), args.out.sizes);
  std::copy(out.strides().begin(), out.strides().end(), args.out.strides);
  kernels::run("fill_", out.device(), out.dtype(), args);
}

// fill_elements() as an op whose result takes the place of x; its rule is called `node`.
Tensor filled_over(const char* node, const Tensor& x, const Tensor& out, const Scalar& value) {
  fill_elements(out, value);
  if (!needs_grad(x)) return out;
  return record(node, out, wrt(x, [](const Tensor& g) { return zeros_like(g); }));
}

void check_fill_value(const Tensor& value) {
  TERN_CHECK(value.dim() == 0, ShapeError,
             "fill_ only supports 0-dimension value tensor but got tensor with ", value.dim(),
             " dimensions.");
}

// Returns `self` without repeated elements: dimensions with stride 0 are narrowed to size 1.
Tensor without_repeats(const Tensor& self) {
  Tensor once = self;
  for (std::int64_t d = 0; d < self.dim(); ++d) {
    if (self.stride(d) == 0) once = once.narrow(d, 0, 1);
  }
  return once;
}

// fill_() with a number, and zero_(); their rule is called `node`.
Tensor& fill_inplace(const char* node, Tensor& self, const Scalar& value) {
  if (self.self().has_internal_overlap()) [[unlikely]] {
    Tensor once = without_repeats(self);
    fill_inplace(node, once, value);
    return self;
  }
  return detail::overwrite_into(self, [&](const Tensor& x, const Tensor& out) {
    return filled_over(node, x, detail::result_like(x, out), value);
  });
}

}  // namespace

Tensor fill(const Tensor& input, const Scalar& value) {
  TERN_OP("fill", input);
  return filled_over("FillBackward0", input, empty_like(input), value);
}

Tensor fill(const Tensor& input, const Tensor& value) {
  TERN_OP("fill", input, value);
  check_fill_value(value);
  Tensor out = empty_like(input);
  // Integers have no gradient.
  if (needs_grad(input, value) && input.is_floating_point()) {
    return detail::copied_over("FillBackward1", input, out, value);
  }
  detail::copy_elements(out, value, false);
  return out;
}

Tensor& fill_(Tensor& self, const Scalar& value) {
  TERN_OP("fill_", self);
  return fill_inplace("FillBackward2", self, value);
}

Tensor& fill_(Tensor& self, const Tensor& value) {
  TERN_OP("fill_", self, value);
  check_fill_value(value);
  return detail::copy_inplace("FillBackward3", self, value, false);
}

Tensor& zero_(Tensor& self) {
  TERN_OP("zero_", self);
  return fill_inplace("ZeroBackward0", self, 0);
}

}  // namespace tern
