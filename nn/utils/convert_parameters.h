#pragma once

#include <vector>

#include <tern/core/tensor/tensor.h>

namespace tern::nn::utils {

/// Returns all elements of the parameters in one 1-d tensor. Differentiable. Throws DeviceError for
/// parameters on different devices.
TERN_API Tensor parameters_to_vector(const std::vector<Tensor>& parameters);

/// Copies the elements of `vector` into the parameters, in their order. Throws ShapeError, without
/// any change, if the number of elements differs.
TERN_API void vector_to_parameters(const Tensor& vector, const std::vector<Tensor>& parameters);

}  // namespace tern::nn::utils
