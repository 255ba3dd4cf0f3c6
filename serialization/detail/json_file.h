#pragma once

#include <tern/serialization/atomic_file.h>
#include <tern/serialization/detail/flat_state.h>
#include <tern/serialization/detail/text_file.h>
#include <tern/serialization/state_file.h>

namespace tern::detail {

// The format, with everything but "format", "version" and "tensors" optional, keys in any order:
//
//   {"format": "tern.state_dict", "version": 1,
//    "metadata": {"tern.state": "..."},
//    "tensors": {"fc1.weight": {"dtype": "F32", "shape": [400, 784], "data": [[...], ...]},
//                "fc1.bias": {"dtype": "F32", "shape": [400], "encoding": "base64", "data":
//                "..."}}}
//
// or the plain form, {"fc1.weight": [[...], ...], "fc1.bias": [...]}.

constexpr std::string_view kJsonFormat = "tern.state_dict";
constexpr int kJsonVersion = 1;

void write_json(const FlatState& flat, const SaveOptions& options, AtomicFile& file);
/// Throws FileError with the place of the first thing that is wrong.
FlatState read_json(const TextFile& file);

}  // namespace tern::detail
