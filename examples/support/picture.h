#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace support {

/// Writes grey images as one PNG, `columns` to a row, with two black pixels before, between and
/// after them, as torchvision's save_image does (a single image has no frame).
///
/// `images` holds count x height x width values; 0 is black and 1 is white, others are clipped.
/// Throws tern::FileError if the file cannot be written.
void write_image_grid(const std::string& path, const std::vector<float>& images,
                      std::int64_t height, std::int64_t width, std::int64_t columns);

}  // namespace support
