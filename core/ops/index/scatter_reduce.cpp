// Compiled for size.

#include <limits>

#include <tern/core/autograd/record.h>
#include <tern/core/ops/common/detail/inplace.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/index/detail/index.h>
#include <tern/core/ops/index/detail/scatter.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/shape.h>

// scatter_reduce, and index_reduce as a scatter with equal indices for a whole slice.

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using kernels::IndexOp;

enum class Reduce { kSum, kProd, kMean, kAmax, kAmin };

Reduce reduce_of(std::string_view name) {
  if (name == "sum") return Reduce::kSum;
  if (name == "prod") return Reduce::kProd;
  if (name == "mean") return Reduce::kMean;
  if (name == "amax") return Reduce::kAmax;
  TERN_CHECK(name == "amin", Error,
             "reduce argument must be either sum, prod, mean, amax or amin, got ", name);
  return Reduce::kAmin;
}

struct ScatterReduction {
  const char* name;  // the op that the user called
  const char* node;
  std::int64_t dim;
  Reduce reduce;
  bool include_self;
};

IndexOp kernel_op(Reduce reduce) {
  switch (reduce) {
    case Reduce::kProd:
      return IndexOp::kScatterProd;
    case Reduce::kAmax:
      return IndexOp::kScatterAmax;
    case Reduce::kAmin:
      return IndexOp::kScatterAmin;
    default:
      return IndexOp::kScatterAdd;
  }
}

// Returns the number that changes no result of the reduction.
Scalar neutral_number(Reduce reduce, ScalarType dtype) {
  if (reduce == Reduce::kSum || reduce == Reduce::kMean) return 0;
  if (reduce == Reduce::kProd) return 1;
  return visit_dtype(dtype, [reduce](auto tag) -> Scalar {
    using T = typename decltype(tag)::type;
    const bool lowest = reduce == Reduce::kAmax;
    if constexpr (is_floating_point(dtype_of<T>())) {
      constexpr double kInfinity = std::numeric_limits<double>::infinity();
      return lowest ? -kInfinity : kInfinity;
    } else if constexpr (std::is_same_v<T, bool>) {
      return !lowest;
    } else {
      return static_cast<std::int64_t>(lowest ? std::numeric_limits<T>::min()
                                              : std::numeric_limits<T>::max());
    }
  });
}

// Returns how many terms each element's mean has; 1 for an element that stays.
Tensor mean_counts(const ScatterReduction& op, const Tensor& self, const Tensor& index) {
  const NoGradGuard no_grad;
  Tensor counts = op.include_self ? ones_like(self) : zeros_like(self);
  detail::scatter_elements(op.name, IndexOp::kScatterAdd, counts, op.dim, index, self.new_ones({}));
  return op.include_self ? counts : counts.masked_fill_(counts == 0, 1);
}

// Integers round down.
void divide_by(const Tensor& sums, const Tensor& counts) {
  if (sums.is_floating_point()) {
    sums.div_(counts);
  } else {
    sums.floor_divide_(counts);
  }
}

void reduce_into(const ScatterReduction& op, const Tensor& out, const Tensor& index,
                 const Tensor& source) {
  detail::check_scatter_arguments(op.name, out, op.dim, index, source);
  if (index.numel() == 0) return;
  const NoGradGuard no_grad;
  const Tensor to = out.detach();
  const Tensor at = detail::apart_from(to, index), terms = detail::apart_from(to, source.detach());
  if (!op.include_self) {
    detail::scatter_elements(op.name, IndexOp::kScatter, to, op.dim, at,
                             detail::make_tensor({}, to.dtype(), to.device())
                                 .fill_(neutral_number(op.reduce, to.dtype())));
  }
  detail::scatter_elements(op.name, kernel_op(op.reduce), to, op.dim, at,
                           detail::scattered_part(terms, at));
  if (op.reduce == Reduce::kMean) divide_by(to, mean_counts(op, to, at));
}

// The gradients of PyTorch. `self` and `source` have the shapes of the op, `source` that of the
// index.
struct ReductionGradients {
  ScatterReduction op;

  Tensor gather(const Tensor& x, const Tensor& at) const { return x.gather(op.dim, at); }
  Tensor scatter_add(const Tensor& x, const Tensor& at, const Tensor& terms) const {
    return x.scatter_add(op.dim, at, terms);
  }
  Tensor product(const Tensor& x, const Tensor& at, const Tensor& terms) const {
    return x.scatter_reduce(op.dim, at, terms, "prod", op.include_self);
  }

  // Shares the gradient of an extreme value among the equal ones.
  Tensor shares(const Tensor& g, const Tensor& self, const Tensor& at, const Tensor& source,
                const Tensor& result) const {
    Tensor equal = (self == result).to(g.dtype());
    // Elements that the op did not count get no share.
    if (!op.include_self) equal = equal.scatter(op.dim, at, 0);
    return g / scatter_add(equal, at, (source == gather(result, at)).to(g.dtype()));
  }

  Tensor of_self(const Tensor& g, const Tensor& self, const Tensor& at, const Tensor& source,
                 const Tensor& result) const {
    Tensor gradient = g;
    if (op.reduce == Reduce::kProd) {
      const Tensor factor = self.masked_fill(self == 0, 1);
      gradient = g * product(factor, at, source) / factor;
    } else if (op.reduce == Reduce::kMean) {
      gradient = g / mean_counts(op, g, at);
    } else if (op.reduce != Reduce::kSum) {
      gradient = (self == result).to(g.dtype()) * shares(g, self, at, source, result);
    }
    return op.include_self ? gradient : gradient.scatter(op.dim, at, 0);
  }

  Tensor of_source(const Tensor& g, const Tensor& self, const Tensor& at, const Tensor& source,
                   const Tensor& result) const {
    if (op.reduce == Reduce::kSum) return gather(g, at);
    if (op.reduce == Reduce::kMean) return gather(g / mean_counts(op, g, at), at);
    if (op.reduce != Reduce::kProd) {
      return (source == gather(result, at)).to(g.dtype()) *
             gather(shares(g, self, at, source, result), at);
    }
    // A factor that is the only zero of its product gets the product of the others.
    const Tensor zero = source == 0;
    const Tensor zeros = gather(scatter_add(zeros_like(self), at, zero.to(g.dtype())), at);
    const Tensor only = zero.logical_and(zeros == 1);
    const Tensor others = product(self, at, source.masked_fill(only, 1));
    return where(only, gather(g * others, at),
                 gather(g * result, at) / source.masked_fill(zero, 1));
  }
};

Tensor reduced(const ScatterReduction& op, const Tensor& self, const Tensor& any_index,
               const Tensor& whole) {
  const Tensor index = detail::as_long(any_index);
  detail::check_scatter_arguments(op.name, self, op.dim, index, whole);
  const Tensor source = detail::scattered_part(whole, index);
  Tensor out = detail::detached_copy(self);
  reduce_into(op, out, index, source);
  if (!needs_grad(self, source)) return out;
  const ReductionGradients gradients{op};
  const auto self_rule = [gradients](const Tensor& g, const Tensor& x, const Tensor& at,
                                     const Tensor& terms, const Tensor& result) {
    return at.numel() == 0 ? g : gradients.of_self(g, x, at, terms, result);
  };
  const auto source_rule = [gradients](const Tensor& g, const Tensor& x, const Tensor& at,
                                       const Tensor& terms, const Tensor& result) {
    return at.numel() == 0 ? zeros_like(terms) : gradients.of_source(g, x, at, terms, result);
  };
  return record(op.node, out, wrt(self, self_rule, self, index, source, out),
                wrt(source, source_rule, self, index, source, out));
}

Tensor& reduce_in_place(const ScatterReduction& op, Tensor& self, const Tensor& any_index,
                        const Tensor& source) {
  const Tensor index = detail::as_long(any_index);
  return detail::inplace(
      self,
      [&](const Tensor& x, const Tensor& out) {
        if (!out.defined()) return reduced(op, x, index, source);
        reduce_into(op, out, index, source);
        return out;
      },
      source);
}

ScatterReduction scatter_reduction(std::int64_t dim, std::string_view reduce, bool include_self) {
  return {"scatter_reduce", "ScatterReduceBackward0", dim, reduce_of(reduce), include_self};
}

ScatterReduction index_reduction(std::int64_t dim, std::string_view reduce, bool include_self) {
  TERN_CHECK(reduce == "prod" || reduce == "mean" || reduce == "amax" || reduce == "amin", Error,
             "Expected reduce to be one of prod, mean, amax or amin but got ", reduce);
  return {"index_reduce", "IndexReduceBackward0", dim, reduce_of(reduce), include_self};
}

// Returns the index of index_reduce() with one element per element of `source`.
Tensor index_of_elements(const Tensor& self, std::int64_t dim, const Tensor& any_index,
                         const Tensor& source) {
  const Tensor index = detail::as_long(any_index);
  detail::check_index("index_reduce", "index_reduce", self, index);
  const auto d = static_cast<std::size_t>(wrap_dim(dim, self.dim()));
  DimVector sizes = self.self().sizes;
  if (!sizes.empty()) sizes[d] = index.numel();
  TERN_CHECK(index.dim() <= 1 && source.sizes() == IntArrayRef(sizes), ShapeError,
             "index_reduce(): expected source of sizes ", IntArrayRef(sizes), " for self ",
             self.sizes(), " and index ", index.sizes(), ", got ", source.sizes());
  detail::check_index_count("index_reduce", self, index);
  DimVector column(sizes.size(), 1);
  if (!column.empty()) column[d] = index.numel();
  return index.reshape(column).expand(sizes);
}

}  // namespace

Tensor scatter_reduce(const Tensor& self, StrictInt dim, const Tensor& index, const Tensor& source,
                      std::string_view reduce, StrictBool include_self) {
  TERN_OP("scatter_reduce", self, dim, index, source);
  return reduced(scatter_reduction(dim, reduce, include_self), self, index, source);
}
Tensor& scatter_reduce_(Tensor& self, StrictInt dim, const Tensor& index, const Tensor& source,
                        std::string_view reduce, StrictBool include_self) {
  TERN_OP("scatter_reduce_", self, dim, index, source);
  detail::check_no_overlap(self, {&index, &source});
  return reduce_in_place(scatter_reduction(dim, reduce, include_self), self, index, source);
}

Tensor index_reduce(const Tensor& self, StrictInt dim, const Tensor& index, const Tensor& source,
                    std::string_view reduce, StrictBool include_self) {
  TERN_OP("index_reduce", self, dim, index, source);
  return reduced(index_reduction(dim, reduce, include_self), self,
                 index_of_elements(self, dim, index, source), source);
}
Tensor& index_reduce_(Tensor& self, StrictInt dim, const Tensor& index, const Tensor& source,
                      std::string_view reduce, StrictBool include_self) {
  TERN_OP("index_reduce_", self, dim, index, source);
  detail::check_no_overlap(self, {&index, &source});
  return reduce_in_place(index_reduction(dim, reduce, include_self), self,
                         index_of_elements(self, dim, index, source), source);
}

}  // namespace tern
