#include <tern/train/picture/detail/png.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <vector>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/ops/ops.h>
#include <tern/serialization/zip/detail/crc32.h>

#ifdef TERN_HAVE_ZLIB
#include <zlib.h>
#endif

namespace tern::train::detail {
namespace {

using Byte = unsigned char;

constexpr std::size_t kMostBytes = std::numeric_limits<std::int32_t>::max();  // of a chunk

void append_big(std::string& text, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift & 0xFF);
}

void append_chunk(std::string& png, const char* name, std::string_view content) {
  append_big(png, static_cast<std::uint32_t>(content.size()));
  const std::size_t begin = png.size();
  png += name;
  png += content;
  append_big(png, tern::detail::crc32(0, std::string_view(png).substr(begin)));
}

/// Returns the prediction of a byte from its neighbours: left, above, and left of above.
int paeth(int left, int above, int corner) {
  const int to_left = std::abs(above - corner), to_above = std::abs(left - corner);
  const int to_corner = std::abs(left + above - 2 * corner);
  if (to_left <= to_above && to_left <= to_corner) return left;
  return to_above <= to_corner ? above : corner;
}

/// A row minus its predictions by PNG's five filters, and for each filter how far the bytes are
/// from 0: the usual guess for the one that compresses best.
struct FilteredRow {
  explicit FilteredRow(std::size_t size) {
    for (std::vector<Byte>& row : bytes) row.resize(size);
  }

  /// `above` is the row above, zeros for the first row.
  void run(const Byte* row, const Byte* above, std::size_t step) {
    std::fill(std::begin(distances), std::end(distances), 0);
    for (std::size_t i = 0; i < bytes[0].size(); ++i) {
      const int left = i < step ? 0 : row[i - step], corner = i < step ? 0 : above[i - step];
      const int predictions[kFilters] = {0, left, above[i], (left + above[i]) / 2,
                                         paeth(left, above[i], corner)};
      for (std::size_t filter = 0; filter < kFilters; ++filter) {
        const auto rest = static_cast<Byte>(row[i] - predictions[filter]);
        bytes[filter][i] = rest;
        distances[filter] += rest < 128 ? rest : 256 - rest;
      }
    }
  }

  static constexpr std::size_t kFilters = 5;
  std::vector<Byte> bytes[kFilters];
  std::int64_t distances[kFilters] = {};
};

/// Returns the rows, each behind the number of its filter.
std::string filtered(const Byte* pixels, std::size_t rows, std::size_t size, std::size_t step) {
  std::string result;
  result.reserve(rows * (size + 1));
  const std::vector<Byte> zeros(size);
  FilteredRow tried(size);
  for (std::size_t y = 0; y < rows; ++y) {
    const Byte* const row = pixels + y * size;
    tried.run(row, y == 0 ? zeros.data() : row - size, step);
    const auto best = std::ranges::min_element(tried.distances) - tried.distances;
    result += static_cast<char>(best);
    result.append(reinterpret_cast<const char*>(tried.bytes[best].data()), size);
  }
  return result;
}

/// Returns the data in zlib's format; stored without compression if tern was built without zlib.
std::string deflated(const std::string& data) {
#ifdef TERN_HAVE_ZLIB
  uLongf size = compressBound(data.size());
  std::string result(size, '\0');
  const int code =
      compress2(reinterpret_cast<Bytef*>(result.data()), &size,
                reinterpret_cast<const Bytef*>(data.data()), data.size(), Z_DEFAULT_COMPRESSION);
  TERN_CHECK(code == Z_OK, OutOfMemoryError, "zlib: cannot compress ", data.size(), " bytes");
  result.resize(size);
  return result;
#else
  constexpr std::size_t kMost = 65535;
  std::string result = "\x78\x01";
  std::size_t begin = 0;
  do {
    const std::size_t count = std::min(kMost, data.size() - begin);
    result += begin + count == data.size() ? '\1' : '\0';
    for (const std::size_t field : {count, ~count}) {
      result += static_cast<char>(field & 0xFF);
      result += static_cast<char>(field >> 8 & 0xFF);
    }
    result.append(data, begin, count);
    begin += count;
  } while (begin < data.size());
  std::uint32_t a = 1, b = 0;  // Adler-32
  for (const char c : data) {
    a = (a + static_cast<Byte>(c)) % 65521;
    b = (b + a) % 65521;
  }
  append_big(result, b << 16 | a);
  return result;
#endif
}

/// Returns the picture as bytes [H, W, C] on the CPU.
Tensor as_bytes(const Tensor& picture, const char* caller) {
  Tensor values = picture.detach();
  if (values.is_floating_point()) {
    // 0.5 rounds to the nearest integer.
    values = values.to(values.dtype() == kDouble ? kDouble : kFloat);
    values = where(values.isnan(), 0.0, values).mul(255).add_(0.5).clamp_(0, 255);
  } else if (values.dtype() == kBool) {
    values = values.to(kByte) * 255;
  } else {
    TERN_CHECK(values.dtype() == kByte, DTypeError, caller,
               ": expected pixels of a floating dtype, uint8 or bool, got ", values.scalar_type());
  }
  return values.permute({1, 2, 0}).to(kByte).cpu().contiguous();
}

}  // namespace

Png encode_png(const Tensor& picture, const char* caller) {
  TERN_CHECK(picture.defined(), Error, caller, ": expected a tensor, got an undefined one");
  TERN_CHECK(
      picture.dim() == 3 && picture.size(0) >= 1 && picture.size(0) <= 4 && picture.numel() > 0,
      ShapeError, caller, ": expected 1 to 4 channels and at least one pixel, got sizes ",
      picture.sizes());
  const NoGradGuard no_grad;
  const Tensor bytes = as_bytes(picture, caller);
  Png png{{}, picture.size(0), picture.size(1), picture.size(2)};
  const auto step = static_cast<std::size_t>(png.channels);
  const auto rows = static_cast<std::size_t>(png.height);

  std::string header;
  append_big(header, static_cast<std::uint32_t>(png.width));
  append_big(header, static_cast<std::uint32_t>(png.height));
  constexpr char kColourTypes[] = {0, 4, 2, 6};  // grey, grey and alpha, RGB, RGBA
  header += {8, kColourTypes[step - 1], 0, 0, 0};
  png.bytes = "\x89PNG\r\n\x1a\n";
  append_chunk(png.bytes, "IHDR", header);
  const std::string data = deflated(filtered(bytes.data_ptr<std::uint8_t>(), rows,
                                             static_cast<std::size_t>(png.width) * step, step));
  TERN_CHECK(data.size() <= kMostBytes, ShapeError, caller, ": a picture of sizes ",
             picture.sizes(), " is too large for a PNG of one piece");
  append_chunk(png.bytes, "IDAT", data);
  append_chunk(png.bytes, "IEND", "");
  return png;
}

}  // namespace tern::train::detail
