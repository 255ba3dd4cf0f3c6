#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace tern::cpu {

/// Returns memory of the calling thread, valid until the thread's next call; null if out of memory.
/// The memory is reused, so that a steady loop allocates nothing.
inline void* scratch(std::size_t bytes) {
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

template <class T>
T* scratch_of(std::int64_t count) {
  return static_cast<T*>(scratch(static_cast<std::size_t>(count + 1) * sizeof(T)));
}

}  // namespace tern::cpu
