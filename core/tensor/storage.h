#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <tern/core/base/intrusive_ptr.h>
#include <tern/core/base/visibility.h>
#include <tern/core/tensor/device.h>

namespace tern {

class Allocator;

/// A block of memory on one device, shared by all views of a tensor. Autograd uses its version
/// counter to detect in-place changes.
class TERN_API Storage final : public RefCounted {
 public:
  /// A function that frees `data`; `context` is the pointer that was given with the function.
  using Deleter = void (*)(void* data, void* context);

  /// Allocates `bytes` bytes on `device`, whose index must be set. Zero bytes give a null pointer.
  Storage(std::size_t bytes, Device device);
  /// Allocates pinned host memory from `allocator`, which must outlive the storage. Zero bytes give
  /// a null pointer.
  Storage(std::size_t bytes, Allocator& allocator);
  /// Uses memory that the caller owns. The destructor calls `deleter` unless it is null.
  Storage(void* data, std::size_t bytes, Device device, Deleter deleter, void* context);
  /// Shares the memory of `other`, with a version counter of its own.
  explicit Storage(const IntrusivePtr<Storage>& other);
  ~Storage() override;

  /// Returns the address of the first byte; a device address for memory of a GPU.
  void* data() const { return data_; }
  /// Returns the size in bytes.
  std::size_t bytes() const { return bytes_; }
  /// Returns the device of the memory.
  Device device() const { return device_; }
  /// Returns true for pinned host memory.
  bool is_pinned() const { return pinned_; }
  /// Returns true when both storages use the same allocation.
  bool is_alias_of(const Storage& other) const { return &owner() == &other.owner(); }
  /// Returns true when the memory was allocated in InferenceMode.
  bool is_inference() const { return inference_; }
  /// Returns true when this is the last reference to memory that tern allocated and that no other
  /// storage shares, so that an op may write its result there.
  bool is_exclusive() const { return use_count() == 1 && !foreign_; }

  /// Returns the number of in-place changes so far.
  std::uint32_t version() const { return version_.load(std::memory_order_relaxed); }
  /// Exchanges the memory of the two storages; versions stay. The memory must have the same size.
  void swap_memory(Storage& other) noexcept;
  /// Counts an in-place change.
  void bump_version() { version_.fetch_add(1, std::memory_order_relaxed); }
  /// Sets the version to 0, for a factory that filled its tensor in place.
  void reset_version() { version_.store(0, std::memory_order_relaxed); }

  /// Keeps what a kernel made of the contents, such as packed weights, until the storage is freed
  /// or gets other memory. Replaces what was kept before. Any thread may call it.
  void keep_derived(IntrusivePtr<RefCounted> derived);
  /// Returns what is kept so, or null. Any thread may call it.
  IntrusivePtr<RefCounted> derived() const;

  /// Allocates the object from recycled memory.
  static void* operator new(std::size_t size);
  /// Gives the object's memory back.
  static void operator delete(void* pointer, std::size_t size) noexcept;

 private:
  const Storage& owner() const { return shared_ ? *static_cast<const Storage*>(context_) : *this; }
  void forget_derived() noexcept;

  void* data_;
  std::size_t bytes_;
  Deleter deleter_;  // null: the allocator frees the memory, unless foreign_
  void* context_;    // of the deleter; the allocator of pinned memory; the owner of shared memory
  Device device_;
  bool foreign_;
  bool pinned_ = false;
  bool shared_ = false;
  bool inference_;
  bool has_derived_ = false;
  std::atomic<std::uint32_t> version_{0};
};

namespace detail {
/// Allocates and frees small objects (tensors, storages, nodes) from per-thread free lists.
TERN_API void* allocate_object(std::size_t size);
TERN_API void free_object(void* pointer, std::size_t size) noexcept;
}  // namespace detail

}  // namespace tern
