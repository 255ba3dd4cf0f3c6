#pragma once

#include <tern/core/kernels/families/reduce.h>
#include <tern/core/tensor/tensor.h>

// How every reduction runs: which dimensions go, what is left, one kernel call.

namespace tern::detail {

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
