#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tern/serialization/file/detail/input_file.h>
#include <tern/serialization/gguf.h>

namespace tern::detail {

// A file begins with "GGUF", the version, and the numbers of tensors and keys. The keys with their
// values follow, then an entry for each tensor, all without padding. The elements of the tensors
// begin at the next multiple of the alignment, and so does each tensor.

constexpr std::string_view kGgufMagic = "GGUF";

/// The largest numbers of tensors and of keys. Files of llama.cpp have some thousands.
constexpr std::uint64_t kMaxGgufItems = 1 << 16;
/// The longest key and the longest name of a tensor, in bytes.
constexpr std::uint64_t kMaxGgufName = (1 << 16) - 1;

/// A key of the metadata. Its value stays in the file.
struct GgufKey {
  std::string name;
  std::uint32_t kind = 0;  // a GgufKind
  std::uint64_t at = 0;    // position of the value
};

struct GgufHeader {
  std::vector<GgufKey> keys;       // in the order of the file
  std::vector<GgufEntry> entries;  // in the order of the file
};

/// Reads and checks the header of `file`. Throws FileError, which names the file and the key or the
/// tensor. Takes at most the memory of the names plus 16 MB.
GgufHeader read_gguf_header(const InputFile& file);

}  // namespace tern::detail
