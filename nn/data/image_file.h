#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <tern/core/tensor/tensor.h>

namespace tern::data {

/// The colours that read_image() returns.
enum class ImageMode : std::uint8_t {
  kRgb,        ///< Three channels; grey images get three equal ones.
  kGray,       ///< One channel.
  kUnchanged,  ///< The channels of the file: 1 to 4. CMYK files store 255 for no ink.
};

/// Reads a JPEG or PNG file as a tensor, without any turning that its EXIF data asks for. Of 16
/// bits per colour the upper 8 are kept.
///
/// Shape: uint8 [C, H, W]
/// Throws: FileError that names the file for a file that cannot be read, is neither JPEG nor PNG,
/// is damaged or cut off, or has more than 2^28 pixels; NotImplementedError if this tern was built
/// without TERN_IMAGES, and for JPEG without libjpeg-turbo.
///
/// Example:
///   Tensor image = data::read_image("cat.jpg");
TERN_API Tensor read_image(const std::string& path, ImageMode mode = ImageMode::kRgb);

/// Decodes the bytes of a JPEG or PNG file. `name` stands in error texts. Otherwise as
/// read_image().
TERN_API Tensor decode_image(const void* bytes, std::size_t size, ImageMode mode = ImageMode::kRgb,
                             const std::string& name = "image");

}  // namespace tern::data
