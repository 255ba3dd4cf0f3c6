#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace tern::text {

/// An id that no token has.
inline constexpr std::uint32_t kNoId = std::numeric_limits<std::uint32_t>::max();

/// The largest id.
inline constexpr std::uint32_t kMaxId = (1u << 22) - 1;

/// The largest id among `count` tokens: tables by id are no larger than a file explains.
inline std::uint32_t max_id_of(std::size_t count) {
  return count > kMaxId / 2 ? kMaxId
                            : std::min(kMaxId, static_cast<std::uint32_t>(count) * 2 + 65535);
}

/// Strings and their ids, in both directions. An id has at most one string, and a string one id.
/// The strings lie behind each other in one block: those of a model are many and short.
class Vocabulary {
 public:
  /// Makes room for `count` strings.
  void reserve(std::size_t count);
  /// Adds a string; returns false, and adds nothing, if there is one of this id or the string has
  /// one. Throws Error if all strings together had 4 GiB.
  bool add(std::string_view text, std::uint32_t id);
  /// Returns the id of `text`, or kNoId.
  std::uint32_t find(std::string_view text) const;
  bool has(std::uint32_t id) const { return id < places_.size() && places_[id].begin != kNoId; }
  /// The string of an id that it has, until the next one is added.
  std::string_view text(std::uint32_t id) const {
    return {bytes_.data() + places_[id].begin, places_[id].size};
  }
  /// How many strings there are.
  std::size_t size() const { return count_; }
  /// The largest id and one.
  std::uint32_t end() const { return static_cast<std::uint32_t>(places_.size()); }
  /// The bytes of the longest string.
  std::size_t longest() const { return longest_; }

 private:
  struct Place {
    std::uint32_t begin = kNoId, size = 0;
  };
  std::size_t slot_of(std::string_view text) const;
  void set_slots(std::size_t count);

  std::string bytes_;
  std::vector<Place> places_;         // by id, in bytes_
  std::vector<std::uint32_t> slots_;  // ids by hash; a power of two of them, at most half full
  std::size_t count_ = 0, longest_ = 0;
};

/// Values of pairs of numbers.
class PairTable {
 public:
  struct Value {
    std::uint32_t rank, id;
  };
  /// Makes room for `count` pairs; to be called once, before set().
  explicit PairTable(std::size_t count = 0);
  /// Sets the value of a pair, unless it has one.
  void set(std::uint32_t first, std::uint32_t second, Value value);
  /// Returns the value of the pair; {kNoId, kNoId} if it has none.
  Value find(std::uint32_t first, std::uint32_t second) const {
    return slots_[slot_of(key_of(first, second))].value;
  }

 private:
  struct Slot {
    std::uint64_t key;
    Value value;
  };
  static std::uint64_t key_of(std::uint32_t first, std::uint32_t second) {
    return (static_cast<std::uint64_t>(first) << 32) | second;
  }
  std::size_t slot_of(std::uint64_t key) const {
    std::size_t at = static_cast<std::size_t>((key * 0x9E3779B97F4A7C15u) >> shift_);
    while (slots_[at].value.id != kNoId && slots_[at].key != key)
      at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  std::vector<Slot> slots_;
  int shift_ = 63;
};

}  // namespace tern::text
