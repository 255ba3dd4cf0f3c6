#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <tern/nn/data/image_file.h>

// The decoders of image formats, one source file each.

namespace tern::data::detail {

/// More pixels are refused, whatever the file says.
inline constexpr std::uint64_t kMostPixels = std::uint64_t{1} << 28;

/// Throws FileError for sizes of an image that are 0 or too many.
void check_image_sizes(const std::string& name, std::uint64_t width, std::uint64_t height);
/// Returns the image of interleaved pixels: [C, H, W] of [H, W, C].
Tensor planes_of(const std::uint8_t* pixels, std::int64_t channels, std::int64_t height,
                 std::int64_t width);

/// Decodes the bytes of a file that begins like a JPEG file.
Tensor decode_jpeg(const std::uint8_t* bytes, std::size_t size, ImageMode mode,
                   const std::string& name);
/// Decodes the bytes of a file that stb_image reads.
Tensor decode_with_stb(const std::uint8_t* bytes, std::size_t size, ImageMode mode,
                       const std::string& name);

}  // namespace tern::data::detail
