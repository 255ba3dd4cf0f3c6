#pragma once

#include <tern/core/autograd/detail/view.h>
#include <tern/core/autograd/record.h>
#include <tern/core/ops/shape/copy.h>
#include <tern/core/tensor/detail/shape.h>

// What the ops that return views share.

namespace tern::detail {

/// Returns the index of a dimension of `self`, counted from the front.
inline std::size_t wrapped(std::int64_t dim, const Tensor& self) {
  return static_cast<std::size_t>(wrap_dim(dim, self.dim()));
}

/// Returns a view of `self` with another geometry; `rule` turns its gradient into self's gradient.
template <class Rule>
Tensor view_of(const char* node, const Tensor& self, IntArrayRef sizes, IntArrayRef strides,
               std::int64_t offset, Rule rule) {
  Tensor out = autograd::as_view(self, make_alias(self, sizes, strides, offset));
  if (!autograd::needs_grad(self)) return out;
  return autograd::record(node, out, autograd::wrt(self, rule));
}

/// Returns zeros of `sizes` with g in the view part(zeros): the adjoint of that view.
/// Differentiable.
template <class Part>
Tensor embed(const Tensor& g, const DimVector& sizes, Part part) {
  Tensor whole = g.new_zeros(sizes);
  part(whole).copy_(g);
  return whole;
}

}  // namespace tern::detail
