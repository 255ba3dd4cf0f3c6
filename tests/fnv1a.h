#pragma once

#include <cstddef>
#include <cstdint>

namespace tern::testing {

/// 64-bit FNV-1a: stands for a long run of numbers in a golden file.
inline std::uint64_t fnv1a(const void* data, std::size_t bytes) {
  const unsigned char* byte = static_cast<const unsigned char*>(data);
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (std::size_t i = 0; i < bytes; ++i) hash = (hash ^ byte[i]) * 0x100000001b3u;
  return hash;
}

}  // namespace tern::testing
