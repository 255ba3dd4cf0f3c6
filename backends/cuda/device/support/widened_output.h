#pragma once

#include <cstdint>
#include <type_traits>

#include <tern/backends/cuda/device/support/elements.h>
#include <tern/backends/cuda/device/support/launch.h>
#include <tern/backends/cuda/device/support/scratch.h>

namespace tern::cuda::device {

template <class To, class From>
__global__ void __launch_bounds__(kThreads)
    convert_kernel(const From* __restrict__ from, To* __restrict__ to, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= count) return;
  if constexpr (sizeof(To) > sizeof(From)) {
    to[i] = widened<To>(from[i]);
  } else {
    to[i] = narrowed<To>(from[i]);
  }
}

/// Calls run(to), which launches kernels that change the `count` elements of `out` step by step: in
/// a copy in the math dtype if T is narrow, so that each result is rounded once.
template <class T, class Run>
void run_on_widened(KernelContext& context, T* out, std::int64_t count, const Run& run) {
  using Wide = MathType<T>;
  if constexpr (std::is_same_v<T, Wide>) {
    run(out);
  } else {
    const Scratch memory(context, static_cast<std::size_t>(count) * sizeof(Wide));
    auto* const copy = memory.get<Wide>();
    const unsigned blocks = blocks_for(count, kThreads);
    launch(context, convert_kernel<Wide, T>, blocks, kThreads, static_cast<const T*>(out), copy,
           count);
    run(copy);
    launch(context, convert_kernel<T, Wide>, blocks, kThreads, static_cast<const Wide*>(copy), out,
           count);
  }
}

}  // namespace tern::cuda::device
