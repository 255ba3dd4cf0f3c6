#include <tern/backends/cuda/device/support/launch.h>
#include <tern/backends/cuda/device/support/strided_index.h>
#include <tern/core/kernels/by_size.h>
#include <tern/core/kernels/families/padding.h>

namespace tern::cuda::device {
namespace {

/// One thread per element of the output; `index` gives its coordinates.
template <class T>
__global__ void __launch_bounds__(kThreads) pad_kernel(PadArgs args, StridedIndex<4> index) {
  const std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= index.count) return;
  std::int64_t at[4];
  index.offsets(i, at);
  std::int64_t from = at[0];
  for (int d = 0; d < 3; ++d) from = from * args.sizes[d] + padded_index(args, d, at[d + 1]);
  static_cast<T*>(args.out)[i] = static_cast<const T*>(args.in)[from];
}

void pad(const PadArgs& args, KernelContext& context) {
  StridedIndex<4> index;
  index.add_dim(args.outer, {1, 0, 0, 0});
  index.add_dim(args.out_sizes[0], {0, 1, 0, 0});
  index.add_dim(args.out_sizes[1], {0, 0, 1, 0});
  index.add_dim(args.out_sizes[2], {0, 0, 0, 1});
  visit_size(element_size(args.dtype), [&](auto tag) {
    launch(context, pad_kernel<typename decltype(tag)::type>, blocks_for(index.count, kThreads),
           kThreads, args, index);
  });
}

}  // namespace

void register_padding(KernelTable& table) { set<PadArgs, pad>(table); }

}  // namespace tern::cuda::device
