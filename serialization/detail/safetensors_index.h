#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tern/serialization/detail/input_file.h>
#include <tern/serialization/safetensors.h>

namespace tern::detail {

// The index of a state in several files, as the Hugging Face libraries write it:
//
//   {"metadata": {"total_size": 1254400},
//    "weight_map": {"fc1.weight": "model-00001-of-00002.safetensors", ...}}
//
// tern's also has the metadata that a single file would have, and kSaveKey.

constexpr std::string_view kIndexSuffix = ".index.json";
/// In the metadata of an index and of its files: equal when one save wrote them.
constexpr std::string_view kSaveKey = "tern.save";

struct SafetensorsIndex {
  std::vector<std::pair<std::string, std::string>> files;  // by the names of the tensors
  SafetensorsMetadata metadata;                            // what of it is a string
};

/// Throws FileError for what is no such index; names of files have no folder in them.
SafetensorsIndex read_index(const InputFile& file);

/// The value of `key`, or an empty string.
std::string_view find_metadata(const SafetensorsMetadata& metadata, std::string_view key);

}  // namespace tern::detail
