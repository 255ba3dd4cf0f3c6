#pragma once

#include <string>

#include <tern/core/base/visibility.h>
#include <tern/core/tensor/state.h>

namespace tern {

/// Reads any JSON document that is an object, such as the config.json of a model. Numbers, strings,
/// null, lists and objects become the nodes of a State; no value becomes a tensor. load_state()
/// reads state files, which are JSON of a fixed form.
///
/// Throws: FileError, which names the file: for a file that is missing or above 64 MB, for wrong
/// JSON, a key that appears twice, an integer beyond int64, and nesting deeper than
/// State::kMaxDepth.
///
/// Example:
///   const State config = load_json("SmolLM2/config.json");
///   auto layers = config.get<std::int64_t>("num_hidden_layers");
TERN_API State load_json(const std::string& path);

}  // namespace tern
