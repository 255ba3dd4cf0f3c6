// Spills registers.

#include <tern/backends/cuda/device/support/elements.h>
#include <tern/backends/cuda/device/support/launch.h>
#include <tern/core/kernels/families/pooling.h>
#include <tern/core/kernels/math/is_nan.h>

namespace tern::cuda::device {
namespace {

/// The position of an element of a contiguous [planes, sizes...] tensor.
struct PoolingPlace {
  std::int64_t plane, at[3];

  __device__ PoolingPlace(std::int64_t i, const std::int64_t* sizes) {
    for (int d = 2; d >= 0; --d) {
      at[d] = i % sizes[d];
      i /= sizes[d];
    }
    plane = i;
  }
};

/// Calls visitor(offset) for the offsets of a box in a plane of these sizes, in their order.
template <class Visitor>
__device__ void visit_box(const PoolingRange (&box)[3], const std::int64_t* sizes,
                          const Visitor& visitor) {
  for (std::int64_t z = box[0].begin; z < box[0].end; z += box[0].step) {
    for (std::int64_t y = box[1].begin; y < box[1].end; y += box[1].step) {
      const std::int64_t row = (z * sizes[1] + y) * sizes[2];
      for (std::int64_t x = box[2].begin; x < box[2].end; x += box[2].step) visitor(row + x);
    }
  }
}

/// One thread per window.
template <class T>
__global__ void __launch_bounds__(kThreads) pooling_kernel(PoolingArgs args, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= count) return;
  const PoolingPlace place(i, args.out_sizes);
  const std::int64_t from = place.plane * args.sizes[0] * args.sizes[1] * args.sizes[2];
  const Elements<T> in{args.in, args.dtype}, out{args.out, args.dtype};
  PoolingRange box[3];
  std::int64_t divisor = 1;
  for (int d = 0; d < 3; ++d) {
    box[d] = pooling_range(args, place.plane, d, place.at[d]);
    if (args.op == PoolingOp::kAverage) divisor *= pooling_count(args, d, place.at[d]);
  }
  if (args.op == PoolingOp::kMax) {
    std::int64_t chosen = -1;
    T best = 0;
    visit_box(box, args.sizes, [&](std::int64_t at) {
      const T x = in[from + at];
      if (chosen < 0 || x > best || is_nan(x)) {
        best = x;
        chosen = at;
      }
    });
    out.set(i, best);
    if (args.indices != nullptr) args.indices[i] = chosen;
  } else {
    T sum = 0;
    visit_box(box, args.sizes, [&](std::int64_t at) { sum += in[from + at]; });
    out.set(i, sum / static_cast<T>(args.divisor != 0 ? args.divisor : divisor));
  }
}

/// One thread per element of the gradient of the input, which adds the shares of its windows.
template <class T>
__global__ void __launch_bounds__(kThreads)
    average_backward_kernel(PoolingArgs args, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= count) return;
  const PoolingPlace place(i, args.sizes);
  const std::int64_t from = place.plane * args.out_sizes[0] * args.out_sizes[1] * args.out_sizes[2];
  const Elements<T> in{args.in, args.dtype}, out{args.out, args.dtype};
  PoolingRange box[3];
  for (int d = 0; d < 3; ++d) box[d] = pooling_windows_of(args, d, place.at[d]);
  T sum = 0;
  visit_box(box, args.out_sizes, [&](std::int64_t at) {
    std::int64_t divisor = args.divisor;
    if (divisor == 0) {
      const PoolingPlace window(at, args.out_sizes);
      divisor = 1;
      for (int d = 0; d < 3; ++d) divisor *= pooling_count(args, d, window.at[d]);
    }
    sum += in[from + at] / static_cast<T>(divisor);
  });
  out.set(i, sum);
}

template <class T>
void pooling_as(const PoolingArgs& args, KernelContext& context) {
  const bool back = args.op == PoolingOp::kAverageBackward;
  const std::int64_t* const n = back ? args.sizes : args.out_sizes;
  const std::int64_t count = args.planes * n[0] * n[1] * n[2];
  if constexpr (std::is_floating_point_v<T>) {
    if (back) {
      launch(context, average_backward_kernel<T>, blocks_for(count, kThreads), kThreads, args,
             count);
      return;
    }
  }
  launch(context, pooling_kernel<T>, blocks_for(count, kThreads), kThreads, args, count);
}

void pooling(const PoolingArgs& args, KernelContext& context) {
  if (args.dtype == kDouble) return pooling_as<double>(args, context);
  if (is_floating_point(args.dtype)) return pooling_as<float>(args, context);
  const bool takes_integers = args.op == PoolingOp::kMax && args.dtype != kBool;
  if (takes_integers || (args.op == PoolingOp::kAverage && args.dtype == kLong)) {
    return pooling_as<std::int64_t>(args, context);
  }
  context.status = StatusCode::kUnsupportedDtype;
}

}  // namespace

void register_pooling(KernelTable& table) { set<PoolingArgs, pooling>(table); }

}  // namespace tern::cuda::device
