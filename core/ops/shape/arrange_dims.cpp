#include <algorithm>

#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/ops.h>
#include <tern/core/ops/shape/detail/view.h>

// Views with other dimensions, made of the views in view.cpp, and windows.

namespace tern {

using detail::embed;
using detail::view_of;
using detail::wrapped;

Tensor ravel(const Tensor& self) {
  TERN_OP("ravel", self);
  return self.contiguous().view({-1});
}

Tensor unflatten(const Tensor& self, StrictInt dim, IntArrayRef sizes) {
  TERN_OP("unflatten", self);
  TERN_CHECK(!sizes.empty(), ShapeError, "sizes must be non-empty");
  TERN_CHECK(self.dim() > 0, ShapeError, "a 0-d tensor has no dimension to cut into ", sizes);
  const std::size_t d = wrapped(dim, self);
  const std::int64_t size = self.sizes()[d];
  std::int64_t known = 1, open = 0;
  bool fits = true;
  for (const std::int64_t part : sizes) {
    TERN_CHECK(part >= -1, ShapeError, "invalid shape dimension ", part, " in ", sizes);
    if (part == -1) {
      ++open;
    } else {
      fits = fits && !__builtin_mul_overflow(known, part, &known);
    }
  }
  TERN_CHECK(open <= 1, ShapeError, "only one dimension can be inferred, got sizes ", sizes);
  TERN_CHECK(open == 0 || known != 0, ShapeError, "cannot infer the size -1 in ", sizes,
             " because the other sizes have a product of 0");
  TERN_CHECK(fits && (open == 0 ? known == size : size % known == 0), ShapeError, "Provided sizes ",
             sizes, " don't multiply up to the size of dim ", d, " (", size,
             ") in the input tensor");
  DimVector whole = self.self().sizes;
  whole.erase(d);
  for (std::size_t i = sizes.size(); i-- > 0;) {
    whole.insert(d, sizes[i] == -1 ? size / known : sizes[i]);
  }
  return self.view(whole);
}

Tensor movedim(const Tensor& self, IntArrayRef source, IntArrayRef destination) {
  TERN_OP("movedim", self);
  TERN_CHECK(source.size() == destination.size(), Error,
             "Invalid source or destination dims: source (", source,
             " dims) should contain the same number of dims as destination (", destination,
             " dims)");
  const std::size_t ndim = self.sizes().size();
  DimVector order(std::max<std::size_t>(ndim, 1), -1);
  DimMask moved(order.size(), false);
  for (std::size_t i = 0; i < source.size(); ++i) {
    const std::size_t from = wrapped(source[i], self), to = wrapped(destination[i], self);
    TERN_CHECK(!moved[from], Error, "repeated dim in `source` (", source, ")");
    TERN_CHECK(order[to] == -1, Error, "repeated dim in `destination` (", destination, ")");
    moved[from] = true;
    order[to] = static_cast<std::int64_t>(from);
  }
  if (ndim == 0) {
    return view_of("AliasBackward0", self, {}, {}, self.storage_offset(),
                   [](const Tensor& g) { return g; });
  }
  std::size_t next = 0;
  for (std::int64_t& dim : order) {
    if (dim != -1) continue;
    while (moved[next]) ++next;
    dim = static_cast<std::int64_t>(next++);
  }
  return self.permute(order);
}

Tensor atleast_1d(const Tensor& input) {
  TERN_OP("atleast_1d", input);
  return input.dim() == 0 ? input.view({1}) : input;
}

Tensor atleast_2d(const Tensor& input) {
  TERN_OP("atleast_2d", input);
  if (input.dim() == 0) return input.view({1, 1});
  return input.dim() == 1 ? input.unsqueeze(0) : input;
}

Tensor atleast_3d(const Tensor& input) {
  TERN_OP("atleast_3d", input);
  if (input.dim() == 0) return input.view({1, 1, 1});
  if (input.dim() == 1) return input.unsqueeze(0).unsqueeze(-1);
  return input.dim() == 2 ? input.unsqueeze(-1) : input;
}

namespace {

std::vector<Tensor> for_each_tensor(TensorList tensors, Tensor (*fn)(const Tensor&)) {
  std::vector<Tensor> results;
  results.reserve(tensors.size());
  for (const Tensor& tensor : tensors) results.push_back(fn(tensor));
  return results;
}

}  // namespace

std::vector<Tensor> atleast_1d(TensorList tensors) {
  TERN_OP("atleast_1d");
  return for_each_tensor(tensors, atleast_1d);
}

std::vector<Tensor> atleast_2d(TensorList tensors) {
  TERN_OP("atleast_2d");
  return for_each_tensor(tensors, atleast_2d);
}

std::vector<Tensor> atleast_3d(TensorList tensors) {
  TERN_OP("atleast_3d");
  return for_each_tensor(tensors, atleast_3d);
}

namespace {

// The adjoint of unfold(): adds each window to the elements that it shows. Differentiable.
Tensor add_windows(const Tensor& windows, const DimVector& sizes, std::int64_t dim,
                   std::int64_t size, std::int64_t step) {
  Tensor whole = windows.new_zeros(sizes);
  if (windows.numel() != 0) {
    const NoGradGuard no_grad;
    const Tensor row = atleast_1d(whole);
    const std::int64_t count = windows.dim() == 1 ? 1 : windows.size(dim);
    for (std::int64_t k = 0; k < size; ++k) {
      const Tensor part = windows.detach().select(-1, k);
      const std::int64_t end = k + (count - 1) * step + 1;
      row.slice(dim, k, end, count == 1 ? 1 : step).add_(atleast_1d(part));
    }
  }
  if (!autograd::needs_grad(windows)) return whole;
  return autograd::record("UnfoldBackwardBackward0", whole,
                          autograd::wrt(windows, [dim, size, step](const Tensor& g) {
                            return g.unfold(dim, size, step);
                          }));
}

}  // namespace

Tensor unfold(const Tensor& self, StrictInt dim, StrictInt size, StrictInt step) {
  TERN_OP("unfold", self);
  const std::size_t d = wrapped(dim, self);
  const bool has_dims = self.dim() > 0;
  const std::int64_t length = has_dims ? self.sizes()[d] : 1;
  TERN_CHECK(step > 0, Error, "step is ", step, " but must be > 0");
  TERN_CHECK(size >= 0, Error, "size is ", size, " but must be >= 0");
  TERN_CHECK(size <= length, Error, "maximum size for tensor at dimension ", d, " is ", length,
             " but size is ", size);
  DimVector sizes = self.self().sizes, strides = self.self().strides;
  sizes.push_back(size);
  strides.push_back(has_dims ? strides[d] : 1);
  if (has_dims) {
    sizes[d] = (length - size) / step + 1;
    // The product overflows only for a single window, whose stride has no meaning.
    if (__builtin_mul_overflow(strides[d], std::int64_t{step}, &strides[d])) strides[d] = 1;
  }
  const auto at = static_cast<std::int64_t>(d);
  return view_of("UnfoldBackward0", self, sizes, strides, self.storage_offset(),
                 [shape = self.self().sizes, at, size, step](const Tensor& g) {
                   return add_windows(g, shape, at, size, step);
                 });
}

}  // namespace tern
