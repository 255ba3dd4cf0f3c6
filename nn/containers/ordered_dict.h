#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tern/core/base/error.h>
#include <tern/core/base/missing_key.h>
#include <tern/core/base/strict.h>

namespace tern {

/// A dictionary that keeps the order of insertion. The time of a search does not depend on the
/// number of items. Keys need operator== and std::hash.
///
/// Example:
///   for (const auto& item : model->named_parameters()) use(item.key(), item.value());
///   for (const auto& [name, parameter] : model->named_parameters()) ...
template <class Key, class Value>
class OrderedDict {
 public:
  /// A key with its value.
  class Item : public std::pair<Key, Value> {
   public:
    /// A plain pair of both.
    using Pair = std::pair<Key, Value>;
    /// Makes an item from a key and a value.
    using Pair::Pair;
    /// Returns key and value.
    const Pair& pair() const noexcept { return *this; }
    /// Returns the key.
    const Key& key() const noexcept { return this->first; }
    /// Returns the value.
    Value& value() noexcept { return this->second; }
    const Value& value() const noexcept { return this->second; }
    /// Returns the value.
    Value& operator*() noexcept { return this->second; }
    const Value& operator*() const noexcept { return this->second; }
    /// Accesses the value.
    Value* operator->() noexcept { return &this->second; }
    const Value* operator->() const noexcept { return &this->second; }
  };
  /// Iterators over the items.
  using Iterator = typename std::vector<Item>::iterator;
  using ConstIterator = typename std::vector<Item>::const_iterator;

  /// Makes an empty dictionary. Error texts call a key `key_description`: "Key 'x' is not defined;
  /// the keys are: 'weight', 'bias'".
  explicit OrderedDict(std::string key_description = "Key")
      : key_description_(std::move(key_description)) {}
  /// Makes a dictionary of these items. Throws Error if a key occurs twice.
  OrderedDict(std::initializer_list<Item> items) : OrderedDict() {
    for (const Item& item : items) insert(item.key(), item.value());
  }

  /// Returns what error texts call a key.
  const std::string& key_description() const noexcept { return key_description_; }
  /// Returns the number of items.
  std::size_t size() const noexcept { return items_.size(); }
  /// Returns true when there is no item.
  bool is_empty() const noexcept { return items_.empty(); }
  /// Iterators over the items in order.
  Iterator begin() { return items_.begin(); }
  Iterator end() { return items_.end(); }
  ConstIterator begin() const { return items_.begin(); }
  ConstIterator end() const { return items_.end(); }
  /// Returns the items in order.
  const std::vector<Item>& items() const noexcept { return items_; }
  /// Copies the items into plain pairs.
  std::vector<std::pair<Key, Value>> pairs() const { return {items_.begin(), items_.end()}; }
  /// Copies the keys, in order.
  std::vector<Key> keys() const {
    std::vector<Key> result;
    for (const Item& item : items_) result.push_back(item.key());
    return result;
  }
  /// Copies the values, in order.
  std::vector<Value> values() const {
    std::vector<Value> result;
    for (const Item& item : items_) result.push_back(item.value());
    return result;
  }

  /// Returns the first item. Throws IndexError when there is none.
  Item& front() { return items_[at_end("front")]; }
  const Item& front() const { return items_[at_end("front")]; }
  /// Returns the last item. Throws IndexError when there is none.
  Item& back() { return items_[at_end("back") + size() - 1]; }
  const Item& back() const { return items_[at_end("back") + size() - 1]; }

  /// Returns the item at an index; a copy, if the dictionary is a temporary object. Throws
  /// IndexError out of range.
  template <detail::IntArgument I>
  Item& operator[](const I& index) & {
    return items_[checked(static_cast<std::size_t>(index))];
  }
  template <detail::IntArgument I>
  const Item& operator[](const I& index) const& {
    return items_[checked(static_cast<std::size_t>(index))];
  }
  template <detail::IntArgument I>
  Item operator[](const I& index) && {
    return std::move((*this)[index]);
  }
  /// Returns the value of a key; a copy, if the dictionary is a temporary object. Throws IndexError
  /// when there is none.
  ///
  /// Example:
  ///   const Tensor& weight = net->named_parameters()["fc.weight"];
  Value& operator[](const Key& key) & { return *required(find(key), key); }
  const Value& operator[](const Key& key) const& { return *required(find(key), key); }
  Value operator[](const Key& key) && { return std::move((*this)[key]); }
  /// Returns the value of a key, or null.
  Value* find(const Key& key) noexcept {
    return const_cast<Value*>(std::as_const(*this).find(key));
  }
  const Value* find(const Key& key) const noexcept {
    const std::size_t index = index_of(key);
    return index == size() ? nullptr : &items_[index].value();
  }
  /// Returns the index of a key, or size() when there is none.
  std::size_t index_of(const Key& key) const noexcept {
    if (slots_.empty()) {
      std::size_t index = 0;
      while (index < size() && !(items_[index].key() == key)) ++index;
      return index;
    }
    for (std::size_t slot = first_slot(key);; slot = (slot + 1) & (slots_.size() - 1)) {
      if (slots_[slot] == 0) return size();
      if (items_[slots_[slot] - 1].key() == key) return slots_[slot] - 1;
    }
  }
  /// Returns true when the key exists.
  bool contains(const Key& key) const noexcept { return find(key) != nullptr; }

  /// Appends an item and returns the stored value. Throws Error when the key exists.
  Value& insert(Key key, Value value) {
    TERN_CHECK(!contains(key), Error, key_description_, " '", key, "' already defined");
    if (size() >= kSearched && 2 * (size() + 1) > slots_.size()) {
      slots_.resize(4 * std::bit_ceil(size()));
      fill_slots();
    }
    items_.emplace_back(std::move(key), std::move(value));
    if (!slots_.empty()) add_slot(size() - 1);
    return items_.back().value();
  }
  /// Appends all items of `other`. Throws Error, without any change, when a key exists.
  void update(const OrderedDict& other) {
    OrderedDict result = *this;
    for (const Item& item : other) result.insert(item.key(), item.value());
    *this = std::move(result);
  }
  /// Removes a key. Throws IndexError when there is none.
  void erase(const Key& key) {
    TERN_CHECK(contains(key), IndexError, key_description_, " '", key, "' doesn't exist");
    items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(index_of(key)));
    fill_slots();
  }
  /// Removes all items.
  void clear() {
    items_.clear();
    slots_.clear();
  }
  /// Makes room for `capacity` items.
  void reserve(std::size_t capacity) { items_.reserve(capacity); }

  /// Returns true if both have equal keys and values in the same order.
  friend bool operator==(const OrderedDict& a, const OrderedDict& b) {
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(), [](const Item& x, const Item& y) {
             return x.key() == y.key() && x.value() == y.value();
           });
  }

 private:
  static constexpr std::size_t kSearched = 16;  // up to this size a search is linear

  std::size_t first_slot(const Key& key) const noexcept {
    return std::hash<Key>()(key) & (slots_.size() - 1);
  }
  void add_slot(std::size_t index) noexcept {
    std::size_t slot = first_slot(items_[index].key());
    while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = static_cast<std::uint32_t>(index + 1);
  }
  void fill_slots() noexcept {
    for (std::uint32_t& slot : slots_) slot = 0;
    for (std::size_t index = 0; !slots_.empty() && index < size(); ++index) add_slot(index);
  }

  std::size_t at_end(const char* name) const {
    TERN_CHECK(!is_empty(), IndexError, "Called ", name, "() on an empty OrderedDict");
    return 0;
  }
  std::size_t checked(std::size_t index) const {
    TERN_CHECK(index < size(), IndexError, "Index ", index, " is out of bounds");
    return index;
  }
  template <class V>
  V* required(V* value, const Key& key) const {
    if (value == nullptr) missing(key);
    return value;
  }
  [[noreturn]] void missing(const Key& key) const {
    if constexpr (std::is_convertible_v<const Key&, std::string_view>) {
      std::vector<std::string_view> keys;
      for (const Item& item : items_) keys.emplace_back(item.key());
      detail::missing_key_error(key_description_, key, keys);
    } else {
      detail::raise<IndexError>(key_description_, " '", key, "' is not defined");
    }
  }

  std::string key_description_;
  std::vector<Item> items_;
  std::vector<std::uint32_t> slots_;  // hash table of index + 1; 0 is free; a power of two
};

}  // namespace tern
