#pragma once

#include <string>

#include <tern/core/tensor/tensor.h>

namespace tern::detail {

/// Throws FileError naming `path`, the tensor and the index of its first NaN or infinity, if any.
/// The tensor is contiguous and on the host.
void refuse_non_finite(const std::string& path, const std::string& name, const Tensor& tensor);

}  // namespace tern::detail
