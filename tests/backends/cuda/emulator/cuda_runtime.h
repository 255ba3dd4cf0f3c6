#pragma once

#include <cuda_runtime_api.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include <backends/cuda/emulator/emulator.h>
#include <backends/cuda/emulator/shared_memory.h>

// Replaces CUDA's header when a .cu file is compiled for the CPU: the keywords and the functions
// that tern's kernels use.

#define __global__
#define __device__
#define __host__
#define __restrict__ __restrict
#define __launch_bounds__(...)
// Blocks run one after the other, so all can share one copy. Of a type of shared_memory.h.
#define __shared__ static

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned x_size = 1, unsigned y_size = 1, unsigned z_size = 1)
      : x(x_size), y(y_size), z(z_size) {}
};

struct cudaLaunchConfig_t {
  dim3 grid, block;  // CUDA's names for these are macros here
  std::size_t shared_bytes;
  cudaStream_t stream;
  const void* attributes;
  unsigned attribute_count;
};

namespace tern::emulator {

/// A kernel, with what CUDA knows of each: how many bytes its parameters have, and how to call it.
struct Kernel {
  using Function = void (*)();

  template <class... Params>
  explicit Kernel(void (*kernel)(Params...))
      : function(reinterpret_cast<Function>(kernel)),
        call(&call_kernel<Params...>),
        sizes{sizeof(Params)...},
        parameters(sizeof...(Params)) {
    static_assert((std::is_trivially_copyable_v<Params> && ...));
    static_assert(((alignof(Params) <= alignof(std::max_align_t)) && ...));
  }

  Function function;
  void (*call)(Function function, const void* const* arguments);
  std::size_t sizes[16];
  std::size_t parameters;

 private:
  template <class... Params>
  static void call_kernel(Function function, const void* const* arguments) {
    call_kernel<Params...>(function, arguments, std::index_sequence_for<Params...>());
  }
  template <class... Params, std::size_t... i>
  static void call_kernel(Function function, [[maybe_unused]] const void* const* arguments,
                          std::index_sequence<i...>) {
    reinterpret_cast<void (*)(Params...)>(function)(*static_cast<const Params*>(arguments[i])...);
  }
};

/// Queues a launch. Copies the arguments.
cudaError_t launch(const cudaLaunchConfig_t& config, const Kernel& kernel,
                   const void* const* arguments);

}  // namespace tern::emulator

#define threadIdx (tern::emulator::place().thread)
#define blockIdx (tern::emulator::place().block)
#define gridDim (tern::emulator::place().grid_size)

inline void __syncthreads() { tern::emulator::block_barrier(); }
inline void __threadfence_system() {}

template <class T>
T __shfl_xor_sync(unsigned, T value, int mask) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t) && std::is_trivially_copyable_v<T>);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  bits = tern::emulator::warp_exchange(bits, (threadIdx.x % 32) ^ static_cast<unsigned>(mask));
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

template <class T>
T atomicAdd(T* address, T value) {
  const T old = *address;
  if constexpr (std::is_integral_v<T>) {  // wraps around
    using Bits = std::make_unsigned_t<T>;
    *address = static_cast<T>(static_cast<Bits>(old) + static_cast<Bits>(value));
  } else {
    *address = old + value;
  }
  return old;
}
// Two bytes may be an element of one byte and its neighbour beyond the end of a tensor.
template <class T>
[[gnu::no_sanitize_address, gnu::noinline]] T atomicCAS(T* address, T expected, T value) {
  const T old = *address;
  if (old == expected) *address = value;
  return old;
}
template <class T>
T atomicExch(T* address, T value) {
  const T old = *address;
  *address = value;
  return old;
}
