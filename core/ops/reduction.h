#pragma once

#include <tern/core/kernels/args.h>
#include <tern/core/tensor/tensor.h>

// How every reduction runs: which dimensions go, what is left, one kernel call.

namespace tern::detail {

/// Marks the dimensions of `dim` (all when empty). Throws IndexError, and Error for one that stands
/// twice.
SmallVector<bool, 5> reduced_dims(IntArrayRef dim, std::int64_t ndim);

/// Sizes that are left: reduced ones become 1, or go without keepdim.
DimVector kept_sizes(const Tensor& self, const SmallVector<bool, 5>& reduced, bool keepdim);

struct ReduceCall {
  const char* name;
  kernels::ReduceOp op;
  ScalarType dtype;  // of the result
  double scale = 1;  // of a sum
  bool keepdim = false;
};

/// Runs the kernel over `self`; no history. `values`, for argmax and argmin, gets the extremes.
Tensor run_reduce(const ReduceCall& call, const Tensor& self, IntArrayRef dim,
                  Tensor* values = nullptr);

/// `reduced` (the result of a reduction without keepdim) with the dimensions back as size 1.
Tensor restore_dims(const Tensor& reduced, IntArrayRef dim, std::int64_t ndim, bool keepdim);

/// How many elements go into each result.
std::int64_t reduced_count(const Tensor& self, IntArrayRef dim);

}  // namespace tern::detail
