#pragma once

#include <string>

#include <tern/core/tensor/tensor.h>

namespace tern::testing {

/// Decodes a PNG with 8 bits per channel to uint8 [C, H, W]. Checks signature, checksums, the order
/// of the chunks and the number of bytes.
Tensor read_png(const std::string& bytes);

}  // namespace tern::testing
