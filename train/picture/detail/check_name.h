#pragma once

#include <string>
#include <string_view>

namespace tern::train::detail {

/// Throws FileError if the name of a picture does not end in `suffix`, in any case: programs that
/// open the file trust its name. `caller` is the name in the error text.
void check_name(const char* caller, const std::string& path, std::string_view suffix);

}  // namespace tern::train::detail
