#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <tern/core/tensor/detail/allocator.h>

// Scratch memory of kernels.

namespace tern::cpu {

/// Memory for one call, from the caching allocator.
template <class T>
class Scratch {
 public:
  explicit Scratch(std::int64_t count)
      : bytes_(static_cast<std::size_t>(count + 1) * sizeof(T)),
        data_(static_cast<T*>(tern::detail::allocator_of(kCPU).allocate(bytes_, 0))) {}
  ~Scratch() { tern::detail::allocator_of(kCPU).deallocate(data_, bytes_, 0); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  T* data() const { return data_; }

 private:
  std::size_t bytes_;
  T* data_;
};

inline void* thread_scratch_bytes(std::size_t bytes) {
  struct Memory {
    void* data = nullptr;
    std::size_t size = 0;
    ~Memory() { std::free(data); }
  };
  static thread_local Memory memory;
  if (memory.size < bytes) {
    constexpr std::size_t kPage = 4096;
    std::free(memory.data);
    memory.size = (bytes + kPage - 1) / kPage * kPage;
    memory.data = std::aligned_alloc(kPage, memory.size);
    if (memory.data == nullptr) memory.size = 0;
  }
  return memory.data;
}

/// Returns memory of the calling thread, valid until the thread's next call; null if out of memory.
/// The memory is reused, so that a steady loop allocates nothing. Unlike Scratch, it never throws,
/// as the work of threads must not.
template <class T>
T* thread_scratch(std::int64_t count) {
  return static_cast<T*>(thread_scratch_bytes(static_cast<std::size_t>(count + 1) * sizeof(T)));
}

}  // namespace tern::cpu
