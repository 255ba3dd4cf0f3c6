#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace tern {

/// Base class of objects that store the count of their owners. The last owner calls `destroy()`,
/// which a derived class may override (the default is `delete this`).
class RefCounted {
 public:
  /// Starts with no owner.
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  /// Adds an owner.
  void retain() const noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  /// Removes an owner. The last owner destroys the object. Not inlined: the end of each tensor
  /// calls it, and the library is 240 KB smaller and no slower.
  [[gnu::noinline]] void release() const noexcept {
    // A sole owner needs no atomic exchange: nobody else can reach the object any more.
    if (count_.load(std::memory_order_acquire) == 1 ||
        count_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      const_cast<RefCounted*>(this)->destroy();
    }
  }
  /// Returns the number of owners. Other threads may change it at any time.
  std::uint32_t use_count() const noexcept { return count_.load(std::memory_order_acquire); }

 protected:
  /// Only `destroy()` deletes the object.
  virtual ~RefCounted() = default;
  /// Destroys the object; called when the last owner is gone.
  virtual void destroy() noexcept { delete this; }

 private:
  mutable std::atomic<std::uint32_t> count_{0};
};

/// True when T has a function share() that takes over a shared pointer to U.
template <class T, class U>
concept SharedAs = std::is_convertible_v<U*, T*> && requires(std::shared_ptr<U> pointer) {
  T::share(std::move(pointer));
};

/// A pointer of one machine word that shares ownership of a RefCounted object.
template <class T>
class IntrusivePtr {
 public:
  /// Makes a null pointer.
  constexpr IntrusivePtr() noexcept = default;
  /// Makes a null pointer.
  constexpr IntrusivePtr(std::nullptr_t) noexcept {}
  /// Shares ownership of `object`, which may be new and without any owner.
  explicit IntrusivePtr(T* object) noexcept : object_(object) {
    if (object_ != nullptr) object_->retain();
  }
  /// Shares the ownership of `other`.
  IntrusivePtr(const IntrusivePtr& other) noexcept : IntrusivePtr(other.object_) {}
  /// Takes over the ownership of `other`, which becomes null.
  IntrusivePtr(IntrusivePtr&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  /// Converts from a pointer to a derived class.
  template <class U>
  requires std::is_convertible_v<U*, T*> IntrusivePtr(IntrusivePtr<U> other)
  noexcept : object_(other.detach()) {}
  /// Replaces the pointer; the previous object loses an owner.
  IntrusivePtr& operator=(IntrusivePtr other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  /// Shares the ownership of a shared pointer, for classes T with a function share().
  template <class U>
  requires SharedAs<T, U> IntrusivePtr(std::shared_ptr<U> pointer)
      : IntrusivePtr(T::share(std::move(pointer))) {}
  /// Returns a shared pointer that is one more owner of the object.
  template <class U>
  requires std::is_convertible_v<T*, U*>
  operator std::shared_ptr<U>() const {
    if (object_ == nullptr) return nullptr;
    object_->retain();
    return std::shared_ptr<U>(object_, [](T* object) { object->release(); });
  }
  ~IntrusivePtr() {
    // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): loses a binding's tuple
    if (object_ != nullptr) object_->release();
  }

  /// Returns the plain pointer, which may be null.
  T* get() const noexcept { return object_; }
  /// Accesses the object. The pointer must not be null.
  T* operator->() const noexcept { return object_; }
  /// Accesses the object. The pointer must not be null.
  T& operator*() const noexcept { return *object_; }
  /// Returns true unless the pointer is null.
  explicit operator bool() const noexcept { return object_ != nullptr; }
  /// Returns true unless the pointer is null.
  bool defined() const noexcept { return object_ != nullptr; }
  /// Returns the number of owners; 0 for null.
  std::uint32_t use_count() const noexcept { return object_ == nullptr ? 0 : object_->use_count(); }
  /// Returns true when this pointer is the only owner.
  bool unique() const noexcept { return use_count() == 1; }
  /// Exchanges the two pointers.
  void swap(IntrusivePtr& other) noexcept { std::swap(object_, other.object_); }
  /// Gives up the ownership; the pointer becomes null.
  void reset() noexcept { *this = IntrusivePtr(); }
  /// Returns the pointer and passes its ownership to the caller. The count stays; this becomes
  /// null.
  T* detach() noexcept { return std::exchange(object_, nullptr); }
  /// Takes over the ownership of a pointer that `detach()` returned.
  static IntrusivePtr adopt(T* object) noexcept {
    IntrusivePtr result;
    result.object_ = object;
    return result;
  }
  /// Compares addresses.
  friend bool operator==(const IntrusivePtr& a, const IntrusivePtr& b) noexcept {
    return a.object_ == b.object_;
  }

 private:
  T* object_ = nullptr;
};

/// Makes a new object from the arguments of its constructor.
template <class T, class... Args>
IntrusivePtr<T> make_intrusive(Args&&... args) {
  return IntrusivePtr<T>(new T(std::forward<Args>(args)...));
}

}  // namespace tern
