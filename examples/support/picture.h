#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace support {

/// Writes grey images as one PNG with `columns` images per row. As in torchvision's save_image, two
/// black pixels separate and surround the images, but a single image has no frame.
///
/// `images` has count x height x width values. 0 is black and 1 is white; other values are clipped.
/// Throws tern::FileError if the file cannot be written.
void write_image_grid(const std::string& path, const std::vector<float>& images,
                      std::int64_t height, std::int64_t width, std::int64_t columns);

}  // namespace support
