#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <tern/core/base/visibility.h>

namespace tern::detail {

/// Encodes bytes in the standard alphabet of 64 letters, padded with '=' (RFC 4648, section 4).
TERN_API std::string base64_encode(std::string_view bytes);
/// Decodes the result of base64_encode(). Throws Error for letters outside the alphabet, including
/// white space, and for a wrong length or padding.
TERN_API std::string base64_decode(std::string_view text);

}  // namespace tern::detail
