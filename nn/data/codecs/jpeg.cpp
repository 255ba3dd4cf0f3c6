#ifdef TERN_HAVE_JPEG

#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

// After <cstdio>, whose FILE it needs.
#include <jerror.h>
#include <jpeglib.h>

#include <tern/core/base/error.h>
#include <tern/nn/data/detail/image_codecs.h>

// JPEG by libjpeg-turbo. The library reports an error by a function that must not return: it jumps
// back into the function that called the library. These functions have no objects with destructors.

namespace tern::data::detail {
namespace {

struct JpegErrors {
  jpeg_error_mgr manager;  // the first member: the library has a pointer to it
  std::jmp_buf jump;
  char text[JMSG_LENGTH_MAX];
};

void jpeg_failed(j_common_ptr info) {
  auto* errors = reinterpret_cast<JpegErrors*>(info->err);
  info->err->format_message(info, errors->text);
  std::longjmp(errors->jump, 1);
}

/// Warnings are no errors, except the one about a file that is cut off.
void jpeg_message(j_common_ptr info, int level) {
  if (level < 0 && info->err->msg_code == JWRN_JPEG_EOF) jpeg_failed(info);
}

/// Refuses files of very many scans, each of which costs the time of a whole image.
void check_jpeg_scans(j_common_ptr info) {
  constexpr int kMostScans = 500;
  if (!info->is_decompressor ||
      reinterpret_cast<j_decompress_ptr>(info)->input_scan_number <= kMostScans) {
    return;
  }
  auto* errors = reinterpret_cast<JpegErrors*>(info->err);
  std::strcpy(errors->text, "more than 500 scans");
  std::longjmp(errors->jump, 1);
}

/// A decoder that frees its memory.
struct JpegDecoder {
  JpegDecoder() {
    info.err = jpeg_std_error(&errors.manager);
    errors.manager.error_exit = jpeg_failed;
    errors.manager.emit_message = jpeg_message;
    errors.text[0] = '\0';
    jpeg_create_decompress(&info);
    progress.progress_monitor = check_jpeg_scans;
    info.progress = &progress;
  }
  ~JpegDecoder() { jpeg_destroy_decompress(&info); }
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  jpeg_decompress_struct info{};
  JpegErrors errors{};
  jpeg_progress_mgr progress{};
};

/// Reads the header. Returns false after an error.
bool read_jpeg_header(JpegDecoder& decoder, const std::uint8_t* bytes, std::size_t size) {
  if (setjmp(decoder.errors.jump) != 0) return false;
  jpeg_mem_src(&decoder.info, bytes, static_cast<unsigned long>(size));
  jpeg_read_header(&decoder.info, TRUE);
  return true;
}

/// Decodes all rows into `pixels`, which the caller has made large enough. Returns false after an
/// error.
bool read_jpeg_rows(JpegDecoder& decoder, std::uint8_t* pixels, std::size_t row_size) {
  if (setjmp(decoder.errors.jump) != 0) return false;
  jpeg_start_decompress(&decoder.info);
  while (decoder.info.output_scanline < decoder.info.output_height) {
    JSAMPROW rows[4];
    const JDIMENSION left = decoder.info.output_height - decoder.info.output_scanline;
    const JDIMENSION count = left < 4 ? left : 4;
    for (JDIMENSION i = 0; i < count; ++i) {
      rows[i] = pixels + (decoder.info.output_scanline + i) * row_size;
    }
    jpeg_read_scanlines(&decoder.info, rows, count);
  }
  jpeg_finish_decompress(&decoder.info);
  return true;
}

/// Converts four inks to three colours, or to grey for one channel, with the rounding of Pillow and
/// torchvision. As there, every file stores its inks inverted, as Adobe's programs do.
void convert_inks(std::vector<std::uint8_t>& pixels, std::size_t channels) {
  std::size_t out = 0;
  for (std::size_t in = 0; in < pixels.size(); in += 4) {
    const int white = pixels[in + 3];
    int colours[3];
    for (std::size_t c = 0; c < 3; ++c) {
      const int covered = white * (255 - pixels[in + c]) + 128;
      colours[c] = white - ((covered >> 8) + covered) / 256;
    }
    if (channels == 1) {
      const int grey = 19595 * colours[0] + 38470 * colours[1] + 7471 * colours[2];
      pixels[out++] = static_cast<std::uint8_t>((grey + 32768) >> 16);
    } else {
      for (const int colour : colours) pixels[out++] = static_cast<std::uint8_t>(colour);
    }
  }
  pixels.resize(out);
}

}  // namespace

Tensor decode_jpeg(const std::uint8_t* bytes, std::size_t size, ImageMode mode,
                   const std::string& name) {
  JpegDecoder decoder;
  TERN_CHECK(read_jpeg_header(decoder, bytes, size), FileError, "image: ", name,
             " is a damaged JPEG file: ", decoder.errors.text);
  jpeg_decompress_struct& info = decoder.info;
  check_image_sizes(name, info.image_width, info.image_height);
  const bool has_inks = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
  const bool is_gray = mode == ImageMode::kGray ||
                       (mode == ImageMode::kUnchanged && info.jpeg_color_space == JCS_GRAYSCALE);
  info.out_color_space = has_inks ? JCS_CMYK : is_gray ? JCS_GRAYSCALE : JCS_RGB;
  const std::size_t stored = has_inks ? 4 : is_gray ? 1 : 3;
  const auto height = static_cast<std::int64_t>(info.image_height);
  const auto width = static_cast<std::int64_t>(info.image_width);
  // A header that promises many pixels in few bytes must not take the memory for them: even an
  // empty block of 64 pixels takes a bit.
  const auto pixels_count = static_cast<std::uint64_t>(height) * static_cast<std::uint64_t>(width);
  TERN_CHECK(pixels_count / 2048 <= size, FileError, "image: ", name,
             " is cut off: it says that it has ", width, " x ", height, " pixels, found ", size,
             " bytes");
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(pixels_count) * stored);
  TERN_CHECK(read_jpeg_rows(decoder, pixels.data(), static_cast<std::size_t>(width) * stored),
             FileError, "image: ", name, " is a damaged JPEG file: ", decoder.errors.text,
             " (in row ", info.output_scanline, " of ", height, ")");
  const bool keeps = !has_inks || mode == ImageMode::kUnchanged;
  const std::size_t channels = keeps ? stored : is_gray ? 1 : 3;
  if (!keeps) convert_inks(pixels, channels);
  return planes_of(pixels.data(), static_cast<std::int64_t>(channels), height, width);
}

}  // namespace tern::data::detail

#endif  // TERN_HAVE_JPEG
