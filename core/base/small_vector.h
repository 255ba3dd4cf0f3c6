#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <type_traits>
#include <utility>

#include <tern/core/base/array_ref.h>

namespace tern {

/// A vector of trivially copyable elements that stores up to N elements inline. Sizes and strides
/// of tensors are such vectors, so that tensors of usual rank need no heap memory for them.
template <class T, std::size_t N>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// The type of an element.
  using value_type = T;

  /// Makes an empty vector.
  SmallVector() = default;
  /// Makes a vector of `size` elements with value `value`.
  explicit SmallVector(std::size_t size, T value = T()) { resize(size, value); }
  /// Copies the elements of `list`.
  SmallVector(std::initializer_list<T> list) { assign(list.begin(), list.size()); }
  /// Copies the elements of `array`.
  SmallVector(ArrayRef<T> array) { assign(array.data(), array.size()); }
  /// Copies the elements of `other`.
  SmallVector(const SmallVector& other) {
    if (other.heap_ != nullptr) {
      assign(other.data(), other.size());
    } else {
      std::memcpy(inline_, other.inline_, sizeof(inline_));  // the fixed size avoids a call
      size_ = other.size_;
    }
  }
  /// Takes the elements of `other`, which becomes empty.
  SmallVector(SmallVector&& other) noexcept { take(other); }
  /// Replaces the elements; a moved-from vector becomes empty.
  SmallVector& operator=(const SmallVector& other) {
    if (this != &other) assign(other.data(), other.size());
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this != &other) take(other);
    return *this;
  }
  ~SmallVector() { delete[] heap_; }

  /// Returns the address of the first element.
  T* data() { return heap_ != nullptr ? heap_ : inline_; }
  const T* data() const { return heap_ != nullptr ? heap_ : inline_; }
  /// Returns the number of elements.
  std::size_t size() const { return size_; }
  /// Returns true when there is no element.
  bool empty() const { return size_ == 0; }
  /// Iterators over the elements.
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  /// Returns element `i`. The index is not checked.
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  /// Returns the last element. The vector must not be empty.
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }

  /// Makes room for `capacity` elements.
  void reserve(std::size_t capacity) {
    if (capacity <= capacity_) return;
    T* const grown = new T[capacity]();
    if (size_ != 0) std::memcpy(grown, data(), size_ * sizeof(T));
    delete[] heap_;
    heap_ = grown;
    capacity_ = capacity;
  }
  /// Sets the number of elements; new ones get `value`.
  void resize(std::size_t size, T value = T()) {
    reserve(size);
    for (std::size_t i = size_; i < size; ++i) data()[i] = value;
    size_ = size;
  }
  /// Appends an element.
  void push_back(T value) {
    if (size_ == capacity_) reserve(2 * capacity_);
    data()[size_++] = value;
  }
  /// Removes the last element. The vector must not be empty.
  void pop_back() { --size_; }
  /// Removes all elements.
  void clear() { size_ = 0; }
  /// Inserts `value` before index `at`, which is at most size().
  void insert(std::size_t at, T value) {
    push_back(value);
    for (std::size_t i = size_ - 1; i > at; --i) data()[i] = data()[i - 1];
    data()[at] = value;
  }
  /// Removes the element at index `at`.
  void erase(std::size_t at) {
    for (std::size_t i = at; i + 1 < size_; ++i) data()[i] = data()[i + 1];
    --size_;
  }
  /// Replaces the elements by `size` elements from `data_in` on, which may lie in this vector.
  void assign(const T* data_in, std::size_t size) {
    reserve(size);
    T* const to = size > N ? heap_ : data();
    if (size != 0) std::memmove(to, data_in, size * sizeof(T));
    size_ = size;
  }

  /// Compares sizes and elements.
  friend bool operator==(const SmallVector& a, const SmallVector& b) {
    return ArrayRef<T>(a) == ArrayRef<T>(b);
  }

 private:
  void take(SmallVector& other) noexcept {
    delete[] heap_;
    heap_ = std::exchange(other.heap_, nullptr);
    capacity_ = heap_ != nullptr ? other.capacity_ : N;
    size_ = other.size_;
    if (heap_ == nullptr) std::memcpy(inline_, other.inline_, size_ * sizeof(T));
    other.capacity_ = N;
    other.size_ = 0;
  }

  std::size_t size_ = 0;
  std::size_t capacity_ = N;
  T* heap_ = nullptr;  // owned; not a std::unique_ptr, which each program would compile
  T inline_[N];
};

/// Sizes, strides or dimension numbers of a tensor.
using DimVector = SmallVector<std::int64_t, 5>;

}  // namespace tern
