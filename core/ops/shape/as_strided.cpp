// Compiled for size.

#include <algorithm>

#include <tern/core/autograd/detail/view.h>
#include <tern/core/autograd/record.h>
#include <tern/core/ops/common/detail/inplace.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/ops.h>
#include <tern/core/ops/shape/detail/as_strided.h>
#include <tern/core/tensor/detail/shape.h>

namespace tern {
namespace detail {
namespace {

bool is_empty(const Geometry& geometry) {
  return std::find(geometry.sizes.begin(), geometry.sizes.end(), 0) != geometry.sizes.end();
}

// The range [low, high) of the storage that the elements span.
struct Range {
  std::int64_t low, high;
};

Range range_of(const Geometry& geometry) {
  if (is_empty(geometry)) return {geometry.offset, geometry.offset};
  Range range{geometry.offset, geometry.offset + 1};
  for (std::size_t i = 0; i < geometry.sizes.size(); ++i) {
    range.high += (geometry.sizes[i] - 1) * geometry.strides[i];
  }
  return range;
}

Tensor shown(const Tensor& buffer, const Geometry& geometry, std::int64_t low) {
  // Without elements, the offset may lie anywhere.
  const std::int64_t offset = is_empty(geometry) ? 0 : geometry.offset - low;
  return make_alias(buffer, geometry.sizes, geometry.strides, offset);
}

// Returns the index in the buffer of each element, for geometries whose elements overlap.
Tensor indices_of(const Geometry& geometry, std::int64_t low, Device device) {
  Tensor indices = full({1}, geometry.offset - low, TensorOptions(kLong).device(device));
  for (std::size_t i = 0; i < geometry.sizes.size(); ++i) {
    const Tensor steps =
        arange(geometry.sizes[i], TensorOptions(kLong).device(device)) * geometry.strides[i];
    indices = (indices.unsqueeze(1) + steps).reshape({-1});
  }
  return indices;
}

// Returns false only if certainly no two elements share memory: each stride exceeds the reach of
// all dimensions with smaller strides.
bool may_overlap(const Geometry& geometry) {
  if (is_empty(geometry)) return false;
  std::vector<std::pair<std::int64_t, std::int64_t>> dims;  // stride, size
  for (std::size_t i = 0; i < geometry.sizes.size(); ++i) {
    if (geometry.sizes[i] > 1) dims.emplace_back(geometry.strides[i], geometry.sizes[i]);
  }
  std::sort(dims.begin(), dims.end());
  std::int64_t reach = 0;  // reach of the dimensions so far
  for (const auto& [stride, size] : dims) {
    if (stride <= reach) return true;
    reach += (size - 1) * stride;
  }
  return false;
}

// Returns how many elements of the geometry share each element of the buffer, at least 1.
Tensor counts_of(const Geometry& geometry, std::int64_t low, const Tensor& buffer) {
  const Tensor indices = indices_of(geometry, low, buffer.device());
  return clamp_min(
      zeros_like(buffer).index_add(0, indices, ones({indices.numel()}, buffer.options())), 1);
}

// Returns a buffer for the range that holds the elements of `whole` in the layout of `base`.
// Elements that share memory get their mean.
Tensor laid_out(const Tensor& whole, const Geometry& base, const Range& range) {
  Tensor buffer = zeros({range.high - range.low}, whole.options());
  if (may_overlap(base)) {
    const Tensor indices = indices_of(base, range.low, whole.device());
    return buffer.index_add(0, indices, whole.reshape({-1})) / counts_of(base, range.low, buffer);
  }
  shown(buffer, base, range.low).copy_(whole);
  return buffer;
}

// Returns the range that holds the elements of both base and view.
Range joint_range(const Geometry& base, const Geometry& view) {
  if (is_empty(view)) return range_of(base);
  if (is_empty(base)) return range_of(view);
  const Range a = range_of(base), b = range_of(view);
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

}  // namespace

Tensor take_strided(const Tensor& whole, const Geometry& base, const Geometry& view) {
  Tensor out;
  {
    const NoGradGuard no_grad;
    const Range range = joint_range(base, view);
    out = shown(laid_out(whole, base, range), view, range.low).clone();
  }
  if (!autograd::needs_grad(whole)) return out;
  return autograd::record(
      "AsStridedBackward0", out,
      autograd::wrt(whole, [base, view](const Tensor& g) { return put_strided(g, base, view); }));
}

Tensor clear_strided(const Tensor& whole, const Geometry& base, const Geometry& view) {
  Tensor out;
  {
    const NoGradGuard no_grad;
    const Range range = joint_range(base, view);
    const Tensor buffer = laid_out(whole, base, range);
    shown(buffer, view, range.low).zero_();
    out = shown(buffer, base, range.low).clone();
  }
  if (!autograd::needs_grad(whole)) return out;
  return autograd::record(
      "AsStridedBackward0", out,
      autograd::wrt(whole, [base, view](const Tensor& g) { return clear_strided(g, base, view); }));
}

Tensor put_strided(const Tensor& part, const Geometry& base, const Geometry& view) {
  Tensor out;
  {
    const NoGradGuard no_grad;
    const Range range = joint_range(base, view);
    Tensor buffer = zeros({range.high - range.low}, part.options());
    if (is_empty(view) || is_dense(view.sizes, view.strides)) {
      shown(buffer, view, range.low).copy_(part);
    } else {
      buffer = buffer.index_add(0, indices_of(view, range.low, part.device()), part.reshape({-1}));
    }
    // Elements that share memory share the gradient of that memory.
    if (may_overlap(base)) buffer = buffer / counts_of(base, range.low, buffer);
    out = shown(buffer, base, range.low).clone();
  }
  if (!autograd::needs_grad(part)) return out;
  return autograd::record(
      "AsStridedBackward0", out,
      autograd::wrt(part, [base, view](const Tensor& g) { return take_strided(g, base, view); }));
}

}  // namespace detail

namespace {

Tensor strided_view(const char* node, const Tensor& self, IntArrayRef sizes, IntArrayRef strides,
                    std::optional<StrictInt> offset) {
  TERN_CHECK(sizes.size() == strides.size(), ShapeError,
             "mismatch in length of strides and shape, got ", sizes, " and ", strides);
  const std::int64_t start = offset.value_or(self.storage_offset());
  TERN_CHECK(start >= 0, ShapeError, "Tensor: invalid storage offset ", start);
  const bool empty = checked_numel(sizes) == 0;
  const auto itemsize = static_cast<std::int64_t>(self.element_size());
  const auto held = static_cast<std::int64_t>(self.self().storage->bytes());
  std::int64_t needed = 0;  // elements, then bytes
  bool overflow = __builtin_add_overflow(start, 1, &needed);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    TERN_CHECK(strides[i] >= 0, ShapeError, "Negative strides are not supported, got strides ",
               strides);
    std::int64_t span = 0;
    overflow |= __builtin_mul_overflow(sizes[i] - 1, strides[i], &span) ||
                __builtin_add_overflow(needed, span, &needed);
  }
  overflow |= __builtin_mul_overflow(needed, itemsize, &needed);
  TERN_CHECK(empty || !overflow, ShapeError,
             "Storage size calculation overflowed with sizes=", sizes, " and strides=", strides);
  TERN_CHECK(empty || needed <= held, ShapeError, "setStorage: sizes ", sizes, ", strides ",
             strides, ", storage offset ", start, ", and itemsize ", itemsize,
             " requiring a storage size of ", needed, " are out of bounds for storage of size ",
             held);
  Tensor out = autograd::as_view(self, detail::make_alias(self, sizes, strides, start));
  if (!autograd::needs_grad(self)) return out;
  return autograd::record(
      node, out,
      autograd::wrt(self, [base = detail::Geometry(self), view = detail::Geometry(out)](
                              const Tensor& g) { return detail::put_strided(g, base, view); }));
}

}  // namespace

Tensor as_strided(const Tensor& self, IntArrayRef sizes, IntArrayRef strides,
                  std::optional<StrictInt> offset) {
  TERN_OP("as_strided", self);
  return strided_view("AsStridedBackward0", self, sizes, strides, offset);
}

Tensor& as_strided_(Tensor& self, IntArrayRef sizes, IntArrayRef strides,
                    std::optional<StrictInt> offset) {
  TERN_OP("as_strided_", self);
  return detail::become_view(
      self, [&] { return strided_view("AsStridedBackward1", self, sizes, strides, offset); });
}

}  // namespace tern
