#pragma once

#include <nlohmann/json.hpp>

namespace tern::detail {

using Json = nlohmann::json;

/// Receives the parts of a JSON text in their order. nlohmann's parser calls the functions; it
/// holds the grammar and never builds a tree. Every function returns true or throws.
using JsonEvents = nlohmann::json_sax<Json>;

}  // namespace tern::detail
