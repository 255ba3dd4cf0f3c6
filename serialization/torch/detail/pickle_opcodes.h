#pragma once

#include <cstdint>

namespace tern::detail {

/// Returns the largest number of strings, tuples, lists and dictionaries in a pickle of `bytes`.
/// The limit is needed because these objects take more memory than their opcodes. Python writes at
/// least 7 bytes for each object.
constexpr std::uint64_t max_pickle_objects(std::uint64_t bytes) { return (1 << 18) + bytes / 4; }

/// The opcodes of protocols 2 to 5 that Python writes; Python's Lib/pickletools.py describes them.
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
  kLong4 = 0x8b,
  kFloat = 'G',
  kString = 'T',
  kShortString = 'U',
  kUnicode = 'X',
  kShortUnicode = 0x8c,
  kUnicode8 = 0x8d,
  kBytes = 'B',
  kShortBytes = 'C',
  kBytes8 = 0x8e,
  kByteArray8 = 0x96,
  kEmptyList = ']',
  kEmptyDict = '}',
  kEmptySet = 0x8f,
  kEmptyTuple = ')',
  kTuple = 't',
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kAppend = 'a',
  kAppends = 'e',
  kAddItems = 0x90,
  kFrozenSet = 0x91,
  kSetItem = 's',
  kSetItems = 'u',
  kPop = '0',
  kPopMark = '1',
  kPut = 'q',
  kLongPut = 'r',
  kMemoize = 0x94,
  kGet = 'h',
  kLongGet = 'j',
  kClass = 'c',
  kStackClass = 0x93,
  kPersistentId = 'Q',
  kReduce = 'R',
  kNewObject = 0x81,
  kNewObjectEx = 0x92,
  kBuild = 'b',
  kProtocol = 0x80,
  kFrame = 0x95,
};

}  // namespace tern::detail
