#pragma once

#include <string>

#include <tern/core/tensor/tensor.h>

namespace tern::detail {

/// Throws FileError if the tensor has a NaN or an infinity. The text names `path`, the tensor and
/// the index of the first such element. The tensor must be contiguous and on the CPU.
void refuse_non_finite(const std::string& path, const std::string& name, const Tensor& tensor);

}  // namespace tern::detail
