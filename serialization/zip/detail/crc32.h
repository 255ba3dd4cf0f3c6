#pragma once

#include <cstdint>
#include <string_view>

namespace tern::detail {

/// Returns the checksum of ZIP archives (CRC-32 of ISO 3309) of a text followed by `bytes`. `crc`
/// is the checksum of the text, 0 for an empty text.
std::uint32_t crc32(std::uint32_t crc, std::string_view bytes);

}  // namespace tern::detail
