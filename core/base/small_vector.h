#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <type_traits>

#include <tern/core/base/array_ref.h>

namespace tern {

/// A vector of trivially copyable elements that keeps up to N of them inside itself.
/// Shapes and strides are such: a tensor of usual rank needs no heap for them.
template <class T, std::size_t N>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;

  SmallVector() = default;
  explicit SmallVector(std::size_t size, T value = T()) { resize(size, value); }
  SmallVector(std::initializer_list<T> list) { assign(list.begin(), list.size()); }
  SmallVector(ArrayRef<T> array) { assign(array.data(), array.size()); }
  SmallVector(const SmallVector& other) {
    if (other.heap_) {
      assign(other.data(), other.size());
    } else {
      std::memcpy(inline_, other.inline_, sizeof(inline_));  // a fixed size: no call
      size_ = other.size_;
    }
  }
  SmallVector(SmallVector&& other) noexcept { take(other); }
  SmallVector& operator=(const SmallVector& other) {
    if (this != &other) assign(other.data(), other.size());
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this != &other) take(other);
    return *this;
  }
  ~SmallVector() = default;

  T* data() { return heap_ ? heap_.get() : inline_; }
  const T* data() const { return heap_ ? heap_.get() : inline_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }

  void reserve(std::size_t capacity) {
    if (capacity <= capacity_) return;
    auto grown = std::make_unique<T[]>(capacity);
    if (size_ != 0) std::memcpy(grown.get(), data(), size_ * sizeof(T));
    heap_ = std::move(grown);
    capacity_ = capacity;
  }
  void resize(std::size_t size, T value = T()) {
    reserve(size);
    for (std::size_t i = size_; i < size; ++i) data()[i] = value;
    size_ = size;
  }
  void push_back(T value) {
    if (size_ == capacity_) reserve(2 * capacity_);
    data()[size_++] = value;
  }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  void insert(std::size_t at, T value) {
    push_back(value);
    for (std::size_t i = size_ - 1; i > at; --i) data()[i] = data()[i - 1];
    data()[at] = value;
  }
  void erase(std::size_t at) {
    for (std::size_t i = at; i + 1 < size_; ++i) data()[i] = data()[i + 1];
    --size_;
  }
  void assign(const T* data_in, std::size_t size) {
    reserve(size);
    T* const to = size > N ? heap_.get() : data();
    if (size != 0) std::memmove(to, data_in, size * sizeof(T));
    size_ = size;
  }

  friend bool operator==(const SmallVector& a, const SmallVector& b) {
    return ArrayRef<T>(a) == ArrayRef<T>(b);
  }

 private:
  void take(SmallVector& other) noexcept {
    heap_ = std::move(other.heap_);
    capacity_ = heap_ ? other.capacity_ : N;
    size_ = other.size_;
    if (!heap_) std::memcpy(inline_, other.inline_, size_ * sizeof(T));
    other.capacity_ = N;
    other.size_ = 0;
  }

  std::size_t size_ = 0;
  std::size_t capacity_ = N;
  std::unique_ptr<T[]> heap_;
  T inline_[N];
};

/// Sizes, strides or dimension numbers.
using DimVector = SmallVector<std::int64_t, 5>;

}  // namespace tern
