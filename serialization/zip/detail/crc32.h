#pragma once

#include <cstdint>
#include <string_view>

namespace tern::detail {

/// The checksum of ZIP archives (CRC-32 of ISO 3309) over what `crc` covers, followed by `bytes`;
/// over nothing it is 0.
std::uint32_t crc32(std::uint32_t crc, std::string_view bytes);

}  // namespace tern::detail
