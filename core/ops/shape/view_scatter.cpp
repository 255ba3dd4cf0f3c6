// Compiled for size.

#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/index/detail/index.h>
#include <tern/core/ops/ops.h>
#include <tern/core/ops/shape/detail/as_strided.h>
#include <tern/core/ops/shape/detail/view.h>

// Copies of a tensor in which another tensor replaces a view of it.

namespace tern {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;

namespace {

void check_part_sizes(const Tensor& src, const Tensor& part) {
  TERN_CHECK(src.sizes() == part.sizes(), ShapeError,
             "expected src to have a size equal to the slice of self. src size = ", src.sizes(),
             ", slice size = ", part.sizes());
}

// Replaces the view `part(copy)` of a copy of `self`. Recorded.
template <class Part>
Tensor with_part(const char* node, const Tensor& self, const Tensor& src, Part part) {
  detail::check_same_device("copy_", {&self, &src}, {"self", "src"});
  {
    const NoGradGuard no_grad;
    check_part_sizes(src, part(self));
  }
  detail::check_has_gradient(self, src);
  Tensor out;
  {
    const NoGradGuard no_grad;
    out = self.clone();
    detail::copy_elements(part(out), src);
  }
  if (!needs_grad(self, src)) return out;
  return record(
      node, out,
      wrt(self, [node, part, sizes = src.self().sizes](
                    const Tensor& g) { return with_part(node, g, g.new_zeros(sizes), part); }),
      wrt(src, [part](const Tensor& g) { return part(g); }));
}

}  // namespace

Tensor select_scatter(const Tensor& self, const Tensor& src, StrictInt dim, StrictInt index) {
  TERN_OP("select_scatter", self, src);
  return with_part("SelectScatterBackward0", self, src,
                   [dim, index](const Tensor& whole) { return whole.select(dim, index); });
}

Tensor slice_scatter(const Tensor& self, const Tensor& src, StrictInt dim,
                     std::optional<StrictInt> start, std::optional<StrictInt> end, StrictInt step) {
  TERN_OP("slice_scatter", self, src);
  return with_part("SliceScatterBackward0", self, src,
                   [=](const Tensor& whole) { return whole.slice(dim, start, end, step); });
}

Tensor diagonal_scatter(const Tensor& self, const Tensor& src, StrictInt offset, StrictInt dim1,
                        StrictInt dim2) {
  TERN_OP("diagonal_scatter", self, src);
  return with_part("DiagonalScatterBackward0", self, src,
                   [=](const Tensor& whole) { return whole.diagonal(offset, dim1, dim2); });
}

Tensor as_strided_scatter(const Tensor& self, const Tensor& src, IntArrayRef sizes,
                          IntArrayRef strides, std::optional<StrictInt> offset) {
  TERN_OP("as_strided_scatter", self, src);
  detail::check_same_device("copy_", {&self, &src}, {"self", "src"});
  detail::check_has_gradient(self, src);
  Tensor out, part;
  {
    const NoGradGuard no_grad;
    // The view may show any element of the storage, so all of it is copied.
    const std::int64_t room =
        static_cast<std::int64_t>(self.storage().bytes() / self.element_size());
    if (self.self().has_internal_overlap()) {
      out = self.clone();
    } else {
      const Tensor whole = detail::make_alias(self, {room}, {1}, 0).clone();
      out = detail::make_alias(whole, self.sizes(), self.strides(), self.storage_offset());
    }
    part = out.as_strided(sizes, strides, offset);
    check_part_sizes(src, part);
    part.copy_(src);
  }
  if (!needs_grad(self, src)) return out;
  const detail::Geometry base(out), view(part);
  return record("AsStridedScatterBackward0", out,
                wrt(self, [=](const Tensor& g) { return detail::clear_strided(g, base, view); }),
                wrt(src, [=](const Tensor& g) { return detail::take_strided(g, base, view); }));
}

}  // namespace tern
