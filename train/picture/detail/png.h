#pragma once

#include <cstdint>
#include <string>

#include <tern/core/tensor/tensor.h>

namespace tern::train::detail {

/// A PNG file in memory and the size of its picture.
struct Png {
  std::string bytes;
  std::int64_t channels = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
};

/// Encodes a picture [C, H, W] as save_image() describes. `caller` is the name in error texts.
Png encode_png(const Tensor& picture, const char* caller);

}  // namespace tern::train::detail
