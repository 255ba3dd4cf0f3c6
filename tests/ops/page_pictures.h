#pragma once

#include <map>
#include <string>

namespace tern::testing {

/// Returns the pictures of docs/ops.md, by the names of their files: what ops that move elements
/// return, as SVG. Equal elements have equal colours.
std::map<std::string, std::string> page_pictures();

}  // namespace tern::testing
