// Compiled for size.

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/families/triangle.h>
#include <tern/core/ops/common/detail/host_copy.h>
#include <tern/core/ops/common/detail/inplace.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/ops.h>
#include <tern/core/ops/shape/detail/view.h>

namespace tern {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using detail::embed;
using detail::view_of;
using detail::wrapped;

namespace {

// Returns the rule of a gradient that belongs to a diagonal of the matrix `self`.
auto to_diagonal(const Tensor& self, std::int64_t diagonal) {
  return [shape = self.self().sizes, diagonal](const Tensor& g) {
    return embed(g, shape, [&](Tensor& w) { return w.diagonal(diagonal); });
  };
}

}  // namespace

Tensor diag(const Tensor& self, StrictInt diagonal) {
  TERN_OP("diag", self);
  TERN_CHECK(self.dim() == 1 || self.dim() == 2, ShapeError, "Supports 1D or 2D tensors. Got ",
             self.dim(), "D with sizes ", self.sizes());
  if (self.dim() == 1) return self.diag_embed(diagonal);
  Tensor out;
  {
    const NoGradGuard no_grad;
    out = self.diagonal(diagonal).clone();
  }
  if (!needs_grad(self)) return out;
  return record("DiagonalBackward0_copy", out, wrt(self, to_diagonal(self, diagonal)));
}

Tensor diag_embed(const Tensor& self, StrictInt offset, StrictInt dim1, StrictInt dim2) {
  TERN_OP("diag_embed", self);
  const std::int64_t rows = wrap_dim(dim1, self.dim() + 1);
  const std::int64_t columns = wrap_dim(dim2, self.dim() + 1);
  TERN_CHECK(rows != columns, Error, "diagonal dimensions cannot be identical ", dim1, ", ", dim2);
  DimVector sizes = self.self().sizes;
  std::int64_t size = sizes.back();
  TERN_CHECK(
      offset != INT64_MIN && !__builtin_add_overflow(size, std::abs(std::int64_t{offset}), &size),
      ShapeError, "a matrix cannot have diagonal ", offset);
  sizes.pop_back();
  for (const std::int64_t d : {std::min(rows, columns), std::max(rows, columns)}) {
    sizes.insert(static_cast<std::size_t>(d), size);
  }
  Tensor out = zeros(sizes, self.options());
  {
    const NoGradGuard no_grad;
    detail::copy_elements(out.diagonal(offset, dim1, dim2), self);
  }
  if (!needs_grad(self)) return out;
  return record("DiagEmbedBackward0", out, wrt(self, [offset, dim1, dim2](const Tensor& g) {
                  return g.diagonal(offset, dim1, dim2);
                }));
}

Tensor diagflat(const Tensor& self, StrictInt offset) {
  TERN_OP("diagflat", self);
  return self.contiguous().view({-1}).diag_embed(offset);
}

Tensor& fill_diagonal_(Tensor& self, const Scalar& value, StrictBool wrap) {
  TERN_OP("fill_diagonal_", self);
  const IntArrayRef sizes = self.sizes();
  TERN_CHECK(sizes.size() >= 2, ShapeError, "dimensions must larger than 1, got sizes ", sizes);
  std::int64_t step = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    TERN_CHECK(sizes.size() == 2 || sizes[d] == sizes[0], ShapeError,
               "all dimensions of input must be of equal length, got sizes ", sizes);
    step += self.strides()[d];
  }
  const std::int64_t rows = sizes[0], columns = sizes[1], start = self.storage_offset();
  self.as_strided({std::min(rows, columns)}, {step}, start).fill_(value);
  const std::int64_t block = columns + 1;  // the rows of one diagonal and the row after it
  if (!wrap || sizes.size() != 2 || rows <= block || columns == 0) return self;
  const std::int64_t block_step = block * self.strides()[0];
  const std::int64_t blocks = (rows - block) / block, rest = (rows - block) % block;
  if (blocks > 0) {
    self.as_strided({blocks, columns}, {block_step, step}, start + block_step).fill_(value);
  }
  if (rest > 0) self.as_strided({rest}, {step}, start + (blocks + 1) * block_step).fill_(value);
  return self;
}

Tensor trace(const Tensor& self) {
  TERN_OP("trace", self);
  TERN_AUTOCAST(kFloat32, kUnchanged, trace, self);
  TERN_CHECK(self.dim() == 2, ShapeError, "expected a matrix, but got tensor with dim ", self.dim(),
             " and sizes ", self.sizes());
  TERN_CHECK(self.dtype() != kBool, NotImplementedError, "\"trace\" not implemented for 'Bool'");
  Tensor out;
  {
    const NoGradGuard no_grad;
    const Tensor elements = self.diagonal();
    // As in PyTorch, floats are summed in double and rounded once.
    if (!self.is_floating_point()) {
      out = elements.sum();
    } else if (!self.is_cpu()) {
      out = elements.to(kDouble).sum().to(self.dtype());
    } else {
      out = detail::make_tensor({}, self.dtype(), self.device());
      visit_dtype(self.dtype(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        if constexpr (is_floating_point(dtype_of<T>())) {
          const T* const at = elements.data_ptr<T>();
          const std::int64_t count = elements.numel(), step = elements.stride(0);
          double sum = 0;
          for (std::int64_t i = 0; i < count; ++i) sum += static_cast<double>(at[i * step]);
          *out.data_ptr<T>() = static_cast<T>(sum);
        }
      });
    }
  }
  if (!needs_grad(self)) return out;
  return record("TraceBackward0", out, wrt(self, to_diagonal(self, 0)));
}

// --- Triangles
// -------------------------------------------------------------------------------------

namespace {

// Copies the triangle of `in` to `out` and sets the other elements of `out` to zero. Both may be
// one tensor.
void run_triangle(const char* name, const Tensor& in, const Tensor& out, std::int64_t diagonal,
                  bool upper) {
  if (out.numel() == 0) return;
  TERN_CHECK(out.dim() <= kernels::kMaxDims, ShapeError, "tensors may have up to ",
             kernels::kMaxDims, " dimensions, got ", out.dim());
  kernels::TriangleArgs args;
  args.dtype = out.dtype();
  args.ndim = static_cast<std::int32_t>(out.dim());
  std::copy(out.sizes().begin(), out.sizes().end(), args.sizes);
  std::copy(in.strides().begin(), in.strides().end(), args.in_strides);
  std::copy(out.strides().begin(), out.strides().end(), args.out_strides);
  std::int64_t& rows = args.sizes[args.ndim - 2];
  std::int64_t& columns = args.sizes[args.ndim - 1];
  diagonal = std::clamp(diagonal, -rows, columns);
  // Kernels walk along the last dimension, so the one with the smaller stride comes last.
  std::int64_t(&strides)[kernels::kMaxDims] = args.out_strides;
  if (strides[args.ndim - 2] < strides[args.ndim - 1]) {
    std::swap(rows, columns);
    for (auto* const each : {args.in_strides, args.out_strides}) {
      std::swap(each[args.ndim - 2], each[args.ndim - 1]);
    }
    upper = !upper;
    diagonal = -diagonal;
  }
  args.upper = upper ? 1 : 0;
  args.diagonal = diagonal;
  args.in = in.data_ptr();
  args.out = out.data_ptr();
  kernels::run(name, out.device(), out.dtype(), args);
}

Tensor triangle_of(const Tensor& self, std::int64_t diagonal, bool upper, const Tensor& target) {
  const char* const name = upper ? "triu" : "tril";
  TERN_CHECK(self.dim() >= 2, ShapeError,
             "input tensor must have at least 2 dimensions, got sizes ", self.sizes());
  Tensor out = target;
  if (!out.defined()) {
    out = detail::make_tensor(self.sizes(), self.dtype(), self.device());
    // A copy reads a transposed matrix in blocks, the kernel element by element.
    const bool is_read_in_rows = self.strides().back() == 1;
    if (!is_read_in_rows) detail::copy_elements(out, self);
    run_triangle(name, is_read_in_rows ? self : out, out, diagonal, upper);
  } else {
    run_triangle(name, out, out, diagonal, upper);
  }
  if (!needs_grad(self)) return out;
  return record(upper ? "TriuBackward0" : "TrilBackward0", out,
                wrt(self, [diagonal, upper](const Tensor& g) {
                  return upper ? g.triu(diagonal) : g.tril(diagonal);
                }));
}

Tensor& triangle_inplace(Tensor& self, std::int64_t diagonal, bool upper) {
  return detail::overwrite_into(self, [&](const Tensor& x, const Tensor& out) {
    return triangle_of(x, diagonal, upper, out);
  });
}

}  // namespace

Tensor tril(const Tensor& self, StrictInt diagonal) {
  TERN_OP("tril", self);
  return triangle_of(self, diagonal, /*upper=*/false, {});
}

Tensor& tril_(Tensor& self, StrictInt diagonal) {
  TERN_OP("tril_", self);
  return triangle_inplace(self, diagonal, /*upper=*/false);
}

Tensor triu(const Tensor& self, StrictInt diagonal) {
  TERN_OP("triu", self);
  return triangle_of(self, diagonal, /*upper=*/true, {});
}

Tensor& triu_(Tensor& self, StrictInt diagonal) {
  TERN_OP("triu_", self);
  return triangle_inplace(self, diagonal, /*upper=*/true);
}

namespace {

// Returns the number of elements on and below a diagonal between -rows and columns.
std::int64_t triangle_count(std::int64_t rows, std::int64_t columns, std::int64_t offset) {
  const std::int64_t first = std::clamp<std::int64_t>(-offset, 0, rows);  // row with an element
  const std::int64_t full = std::clamp(columns - 1 - offset, first, rows);
  const std::int64_t partial = (full - first) * (first + full + 1 + 2 * offset) / 2;
  return partial + (rows - full) * columns;
}

Tensor triangle_indices(const char* name, std::int64_t row, std::int64_t col, std::int64_t offset,
                        bool upper, const TensorOptions& options) {
  TERN_CHECK(row >= 0, ShapeError, "row must be non-negative, got ", row);
  TERN_CHECK(col >= 0, ShapeError, "col must be non-negative, got ", col);
  const TensorOptions chosen = options.or_else(kLong);
  const ScalarType dtype = chosen.dtype();
  TERN_CHECK(dtype == kLong || dtype == kInt || dtype == kShort, NotImplementedError, "\"", name,
             "\" not implemented for '", dtype, "'");
  static_cast<void>(checked_numel({row, col}));
  offset = std::clamp(offset, -row, col);
  const std::int64_t count =
      upper ? row * col - triangle_count(row, col, offset - 1) : triangle_count(row, col, offset);
  const Tensor host = detail::make_tensor({2, count}, kLong, kCPU);
  const auto rows = static_cast<std::int64_t*>(host.data_ptr());
  const auto columns = rows + count;
  std::int64_t i = 0;
  // No row is empty between the first and the last element.
  for (std::int64_t r = upper ? 0 : std::max<std::int64_t>(-offset, 0); i < count; ++r) {
    const std::int64_t edge = r + offset;
    const std::int64_t begin = upper ? std::max<std::int64_t>(edge, 0) : 0;
    const std::int64_t length = (upper ? col : std::min(edge + 1, col)) - begin;
    std::fill_n(rows + i, length, r);
    std::iota(columns + i, columns + i + length, begin);
    i += length;
  }
  Tensor out = detail::copy_of_host(host, detail::resolve_device(chosen.device())).to(dtype);
  if (chosen.pinned_memory()) out = out.pin_memory();
  if (chosen.requires_grad()) out.requires_grad_();
  return out;
}

}  // namespace

Tensor tril_indices(StrictInt row, StrictInt col, StrictInt offset, const TensorOptions& options) {
  TERN_OP("tril_indices");
  return triangle_indices("tril_indices", row, col, offset, /*upper=*/false, options);
}

Tensor triu_indices(StrictInt row, StrictInt col, StrictInt offset, const TensorOptions& options) {
  TERN_OP("triu_indices");
  return triangle_indices("triu_indices", row, col, offset, /*upper=*/true, options);
}

namespace {

// Returns how many elements diagonal `offset` of a rows x columns matrix has.
std::int64_t diagonal_length(std::int64_t rows, std::int64_t columns, std::int64_t offset) {
  if (offset >= columns || offset <= -rows) return 0;
  return offset >= 0 ? std::min(rows, columns - offset) : std::min(rows + offset, columns);
}

}  // namespace

Tensor diagonal(const Tensor& self, StrictInt offset, StrictInt dim1, StrictInt dim2) {
  TERN_OP("diagonal", self);
  const std::size_t rows = wrapped(dim1, self), columns = wrapped(dim2, self);
  TERN_CHECK(rows != columns, Error, "diagonal dimensions cannot be identical ", dim1, ", ", dim2);
  const IntArrayRef all_sizes = self.sizes(), all_strides = self.strides();
  const std::int64_t length = diagonal_length(all_sizes[rows], all_sizes[columns], offset);
  std::int64_t start = self.storage_offset();
  if (length != 0) {
    start += offset >= 0 ? offset * all_strides[columns] : -offset * all_strides[rows];
  }
  DimVector sizes(all_sizes.size() - 1, length);
  DimVector strides(sizes.size(), all_strides[rows] + all_strides[columns]);
  std::size_t to = 0;
  for (std::size_t d = 0; d < all_sizes.size(); ++d) {
    if (d == rows || d == columns) continue;
    sizes[to] = all_sizes[d];
    strides[to++] = all_strides[d];
  }
  return view_of("DiagonalBackward0", self, sizes, strides, start,
                 [shape = self.self().sizes, offset, dim1, dim2](const Tensor& g) {
                   return embed(g, shape,
                                [&](Tensor& w) { return w.diagonal(offset, dim1, dim2); });
                 });
}

}  // namespace tern
