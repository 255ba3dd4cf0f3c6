#include "train/picture/read_png.h"

#ifdef TERN_HAVE_ZLIB
#include <zlib.h>
#endif

#include <cstdlib>
#include <stdexcept>
#include <vector>

#include <tern/core/ops/ops.h>

namespace tern::testing {
namespace {

void require(bool condition, const char* what) {
  if (!condition) throw std::runtime_error(what);
}

std::uint32_t big(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value = value << 8 | static_cast<unsigned char>(bytes.at(at + i));
  }
  return value;
}

/// Undoes the filter of a row, in place.
void unfilter(int filter, unsigned char* row, const unsigned char* above, long size, long step) {
  for (long i = 0; i < size; ++i) {
    const int a = i < step ? 0 : row[i - step], b = above[i], c = i < step ? 0 : above[i - step];
    const int p = a + b - c, pa = std::abs(p - a), pb = std::abs(p - b), pc = std::abs(p - c);
    const int predictions[] = {0, a, b, (a + b) / 2, pa <= pb && pa <= pc ? a : (pb <= pc ? b : c)};
    row[i] = static_cast<unsigned char>(row[i] + predictions[filter]);
  }
}

/// The checksum of a chunk, bit by bit.
std::uint32_t checksum(const std::string& bytes) {
  std::uint32_t rest = 0xFFFFFFFF;
  for (const char byte : bytes) {
    rest ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ (rest & 1) * 0xEDB88320u;
  }
  return rest ^ 0xFFFFFFFF;
}

/// Returns the `size` bytes in data of zlib's format; without zlib, of stored blocks alone.
std::vector<unsigned char> inflated(const std::string& data, std::size_t size) {
  std::vector<unsigned char> bytes(size);
#ifdef TERN_HAVE_ZLIB
  uLongf found = size;
  const int code =
      ::uncompress(bytes.data(), &found, reinterpret_cast<const Bytef*>(data.data()), data.size());
  require(code == Z_OK && found == size, "compressed data");
#else
  bytes.clear();
  std::size_t at = 2;
  for (bool last = false; !last;) {
    last = data.at(at) == 1;
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(data.at(at + i)); };
    const std::size_t count = byte(1) | byte(2) << 8;
    require((byte(3) | byte(4) << 8) == (~count & 0xFFFF), "length of a block");
    const std::string block = data.substr(at + 5, count);
    bytes.insert(bytes.end(), block.begin(), block.end());
    at += 5 + count;
  }
  std::uint32_t a = 1, b = 0;
  for (const unsigned char byte : bytes) b = (b + (a = (a + byte) % 65521)) % 65521;
  require(bytes.size() == size && big(data, at) == (b << 16 | a), "stored data");
#endif
  return bytes;
}

}  // namespace

Tensor read_png(const std::string& bytes) {
  require(bytes.starts_with("\x89PNG\r\n\x1a\n"), "signature");
  std::string header, data;
  std::size_t at = 8;
  for (std::string name; name != "IEND";) {
    const std::size_t size = big(bytes, at);
    name = bytes.substr(at + 4, 4);
    const std::string content = bytes.substr(at + 8, size);
    require(checksum(name + content) == big(bytes, at + 8 + size), "checksum");
    require(header.empty() == (name == "IHDR"), "first chunk");
    if (name == "IHDR") header = content;
    if (name == "IDAT") data += content;
    at += 12 + size;
  }
  require(at == bytes.size(), "bytes after the end");
  const long width = big(header, 0), height = big(header, 4);
  require(header[8] == 8 && header.substr(10) == std::string(3, '\0'), "kind of PNG");
  const long channels = std::string("\1?\3?\2?\4").at(static_cast<std::size_t>(header[9]));

  const long row_size = width * channels;
  std::vector<unsigned char> rows =
      inflated(data, static_cast<std::size_t>(height * (row_size + 1)));
  Tensor pixels = empty({height, width, channels}, kByte);
  std::vector<unsigned char> above(static_cast<std::size_t>(row_size));
  for (long y = 0; y < height; ++y) {
    unsigned char* const row = rows.data() + y * (row_size + 1) + 1;
    unfilter(row[-1], row, above.data(), row_size, channels);
    above.assign(row, row + row_size);
    std::copy(above.begin(), above.end(), pixels.data_ptr<std::uint8_t>() + y * row_size);
  }
  return pixels.permute({2, 0, 1}).contiguous();
}

}  // namespace tern::testing
