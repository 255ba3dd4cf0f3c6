#pragma once

#include <any>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include <tern/core/base/visibility.h>

namespace tern::nn {

/// A value of any copyable type: an argument or result of hooks and AnyModule. Storing a Tensor
/// allocates no memory.
class TERN_API AnyValue {
 public:
  /// Makes an empty value.
  AnyValue() = default;
  /// Stores a copy of `value`, or moves `value` in if possible.
  template <class T>
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): the constraint rules copies out.
  requires(!std::is_same_v<std::decay_t<T>, AnyValue>) explicit AnyValue(T&& value)
      : value_(std::forward<T>(value)) {}

  /// Returns the value, which must have exactly the type T. Throws Error ("Attempted to cast
  /// AnyValue to float, but its actual type is int").
  template <class T>
  T& get() {
    if (T* value = try_get<T>()) return *value;
    cast_error(typeid(T));
  }
  template <class T>
  const T& get() const {
    return const_cast<AnyValue*>(this)->get<T>();
  }
  /// Returns a pointer to the value, or null if its type is not T.
  template <class T>
  T* try_get() {
    static_assert(!std::is_reference_v<T>, "AnyValue holds decayed types");
    return std::any_cast<T>(&value_);
  }
  template <class T>
  const T* try_get() const {
    return const_cast<AnyValue*>(this)->try_get<T>();
  }
  /// Returns true when there is no value.
  bool is_empty() const noexcept { return !value_.has_value(); }
  /// Returns the type of the value; `void` when empty.
  const std::type_info& type_info() const noexcept { return value_.type(); }

 private:
  [[noreturn]] void cast_error(const std::type_info& wanted) const;

  std::any value_;
};

}  // namespace tern::nn
