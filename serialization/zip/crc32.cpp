#include <tern/serialization/zip/detail/crc32.h>

#include <array>

#include <tern/serialization/file/detail/little_endian.h>

namespace tern::detail {
namespace {

using Table = std::array<std::array<std::uint32_t, 256>, 8>;

/// Row k of the table has the change of the remainder by a byte that k more bytes follow.
constexpr Table make_table() {
  Table table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) != 0 ? 0xEDB88320u : 0u);
    table[0][byte] = rest;
  }
  for (std::size_t k = 1; k < table.size(); ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t rest = table[k - 1][byte];
      table[k][byte] = (rest >> 8) ^ table[0][rest & 0xFF];
    }
  }
  return table;
}

constexpr Table kTable = make_table();

}  // namespace

std::uint32_t crc32(std::uint32_t crc, std::string_view bytes) {
  std::uint32_t rest = ~crc;
  // Eight bytes per step: the eight look-ups are independent and run in parallel.
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    const std::uint64_t word = load_little<std::uint64_t>(bytes.data()) ^ rest;
    rest = 0;
    for (std::size_t k = 0; k < 8; ++k) rest ^= kTable[7 - k][(word >> (8 * k)) & 0xFF];
  }
  for (const char byte : bytes) {
    rest = (rest >> 8) ^ kTable[0][(rest ^ static_cast<unsigned char>(byte)) & 0xFF];
  }
  return ~rest;
}

}  // namespace tern::detail
