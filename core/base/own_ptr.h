#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace tern {

/// A pointer that owns one object, as std::unique_ptr does. Members of classes in headers have this
/// type, because a program that includes a std::unique_ptr of another class compiles some ninety
/// more classes of the standard library.
template <class T>
class OwnPtr {
 public:
  /// Makes a null pointer.
  constexpr OwnPtr() noexcept = default;
  /// Makes a null pointer.
  constexpr OwnPtr(std::nullptr_t) noexcept {}
  /// Takes over the object of `other`, which becomes null.
  OwnPtr(OwnPtr&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  /// Takes over the object of `other`, which becomes null.
  template <class U>
  OwnPtr(std::unique_ptr<U>&& other) noexcept : object_(other.release()) {}
  /// Takes over the object of `other` and deletes the previous object.
  OwnPtr& operator=(OwnPtr&& other) noexcept {
    OwnPtr previous(std::exchange(object_, std::exchange(other.object_, nullptr)));
    return *this;
  }
  ~OwnPtr() {
    static_assert(
        requires { sizeof(T); }, "the class is only declared");
    delete object_;
  }

  /// Returns the plain pointer, which may be null.
  T* get() const noexcept { return object_; }
  /// Accesses the object. The pointer must not be null.
  T* operator->() const noexcept { return object_; }
  /// Accesses the object. The pointer must not be null.
  T& operator*() const noexcept { return *object_; }
  /// Returns true unless the pointer is null.
  explicit operator bool() const noexcept { return object_ != nullptr; }
  /// Deletes the object; the pointer becomes null.
  void reset() noexcept { *this = OwnPtr(); }
  /// Returns true for a null pointer.
  friend bool operator==(const OwnPtr& pointer, std::nullptr_t) noexcept {
    return pointer.object_ == nullptr;
  }

 private:
  explicit OwnPtr(T* object) noexcept : object_(object) {}

  T* object_ = nullptr;
};

}  // namespace tern
