#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <type_traits>
#include <vector>

namespace tern {

/// A view of consecutive elements that somebody else owns; for parameters, never for members.
///
/// Built from one element, braces, a vector or anything with data() and size().
template <class T>
class ArrayRef {
 public:
  using value_type = T;
  using const_iterator = const T*;

  constexpr ArrayRef() = default;
  constexpr ArrayRef(const T& element) : data_(&element), size_(1) {}
  constexpr ArrayRef(const T* data, std::size_t size) : data_(data), size_(size) {}
  // The braces live until the end of the full expression, as long as the parameter does.
#pragma GCC diagnostic push
#ifndef __clang__  // it has no such warning, and warns about the name
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
#endif
  constexpr ArrayRef(std::initializer_list<T> list)
      : data_(list.size() == 0 ? nullptr : list.begin()), size_(list.size()) {}
#pragma GCC diagnostic pop
  template <class Container>
  requires std::is_convertible_v<decltype(std::declval<const Container&>().data()), const T*>
  constexpr ArrayRef(const Container& container)
      : data_(container.data()), size_(static_cast<std::size_t>(container.size())) {}

  constexpr const T* data() const { return data_; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr const T* begin() const { return data_; }
  constexpr const T* end() const { return data_ + size_; }
  constexpr const T& operator[](std::size_t i) const { return data_[i]; }
  constexpr const T& front() const { return data_[0]; }
  constexpr const T& back() const { return data_[size_ - 1]; }
  constexpr ArrayRef slice(std::size_t begin, std::size_t count) const {
    return {data_ + begin, count};
  }
  std::vector<T> vec() const { return std::vector<T>(begin(), end()); }

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

using IntArrayRef = ArrayRef<std::int64_t>;

/// Prints as [2, 3].
template <class T>
std::ostream& operator<<(std::ostream& out, ArrayRef<T> array) {
  out << '[';
  for (std::size_t i = 0; i < array.size(); ++i) out << (i == 0 ? "" : ", ") << array[i];
  return out << ']';
}

}  // namespace tern
