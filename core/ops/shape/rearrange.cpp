// Compiled for size.

#include <tern/core/ops/shape/rearrange.h>

#include <algorithm>

#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/ops.h>
#include <tern/core/ops/shape/detail/view.h>

// Flips, rolls and repeats.

namespace tern {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;

Tensor flip(const Tensor& self, IntArrayRef dims) {
  TERN_OP("flip", self);
  const DimMask reversed = marked_dims(dims, self.dim());
  Tensor out = detail::make_tensor(self.sizes(), preserved_strides(self.sizes(), self.strides()),
                                   self.dtype(), self.device());
  detail::copy_reversed(out, self, reversed);
  if (!needs_grad(self)) return out;
  return record("FlipBackward0", out,
                wrt(self, [dims = DimVector(dims)](const Tensor& g) { return g.flip(dims); }));
}

Tensor fliplr(const Tensor& self) {
  TERN_OP("fliplr", self);
  TERN_CHECK(self.dim() >= 2, ShapeError, "Input must be >= 2-d, got sizes ", self.sizes());
  return self.flip(1);
}

Tensor flipud(const Tensor& self) {
  TERN_OP("flipud", self);
  TERN_CHECK(self.dim() >= 1, ShapeError, "Input must be >= 1-d, got a 0-d tensor");
  return self.flip(0);
}

Tensor rot90(const Tensor& self, StrictInt k, IntArrayRef dims) {
  TERN_OP("rot90", self);
  TERN_CHECK(dims.size() == 2, Error,
             "expected total rotation dims == 2, but got dims = ", dims.size());
  TERN_CHECK(self.dim() >= 2, ShapeError,
             "expected total dims >= 2, but got total dims = ", self.dim());
  const std::size_t a = detail::wrapped(dims[0], self), b = detail::wrapped(dims[1], self);
  TERN_CHECK(a != b, Error, "expected rotation dims to be different, but got dim0 = ", dims[0],
             " and dim1 = ", dims[1]);
  const std::int64_t turns = (k % 4 + 4) % 4;
  Tensor out;
  {
    const NoGradGuard no_grad;
    switch (turns) {
      case 0:
        out = self.flip({});
        break;
      case 2:
        out = self.flip(dims);
        break;
      default:
        out = self.flip(turns == 1 ? dims[1] : dims[0]);
        DimVector sizes = out.self().sizes, strides = out.self().strides;
        std::swap(sizes[a], sizes[b]);
        std::swap(strides[a], strides[b]);
        out.self().set_geometry(0, sizes, strides);
    }
  }
  if (!needs_grad(self)) return out;
  return record("Rot90Backward0", out, wrt(self, [turns, dims = DimVector(dims)](const Tensor& g) {
                  return g.rot90(-turns, dims);
                }));
}

namespace {

// One rolled dimension: its last `shift` elements come to the front.
struct Roll {
  std::size_t dim;
  std::int64_t size, shift;
};

// Copies `in` to `out` in the pieces that stay whole, two for each rolled dimension.
void copy_rolled(const Tensor& out, const Tensor& in, const std::vector<Roll>& rolls) {
  for (std::uint64_t piece = 0; piece < std::uint64_t{1} << rolls.size(); ++piece) {
    DimVector sizes = out.self().sizes;
    std::int64_t from = in.storage_offset(), to = out.storage_offset();
    for (std::size_t i = 0; i < rolls.size(); ++i) {
      const auto& [dim, size, shift] = rolls[i];
      if ((piece >> i & 1) == 0) {
        sizes[dim] = size - shift;
        to += shift * out.strides()[dim];
      } else {
        sizes[dim] = shift;
        from += (size - shift) * in.strides()[dim];
      }
    }
    detail::copy_elements(detail::make_alias(out, sizes, out.strides(), to),
                          detail::make_alias(in, sizes, in.strides(), from));
  }
}

std::int64_t modulo(std::int64_t number, std::int64_t size) {
  return (number % size + size) % size;
}

}  // namespace

Tensor roll(const Tensor& self, IntArrayRef shifts, IntArrayRef dims) {
  TERN_OP("roll", self);
  TERN_CHECK(!shifts.empty(), Error, "`shifts` required");
  const bool is_flat = dims.empty() && shifts.size() == 1;
  TERN_CHECK(is_flat || shifts.size() == dims.size(), Error,
             "shifts and dimensions must align. shifts: ", shifts.size(), ", dims:", dims.size());
  Tensor out = detail::make_tensor(self.sizes(), self.dtype(), self.device());
  DimVector back;  // the shifts of the gradient
  if (self.numel() == 0) {
    for (const std::int64_t shift : shifts) back.push_back(shift == INT64_MIN ? 0 : -shift);
  } else if (is_flat) {
    const std::int64_t count = self.numel(), shift = modulo(shifts[0], count);
    const Tensor dense = self.detach().contiguous();
    std::vector<Roll> rolls;
    if (shift != 0) rolls.push_back({0, count, shift});
    copy_rolled(detail::make_alias(out, {count}, {1}, 0),
                detail::make_alias(dense, {count}, {1}, dense.storage_offset()), rolls);
    back.push_back(-shift);
  } else {
    DimVector sums(self.sizes().size(), 0);  // a dimension may be listed several times
    for (std::size_t i = 0; i < dims.size(); ++i) {
      const std::int64_t size = self.size(dims[i]);
      const std::size_t d = detail::wrapped(dims[i], self);
      const std::int64_t shift = modulo(shifts[i], size);
      back.push_back(-shift);
      sums[d] = modulo(sums[d] + shift, size);
    }
    std::vector<Roll> rolls;
    for (std::size_t d = 0; d < sums.size(); ++d) {
      if (sums[d] != 0) rolls.push_back({d, self.sizes()[d], sums[d]});
    }
    copy_rolled(out, self, rolls);
  }
  if (!needs_grad(self)) return out;
  return record("RollBackward0", out, wrt(self, [back, dims = DimVector(dims)](const Tensor& g) {
                  return g.roll(back, dims);
                }));
}

namespace {

// Sizes of a repeated tensor. Throws ShapeError when a product overflows.
std::int64_t repeated_size(std::int64_t size, std::int64_t repeats) {
  std::int64_t result = 0;
  TERN_CHECK(!__builtin_mul_overflow(size, repeats, &result), ShapeError, repeats,
             " repeats of size ", size, " are too many elements");
  return result;
}

// The adjoint of repeat(): sums the repetitions. Differentiable.
Tensor sum_repeats(const Tensor& g, const DimVector& sizes, const DimVector& repeats) {
  const std::size_t added = repeats.size() - sizes.size();
  DimVector cut, summed;
  for (std::size_t d = 0; d < repeats.size(); ++d) {
    if (repeats[d] != 1) {
      summed.push_back(static_cast<std::int64_t>(cut.size()));
      cut.push_back(repeats[d]);
    }
    if (d >= added) cut.push_back(sizes[d - added]);
  }
  const Tensor pieces = g.reshape(cut);
  return summed.empty() ? pieces : pieces.sum(summed);
}

}  // namespace

Tensor repeat(const Tensor& self, IntArrayRef repeats) {
  TERN_OP("repeat", self);
  TERN_CHECK(repeats.size() >= self.sizes().size(), ShapeError,
             "Number of dimensions of repeat dims can not be smaller than number of dimensions of "
             "tensor, got ",
             repeats, " and sizes ", self.sizes());
  const std::size_t added = repeats.size() - self.sizes().size();
  DimVector sizes;
  for (std::size_t d = 0; d < repeats.size(); ++d) {
    sizes.push_back(repeated_size(d < added ? 1 : self.sizes()[d - added], repeats[d]));
  }
  Tensor out = detail::make_tensor(sizes, self.dtype(), self.device());
  if (out.numel() != 0) {
    // Each dimension becomes two: the repetitions, which read the same elements, and the elements.
    DimVector cut, to, from;
    for (std::size_t d = 0; d < repeats.size(); ++d) {
      const std::int64_t size = d < added ? 1 : self.sizes()[d - added];
      cut.push_back(repeats[d]);
      to.push_back(size * out.strides()[d]);
      from.push_back(0);
      if (d < added) continue;
      cut.push_back(size);
      to.push_back(out.strides()[d]);
      from.push_back(self.strides()[d - added]);
    }
    detail::copy_elements(detail::make_alias(out, cut, to, 0),
                          detail::make_alias(self, cut, from, self.storage_offset()));
  }
  if (!needs_grad(self)) return out;
  return record("RepeatBackward0", out,
                wrt(self, [shape = self.self().sizes, repeats = DimVector(repeats)](
                              const Tensor& g) { return sum_repeats(g, shape, repeats); }));
}

Tensor tile(const Tensor& self, IntArrayRef dims) {
  TERN_OP("tile", self);
  DimVector repeats(dims);
  while (repeats.size() < self.sizes().size()) repeats.insert(0, 1);
  return self.repeat(repeats);
}

namespace {

void check_output_size(std::optional<StrictInt> output_size, std::int64_t count) {
  TERN_CHECK(!output_size || *output_size == count, Error, "Invalid output_size, expected ", count,
             " but got ", output_size.value_or(0));
}

// Returns index i repeats[i] times, on the device of `repeats`.
Tensor repeated_indices(const Tensor& repeats) {
  TERN_CHECK(repeats.dim() == 1, ShapeError, "only accept 1D vector as repeat, got sizes ",
             repeats.sizes());
  TERN_CHECK(!repeats.is_floating_point() && repeats.dtype() != kBool, NotImplementedError,
             "\"repeat_interleave_cpu\" not implemented for '", repeats.scalar_type(), "'");
  TERN_CHECK(!repeats.is_meta(), NotImplementedError,
             "the size of the result depends on the elements of `repeats`, which a meta tensor "
             "does not have");
  const std::vector<std::int64_t> counts = repeats.to(kCPU, kLong).to_vector<std::int64_t>();
  std::int64_t total = 0;
  for (const std::int64_t count : counts) {
    TERN_CHECK(count >= 0, Error, "repeats can not be negative, got ", count);
    TERN_CHECK(!__builtin_add_overflow(total, count, &total), ShapeError,
               "repeats have a sum that is too large");
  }
  const Tensor indices = detail::make_tensor({total}, kLong, kCPU);
  auto at = static_cast<std::int64_t*>(indices.data_ptr());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    at = std::fill_n(at, counts[i], static_cast<std::int64_t>(i));
  }
  return indices.to(repeats.device());
}

}  // namespace

Tensor repeat_interleave(const Tensor& self, StrictInt repeats, std::optional<StrictInt> dim,
                         std::optional<StrictInt> output_size) {
  TERN_OP("repeat_interleave", self);
  TERN_CHECK(repeats >= 0, Error, "Repeats must be non-negative, got ", repeats);
  const Tensor input = dim ? self : self.flatten();
  const std::int64_t size = input.size(dim.value_or(0));
  const std::int64_t d = wrap_dim(dim.value_or(0), input.dim());
  check_output_size(output_size, repeated_size(size, repeats));
  DimVector sizes = input.self().sizes;
  sizes.insert(static_cast<std::size_t>(d) + 1, repeats);
  const Tensor repeated = input.unsqueeze(d + 1).expand(sizes);
  const Tensor copy = repeated.is_contiguous() ? repeated.clone() : repeated.contiguous();
  return copy.flatten(d, d + 1);
}

Tensor repeat_interleave(const Tensor& self, const Tensor& repeats, std::optional<StrictInt> dim,
                         std::optional<StrictInt> output_size) {
  TERN_OP("repeat_interleave", self, repeats);
  TERN_CHECK(repeats.dim() <= 1, ShapeError, "repeats must be 0-dim or 1-dim tensor, got sizes ",
             repeats.sizes());
  detail::check_same_device("repeat_interleave", {&self, &repeats}, {"self", "repeats"});
  const Tensor input = dim ? self : self.flatten();
  const std::int64_t size = input.size(dim.value_or(0));
  TERN_CHECK(repeats.numel() == 1 || repeats.numel() == size, ShapeError,
             "repeats must have the same size as input along dim, but got repeats.size(0) = ",
             repeats.numel(), " and input.size(", dim.value_or(0), ") = ", size);
  const Tensor indices =
      repeated_indices(repeats.numel() == 1 ? repeats.reshape({1}).expand({size}) : repeats);
  check_output_size(output_size, indices.numel());
  return input.index_select(dim.value_or(0), indices);
}

Tensor repeat_interleave(const Tensor& repeats) {
  TERN_OP("repeat_interleave", repeats);
  return repeated_indices(repeats).to(repeats.dtype());
}

}  // namespace tern
