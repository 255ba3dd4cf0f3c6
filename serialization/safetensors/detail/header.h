#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tern/serialization/file/detail/input_file.h>
#include <tern/serialization/safetensors.h>

namespace tern::detail {

// The format: 8 bytes, little-endian, are the size of a JSON header; the header; then the elements
// of all tensors, without holes, to the end of the file. The header, whose offsets count from its
// end:
//
//   {"__metadata__": {"format": "pt"},
//    "fc1.weight": {"dtype": "F32", "shape": [400, 784], "data_offsets": [0, 1254400]}, ...}

constexpr std::uint64_t kMaxHeaderSize = 100'000'000;  // as the reference
constexpr std::size_t kMaxMetadata = 1 << 20;          // strings
constexpr std::string_view kMetadataKey = "__metadata__";

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;  // in the order of the text
  SafetensorsMetadata metadata;
};

/// Reads and checks the header of `file`. Throws FileError that names the file and the tensor.
/// Takes at most twice the header's size and 16 MB before all of it is known to be right.
SafetensorsHeader read_safetensors_header(const InputFile& file);

}  // namespace tern::detail
