// Spills registers.

#include <tern/backends/cuda/device/support/atomic_update.h>
#include <tern/backends/cuda/device/support/elements.h>
#include <tern/backends/cuda/device/support/launch.h>
#include <tern/backends/cuda/device/support/widened_output.h>
#include <tern/core/kernels/grid_taps.h>

namespace tern::cuda::device {
namespace {

template <class Stored>
__device__ GridPoint<MathType<Stored>> grid_point(const GridSampleArgs& args, std::int64_t i) {
  using T = MathType<Stored>;
  T coordinates[3] = {};
  const Stored* const grid = static_cast<const Stored*>(args.grid) + i * args.dims;
  for (int d = 0; d < args.dims; ++d) coordinates[d] = widened<T>(grid[d]);
  return GridPoint<T>(args, coordinates);
}

/// One thread per point, which reads all channels.
template <class Stored>
__global__ void __launch_bounds__(kThreads) grid_sample_kernel(GridSampleArgs args) {
  using T = MathType<Stored>;
  const std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= args.batch * args.points) return;
  const GridPoint<T> taps = grid_point<Stored>(args, i);
  const std::int64_t plane = args.sizes[0] * args.sizes[1] * args.sizes[2];
  for (std::int64_t c = 0; c < args.channels; ++c) {
    const std::int64_t image = i / args.points * args.channels + c;
    const Stored* const in = static_cast<const Stored*>(args.in) + image * plane;
    T sum = 0;
    taps.visit(args, [&](std::int64_t offset, T weight, const T(&)[3]) {
      sum += weight * (offset < 0 ? T(0) : widened<T>(in[offset]));
    });
    static_cast<Stored*>(args.out)[image * args.points + i % args.points] = narrowed<Stored>(sum);
  }
}

/// The same for the gradients. Points add to the gradient of the input with atomic operations, in
/// any order.
template <class Stored>
__global__ void __launch_bounds__(kThreads)
    grid_sample_backward_kernel(GridSampleArgs args, MathType<Stored>* grad_in) {
  using T = MathType<Stored>;
  const std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= args.batch * args.points) return;
  const GridPoint<T> taps = grid_point<Stored>(args, i);
  const std::int64_t plane = args.sizes[0] * args.sizes[1] * args.sizes[2];
  T sums[3] = {};
  for (std::int64_t c = 0; c < args.channels; ++c) {
    const std::int64_t image = i / args.points * args.channels + c;
    const Stored* const in = static_cast<const Stored*>(args.in) + image * plane;
    const T g =
        widened<T>(static_cast<const Stored*>(args.grad)[image * args.points + i % args.points]);
    taps.visit(args, [&](std::int64_t offset, T weight, const T(&slopes)[3]) {
      if (offset < 0) return;
      const T product = g * widened<T>(in[offset]);
      if (args.mode != GridMode::kNearest) {  // its slopes are 0, but the product may be infinite
        for (int d = 0; d < 3; ++d) sums[d] += product * slopes[d];
      }
      if (grad_in != nullptr) atomic_add(grad_in + image * plane + offset, g * weight);
    });
  }
  if (args.grad_grid == nullptr) return;
  for (int d = 0; d < args.dims; ++d) {
    static_cast<Stored*>(args.grad_grid)[i * args.dims + d] = narrowed<Stored>(sums[2 - d]);
  }
}

void grid_sample(const GridSampleArgs& args, KernelContext& context) {
  visit_all_floating(args.dtype, context, [&](auto tag) {
    using Stored = typename decltype(tag)::type;
    using T = MathType<Stored>;
    const unsigned blocks = blocks_for(args.batch * args.points, kThreads);
    if (args.grad == nullptr) {
      return launch(context, grid_sample_kernel<Stored>, blocks, kThreads, args);
    }
    const auto run = [&](T* grad_in) {
      launch(context, grid_sample_backward_kernel<Stored>, blocks, kThreads, args, grad_in);
    };
    if (args.grad_in == nullptr) return run(nullptr);
    run_on_widened(context, static_cast<Stored*>(args.grad_in),
                   args.batch * args.channels * args.sizes[0] * args.sizes[1] * args.sizes[2], run);
  });
}

}  // namespace

void register_grid_sample(KernelTable& table) { set<GridSampleArgs, grid_sample>(table); }

}  // namespace tern::cuda::device
