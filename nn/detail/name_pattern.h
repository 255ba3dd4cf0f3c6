#pragma once

#include <string_view>

namespace tern::nn::detail {

/// Returns true if a name matches a pattern, in which `*` stands for any characters, also dots, and
/// `?` for one.
bool matches(std::string_view pattern, std::string_view name);

}  // namespace tern::nn::detail
