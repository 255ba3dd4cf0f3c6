#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tern/serialization/file/detail/input_file.h>
#include <tern/serialization/safetensors.h>

namespace tern::detail {

// A file begins with the size of its JSON header (8 bytes, little-endian). The header and the
// elements of all tensors follow, without holes, to the end of the file. Offsets in the header
// count from the end of the header:
//
//   {"__metadata__": {"format": "pt"},
//    "fc1.weight": {"dtype": "F32", "shape": [400, 784], "data_offsets": [0, 1254400]}, ...}

constexpr std::uint64_t kMaxHeaderSize = 100'000'000;  // the limit of the reference implementation
constexpr std::size_t kMaxMetadata = 1 << 20;          // number of strings
constexpr std::string_view kMetadataKey = "__metadata__";

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;  // in the order of the header
  SafetensorsMetadata metadata;
};

/// Reads and checks the header of `file`. Throws FileError, which names the file and the tensor.
/// Until the header is checked, uses at most twice the header's size plus 16 MB of memory.
SafetensorsHeader read_safetensors_header(const InputFile& file);

}  // namespace tern::detail
