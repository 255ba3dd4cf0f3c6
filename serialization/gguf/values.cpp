#include <tern/serialization/gguf/detail/values.h>

#include <charconv>
#include <iterator>
#include <limits>
#include <utility>

#include <tern/serialization/json/detail/text.h>

namespace tern::detail {
namespace {

// ggml has no arrays of arrays, but the format allows them.
constexpr int kMaxArrayDepth = 8;

struct Kind {
  const char* name;
  std::uint64_t size;  // the least number of bytes of a value
};

constexpr Kind kKinds[] = {{"uint8", 1},  {"int8", 1},   {"uint16", 2},  {"int16", 2},
                           {"uint32", 4}, {"int32", 4},  {"float32", 4}, {"bool", 1},
                           {"string", 8}, {"array", 12}, {"uint64", 8},  {"int64", 8},
                           {"float64", 8}};

const Kind& kind_of(const GgufCursor& cursor, std::uint32_t number) {
  if (number >= std::size(kKinds)) {
    cursor.fail("the type of the value is ", number, ", expected at most ", std::size(kKinds) - 1);
  }
  return kKinds[number];
}

bool is_integer(std::uint32_t kind) {
  return kind <= kGgufI32 || kind == kGgufU64 || kind == kGgufI64;
}

bool read_bool(GgufCursor& cursor) {
  const auto byte = cursor.number<std::uint8_t>();
  if (byte > 1) cursor.fail("a bool is ", byte, ", expected 0 or 1");
  return byte == 1;
}

std::string read_string(GgufCursor& cursor) { return cursor.text(cursor.number<std::uint64_t>()); }

std::int64_t read_integer(GgufCursor& cursor, std::uint32_t kind) {
  switch (kind) {
    case kGgufU8:
      return cursor.number<std::uint8_t>();
    case kGgufI8:
      return cursor.number<std::int8_t>();
    case kGgufU16:
      return cursor.number<std::uint16_t>();
    case kGgufI16:
      return cursor.number<std::int16_t>();
    case kGgufU32:
      return cursor.number<std::uint32_t>();
    case kGgufI32:
      return cursor.number<std::int32_t>();
    case kGgufI64:
      return cursor.number<std::int64_t>();
    default:
      break;
  }
  const auto value = cursor.number<std::uint64_t>();
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  if (value > kLargest) cursor.fail("the integer ", value, " is above ", kLargest);
  return static_cast<std::int64_t>(value);
}

struct Array {
  std::uint32_t kind;   // of its elements
  std::uint64_t count;  // that the rest of the file can hold
};

Array read_array(GgufCursor& cursor, int depth) {
  Array array{cursor.number<std::uint32_t>(), cursor.number<std::uint64_t>()};
  const Kind& kind = kind_of(cursor, array.kind);
  if (array.kind == kGgufArray && depth == kMaxArrayDepth) {
    cursor.fail("arrays are nested deeper than ", kMaxArrayDepth);
  }
  cursor.require(array.count, kind.size, " elements");
  return array;
}

void skip(GgufCursor& cursor, std::uint32_t kind, int depth) {
  if (kind == kGgufBool) {
    read_bool(cursor);
  } else if (kind == kGgufString) {
    cursor.skip(cursor.number<std::uint64_t>());
  } else if (kind != kGgufArray) {
    cursor.skip(kind_of(cursor, kind).size);
  } else {
    const Array array = read_array(cursor, depth);
    if (array.kind != kGgufBool && array.kind != kGgufString && array.kind != kGgufArray) {
      return cursor.skip(array.count * kKinds[array.kind].size);
    }
    for (std::uint64_t i = 0; i < array.count; ++i) skip(cursor, array.kind, depth + 1);
  }
}

State read(GgufCursor& cursor, std::uint32_t kind, int depth) {
  if (is_integer(kind)) return read_integer(cursor, kind);
  if (kind == kGgufF32) return cursor.number<float>();
  if (kind == kGgufF64) return cursor.number<double>();
  if (kind == kGgufBool) return read_bool(cursor);
  if (kind == kGgufString) return read_string(cursor);
  kind_of(cursor, kind);
  const Array array = read_array(cursor, depth);
  std::vector<State> elements;
  elements.reserve(static_cast<std::size_t>(array.count));
  for (std::uint64_t i = 0; i < array.count; ++i) {
    elements.push_back(read(cursor, array.kind, depth + 1));
  }
  return State::list(std::move(elements));
}

/// Reads an array with elements that `fits` accepts, and each element with `element`.
template <class T, class Fits, class Element>
std::vector<T> read_all(GgufCursor& cursor, std::uint32_t kind, const char* expected,
                        const Fits& fits, const Element& element) {
  if (kind != kGgufArray) {
    cursor.fail("expected an array of ", expected, ", found ", kind_of(cursor, kind).name);
  }
  const Array array = read_array(cursor, 0);
  if (!fits(array.kind)) {
    cursor.fail("expected an array of ", expected, ", found one of ", kKinds[array.kind].name);
  }
  std::vector<T> elements;
  elements.reserve(static_cast<std::size_t>(array.count));
  for (std::uint64_t i = 0; i < array.count; ++i) elements.push_back(element(array.kind));
  return elements;
}

template <class T>
std::string decimal(T value) {
  if (value - value != 0) return std::string(non_finite_word(value));
  char text[kMaxNumberText];
  return {text, write_number(text, value)};
}

}  // namespace

void skip_gguf_value(GgufCursor& cursor, std::uint32_t kind) { skip(cursor, kind, 0); }

State read_gguf_value(GgufCursor& cursor, std::uint32_t kind) { return read(cursor, kind, 0); }

std::vector<std::string> read_gguf_strings(GgufCursor& cursor, std::uint32_t kind) {
  return read_all<std::string>(
      cursor, kind, "strings", [](std::uint32_t found) { return found == kGgufString; },
      [&](std::uint32_t) { return read_string(cursor); });
}

std::vector<std::int64_t> read_gguf_integers(GgufCursor& cursor, std::uint32_t kind) {
  return read_all<std::int64_t>(cursor, kind, "integers", is_integer,
                                [&](std::uint32_t found) { return read_integer(cursor, found); });
}

std::string read_gguf_text(GgufCursor& cursor, std::uint32_t kind) {
  if (kind == kGgufArray) {
    const Array array = read_array(cursor, 0);
    return text_of(kKinds[array.kind].name, "[", array.count, "]");
  }
  if (kind == kGgufString) return read_string(cursor);
  if (kind == kGgufBool) return read_bool(cursor) ? "true" : "false";
  if (kind == kGgufF32) return decimal(cursor.number<float>());
  if (kind == kGgufF64) return decimal(cursor.number<double>());
  if (kind == kGgufU64) return std::to_string(cursor.number<std::uint64_t>());
  return std::to_string(read_integer(cursor, kind));
}

}  // namespace tern::detail
