#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tern/core/base/visibility.h>

namespace tern::detail {

/// Returns "the keys are: 'weight', 'bias'" for an error about a missing key. If there are more
/// than ten keys, names only the five that share the longest beginning and end with that key.
TERN_API std::string text_of_keys(std::string_view missing,
                                  const std::vector<std::string_view>& keys);

/// Throws IndexError: "Key 'wieght' is not defined; the keys are: 'weight', 'bias'". `kind` is what
/// the dictionary calls a key.
[[noreturn]] TERN_API void missing_key_error(std::string_view kind, std::string_view key,
                                             const std::vector<std::string_view>& keys);

}  // namespace tern::detail
