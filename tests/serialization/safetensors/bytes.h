#pragma once

#include <cstdint>
#include <string>

namespace tern {

/// A file with this header, which claims to have `size` bytes, and this data.
inline std::string safetensors_bytes(const std::string& header, const std::string& data,
                                     std::uint64_t size) {
  return std::string(reinterpret_cast<const char*>(&size), sizeof size) + header + data;
}
inline std::string safetensors_bytes(const std::string& header, const std::string& data = "") {
  return safetensors_bytes(header, data, header.size());
}
/// The same with `count` zero bytes as data.
inline std::string safetensors_bytes(const std::string& header, int count) {
  return safetensors_bytes(header, std::string(static_cast<std::size_t>(count), '\0'));
}

/// {"dtype": ..., "shape": ..., "data_offsets": ...}
inline std::string entry_text(const std::string& dtype, const std::string& shape,
                              const std::string& offsets) {
  return R"({"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}
/// A header with one tensor, `w`.
inline std::string one_tensor(const std::string& dtype, const std::string& shape,
                              const std::string& offsets) {
  return R"({"w":)" + entry_text(dtype, shape, offsets) + "}";
}

}  // namespace tern
