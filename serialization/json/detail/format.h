#pragma once

#include <tern/serialization/file/detail/atomic_file.h>
#include <tern/serialization/file/detail/input_file.h>
#include <tern/serialization/state/detail/flat_state.h>
#include <tern/serialization/state_file.h>

namespace tern::detail {

// A dictionary of tensors is version 1; "metadata" and "encoding" are optional, keys may come in
// any order:
//
//   {"format": "tern.state_dict", "version": 1,
//    "metadata": {"author": "me"},
//    "tensors": {"fc1.weight": {"dtype": "F32", "shape": [400, 784], "data": [[...], ...]},
//                "fc1.bias": {"dtype": "F32", "shape": [400], "encoding": "base64",
//                             "data": "..."}}}
//
// Every other state is version 2, which also has the tree (FlatState::tree); it is an object, so
// that no tensor of the plain form can be taken for it:
//
//   {"format": "tern.state_dict", "version": 2,
//    "state": {"model": {"fc1.weight": {"$tensor": "model.fc1.weight"}}, "epoch": 3},
//    "tensors": {"model.fc1.weight": {...}}}
//
// Older libraries wrote version 1 for these as well, with the tree as text in the metadata:
// {"tern.state": "{\"epoch\": 3}"}. The plain form is {"fc1.weight": [[...], ...], ...}.

constexpr std::string_view kJsonFormat = "tern.state_dict";
constexpr int kJsonVersion = 2;            // the newest
constexpr std::size_t kMaxJsonKey = 4096;  // bytes
/// The word that makes an object of another root: "state": {"$value": [1, 2]}.
constexpr std::string_view kRootWord = "$value";

/// Returns the State of `flat.tree`. Throws Error for a tree that `flatten` cannot have written or
/// that does not fit the tensors.
State read_tree(const FlatState& flat);

/// Whether a text that begins so can be JSON with a dictionary in it.
bool recognizes_json(std::string_view head);
void write_json_state(const State& state, const SaveOptions& options, AtomicFile& file);
/// Throws FileError with the place of the first thing that is wrong.
State read_json_state(const InputFile& file, const LoadFileOptions& options);

}  // namespace tern::detail
