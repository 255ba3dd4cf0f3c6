#pragma once

#include <cstdint>

#include <tern/core/kernels/families/index.h>
#include <tern/core/tensor/tensor.h>

// What the ops that scatter share.

namespace tern::detail {

/// Throws the error of scatter() unless the arguments fit together.
void check_scatter_arguments(const char* name, const Tensor& self, std::int64_t dim,
                             const Tensor& index, const Tensor& source);
/// Returns the part of `source` that has the index's shape. Differentiable.
Tensor scattered_part(const Tensor& source, const Tensor& index);
/// Scatters `source`, which broadcasts to the index's shape, to `out`. Records nothing.
void scatter_elements(const char* name, kernels::IndexOp op, const Tensor& out, std::int64_t dim,
                      const Tensor& index, const Tensor& source);

}  // namespace tern::detail
