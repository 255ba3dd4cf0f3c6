#pragma once

#include <cstring>
#include <string>

#include <tern/core/base/visibility.h>

// Texts that are the same in every locale. printf, std::to_string(double) and a stream's operator<<
// follow the locale of the process or of the stream: "1,25" and "1.234" in Germany.
namespace tern::detail {

/// Returns `value` as printf writes it with "%.<precision><kind>" in the C locale. `kind` is 'e',
/// 'f' or 'g'.
TERN_API std::string number_text(double value, char kind, int precision);

/// Returns the system's reason for `error`, a value of errno, in English. std::strerror()
/// translates.
inline std::string system_reason(int error) {
#ifdef __GLIBC__
  if (const char* const reason = ::strerrordesc_np(error)) return reason;
  return "Unknown error " + std::to_string(error);
#else
  return std::strerror(error);
#endif
}

}  // namespace tern::detail
