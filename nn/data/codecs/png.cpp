#ifdef TERN_HAVE_IMAGES

#include <cstdlib>
#include <limits>
#include <memory>

#include <tern/core/base/error.h>
#include <tern/nn/data/detail/image_codecs.h>

// CMakeLists.txt defines which of its functions are compiled.
#include <stb_image.h>

// PNG by stb_image. Its decoder of JPEG is left out: damaged tables made it write out of bounds.

namespace tern::data::detail {
namespace {

std::uint32_t word_at(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | bytes[3];
}

/// Checks that every chunk of a PNG file lies inside the file, because stb_image takes the memory
/// that a chunk asks for before it reads the chunk.
void check_png_chunks(const std::uint8_t* bytes, std::size_t size, const std::string& name) {
  for (std::size_t at = 8; at < size;) {
    TERN_CHECK(size - at >= 12, FileError, "image: ", name, " is cut off in the chunk at byte ",
               at);
    const std::uint32_t length = word_at(bytes + at);
    TERN_CHECK(length <= size - at - 12, FileError, "image: ", name,
               " is cut off: the chunk at byte ", at, " has ", length, " bytes, found ",
               size - at - 12);
    if (word_at(bytes + at + 4) == 0x49454e44) return;  // IEND
    at += length + 12;
  }
  tern::detail::raise<FileError>("image: ", name, " is cut off: no chunk IEND before byte ", size);
}

struct FreeStb {
  void operator()(void* pixels) const { std::free(pixels); }
};

}  // namespace

Tensor decode_with_stb(const std::uint8_t* bytes, std::size_t size, ImageMode mode,
                       const std::string& name) {
  TERN_CHECK(size <= static_cast<std::size_t>(std::numeric_limits<int>::max()), FileError,
             "image: ", name, " has ", size, " bytes, expected at most 2^31 - 1");
  if (bytes[0] == 0x89) check_png_chunks(bytes, size, name);
  const auto count = static_cast<int>(size);
  int width = 0, height = 0, channels = 0;
  const char* damaged = " is a damaged or cut off file: ";
  if (stbi_info_from_memory(bytes, count, &width, &height, &channels) == 0) {
    tern::detail::raise<FileError>("image: ", name, damaged, stbi_failure_reason());
  }
  check_image_sizes(name, static_cast<std::uint64_t>(width), static_cast<std::uint64_t>(height));
  // Packed data can be at most 1032 times as large unpacked, and a pixel has at least one bit.
  const auto pixel_count = static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height);
  TERN_CHECK(pixel_count / 8192 <= size, FileError, "image: ", name,
             " is cut off: it says that it has ", width, " x ", height, " pixels, found ", size,
             " bytes");
  const int wanted = mode == ImageMode::kRgb ? 3 : mode == ImageMode::kGray ? 1 : 0;
  const std::unique_ptr<std::uint8_t, FreeStb> pixels(
      stbi_load_from_memory(bytes, count, &width, &height, &channels, wanted));
  if (pixels == nullptr) {
    tern::detail::raise<FileError>("image: ", name, damaged, stbi_failure_reason());
  }
  return planes_of(pixels.get(), wanted == 0 ? channels : wanted, height, width);
}

}  // namespace tern::data::detail

#endif  // TERN_HAVE_IMAGES
