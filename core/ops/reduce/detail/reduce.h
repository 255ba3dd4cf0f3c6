#pragma once

#include <tern/core/kernels/families/reduce.h>
#include <tern/core/tensor/tensor.h>

// How every reduction runs: which dimensions are reduced, the shape of the result, one kernel call.

namespace tern::detail {

struct ReduceCall {
  const char* name;
  kernels::ReduceOp op;
  ScalarType dtype;  // dtype of the result
  double scale = 1;  // factor of a sum or a norm, before it is rounded
  bool keepdim = false;
};

/// Runs the kernel on `self`; no history. For argmax and argmin, `values` receives the extreme
/// values.
Tensor run_reduce(const ReduceCall& call, const Tensor& self, IntArrayRef dim,
                  Tensor* values = nullptr);

/// Returns `reduced`, the result of a reduction, with the reduced dimensions as size 1.
Tensor restore_dims(const Tensor& reduced, IntArrayRef dim, std::int64_t ndim, bool keepdim);

/// Returns the number of elements that are reduced to one result.
std::int64_t reduced_count(const Tensor& self, IntArrayRef dim);

}  // namespace tern::detail
