#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tern/core/base/visibility.h>

namespace tern::detail {

/// Returns "the keys are: 'weight', 'bias'" for an error about a missing key. A text about more
/// than ten keys has the five whose beginning and end are most like the missing key.
TERN_API std::string text_of_keys(std::string_view missing,
                                  const std::vector<std::string_view>& keys);

/// Throws IndexError: "Key 'wieght' is not defined; the keys are: 'weight', 'bias'". `kind` is what
/// the dictionary calls a key.
[[noreturn]] TERN_API void missing_key_error(std::string_view kind, std::string_view key,
                                             const std::vector<std::string_view>& keys);

}  // namespace tern::detail
