#include <algorithm>

#include <tern/core/ops/common/detail/inplace.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/ops.h>
#include <tern/core/ops/shape/detail/view.h>

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;

using detail::embed;
using detail::view_of;
using detail::wrapped;

Tensor reshaped_view(const char* node, const Tensor& self, IntArrayRef sizes, IntArrayRef strides) {
  return view_of(node, self, sizes, strides, self.storage_offset(),
                 [shape = self.self().sizes](const Tensor& g) { return g.reshape(shape); });
}

}  // namespace

Tensor Tensor::view(IntArrayRef sizes) const {
  TERN_OP("view", *this);
  const DimVector inferred = infer_sizes(sizes, numel());
  DimVector strides;
  TERN_CHECK(view_strides(this->sizes(), this->strides(), inferred, strides), ShapeError,
             "view size is not compatible with input tensor's size and stride (at least one "
             "dimension spans across two contiguous subspaces). Use .reshape(...) instead. Got "
             "sizes ",
             this->sizes(), " with strides ", this->strides(), " and the view size ", sizes);
  return reshaped_view("ViewBackward0", *this, inferred, strides);
}

Tensor Tensor::viewed_as(ScalarType dtype) const {
  TERN_OP("view", *this);
  const auto from = static_cast<std::int64_t>(element_size());
  const auto to = static_cast<std::int64_t>(tern::element_size(dtype));
  DimVector sizes = self().sizes, strides = self().strides;
  std::int64_t offset = storage_offset();
  const auto check = [&](bool holds, const auto&... rule) {
    TERN_CHECK(holds, ShapeError, "self.", rule..., " to view ", this->scalar_type(), " as ", dtype,
               " (different element sizes)");
  };
  if (from != to) {
    check(dim() > 0, "dim() cannot be 0");
    check(strides.back() == 1, "stride(-1) must be 1, but got ", strides.back());
  }
  if (from > to) {
    for (std::size_t d = 0; d + 1 < strides.size(); ++d) strides[d] *= from / to;
    sizes.back() *= from / to;
    offset *= from / to;
  } else if (from < to) {
    const std::int64_t ratio = to / from;
    const auto divide = [&](std::int64_t& value, const auto&... name) {
      check(value % ratio == 0, name..., " must be divisible by ", ratio, ", but got ", value);
      value /= ratio;
    };
    divide(sizes.back(), "size(-1)");
    divide(offset, "storage_offset()");
    for (std::size_t d = 0; d + 1 < strides.size(); ++d) divide(strides[d], "stride(", d, ")");
  }
  return Tensor(make_intrusive<TensorImpl>(self().storage, offset, sizes, strides, dtype));
}

Tensor Tensor::view_as(const Tensor& other) const {
  TERN_OP("view_as", *this, other);
  return view(other.sizes());
}

Tensor reshape(const Tensor& self, IntArrayRef sizes) {
  TERN_OP("reshape", self);
  const DimVector inferred = infer_sizes(sizes, self.numel());
  DimVector strides;
  if (view_strides(self.sizes(), self.strides(), inferred, strides)) {
    const char* const node = self.is_contiguous() ? "ViewBackward0" : "ReshapeAliasBackward0";
    return reshaped_view(node, self, inferred, strides);
  }
  // A copy is not a view of any tensor of the caller.
  const Tensor dense = self.contiguous();
  Tensor out = detail::make_alias(dense, inferred, contiguous_strides(inferred), 0);
  if (!needs_grad(dense)) return out;
  return record(
      "UnsafeViewBackward0", out,
      wrt(dense, [shape = self.self().sizes](const Tensor& g) { return g.reshape(shape); }));
}

Tensor flatten(const Tensor& self, StrictInt start_dim, StrictInt end_dim) {
  TERN_OP("flatten", self);
  const std::size_t start = wrapped(start_dim, self), end = wrapped(end_dim, self);
  TERN_CHECK(start <= end, Error,
             "flatten() has invalid args: start_dim cannot come after "
             "end_dim, got ",
             start_dim, " and ", end_dim);
  if (self.dim() == 0) return self.reshape({1});
  if (start == end) return self;
  DimVector sizes;
  for (std::size_t d = 0; d < self.sizes().size(); ++d) {
    if (d > start && d <= end) {
      sizes.back() *= self.sizes()[d];
    } else {
      sizes.push_back(self.sizes()[d]);
    }
  }
  return self.reshape(sizes);
}

namespace {

Tensor transposed(const char* node, const Tensor& self, std::int64_t dim0, std::int64_t dim1) {
  const std::size_t a = wrapped(dim0, self), b = wrapped(dim1, self);
  DimVector sizes = self.self().sizes, strides = self.self().strides;
  if (a != b) {
    std::swap(sizes[a], sizes[b]);
    std::swap(strides[a], strides[b]);
  }
  return view_of(node, self, sizes, strides, self.storage_offset(),
                 [dim0, dim1](const Tensor& g) { return g.transpose(dim0, dim1); });
}

Tensor transposed_matrix(const char* node, const Tensor& self) {
  DimVector sizes = self.self().sizes, strides = self.self().strides;
  TERN_CHECK(sizes.size() <= 2, ShapeError,
             "t() expects a tensor with <= 2 dimensions, but self is ", sizes.size(), "D");
  if (sizes.size() == 2) {
    std::swap(sizes[0], sizes[1]);
    std::swap(strides[0], strides[1]);
  }
  return view_of(node, self, sizes, strides, self.storage_offset(),
                 [](const Tensor& g) { return g.t(); });
}

}  // namespace

Tensor transpose(const Tensor& self, StrictInt dim0, StrictInt dim1) {
  TERN_OP("transpose", self);
  return transposed("TransposeBackward0", self, dim0, dim1);
}

Tensor t(const Tensor& self) {
  TERN_OP("t", self);
  return transposed_matrix("TBackward0", self);
}

Tensor permute(const Tensor& self, IntArrayRef dims) {
  TERN_OP("permute", self);
  TERN_CHECK(dims.size() == self.sizes().size(), ShapeError,
             "number of dimensions in the tensor input does not match the "
             "length of the desired ordering of dimensions i.e. input.dim() = ",
             self.dim(), " is not equal to len(dims) = ", dims.size());
  DimVector sizes, strides, inverse(dims.size(), -1);
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::size_t d = wrapped(dims[i], self);
    TERN_CHECK(inverse[d] == -1, ShapeError, "permute(): duplicate dims are not allowed, got ",
               dims);
    inverse[d] = static_cast<std::int64_t>(i);
    sizes.push_back(self.sizes()[d]);
    strides.push_back(self.strides()[d]);
  }
  return view_of("PermuteBackward0", self, sizes, strides, self.storage_offset(),
                 [inverse](const Tensor& g) { return g.permute(inverse); });
}

Tensor select(const Tensor& self, StrictInt dim, StrictInt index) {
  TERN_OP("select", self);
  TERN_CHECK(self.dim() > 0, IndexError, "select() cannot be applied to a 0-dim tensor. Got dim ",
             dim);
  const std::size_t d = wrapped(dim, self);
  const std::int64_t size = self.sizes()[d];
  TERN_CHECK(index >= -size && index < size, IndexError, "select(): index ", index,
             " out of range for tensor of size ", self.sizes(), " at dimension ", d);
  if (index < 0) index = index + size;
  DimVector sizes = self.self().sizes, strides = self.self().strides;
  const std::int64_t offset = self.storage_offset() + index * strides[d];
  sizes.erase(d);
  strides.erase(d);
  const auto at = static_cast<std::int64_t>(d);
  return view_of("SelectBackward0", self, sizes, strides, offset,
                 [shape = self.self().sizes, at, index](const Tensor& g) {
                   return embed(g, shape, [&](Tensor& w) { return w.select(at, index); });
                 });
}

Tensor slice(const Tensor& self, StrictInt dim, std::optional<StrictInt> start,
             std::optional<StrictInt> end, StrictInt step) {
  TERN_OP("slice", self);
  TERN_CHECK(self.dim() > 0, IndexError, "slice() cannot be applied to a 0-dim tensor. Got dim ",
             dim);
  TERN_CHECK(step > 0, Error,
             step == 0 ? "slice step cannot be zero" : "slice step must be positive", ", got ",
             step);
  const std::size_t d = wrapped(dim, self);
  const std::int64_t size = self.sizes()[d];
  const auto clipped = [size](std::int64_t bound) {
    return std::clamp<std::int64_t>(bound < 0 ? bound + size : bound, 0, size);
  };
  const std::int64_t from = clipped(start.value_or(0));
  const std::int64_t to = std::max(from, clipped(end.value_or(size)));
  const std::int64_t count = to > from ? (to - from - 1) / step + 1 : 0;
  DimVector sizes = self.self().sizes, strides = self.self().strides;
  const std::int64_t offset = self.storage_offset() + from * strides[d];
  sizes[d] = count;
  // May wrap where there is one element at most; PyTorch's stride does, too.
  strides[d] = static_cast<std::int64_t>(static_cast<std::uint64_t>(strides[d]) *
                                         static_cast<std::uint64_t>(step));
  const auto at = static_cast<std::int64_t>(d);
  return view_of("SliceBackward0", self, sizes, strides, offset,
                 [shape = self.self().sizes, at, from, to, step](const Tensor& g) {
                   return embed(g, shape, [&](Tensor& w) { return w.slice(at, from, to, step); });
                 });
}

Tensor narrow(const Tensor& self, StrictInt dim, const Tensor& start, StrictInt length) {
  TERN_OP("narrow", self, start);
  TERN_CHECK(start.dim() == 0 && !start.is_floating_point() && start.dtype() != kBool, Error,
             "start must be an 0-dim integral Tensor, got sizes ", start.sizes(), " and dtype ",
             start.scalar_type());
  return narrow(self, dim, start.item<std::int64_t>(), length);
}

Tensor narrow(const Tensor& self, StrictInt dim, StrictInt start, StrictInt length) {
  TERN_OP("narrow", self);
  TERN_CHECK(self.dim() > 0, IndexError, "narrow() cannot be applied to a 0-dim tensor. Got dim ",
             dim);
  const std::int64_t size = self.size(dim);
  TERN_CHECK(length >= 0, Error, "narrow(): length must be non-negative, got ", length);
  TERN_CHECK(start >= -size && start <= size, IndexError,
             "start out of range (expected to be in range of [", -size, ", ", size, "], but got ",
             start, ")");
  if (start < 0) start = start + size;
  TERN_CHECK(start + length <= size, IndexError, "start (", start, ") + length (", length,
             ") exceeds dimension size (", size, ").");
  return self.slice(dim, start, start + length);
}

Tensor expand(const Tensor& self, IntArrayRef sizes) {
  TERN_OP("expand", self);
  TERN_CHECK(sizes.size() >= self.sizes().size(), ShapeError, "the number of sizes provided (",
             sizes.size(), ") must be greater or equal to the number of dimensions in the tensor (",
             self.dim(), ")");
  DimVector wanted(sizes);
  const std::size_t added = sizes.size() - self.sizes().size();
  for (std::size_t d = 0; d < wanted.size(); ++d) {
    const std::int64_t size = d < added ? 1 : self.sizes()[d - added];
    if (wanted[d] == -1) {
      TERN_CHECK(d >= added, ShapeError,
                 "The expanded size of the tensor (-1) isn't allowed in a "
                 "leading, non-existing dimension ",
                 d);
      wanted[d] = size;
    }
    TERN_CHECK(wanted[d] == size || size == 1, ShapeError, "The expanded size of the tensor (",
               wanted[d], ") must match the existing size (", size, ") at non-singleton dimension ",
               d, ".  Target sizes: ", sizes, ".  Tensor sizes: ", self.sizes());
  }
  return view_of("ExpandBackward0", self, wanted,
                 broadcast_strides(self.sizes(), self.strides(), wanted), self.storage_offset(),
                 [shape = self.self().sizes](const Tensor& g) { return g.sum_to_size(shape); });
}

Tensor broadcast_to(const Tensor& self, IntArrayRef sizes) {
  TERN_OP("broadcast_to", self);
  return self.expand(sizes);
}

namespace {

template <class Drop>
Tensor squeezed(const char* node, const Tensor& self, Drop drop) {
  DimVector sizes, strides;
  for (std::size_t d = 0; d < self.sizes().size(); ++d) {
    if (self.sizes()[d] == 1 && drop(d)) continue;
    sizes.push_back(self.sizes()[d]);
    strides.push_back(self.strides()[d]);
  }
  return reshaped_view(node, self, sizes, strides);
}

constexpr auto kDropAll = [](std::size_t) { return true; };

Tensor squeezed_dims(const char* node_of_one, const char* node_of_list, const Tensor& self,
                     const IntList& dim) {
  const DimMask dropped = marked_dims(dim.list(), self.dim());
  return squeezed(dim.is_integer() ? node_of_one : node_of_list, self,
                  [&](std::size_t d) { return dropped[d]; });
}

Tensor unsqueezed(const char* node, const Tensor& self, std::int64_t dim) {
  const auto at = static_cast<std::size_t>(wrap_dim(dim, self.dim() + 1));
  DimVector sizes = self.self().sizes, strides = self.self().strides;
  strides.insert(at, at < sizes.size() ? sizes[at] * strides[at] : 1);
  sizes.insert(at, 1);
  return reshaped_view(node, self, sizes, strides);
}

}  // namespace

Tensor squeeze(const Tensor& self) {
  TERN_OP("squeeze", self);
  return squeezed("SqueezeBackward0", self, kDropAll);
}

Tensor squeeze(const Tensor& self, IntList dim) {
  TERN_OP("squeeze", self);
  return squeezed_dims("SqueezeBackward1", "SqueezeBackward2", self, dim);
}

Tensor alias(const Tensor& self) {
  TERN_OP("alias", self);
  return view_of("AliasBackward0", self, self.sizes(), self.strides(), self.storage_offset(),
                 [](const Tensor& g) { return g; });
}

Tensor unsqueeze(const Tensor& self, StrictInt dim) {
  TERN_OP("unsqueeze", self);
  return unsqueezed("UnsqueezeBackward0", self, dim);
}

// In-place forms.

Tensor& transpose_(Tensor& self, StrictInt dim0, StrictInt dim1) {
  TERN_OP("transpose_", self);
  return detail::become_view(self,
                             [&] { return transposed("TransposeBackward1", self, dim0, dim1); });
}

Tensor& t_(Tensor& self) {
  TERN_OP("t_", self);
  return detail::become_view(self, [&] { return transposed_matrix("TBackward1", self); });
}

Tensor& squeeze_(Tensor& self) {
  TERN_OP("squeeze_", self);
  return detail::become_view(self, [&] { return squeezed("SqueezeBackward3", self, kDropAll); });
}

Tensor& squeeze_(Tensor& self, IntList dim) {
  TERN_OP("squeeze_", self);
  return detail::become_view(
      self, [&] { return squeezed_dims("SqueezeBackward4", "SqueezeBackward5", self, dim); });
}

Tensor& unsqueeze_(Tensor& self, StrictInt dim) {
  TERN_OP("unsqueeze_", self);
  return detail::become_view(self, [&] { return unsqueezed("UnsqueezeBackward1", self, dim); });
}

Tensor sum_to_size(const Tensor& self, IntArrayRef sizes) {
  TERN_OP("sum_to_size", self);
  TERN_AUTOCAST_INNER_OPS();
  TERN_CHECK(is_expandable_to(sizes, self.sizes()), ShapeError, "size {", sizes,
             "} is not expandable to size {", self.sizes(), "}.");
  if (sizes.empty()) return self.sum();
  if (self.sizes() == sizes) return self;
  const std::size_t added = self.sizes().size() - sizes.size();
  DimVector dims;
  for (std::size_t d = 0; d < self.sizes().size(); ++d) {
    if (d < added || (sizes[d - added] == 1 && self.sizes()[d] != 1)) {
      dims.push_back(static_cast<std::int64_t>(d));
    }
  }
  const Tensor out = self.sum(dims, /*keepdim=*/true);
  return added == 0 ? out : out.view(sizes);
}

Tensor Tensor::reshape_as(const Tensor& other) const {
  TERN_OP("reshape_as", *this, other);
  return reshape(other.sizes());
}
Tensor Tensor::mT() const {
  TERN_OP("mT", *this);
  if (dim() == 0) return *this;
  TERN_CHECK(dim() >= 2, ShapeError,
             "tensor.mT is only supported on matrices or batches of matrices. Got ", dim(),
             "-D tensor. Its sizes are ", sizes());
  return tern::transpose(*this, -2, -1);
}
Tensor Tensor::matrix_H() const {
  TERN_OP("matrix_H", *this);
  if (dim() == 0) return *this;
  TERN_CHECK(dim() == 2, ShapeError, "tensor.H is only supported on matrices (2-D tensors). Got ",
             dim(), "-D tensor.",
             dim() > 2 ? " For batches of matrices, consider using tensor.mT" : "",
             " Its sizes are ", sizes());
  return tern::transpose(*this, 0, 1);
}
Tensor Tensor::expand_as(const Tensor& other) const {
  TERN_OP("expand_as", *this, other);
  return expand(other.sizes());
}

}  // namespace tern
