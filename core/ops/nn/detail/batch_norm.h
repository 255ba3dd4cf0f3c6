#pragma once

#include <functional>

#include <tern/core/autograd/node.h>
#include <tern/core/kernels/families/batch_norm.h>
#include <tern/core/tensor/tensor.h>

namespace tern::detail {

/// Runs the kernel on contiguous tensors; `args` holds everything else. `statistics` is
/// [2, args.channels] in float64: mean and variance of each channel, which evaluation reads and
/// training writes.
void run_batch_norm(kernels::BatchNormArgs args, const Tensor& input, const Tensor& weight,
                    const Tensor& statistics);

/// Returns the sizes for the kernel. `format` is that of its tensors: [outer, channels, inner] or
/// [outer * inner, channels]. The input is not empty.
kernels::BatchNormArgs batch_norm_args(kernels::BatchNormOp op, const Tensor& input,
                                       MemoryFormat format, bool training, double eps);

/// Throws unless the tensors fit together; see tern::batch_norm().
void check_batch_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                      const Tensor& running_mean, const Tensor& running_var, double eps);

/// Moves running statistics, if defined, by the fraction `momentum` towards the mean and unbiased
/// variance of a batch with `count` values in each channel.
void update_running_statistics(const Tensor& running_mean, const Tensor& running_var,
                               const Tensor& statistics, double count, double momentum);

/// Computes the wanted gradients of input, weight and bias with ordinary ops. In training
/// `mean_of` returns the means of the channels, [1, C, 1, ..]; else it is empty, and `statistics`
/// are used.
void compose_batch_norm(const Tensor& g, const Tensor& input, const Tensor& weight,
                        const Tensor& statistics, double eps,
                        const std::function<Tensor(const Tensor&)>& mean_of, Tensor* results,
                        autograd::EdgeSet wanted);
/// Returns all dimensions but that of the channels.
DimVector dims_of_channel(const Tensor& input);

/// Throws ShapeError if each channel has one value. PyTorch's functional asks for this in training,
/// the op of libtorch does not.
void check_batch_norm_sizes(const Tensor& input);

}  // namespace tern::detail
