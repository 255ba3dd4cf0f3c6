#include "picture.h"

#include <algorithm>

#include <tern/core/base/error.h>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#include <stb_image_write.h>

namespace support {
namespace {

constexpr std::int64_t kChannels = 3;

std::uint8_t to_byte(float value) {
  const float scaled = value * 255.0F + 0.5F;
  return scaled > 0.0F ? static_cast<std::uint8_t>(std::min(scaled, 255.0F)) : std::uint8_t{0};
}

}  // namespace

void write_image_grid(const std::string& path, const std::vector<float>& images,
                      std::int64_t height, std::int64_t width, std::int64_t columns) {
  const auto count = static_cast<std::int64_t>(images.size()) / (height * width);
  TERN_CHECK(count > 0 && columns > 0, tern::Error,
             "write_image_grid: expected at least 1 image and 1 column for ", path, ", got ", count,
             " images and ", columns, " columns");
  const std::int64_t frame = count == 1 ? 0 : 2;
  const std::int64_t across = std::min(columns, count);
  const std::int64_t down = (count + across - 1) / across;
  const std::int64_t grid_width = across * (width + frame) + frame;
  const std::int64_t grid_height = down * (height + frame) + frame;
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(grid_height * grid_width * kChannels));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t top = i / across * (height + frame) + frame;
    const std::int64_t left = i % across * (width + frame) + frame;
    for (std::int64_t y = 0; y < height; ++y) {
      const float* row = images.data() + (i * height + y) * width;
      std::uint8_t* target = pixels.data() + ((top + y) * grid_width + left) * kChannels;
      for (std::int64_t x = 0; x < width; ++x, target += kChannels) {
        std::fill_n(target, kChannels, to_byte(row[x]));
      }
    }
  }
  const int written =
      stbi_write_png(path.c_str(), static_cast<int>(grid_width), static_cast<int>(grid_height),
                     kChannels, pixels.data(), static_cast<int>(grid_width * kChannels));
  TERN_CHECK(written != 0, tern::FileError, "cannot write the picture ", path);
}

}  // namespace support
