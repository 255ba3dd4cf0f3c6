#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <tern/core/base/error.h>

namespace tern {

/// A dictionary that keeps the order of insertion; made for the few names of one module, so it is
/// searched from the front.
///
/// Example:
///   for (const auto& item : model->named_parameters()) use(item.key(), item.value());
///   for (const auto& [name, parameter] : model->named_parameters()) ...
template <class Key, class Value>
class OrderedDict {
 public:
  class Item : public std::pair<Key, Value> {
   public:
    using std::pair<Key, Value>::pair;
    const Key& key() const noexcept { return this->first; }
    Value& value() noexcept { return this->second; }
    const Value& value() const noexcept { return this->second; }
    Value& operator*() noexcept { return this->second; }
    const Value& operator*() const noexcept { return this->second; }
    Value* operator->() noexcept { return &this->second; }
    const Value* operator->() const noexcept { return &this->second; }
  };
  using Iterator = typename std::vector<Item>::iterator;
  using ConstIterator = typename std::vector<Item>::const_iterator;

  /// `key_description` is how error texts call a key: "Key 'x' is not defined".
  explicit OrderedDict(std::string key_description = "Key")
      : key_description_(std::move(key_description)) {}
  /// Throws Error when a key comes twice.
  OrderedDict(std::initializer_list<Item> items) : OrderedDict() {
    for (const Item& item : items) insert(item.key(), item.value());
  }

  std::size_t size() const noexcept { return items_.size(); }
  bool is_empty() const noexcept { return items_.empty(); }
  Iterator begin() { return items_.begin(); }
  Iterator end() { return items_.end(); }
  ConstIterator begin() const { return items_.begin(); }
  ConstIterator end() const { return items_.end(); }
  const std::vector<Item>& items() const noexcept { return items_; }
  std::vector<std::pair<Key, Value>> pairs() const { return {items_.begin(), items_.end()}; }
  std::vector<Key> keys() const {
    std::vector<Key> result;
    for (const Item& item : items_) result.push_back(item.key());
    return result;
  }
  std::vector<Value> values() const {
    std::vector<Value> result;
    for (const Item& item : items_) result.push_back(item.value());
    return result;
  }

  /// The first and the last item. Throws IndexError when there is none.
  Item& front() { return items_[at_end("front")]; }
  const Item& front() const { return items_[at_end("front")]; }
  Item& back() { return items_[at_end("back") + size() - 1]; }
  const Item& back() const { return items_[at_end("back") + size() - 1]; }

  /// The item at a position. Throws IndexError.
  Item& operator[](std::size_t index) { return items_[checked(index)]; }
  const Item& operator[](std::size_t index) const { return items_[checked(index)]; }
  /// The value of a key. Throws IndexError.
  Value& operator[](const Key& key) { return *required(find(key), key); }
  const Value& operator[](const Key& key) const { return *required(find(key), key); }
  /// The value of a key, or null.
  Value* find(const Key& key) noexcept {
    return const_cast<Value*>(std::as_const(*this).find(key));
  }
  const Value* find(const Key& key) const noexcept {
    for (const Item& item : items_) {
      if (item.key() == key) return &item.value();
    }
    return nullptr;
  }
  bool contains(const Key& key) const noexcept { return find(key) != nullptr; }

  /// Appends and returns the stored value. Throws Error when the key is taken.
  Value& insert(Key key, Value value) {
    TERN_CHECK(!contains(key), Error, key_description_, " '", key, "' already defined");
    items_.emplace_back(std::move(key), std::move(value));
    return items_.back().value();
  }
  /// Appends all items of `other`; throws Error, having changed nothing, when a key is taken.
  void update(const OrderedDict& other) {
    OrderedDict result = *this;
    for (const Item& item : other) result.insert(item.key(), item.value());
    *this = std::move(result);
  }
  /// Removes a key. Throws IndexError when there is none.
  void erase(const Key& key) {
    const Value* value = required(find(key), key);
    auto at = items_.begin();
    while (&at->value() != value) ++at;
    items_.erase(at);
  }
  void clear() { items_.clear(); }
  void reserve(std::size_t capacity) { items_.reserve(capacity); }

 private:
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
    TERN_CHECK(value != nullptr, IndexError, key_description_, " '", key, "' is not defined");
    return value;
  }

  std::string key_description_;
  std::vector<Item> items_;
};

}  // namespace tern
