#pragma once

#include <tern/serialization/file/detail/atomic_file.h>
#include <tern/serialization/file/detail/input_file.h>
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
constexpr std::size_t kMaxJsonKey = 4096;  // bytes

/// Whether a text that begins so can be JSON with a dictionary in it.
bool recognizes_json(std::string_view head);
void write_json_state(const State& state, const SaveOptions& options, AtomicFile& file);
/// Throws FileError with the place of the first thing that is wrong.
State read_json_state(const InputFile& file, const LoadFileOptions& options);

}  // namespace tern::detail
