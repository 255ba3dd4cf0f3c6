#pragma once

#include <tern/serialization/file/detail/atomic_file.h>
#include <tern/serialization/file/detail/input_file.h>
#include <tern/serialization/state/detail/flat_state.h>
#include <tern/serialization/state_file.h>

namespace tern::detail {

// Version 1 stores a dictionary of tensors. "metadata" and "encoding" are optional, and keys may
// have any order:
//
//   {"format": "tern.state_dict", "version": 1,
//    "metadata": {"author": "me"},
//    "tensors": {"fc1.weight": {"dtype": "F32", "shape": [400, 784], "data": [[...], ...]},
//                "fc1.bias": {"dtype": "F32", "shape": [400], "encoding": "base64",
//                             "data": "..."}}}
//
// Version 2 stores every other state. Its key "state" has the tree (FlatState::tree). The tree is
// an object, so that it differs from a tensor of the plain form:
//
//   {"format": "tern.state_dict", "version": 2,
//    "state": {"model": {"fc1.weight": {"$tensor": "model.fc1.weight"}}, "epoch": 3},
//    "tensors": {"model.fc1.weight": {...}}}
//
// Older libraries also wrote such states in version 1, with the tree as text in the metadata:
// {"tern.state": "{\"epoch\": 3}"}. The plain form is {"fc1.weight": [[...], ...], ...}.

constexpr std::string_view kJsonFormat = "tern.state_dict";
constexpr int kJsonVersion = 2;            // the newest version
constexpr std::size_t kMaxJsonKey = 4096;  // bytes
/// The key that wraps a root other than an object into one: "state": {"$value": [1, 2]}.
constexpr std::string_view kRootWord = "$value";

/// Returns the State of `flat.tree`. Throws Error for a tree that `flatten` cannot have written or
/// that does not fit the tensors.
State read_tree(const FlatState& flat);

/// Returns true if a text with these first bytes can be a JSON object.
bool recognizes_json(std::string_view head);
void write_json_state(const State& state, const SaveOptions& options, AtomicFile& file);
/// Throws FileError with the position of the first error.
State read_json_state(const InputFile& file, const LoadFileOptions& options);

}  // namespace tern::detail
