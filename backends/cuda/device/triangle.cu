#include <tern/backends/cuda/device/support/launch.h>
#include <tern/backends/cuda/device/support/strided_index.h>
#include <tern/core/kernels/by_size.h>
#include <tern/core/kernels/families/triangle.h>

namespace tern::cuda::device {
namespace {

/// One thread per element.
template <class T>
__global__ void __launch_bounds__(kThreads)
    triangle_kernel(StridedIndex<2> index, const T* in, T* out, std::int64_t rows,
                    std::int64_t columns, std::int64_t diagonal, bool upper) {
  const std::int64_t step = std::int64_t{gridDim.x} * kThreads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x; i < index.count;
       i += step) {
    const std::int64_t distance = i % columns - i / columns % rows;
    const bool is_kept = upper ? distance >= diagonal : distance <= diagonal;
    if (is_kept && in == out) continue;
    std::int64_t offsets[2];
    index.offsets(i, offsets);
    out[offsets[1]] = is_kept ? in[offsets[0]] : T(0);
  }
}

void triangle(const TriangleArgs& args, KernelContext& context) {
  StridedIndex<2> index;
  for (int d = 0; d < args.ndim; ++d) {
    index.add_dim(args.sizes[d], {args.in_strides[d], args.out_strides[d]});
  }
  visit_size(element_size(args.dtype), [&](auto tag) {
    using T = typename decltype(tag)::type;
    launch(context, triangle_kernel<T>, blocks_for(index.count, kThreads), kThreads, index,
           static_cast<const T*>(args.in), static_cast<T*>(args.out), args.sizes[args.ndim - 2],
           args.sizes[args.ndim - 1], args.diagonal, args.upper != 0);
  });
}

}  // namespace

void register_triangle(KernelTable& table) { set<TriangleArgs, triangle>(table); }

}  // namespace tern::cuda::device
