#pragma once

#include <cstdint>

namespace tern::detail {

/// Returns the largest number of strings, tuples, lists and dictionaries in a pickle of `bytes`.
/// The limit is needed because these objects take more memory than their opcodes. Python writes at
/// least 7 bytes for each object.
constexpr std::uint64_t max_pickle_objects(std::uint64_t bytes) { return (1 << 18) + bytes / 4; }

/// The opcodes of Python's pickles that build data; Python's Lib/pickletools.py describes them.
enum class PickleOpcode : std::uint8_t {
  kMark = '(',
  kStop = '.',
  kNone = 'N',
  kTrue = 0x88,
  kFalse = 0x89,
  kInt = 'J',
  kInt1 = 'K',
  kInt2 = 'M',
  kLong1 = 0x8a,
  kFloat = 'G',
  kString = 'T',
  kShortString = 'U',
  kUnicode = 'X',
  kShortUnicode = 0x8c,
  kUnicode8 = 0x8d,
  kEmptyList = ']',
  kEmptyDict = '}',
  kEmptyTuple = ')',
  kTuple = 't',
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kAppend = 'a',
  kAppends = 'e',
  kSetItem = 's',
  kSetItems = 'u',
  kPut = 'q',
  kLongPut = 'r',
  kMemoize = 0x94,
  kGet = 'h',
  kLongGet = 'j',
  kClass = 'c',
  kStackClass = 0x93,
  kPersistentId = 'Q',
  kReduce = 'R',
  kBuild = 'b',
  kProtocol = 0x80,
  kFrame = 0x95,
};

}  // namespace tern::detail
