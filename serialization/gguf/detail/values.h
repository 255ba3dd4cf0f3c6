#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tern/core/tensor/state.h>
#include <tern/serialization/gguf/detail/cursor.h>

namespace tern::detail {

/// The numbers of the kinds of metadata in files.
enum GgufKind : std::uint32_t {
  kGgufU8,
  kGgufI8,
  kGgufU16,
  kGgufI16,
  kGgufU32,
  kGgufI32,
  kGgufF32,
  kGgufBool,
  kGgufString,
  kGgufArray,
  kGgufU64,
  kGgufI64,
  kGgufF64,
};

/// Checks a value of this kind and moves on behind it. Takes no memory, whatever the size is.
void skip_gguf_value(GgufCursor& cursor, std::uint32_t kind);

/// Reads a value. Throws FileError for an integer above 2^63 - 1.
State read_gguf_value(GgufCursor& cursor, std::uint32_t kind);

/// Reads an array of strings. Throws FileError for another kind.
std::vector<std::string> read_gguf_strings(GgufCursor& cursor, std::uint32_t kind);

/// Reads an array of integers. Throws FileError for another kind.
std::vector<std::int64_t> read_gguf_integers(GgufCursor& cursor, std::uint32_t kind);

/// Reads a value as text: a number as its shortest decimal, a string as it is, and of an array only
/// the number and the kind of its elements.
std::string read_gguf_text(GgufCursor& cursor, std::uint32_t kind);

}  // namespace tern::detail
