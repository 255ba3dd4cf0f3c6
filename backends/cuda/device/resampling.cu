#include <tern/backends/cuda/device/support/elements.h>
#include <tern/backends/cuda/device/support/launch.h>
#include <tern/core/kernels/resample_axis.h>

namespace tern::cuda::device {
namespace {

/// One thread per result.
template <class T>
__global__ void __launch_bounds__(kThreads)
    resample_kernel(ResampleArgs args, ResampleAxis<T> axis, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= count) return;
  const Elements<T> in{args.in, args.dtype}, out{args.out, args.dtype};
  const std::int64_t inner = i % args.inner, o = i / args.inner % args.out_size;
  const std::int64_t from = i / args.inner / args.out_size * args.in_size;
  const ResampleTaps<T> taps = axis.taps(o);
  T sum = T(-0.0);  // keeps the sign of a single -0
  for (std::int64_t k = 0; k < taps.count; ++k) {
    sum += axis.weight(taps, k) * in[(from + axis.index(taps, k)) * args.inner + inner];
  }
  out.set(i, sum);
}

/// One thread per element of the gradient of the input, which adds its part in each result. The
/// indices of taps grow with the results, so these results lie side by side.
template <class T>
__global__ void __launch_bounds__(kThreads)
    resample_backward_kernel(ResampleArgs args, ResampleAxis<T> axis, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= count) return;
  const Elements<T> in{args.in, args.dtype}, out{args.out, args.dtype};
  const std::int64_t inner = i % args.inner, element = i / args.inner % args.in_size;
  const std::int64_t from = i / args.inner / args.in_size * args.out_size;
  std::int64_t low = 0,
               high = args.out_size;  // the first result whose last tap reaches the element
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    const ResampleTaps<T> taps = axis.taps(middle);
    if (axis.index(taps, taps.count - 1) < element) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  T sum = 0;
  for (std::int64_t o = low; o < args.out_size; ++o) {
    const ResampleTaps<T> taps = axis.taps(o);
    if (axis.index(taps, 0) > element) break;
    T weight = 0;
    for (std::int64_t k = 0; k < taps.count; ++k) {
      if (axis.index(taps, k) == element) weight += axis.weight(taps, k);
    }
    sum += weight * in[(from + o) * args.inner + inner];
  }
  out.set(i, sum);
}

template <class T>
void resample_as(const ResampleArgs& args, KernelContext& context) {
  const bool back = args.backward != 0;
  const std::int64_t count = args.outer * (back ? args.in_size : args.out_size) * args.inner;
  launch(context, back ? resample_backward_kernel<T> : resample_kernel<T>,
         blocks_for(count, kThreads), kThreads, args, ResampleAxis<T>(args), count);
}

void resample(const ResampleArgs& args, KernelContext& context) {
  if (!is_floating_point(args.dtype)) {
    context.status = StatusCode::kUnsupportedDtype;
    return;
  }
  args.dtype == kDouble ? resample_as<double>(args, context) : resample_as<float>(args, context);
}

}  // namespace

void register_resampling(KernelTable& table) { set<ResampleArgs, resample>(table); }

}  // namespace tern::cuda::device
