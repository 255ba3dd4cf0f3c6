#pragma once

#include <cstddef>
#include <cstdint>
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

namespace tern {

/// What `state_dict()` returns and what state files hold: a tree of dictionaries and lists whose
/// leaves are tensors, numbers, booleans, strings and null. Dictionaries keep their order.
///
/// A State is a value: copying it is cheap and changing the copy leaves the original alone. Its
/// tensors are handles, as everywhere: they share their elements with the module they came from.
/// Values that are already inside a tree are read-only; `set` replaces one.
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
  enum class Kind : std::uint8_t { Null, Bool, Int, Double, String, Tensor, List, Dict };
  struct Item;
  /// How many dictionaries and lists may lie inside each other.
  static constexpr int kMaxDepth = 16;

  /// An empty dictionary.
  State();
  State(std::nullptr_t) : kind_(Kind::Null) {}
  State(std::string text);
  State(std::string_view text);
  State(const char* text);
  /// Throws Error when the tensor is undefined.
  State(Tensor tensor);
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
  /// A list: State::list({1, "two", 3.0}). Throws Error beyond kMaxDepth.
  static State list(std::vector<State> elements = {});

  // --- What it is ------------------------------------------------------------------------------

  Kind kind() const { return kind_; }
  bool is_null() const { return kind() == Kind::Null; }
  bool is_bool() const { return kind() == Kind::Bool; }
  bool is_int() const { return kind() == Kind::Int; }
  bool is_double() const { return kind() == Kind::Double; }
  bool is_string() const { return kind() == Kind::String; }
  bool is_tensor() const { return kind() == Kind::Tensor; }
  bool is_list() const { return kind() == Kind::List; }
  bool is_dict() const { return kind() == Kind::Dict; }

  // --- A leaf ----------------------------------------------------------------------------------

  /// The tensor. Throws Error when this is something else.
  Tensor tensor() const;
  operator Tensor() const { return tensor(); }
  /// The string. Throws Error when this is something else.
  const std::string& string() const;
  /// The value as T: bool, an integer, a floating number (integers widen), std::string or Tensor.
  /// Throws Error when the kind differs or the value does not fit; `name` is for its text.
  template <class T>
  T to(std::string_view name = {}) const;

  // --- A dictionary: throws Error on another kind ------------------------------------------------

  /// The value of `key`. Throws IndexError ("Key 'fc3.weight' is not defined").
  const State& operator[](std::string_view key) const&;
  State operator[](std::string_view key) && { return std::as_const(*this)[key]; }
  /// operator[] and to<T>() in one; errors name the key.
  template <class T>
  T get(std::string_view key) const {
    return (*this)[key].to<T>(key);
  }
  /// The value of `key`, or null when there is none.
  const State* find(std::string_view key) const;
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  std::vector<std::string> keys() const;
  /// Items in order: `for (const auto& [key, value] : state)`.
  const Item* begin() const;
  const Item* end() const;
  /// Appends. Throws Error when the key is taken, or beyond kMaxDepth.
  void insert(std::string key, State value);
  /// Replaces the value of `key` where it stands, or appends.
  void set(std::string key, State value);
  /// Removes `key`. Throws IndexError when there is none.
  void erase(std::string_view key);

  // --- A list: throws Error on another kind ------------------------------------------------------

  /// Throws IndexError.
  const State& operator[](std::size_t index) const&;
  State operator[](std::size_t index) && { return std::as_const(*this)[index]; }
  const std::vector<State>& elements() const;
  /// Throws Error beyond kMaxDepth.
  void push_back(State value);

  // --- Either ------------------------------------------------------------------------------------

  /// How many items a dictionary or a list has.
  std::size_t size() const;
  bool empty() const { return size() == 0; }
  /// 0 for a leaf, 1 for a dictionary or list of leaves, and so on.
  int depth() const;

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
  union {
    std::int64_t integer_ = 0;
    double floating_;
  };
  // By kind a std::string, a Tensor, a List or a Dict. Containers are shared by copies until one
  // of them changes.
  std::shared_ptr<void> content_;
};

struct State::Item {
  std::string key;
  State value;
};

/// null, a bool, an integer, a floating number, a string, a tensor, a list or a dictionary.
TERN_API const char* kind_name(State::Kind kind);

/// True when both trees have the same kinds, keys in the same order, and values equal to the bit
/// (tensors: dtype, shape and bytes; the device may differ).
TERN_API bool identical(const State& a, const State& b);

// --- Keys by pattern ----------------------------------------------------------------------------
// Of a dictionary's own keys; values are shared, and the order stays. In a pattern every `*` stands
// for any text, also for dots or none, and as little of it as fits; the rest stands for itself.

/// The items whose keys match: select_keys(state, "encoder.*").
TERN_API State select_keys(const State& state, std::string_view pattern);
/// The items whose keys start with `prefix`, without it:
/// encoder->load_state_dict(strip_prefix(state, "encoder.")).
TERN_API State strip_prefix(const State& state, std::string_view prefix);
/// All items; keys that match become `replacement`, in which the n-th `*` is what the pattern's
/// n-th stood for: rename_keys(state, "layers.*.gamma", "blocks.*.weight"). Throws Error when two
/// keys become one, and for a replacement with more stars than the pattern.
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
    constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    constexpr auto kMaxInt = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return static_cast<T>(to_integer(name, static_cast<std::int64_t>(std::numeric_limits<T>::min()),
                                     static_cast<std::int64_t>(kMax < kMaxInt ? kMax : kMaxInt)));
  }
}

}  // namespace tern
