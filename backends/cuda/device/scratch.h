#pragma once

#include <cstddef>

#include <tern/core/kernels/slots.h>

namespace tern::cuda::device {

/// Device memory for one call of a kernel, of libtern's caching allocator: it is given back when
/// the scope ends, and later work of the same stream may then use it. Without memory `get` returns
/// null and the context says so; launch() then does nothing.
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
