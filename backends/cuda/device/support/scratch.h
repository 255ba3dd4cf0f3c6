#pragma once

#include <cstddef>

#include <tern/core/kernels/slots.h>

namespace tern::cuda::device {

/// Device memory for one kernel call, from libtern's caching allocator. The scope's end frees the
/// memory, which later work of the same stream may reuse. If the allocation fails, get() returns
/// null and the context records the failure, so launch() does nothing.
class Scratch {
 public:
  Scratch(kernels::KernelContext& context, std::size_t bytes);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  template <class T>
  T* get() const {
    return static_cast<T*>(data_);
  }

 private:
  std::int32_t device_;
  void* data_ = nullptr;
};

}  // namespace tern::cuda::device
