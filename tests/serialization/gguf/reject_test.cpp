#include <gtest/gtest.h>

#include <limits>

#include <tern/serialization/gguf.h>
#include <tern/serialization/state_file.h>

#include "serialization/gguf/builder.h"
#include "serialization/reject.h"

// Files that no reader may believe: wrong numbers, sizes beyond the file, overlaps.

namespace tern {
namespace {

constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint32_t kU32 = 4, kF32 = 6, kBool = 7, kString = 8, kArray = 9;
// Types of tensors.
constexpr std::uint32_t kTypeF32 = 0, kTypeQ4_1 = 3, kTypeQ5_0 = 6;

struct Case {
  const char* what;
  std::string bytes;
  const char* says;
};

std::string header(std::uint32_t version, std::uint64_t tensors, std::uint64_t keys) {
  return "GGUF" + gguf_bytes(version) + gguf_bytes(tensors) + gguf_bytes(keys);
}

std::string with_key(const std::string& key) { return GgufBytes{{key}, {}}.str(); }

std::string with_entries(const std::vector<std::string>& entries, std::size_t data = 64) {
  return GgufBytes{{}, entries, data}.str();
}

std::string nested(int depth) {
  std::string value = gguf_bytes(kArray);
  for (int i = 1; i < depth; ++i) value = value + gguf_bytes<std::uint64_t>(1) + gguf_bytes(kArray);
  return gguf_string("k") + gguf_bytes(kArray) + value + gguf_bytes<std::uint64_t>(0);
}

const Case kCases[] = {
    {"another format", "# A page", "header: the file does not begin with GGUF"},
    {"no version", "GGUF\3", "header: 4 bytes at byte 4 need"},
    {"version 1", header(1, 0, 0), "header: the version is 1, expected 2 or 3"},
    {"version 0", header(0, 0, 0), "header: the version is 0, expected 2 or 3"},
    {"big-endian", header(0x03000000, 0, 0),
     "header: the file is big-endian, expected little-endian"},
    {"no counts", "GGUF" + gguf_bytes<std::uint32_t>(3), "header: 8 bytes at byte 8 need"},
    {"very many tensors", header(3, kHuge, 0),
     "header: 18446744073709551615 tensors at byte 16 need at least 24 bytes each, but the file "
     "has only 8 more"},
    {"very many keys", header(3, 0, kHuge),
     "header: 18446744073709551615 keys at byte 24 need at least 13 bytes each, but the file has "
     "only 0 more"},
    {"too many keys", header(3, 0, 65537) + std::string(65537 * 13, '\0'),
     "header: the file has 65537 keys, at most 65536 are allowed"},
    {"a key longer than the file", header(3, 0, 1) + gguf_bytes<std::uint64_t>(6) + "12345",
     "key number 0: 6 bytes at byte 32 need at least 1 byte each, but the file has only 5 more"},
    {"a very long key", header(3, 0, 1) + gguf_bytes(kHuge) + "12345",
     "key number 0: the name has 18446744073709551615 bytes, at most 65535 are allowed"},
    {"an unknown kind", with_key(gguf_key("a", 13, std::string(8, '\0'))),
     "key 'a': the type of the value is 13, expected at most 12"},
    {"a bool that is none", with_key(gguf_key("a", kBool, "\2")),
     "key 'a': a bool is 2, expected 0 or 1"},
    {"a long string", with_key(gguf_key("a", kString, gguf_bytes(kHuge))),
     "key 'a': 18446744073709551615 bytes at byte"},
    {"a long array", with_key(gguf_key("a", kArray, gguf_array(kU32, kHuge / 4 + 1))),
     "key 'a': 4611686018427387904 elements at byte 49 need at least 4 bytes each, but the file "
     "has only 0 more"},
    {"a long array of strings",
     with_key(gguf_key("a", kArray, gguf_array(kString, 3) + std::string(16, '\0'))),
     "key 'a': 3 elements at byte 49 need at least 8 bytes each, but the file has only 16 more"},
    {"an array of an unknown kind", with_key(gguf_key("a", kArray, gguf_array(99, 0))),
     "key 'a': the type of the value is 99, expected at most 12"},
    {"arrays in arrays", with_key(nested(10)), "key 'k': arrays are nested deeper than 8"},
    {"a key twice", GgufBytes{{gguf_key("a", kBool, "\1"), gguf_key("a", kBool, "\1")}, {}}.str(),
     "header: key 'a' appears twice"},
    {"an alignment of a third kind", with_key(gguf_key("general.alignment", kF32, "abcd")),
     "key 'general.alignment': expected an integer, found a floating number"},
    {"an alignment of 0",
     with_key(gguf_key("general.alignment", kU32, gguf_bytes<std::uint32_t>(0))),
     "key 'general.alignment': the alignment is 0, expected a power of two up to 2147483648"},
    {"an alignment of 48",
     with_key(gguf_key("general.alignment", kU32, gguf_bytes<std::uint32_t>(48))),
     "the alignment is 48, expected a power of two"},
    {"five dimensions", with_entries({gguf_entry("w", {1, 1, 1, 1, 1}, kTypeF32, 0)}),
     "tensor 'w': it has 5 dimensions, expected at most 4"},
    {"a size beyond int64", with_entries({gguf_entry("w", {std::uint64_t{1} << 63}, kTypeF32, 0)}),
     "tensor 'w': size 0 is above 2^63 - 1"},
    {"sizes whose product wraps to 0",
     with_entries({gguf_entry("w", {1U << 31, 1U << 31, 4}, kTypeF32, 0)}),
     "tensor 'w': shape [4, 2147483648, 2147483648] of F32 is too large"},
    {"an unknown type", with_entries({gguf_entry("w", {2}, 5, 0)}),
     "tensor 'w': the type 5 is unknown"},
    {"half a block", with_entries({gguf_entry("w", {48, 2}, kTypeQ4_1, 0)}),
     "tensor 'w': shape [2, 48] has rows of 48 elements, which are no whole blocks of Q4_1, of 32"},
    {"a quantised number", with_entries({gguf_entry("w", {}, kTypeQ4_1, 0)}),
     "tensor 'w': shape [] has rows of 1 elements"},
    {"data beyond the end", with_entries({gguf_entry("w", {17}, kTypeF32, 0)}),
     "tensor 'w': it needs 68 bytes at byte 64, but the file has only 128"},
    {"no data", with_entries({gguf_entry("w", {1}, kTypeF32, 0)}, 0),
     "tensor 'w': it needs 4 bytes at byte 64, but the file has only 57"},
    {"an offset that wraps", with_entries({gguf_entry("w", {1}, kTypeF32, kHuge - 31)}),
     "tensor 'w': its offset is 18446744073709551584, expected 0"},
    {"tensors that overlap",
     with_entries({gguf_entry("v", {8}, kTypeF32, 0), gguf_entry("w", {8}, kTypeF32, 0)}),
     "tensor 'w': its offset is 0, expected 32, the end of the tensor before it"},
    {"a hole",
     with_entries({gguf_entry("v", {1}, kTypeF32, 0), gguf_entry("w", {1}, kTypeF32, 64)}, 96),
     "tensor 'w': its offset is 64, expected 32"},
    {"no padding",
     with_entries({gguf_entry("v", {1}, kTypeF32, 0), gguf_entry("w", {1}, kTypeF32, 4)}),
     "tensor 'w': its offset is 4, expected 32"},
    {"more data", with_entries({gguf_entry("w", {8}, kTypeF32, 0)}),
     "header: the tensors end at byte 96, but the file has 128"},
    {"a tensor twice",
     with_entries({gguf_entry("w", {8}, kTypeF32, 0), gguf_entry("w", {8}, kTypeF32, 32)}),
     "header: tensor 'w' appears twice"},
    {"a name that speaks to the terminal", with_entries({gguf_entry("\x1b[31m", {2}, 5, 0)}),
     "tensor '?[31m': the type 5 is unknown"},
    {"a type that tern does not read", with_entries({gguf_entry("w", {64}, kTypeQ5_0, 0)}),
     "tensor 'w': the type Q5_0 is not supported, expected one of F32"},
};

class GgufReject : public RejectTest {};

TEST_F(GgufReject, NamesTheFileTheItemTheRuleAndBothValues) {
  const std::string path = scratch_.path("x.gguf");
  for (const Case& hostile : kCases) {
    SCOPED_TRACE(hostile.what);
    write_file(path, hostile.bytes);
    expect_refused(path, hostile.says, {true});
  }
}

TEST_F(GgufReject, AModelThatDoesNotFit) {
  const std::string path = scratch_.path("x.gguf");
  write_file(path, with_entries({gguf_entry("fc.weight", {8}, kTypeF32, 0)}, 32));
  expect_refused(path, "fc.weight");
}

TEST(GgufAccept, WhatTheFormatAllows) {
  const Scratch scratch;
  const std::string path = scratch.path("x.gguf");
  // Nothing, with and without padding.
  write_file(path, header(3, 0, 0));
  EXPECT_EQ(load_state(path).size(), 0u);
  write_file(path, header(2, 0, 0) + std::string(8, '\0'));
  EXPECT_EQ(load_state(path).size(), 0u);
  // The last tensor may lack its padding; empty tensors take no bytes; an alignment of 1.
  write_file(path,
             GgufBytes{{gguf_key("general.alignment", kU32, gguf_bytes<std::uint32_t>(1))},
                       {gguf_entry("a", {3}, kTypeF32, 0), gguf_entry("", {0, 2}, kTypeF32, 12),
                        gguf_entry("b", {0, 7}, kTypeQ4_1, 12), gguf_entry("c", {}, kTypeF32, 12)},
                       16,
                       3,
                       1}
                 .str());
  for (const bool map : {false, true}) {
    const State state = load_state(path, {.map = map});
    EXPECT_TRUE(state["a"].tensor().equal(zeros({3})));
    EXPECT_EQ(state[""].tensor().sizes(), IntArrayRef({2, 0}));
    EXPECT_EQ(state["b"].tensor().sizes(), IntArrayRef({7, 0}));
    EXPECT_EQ(state["c"].tensor().dim(), 0);
    EXPECT_EQ(GgufFile(path, {.map = map}).read_blocks("b").bytes.numel(), 0);
  }
}

TEST(GgufAccept, LeavesOutTypesOnRequest) {
  const Scratch scratch;
  const std::string path = scratch.path("x.gguf");
  write_file(
      path,
      with_entries({gguf_entry("v", {64}, kTypeQ5_0, 0), gguf_entry("w", {2}, kTypeF32, 64)}, 96));
  std::vector<std::pair<std::string, std::string>> skipped;
  const State state = load_state(path, {.skipped = &skipped});
  EXPECT_EQ(state.keys(), std::vector<std::string>{"w"});
  ASSERT_EQ(skipped.size(), 1u);
  EXPECT_EQ(skipped[0], std::pair(std::string("v"), std::string("a tensor of type Q5_0")));
  EXPECT_EQ(GgufFile(path).find("v")->type, "Q5_0");
}

}  // namespace
}  // namespace tern
