#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tern/core/base/error.h>
#include <tern/core/base/visibility.h>
#include <tern/core/tensor/scalar.h>
#include <tern/core/tensor/tensor.h>

namespace tern::serialize {
class InputArchive;
class OutputArchive;
}  // namespace tern::serialize

namespace tern {

/// The tree that `state_dict()` returns and that state files store. Its nodes are dictionaries and
/// lists; its leaves are tensors, numbers, booleans, strings and null. Dictionaries keep the order
/// of their keys.
///
/// A State is a value: copies are cheap, and a change of a copy leaves the original unchanged. Its
/// tensors are handles: they share their elements with the module they came from. Values inside a
/// tree are read-only; `set` replaces them.
///
/// Example:
///   State state;
///   state.insert("model", model->state_dict());
///   state.insert("epoch", 3);
///   Tensor weight = state["model"]["fc1.weight"];
///   int epoch = state.get<int>("epoch");
///   for (const auto& [key, value] : state["model"]) { ... }
class TERN_API State {
 public:
  /// The kinds of nodes.
  enum class Kind : std::uint8_t { Null, Bool, Int, Double, String, Tensor, List, Dict };
  /// A key and its value in a dictionary.
  struct Item;
  /// The number of dictionaries and lists that may lie inside each other.
  static constexpr int kMaxDepth = 16;

  /// Makes an empty dictionary.
  State();
  /// Makes a null.
  State(std::nullptr_t) : kind_(Kind::Null) {}
  /// Makes a string.
  State(std::string text);
  State(std::string_view text);
  State(const char* text);
  /// Makes a leaf with this tensor. Throws Error when the tensor is undefined.
  State(Tensor tensor);
  /// Makes a leaf with the tensor of a file that names no dtype, such as Python's JSON. The dtype
  /// of the tensor is a guess from its numbers; load_state_dict() of a module casts them to its
  /// own.
  static State untyped(Tensor tensor) {
    State result(std::move(tensor));
    result.is_untyped_ = true;
    return result;
  }
  /// Makes a number or a boolean. Throws Error for an integer beyond the range of int64.
  template <class T>
  requires std::is_arithmetic_v<T> State(T number) {
    if constexpr (std::is_same_v<T, bool>) {
      kind_ = Kind::Bool;
      integer_ = number;
    } else if constexpr (std::is_integral_v<T>) {
      if constexpr (std::is_unsigned_v<T> && sizeof(T) == sizeof(std::int64_t)) {
        TERN_CHECK(number <= std::numeric_limits<std::int64_t>::max(), Error, "State: ", number,
                   " does not fit into a 64-bit signed integer");
      }
      kind_ = Kind::Int;
      integer_ = static_cast<std::int64_t>(number);
    } else {
      kind_ = Kind::Double;
      floating_ = static_cast<double>(number);
    }
  }
  /// Makes a list, for example `State::list({1, "two", 3.0})`. Throws Error beyond kMaxDepth.
  static State list(std::vector<State> elements = {});

  // --- Kind ------------------------------------------------------------------------------------

  /// Returns the kind of this node.
  Kind kind() const { return kind_; }
  /// Returns true for null.
  bool is_null() const { return kind() == Kind::Null; }
  /// Returns true for a boolean.
  bool is_bool() const { return kind() == Kind::Bool; }
  /// Returns true for an integer.
  bool is_int() const { return kind() == Kind::Int; }
  /// Returns true for a floating number.
  bool is_double() const { return kind() == Kind::Double; }
  /// Returns true for a string.
  bool is_string() const { return kind() == Kind::String; }
  /// Returns true for a tensor.
  bool is_tensor() const { return kind() == Kind::Tensor; }
  /// Returns true for a tensor made by untyped().
  bool is_untyped() const { return is_untyped_; }
  /// Returns true for a list.
  bool is_list() const { return kind() == Kind::List; }
  /// Returns true for a dictionary.
  bool is_dict() const { return kind() == Kind::Dict; }

  // --- Leaf --------------------------------------------------------------------------------------

  /// Returns the tensor. Throws Error for another kind.
  Tensor tensor() const;
  /// Converts to the tensor. Throws Error for another kind.
  operator Tensor() const { return tensor(); }
  /// Returns the string; a copy if this State is a temporary. Throws Error for another kind.
  const std::string& string() const&;
  std::string string() &&;
  /// Returns the value as T: bool, an integer, a floating number (integers widen), std::string or
  /// Tensor. Throws Error when the kind differs or the value does not fit; the error text contains
  /// `name`.
  template <class T>
  T to(std::string_view name = {}) const;

  // --- Dictionary: throws Error on another kind --------------------------------------------------

  /// Returns the value of `key`. Throws IndexError ("Key 'fc3.weight' is not defined").
  const State& operator[](std::string_view key) const&;
  State operator[](std::string_view key) && { return std::as_const(*this)[key]; }
  /// Returns the value of `key` as T. Errors name the key.
  template <class T>
  T get(std::string_view key) const {
    return (*this)[key].to<T>(key);
  }
  /// Returns the value of `key`, or a null pointer when the dictionary lacks the key. Do not keep
  /// the pointer into a temporary.
  const State* find(std::string_view key) const;
  /// Returns true when the dictionary has `key`.
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  /// Returns the keys in order.
  std::vector<std::string> keys() const;
  /// Iterators over the items in order: `for (const auto& [key, value] : state)`.
  const Item* begin() const;
  const Item* end() const;
  /// Appends an item. Throws Error when the key exists, and beyond kMaxDepth.
  void insert(std::string key, State value);
  /// Replaces the value of `key` and keeps its position, or appends an item.
  void set(std::string key, State value);
  /// Removes `key`. Throws IndexError when the dictionary lacks the key.
  void erase(std::string_view key);

  // --- List: throws Error on another kind --------------------------------------------------------

  /// Returns element `index` of the list. Throws IndexError out of range.
  const State& operator[](std::size_t index) const&;
  State operator[](std::size_t index) && { return std::as_const(*this)[index]; }
  /// Returns all elements of the list; a copy if this State is a temporary.
  const std::vector<State>& elements() const&;
  std::vector<State> elements() &&;
  /// Appends an element to the list. Throws Error beyond kMaxDepth.
  void push_back(State value);

  // --- Dictionary or list ------------------------------------------------------------------------

  /// Returns the number of items of a dictionary or elements of a list.
  std::size_t size() const;
  /// Returns true when size() is 0.
  bool empty() const { return size() == 0; }
  /// Returns 0 for a leaf, 1 for a dictionary or list of leaves, and so on.
  int depth() const;

  /// Prints the tree, one item of a dictionary per line, and each tensor as dtype and sizes:
  /// 'fc.weight': float32 [1, 3].
  friend TERN_API std::ostream& operator<<(std::ostream& stream, const State& state);

 private:
  struct List;
  struct Dict;

  const List& as_list() const;
  const Dict& as_dict() const;
  std::int64_t to_integer(std::string_view name, std::int64_t lowest, std::int64_t highest) const;
  double to_double(std::string_view name) const;
  bool to_bool(std::string_view name) const;
  [[noreturn]] void kind_error(const char* expected, std::string_view name) const;

  Kind kind_;
  bool is_untyped_ = false;
  union {
    std::int64_t integer_ = 0;
    double floating_;
  };
  // A std::string, a Tensor, a List or a Dict, depending on the kind. Copies share a container
  // until one of them changes.
  std::shared_ptr<void> content_;
};

/// A key and its value in a dictionary.
struct State::Item {
  /// The key.
  std::string key;
  /// The value.
  State value;
};

/// Returns the name of the kind in error texts: "null", "a bool", "an integer", "a floating
/// number", "a string", "a tensor", "a list" or "a dictionary".
TERN_API const char* kind_name(State::Kind kind);

/// Returns true when both trees have the same kinds, the same keys in the same order, and values
/// that are equal to the bit. Tensors are compared by dtype, shape and bytes; the device may
/// differ, except that tensors on meta are identical only to each other.
TERN_API bool identical(const State& a, const State& b);

// --- Keys by pattern ----------------------------------------------------------------------------

/// Returns the items whose keys match, for example `select_keys(state, "encoder.*")`.
///
/// Only the dictionary's own keys count; the values are shared and the order stays. Every `*` of
/// the pattern stands for any text, also for dots or nothing, and for as little text as fits. All
/// other characters stand for themselves.
TERN_API State select_keys(const State& state, std::string_view pattern);
/// Returns the items whose keys start with `prefix`, with the prefix removed from the keys. The
/// values are shared.
///
/// Example:
///   encoder->load_state_dict(strip_prefix(state, "encoder."));
TERN_API State strip_prefix(const State& state, std::string_view prefix);
/// Returns all items; a key that matches `pattern` becomes `replacement`. The n-th `*` of the
/// replacement stands for the text of the n-th `*` of the pattern (see select_keys). Throws Error
/// when two keys become equal, and when the replacement has more stars than the pattern.
///
/// Example:
///   rename_keys(state, "layers.*.gamma", "blocks.*.weight");
TERN_API State rename_keys(const State& state, std::string_view pattern,
                           std::string_view replacement);

template <class T>
T State::to(std::string_view name) const {
  if constexpr (std::is_same_v<T, Tensor>) {
    if (!is_tensor()) kind_error("a tensor", name);
    return tensor();
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (!is_string()) kind_error("a string", name);
    return string();
  } else if constexpr (std::is_same_v<T, bool>) {
    return to_bool(name);
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(to_double(name));
  } else {
    static_assert(std::is_integral_v<T>, "State::to: no such kind of value");
    constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    constexpr auto kMaxInt = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return static_cast<T>(
        to_integer(name, static_cast<std::int64_t>(std::numeric_limits<T>::min()),
                   static_cast<std::int64_t>(kLargest < kMaxInt ? kLargest : kMaxInt)));
  }
}

}  // namespace tern
