#include <tern/nn/data/image_file.h>

#include <cstring>

#include <tern/core/base/error.h>
#include <tern/core/ops/create/creation.h>
#include <tern/nn/data/detail/image_codecs.h>
#include <tern/nn/data/detail/read_file.h>

namespace tern::data {

namespace detail {

void check_image_sizes(const std::string& name, std::uint64_t width, std::uint64_t height) {
  TERN_CHECK(width > 0 && height > 0 && width <= kMostPixels / height, FileError, "image: ", name,
             " says that it has ", width, " x ", height, " pixels, expected from 1 to ",
             kMostPixels);
}

Tensor planes_of(const std::uint8_t* pixels, std::int64_t channels, std::int64_t height,
                 std::int64_t width) {
  Tensor image = empty({channels, height, width}, TensorOptions(kByte).device(kCPU));
  auto* plane = image.data_ptr<std::uint8_t>();
  const std::int64_t count = height * width;
  if (channels == 3) {
    std::uint8_t* __restrict red = plane, * __restrict green = plane + count, * __restrict blue = plane + 2 * count;
    for (std::int64_t i = 0; i < count; ++i) {
      red[i] = pixels[3 * i];
      green[i] = pixels[3 * i + 1];
      blue[i] = pixels[3 * i + 2];
    }
    return image;
  }
  for (std::int64_t c = 0; c < channels; ++c) {
    for (std::int64_t i = 0; i < count; ++i) plane[c * count + i] = pixels[channels * i + c];
  }
  return image;
}

}  // namespace detail

Tensor decode_image(const void* bytes, std::size_t size, ImageMode mode, const std::string& name) {
  static constexpr std::uint8_t kJpeg[] = {0xff, 0xd8, 0xff};
  static constexpr std::uint8_t kPng[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  const auto* data = static_cast<const std::uint8_t*>(bytes);
  const auto begins_with = [&](const std::uint8_t* magic, std::size_t count) {
    return size >= count && std::memcmp(data, magic, count) == 0;
  };
  const bool is_jpeg = begins_with(kJpeg, sizeof(kJpeg));
  TERN_CHECK(is_jpeg || begins_with(kPng, sizeof(kPng)), FileError, "image: ", name,
             " is neither a JPEG nor a PNG file: at byte 0 expected FF D8 FF or 89 50 4E 47");
#ifdef TERN_HAVE_IMAGES
  if (is_jpeg) {
#ifdef TERN_HAVE_JPEG
    return detail::decode_jpeg(data, size, mode, name);
#else
    tern::detail::raise<NotImplementedError>("image: cannot read ", name,
                                             ": this tern was built without libjpeg-turbo; install "
                                             "the Debian package libjpeg-dev and configure again");
#endif
  }
  return detail::decode_with_stb(data, size, mode, name);
#else
  static_cast<void>(mode);
  tern::detail::raise<NotImplementedError>("image: cannot read ", name,
                                           ": this tern was built with TERN_IMAGES=OFF");
#endif
}

Tensor read_image(const std::string& path, ImageMode mode) {
  const std::string bytes = detail::read_file("image", path, std::uint64_t{1} << 30);
  return decode_image(bytes.data(), bytes.size(), mode, path);
}

}  // namespace tern::data
