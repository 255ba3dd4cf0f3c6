#pragma once

#include <cstdint>
#include <string>
#include <vector>

// GGUF files in parts, so that tests can write wrong ones.

namespace tern {

template <class T>
std::string gguf_bytes(T number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

inline std::string gguf_string(const std::string& text) {
  return gguf_bytes<std::uint64_t>(text.size()) + text;
}

/// A key with a value that is already bytes.
inline std::string gguf_key(const std::string& name, std::uint32_t kind, const std::string& value) {
  return gguf_string(name) + gguf_bytes(kind) + value;
}

/// The head of an array.
inline std::string gguf_array(std::uint32_t kind, std::uint64_t count) {
  return gguf_bytes(kind) + gguf_bytes(count);
}

/// The entry of a tensor. `sizes` begin with the innermost.
inline std::string gguf_entry(const std::string& name, const std::vector<std::uint64_t>& sizes,
                              std::uint32_t type, std::uint64_t offset) {
  std::string entry = gguf_string(name) + gguf_bytes(static_cast<std::uint32_t>(sizes.size()));
  for (const std::uint64_t size : sizes) entry += gguf_bytes(size);
  return entry + gguf_bytes(type) + gguf_bytes(offset);
}

/// A file of these keys and entries, and `data` bytes of data from the alignment on.
struct GgufBytes {
  std::vector<std::string> keys, entries;
  std::size_t data = 0;
  std::uint32_t version = 3;
  std::size_t alignment = 32;

  std::string str() const {
    std::string file = "GGUF" + gguf_bytes(version) + gguf_bytes<std::uint64_t>(entries.size()) +
                       gguf_bytes<std::uint64_t>(keys.size());
    for (const std::string& key : keys) file += key;
    for (const std::string& entry : entries) file += entry;
    if (data != 0) file.resize((file.size() + alignment - 1) / alignment * alignment + data);
    return file;
  }
};

}  // namespace tern
