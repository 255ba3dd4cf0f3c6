#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>

namespace tern::compat {

/// The integers of a half-open interval, for range-based loops.
template <class T>
class IntegerRange {
 public:
  /// An integer that counts up.
  class iterator {
   public:
    /// The kind of iterator.
    using iterator_category = std::input_iterator_tag;
    /// The type of the integers.
    using value_type = T;
    /// The type of a distance.
    using difference_type = std::ptrdiff_t;
    /// The type of a pointer to an integer.
    using pointer = const T*;
    /// The type that `*` returns.
    using reference = T;

    /// Starts at an integer.
    explicit iterator(T value) : value_(value) {}
    /// Returns the integer.
    T operator*() const { return value_; }
    /// Returns a pointer to the integer.
    const T* operator->() const { return &value_; }
    /// Goes on to the next integer.
    iterator& operator++() {
      ++value_;
      return *this;
    }
    /// Goes on to the next integer.
    iterator operator++(int) { return iterator(value_++); }
    /// Compares the integers.
    bool operator==(const iterator& other) const = default;

   private:
    T value_;
  };

  /// Takes the first integer and the one after the last.
  IntegerRange(T begin, T end) : begin_(begin), end_(end) {}
  /// Returns the first integer.
  iterator begin() const { return begin_; }
  /// Returns the end.
  iterator end() const { return end_; }

 private:
  iterator begin_, end_;
};

}  // namespace tern::compat

namespace c10 {

/// Returns the integers from `begin` to `end` without `end`; none if `end` is below `begin`.
template <std::integral Begin, std::integral End>
tern::compat::IntegerRange<End> irange(Begin begin, End end) {
  const auto first = static_cast<End>(begin);
  return {first, first < end ? end : first};
}
/// Returns the integers from 0 to `end` without `end`.
template <std::integral End>
tern::compat::IntegerRange<End> irange(End end) {
  return irange(End(), end);
}

}  // namespace c10
