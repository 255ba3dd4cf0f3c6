#pragma once

#include <tern/core/kernels/families/batch_norm.h>
#include <tern/core/tensor/tensor.h>

namespace tern::detail {

/// Runs the kernel on contiguous tensors; `args` holds everything else. `statistics` is
/// [2, args.channels] in float64: mean and variance of each channel, which evaluation reads and
/// training writes.
void run_batch_norm(kernels::BatchNormArgs args, const Tensor& input, const Tensor& weight,
                    const Tensor& statistics);

/// Throws ShapeError if each channel has one value. PyTorch's functional asks for this in training,
/// the op of libtorch does not.
void check_batch_norm_sizes(const Tensor& input);

}  // namespace tern::detail
