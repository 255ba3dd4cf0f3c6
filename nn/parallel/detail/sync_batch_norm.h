#pragma once

#include <tern/core/distributed/process_group.h>
#include <tern/core/tensor/tensor.h>

namespace tern::nn::detail {

/// Normalises each channel as tern::batch_norm() does in training, with the statistics of the
/// elements of all ranks, of which some may have none.
Tensor sync_batch_norm(const distributed::ProcessGroup& group, const Tensor& input,
                       const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                       const Tensor& running_var, double momentum, double eps);

}  // namespace tern::nn::detail
