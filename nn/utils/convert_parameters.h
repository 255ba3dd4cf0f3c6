#pragma once

#include <vector>

#include <tern/core/tensor/tensor.h>

namespace tern::nn::utils {

/// All elements of the parameters in one vector, differentiable. Throws DeviceError when they live
/// apart.
TERN_API Tensor parameters_to_vector(const std::vector<Tensor>& parameters);

/// Copies the elements of `vector` into the parameters, in their order. Throws ShapeError, having
/// changed nothing, when the number of elements differs.
TERN_API void vector_to_parameters(const Tensor& vector, const std::vector<Tensor>& parameters);

}  // namespace tern::nn::utils
