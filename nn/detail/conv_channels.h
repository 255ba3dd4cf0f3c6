#pragma once

#include <cstddef>
#include <cstdint>

namespace tern::nn::detail {

/// Throws Error unless `groups` is positive and divides both numbers of channels, ShapeError if one
/// of them is negative. Texts name the module by kind and dimensions: Conv, 2.
void check_conv_channels(const char* kind, std::size_t dims, std::int64_t in, std::int64_t out,
                         std::int64_t groups);

}  // namespace tern::nn::detail
