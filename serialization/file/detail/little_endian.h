#pragma once

#include <bit>
#include <concepts>
#include <cstring>
#include <string>
#include <type_traits>

namespace tern::detail {

static_assert(std::endian::native == std::endian::little, "the binary formats are little-endian");

/// Returns the number at `at`, which need not be aligned.
template <class T>
requires std::is_arithmetic_v<T> T load_little(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class T>
requires std::is_arithmetic_v<T>
void append_little(std::string& text, std::type_identity_t<T> value) {
  text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace tern::detail
