#pragma once

#include <nlohmann/json.hpp>

namespace tern::detail {

using Json = nlohmann::json;

/// Receives the parts of a JSON text in their order. nlohmann's parser checks the grammar and calls
/// the functions, but builds no tree. Every function returns true or throws.
using JsonEvents = nlohmann::json_sax<Json>;

}  // namespace tern::detail
