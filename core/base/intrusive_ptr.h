#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace tern {

/// Base of what is shared by counting: the counter lives in the object. A derived class says
/// how it dies by overriding `destroy` (the default is `delete this`).
class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  void retain() const noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  void release() const noexcept {
    // A sole owner needs no atomic exchange: nobody else can reach the object any more.
    if (count_.load(std::memory_order_acquire) == 1 ||
        count_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      const_cast<RefCounted*>(this)->destroy();
    }
  }
  std::uint32_t use_count() const noexcept { return count_.load(std::memory_order_acquire); }

 protected:
  virtual ~RefCounted() = default;
  /// Called by the last owner.
  virtual void destroy() noexcept { delete this; }

 private:
  mutable std::atomic<std::uint32_t> count_{0};
};

/// Owning pointer to a RefCounted object; one machine word.
template <class T>
class IntrusivePtr {
 public:
  constexpr IntrusivePtr() noexcept = default;
  constexpr IntrusivePtr(std::nullptr_t) noexcept {}
  /// Shares ownership of `object`, which may be new (count 0).
  explicit IntrusivePtr(T* object) noexcept : object_(object) {
    if (object_ != nullptr) object_->retain();
  }
  IntrusivePtr(const IntrusivePtr& other) noexcept : IntrusivePtr(other.object_) {}
  IntrusivePtr(IntrusivePtr&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <class U>
  requires std::is_convertible_v<U*, T*> IntrusivePtr(IntrusivePtr<U> other)
  noexcept : object_(other.detach()) {}
  IntrusivePtr& operator=(IntrusivePtr other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~IntrusivePtr() {
    if (object_ != nullptr) object_->release();
  }

  T* get() const noexcept { return object_; }
  T* operator->() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  void reset() noexcept { *this = IntrusivePtr(); }
  /// Gives the ownership away without touching the count.
  T* detach() noexcept { return std::exchange(object_, nullptr); }
  /// Takes an ownership that `detach` or `try_retain` gave.
  static IntrusivePtr adopt(T* object) noexcept {
    IntrusivePtr result;
    result.object_ = object;
    return result;
  }
  friend bool operator==(const IntrusivePtr& a, const IntrusivePtr& b) noexcept {
    return a.object_ == b.object_;
  }

 private:
  T* object_ = nullptr;
};

template <class T, class... Args>
IntrusivePtr<T> make_intrusive(Args&&... args) {
  return IntrusivePtr<T>(new T(std::forward<Args>(args)...));
}

}  // namespace tern
