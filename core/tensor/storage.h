#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <tern/core/base/intrusive_ptr.h>
#include <tern/core/base/visibility.h>
#include <tern/core/tensor/device.h>

namespace tern {

class Allocator;

/// A block of memory on one device, shared by all views of a tensor, with the version counter that
/// tells the gradient rules of in-place changes.
class TERN_API Storage final : public RefCounted {
 public:
  using Deleter = void (*)(void* data, void* context);

  /// Memory from the allocator of the device (whose index must be set). Zero bytes: null.
  Storage(std::size_t bytes, Device device);
  /// Pinned host memory from `allocator`, which outlives it. Zero bytes: null.
  Storage(std::size_t bytes, Allocator& allocator);
  /// Memory of somebody else; `deleter` (may be null) is called with it at the end.
  Storage(void* data, std::size_t bytes, Device device, Deleter deleter, void* context);
  ~Storage() override;

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  Device device() const { return device_; }
  bool pinned() const { return pinned_; }

  std::uint32_t version() const { return version_.load(std::memory_order_relaxed); }
  void bump_version() { version_.fetch_add(1, std::memory_order_relaxed); }
  /// For a factory that filled its tensor in place: nobody has seen it change.
  void reset_version() { version_.store(0, std::memory_order_relaxed); }

  static void* operator new(std::size_t size);
  static void operator delete(void* pointer, std::size_t size) noexcept;

 private:
  void* data_;
  std::size_t bytes_;
  Deleter deleter_;  // null: the allocator's, unless foreign_
  void* context_;    // the deleter's, or the allocator of pinned memory
  Device device_;
  bool foreign_;
  bool pinned_ = false;
  std::atomic<std::uint32_t> version_{0};
};

/// Memory for small objects of one size class (tensors, storages, nodes): recycled per thread.
namespace detail {
TERN_API void* allocate_object(std::size_t size);
TERN_API void free_object(void* pointer, std::size_t size) noexcept;
}  // namespace detail

}  // namespace tern
