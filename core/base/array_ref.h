#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <type_traits>
#include <vector>

#include <tern/core/base/error.h>
#include <tern/core/base/strict.h>
#include <tern/core/base/text.h>

namespace tern {

template <class T>
class OptionalArrayRef;

/// A view of consecutive elements that somebody else owns. Meant for parameters, never for members:
/// an ArrayRef does not keep its elements alive.
///
/// Built from one element, braces, a vector or anything with data() and size().
///
/// Example:
///   Tensor x = tern::zeros({2, 3});           // braces
///   std::vector<std::int64_t> sizes = {3, 2};
///   x = x.view(sizes);                        // a vector
///   x = x.sum(0);                             // one element
template <class T>
class ArrayRef {
 public:
  /// The type of an element.
  using value_type = T;
  /// A pointer to a constant element.
  using const_iterator = const T*;

  /// Makes an empty view.
  constexpr ArrayRef() = default;
  /// Views one element.
  constexpr ArrayRef(const T& element) : data_(&element), size_(1) {}
  /// Views `size` elements from `data` on.
  constexpr ArrayRef(const T* data, std::size_t size) : data_(data), size_(size) {}
  /// Views the elements from `begin` up to `end`.
  constexpr ArrayRef(const T* begin, const T* end)
      : data_(begin), size_(static_cast<std::size_t>(end - begin)) {}
  // The elements in braces live until the end of the full expression, as long as the parameter
  // does.
#pragma GCC diagnostic push
#ifndef __clang__  // clang lacks this warning and warns about its unknown name
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
#endif
  /// Views the elements in braces, which live until the end of the full expression.
  constexpr ArrayRef(std::initializer_list<T> list)
      : data_(list.size() == 0 ? nullptr : list.begin()), size_(list.size()) {}
#pragma GCC diagnostic pop
  /// Views the elements of a container with data() and size().
  template <class Container>
  requires std::is_convertible_v<decltype(std::declval<const Container&>().data()), const T*>
  constexpr ArrayRef(const Container& container)
      : data_(container.data()), size_(static_cast<std::size_t>(container.size())) {}

  /// Views the list or the element in an optional; nothing if there is none, which means what an
  /// empty list means. Lists of numbers only.
  template <class Optional>
  requires(std::is_arithmetic_v<T> &&
           (std::is_same_v<Optional, std::optional<T>> ||
            std::is_same_v<Optional, std::optional<ArrayRef<T>>> ||
            std::is_same_v<Optional, OptionalArrayRef<T>>)) constexpr ArrayRef(const Optional& list)
      : ArrayRef(list ? ArrayRef(*list) : ArrayRef()) {}
  template <class None>
  requires(std::is_arithmetic_v<T>&& std::is_same_v<None, std::nullopt_t>) constexpr ArrayRef(
      None) {}

  /// Refuses a bool, which is neither a size nor a dimension: `x.sum(true)` does not compile.
  template <class B>
  requires(std::is_same_v<B, bool>&& std::is_same_v<T, std::int64_t>) ArrayRef(B)
  = delete;
  template <class B>
  requires(std::is_same_v<B, bool>&& std::is_same_v<T, std::int64_t>)
      ArrayRef(std::initializer_list<B>)
  = delete;

  /// Returns the address of the first element; null for a default-made view.
  constexpr const T* data() const { return data_; }
  /// Returns the number of elements.
  constexpr std::size_t size() const { return size_; }
  /// Returns true when there is no element.
  constexpr bool empty() const { return size_ == 0; }
  /// Iterators over the elements.
  constexpr const T* begin() const { return data_; }
  constexpr const T* end() const { return data_ + size_; }
  /// Returns element `i`. The index is not checked.
  constexpr const T& operator[](std::size_t i) const { return data_[i]; }
  /// Returns the first element. The view must not be empty.
  constexpr const T& front() const { return data_[0]; }
  /// Returns the last element. The view must not be empty.
  constexpr const T& back() const { return data_[size_ - 1]; }
  /// Returns a view of `count` elements from index `begin` on. The range is not checked.
  constexpr ArrayRef slice(std::size_t begin, std::size_t count) const {
    return {data_ + begin, count};
  }
  /// Returns a view of the elements from index `begin` on. The range is not checked.
  constexpr ArrayRef slice(std::size_t begin) const { return slice(begin, size_ - begin); }
  /// Returns a view without the last `count` elements. The range is not checked.
  constexpr ArrayRef drop_back(std::size_t count = 1) const { return slice(0, size_ - count); }
  /// Returns a view without the first `count` elements. The range is not checked.
  constexpr ArrayRef drop_front(std::size_t count = 1) const { return slice(count); }
  /// Returns element `i`. Throws IndexError out of range.
  constexpr const T& at(std::size_t i) const {
    TERN_CHECK(i < size_, IndexError, "index ", i, " is out of range for a list of ", size_);
    return data_[i];
  }
  /// Returns true when both have the same sizes and elements.
  constexpr bool equals(ArrayRef other) const { return *this == other; }
  /// Copies the elements into a vector.
  std::vector<T> vec() const { return std::vector<T>(begin(), end()); }

  /// Compares sizes and elements.
  friend bool operator==(ArrayRef a, ArrayRef b) {
    if (a.size_ != b.size_) return false;
    for (std::size_t i = 0; i < a.size_; ++i) {
      if (!(a.data_[i] == b.data_[i])) return false;
    }
    return true;
  }

 private:
  const T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// A list that may be absent, as a parameter. Unlike in a std::optional<ArrayRef>, one number or a
/// list in braces lives as long as the call.
template <class T>
class OptionalArrayRef : public std::optional<ArrayRef<T>> {
  using Base = std::optional<ArrayRef<T>>;

 public:
  /// Makes no list.
  constexpr OptionalArrayRef() = default;
  constexpr OptionalArrayRef(std::nullopt_t) {}
  /// Views what ArrayRef views.
  constexpr OptionalArrayRef(const Base& list) : Base(list) {}
  constexpr OptionalArrayRef(const T& element) : Base(ArrayRef<T>(element)) {}
  constexpr OptionalArrayRef(std::initializer_list<T> list) : Base(ArrayRef<T>(list)) {}
  template <class List>
  requires(std::is_class_v<List>&& std::is_convertible_v<const List&, ArrayRef<T>> &&
           !std::is_base_of_v<Base, List> &&
           !std::is_same_v<List, ArrayRef<T>>) constexpr OptionalArrayRef(const List& list)
      : Base(ArrayRef<T>(list)) {}
  constexpr OptionalArrayRef(ArrayRef<T> list) : Base(list) {}
  template <class B>
  requires std::is_same_v<B, bool> OptionalArrayRef(B)
  = delete;
};

/// Sizes, strides or dimension numbers as a parameter.
using IntArrayRef = ArrayRef<std::int64_t>;
/// Sizes, strides or dimensions that may be absent.
using OptionalIntArrayRef = OptionalArrayRef<std::int64_t>;

/// One integer or a list of integers as a parameter, for ops in which the two mean different
/// things.
///
/// Example:
///   x.tensor_split(3);       // three pieces
///   x.tensor_split({3});     // two pieces, cut at index 3
class IntList {
 public:
  /// Takes one integer, but no bool.
  template <class T>
  requires detail::IntArgument<T>
  constexpr IntList(const T& value) : value_(static_cast<std::int64_t>(value)), is_integer_(true) {}
  /// Views the integers in braces, which live until the end of the full expression.
  constexpr IntList(std::initializer_list<std::int64_t> list) : list_(list) {}
  /// Views a vector or another list of integers.
  template <class List>
  requires(std::is_convertible_v<const List&, IntArrayRef> &&
           !detail::IntArgument<List>) constexpr IntList(const List& list)
      : list_(list) {}

  /// Returns true for one integer, false for a list.
  constexpr bool is_integer() const { return is_integer_; }
  /// Returns the integer. Only if is_integer().
  constexpr std::int64_t integer() const { return value_; }
  /// Returns the list, or the integer as a list of one.
  constexpr IntArrayRef list() const { return is_integer_ ? IntArrayRef(value_) : list_; }

 private:
  std::int64_t value_ = 0;
  bool is_integer_ = false;
  IntArrayRef list_;
};

/// Prints the elements as [2, 3].
template <class T>
std::ostream& operator<<(std::ostream& out, ArrayRef<T> array) {
  std::string text = "[";
  for (std::size_t i = 0; i < array.size(); ++i) {
    if (i > 0) text += ", ";
    detail::TextPart(array[i]).append_to(text);
  }
  return detail::print_text(out, text += ']');
}

}  // namespace tern
