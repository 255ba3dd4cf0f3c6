#include <cstdint>

#include <tern/backends/cuda/device/support/block_scan.h>
#include <tern/backends/cuda/device/support/launch.h>
#include <tern/core/kernels/by_size.h>
#include <tern/core/kernels/families/mask.h>

namespace tern::cuda::device {
namespace {

/// Calls visit(element, number) in each thread for its true elements of the block's part of the
/// mask, where `number` counts the true elements of the part before it. Returns how many there are.
template <class Visit>
__device__ std::int64_t each_true_element(const MaskArgs& args, std::int64_t block,
                                          const Visit& visit) {
  std::int64_t before = 0;
  for (std::int64_t piece = 0; piece < kMaskBlock; piece += kThreads) {
    const std::int64_t element = block * kMaskBlock + piece + threadIdx.x;
    const bool found = element < args.size && args.mask[element];
    std::int64_t total = 0;
    const std::int64_t number = before + scan_of_block<std::int64_t>(found ? 1 : 0, total) - 1;
    if (found) visit(element, number);
    before += total;
  }
  return before;
}

__global__ void __launch_bounds__(kThreads) count_mask_kernel(MaskArgs args) {
  for (std::int64_t block = blockIdx.x; block < mask_blocks(args.size); block += gridDim.x) {
    const std::int64_t count = each_true_element(args, block, [](std::int64_t, std::int64_t) {});
    if (threadIdx.x == 0) args.counts[block] = count;
  }
}

__global__ void __launch_bounds__(kThreads) mask_indices_kernel(MaskArgs args) {
  for (std::int64_t block = blockIdx.x; block < mask_blocks(args.size); block += gridDim.x) {
    const std::int64_t first = block == 0 ? 0 : args.ends[block - 1];
    each_true_element(args, block, [&](std::int64_t element, std::int64_t number) {
      std::int64_t* const out =
          static_cast<std::int64_t*>(args.out) + (first + number) * args.row_stride;
      for (std::int32_t d = args.ndim - 1; d >= 0; --d) {
        out[d * args.column_stride] = element % args.sizes[d];
        element /= args.sizes[d];
      }
    });
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads) move_masked_kernel(MaskArgs args) {
  const auto in = static_cast<const T*>(args.in);
  const auto out = static_cast<T*>(args.out);
  const bool selects = args.op == MaskOp::kSelect;
  for (std::int64_t block = blockIdx.x; block < mask_blocks(args.size); block += gridDim.x) {
    const std::int64_t first = block == 0 ? 0 : args.ends[block - 1];
    each_true_element(args, block, [&](std::int64_t element, std::int64_t number) {
      const std::int64_t dense = first + number;
      out[selects ? dense : element] = in[selects ? element : dense];
    });
  }
}

void mask(const MaskArgs& args, KernelContext& context) {
  const unsigned blocks = blocks_for(mask_blocks(args.size), 1);
  if (args.op == MaskOp::kCount) {
    launch(context, count_mask_kernel, blocks, kThreads, args);
  } else if (args.op == MaskOp::kIndices) {
    launch(context, mask_indices_kernel, blocks, kThreads, args);
  } else {
    visit_size(element_size(args.dtype), [&](auto tag) {
      launch(context, move_masked_kernel<typename decltype(tag)::type>, blocks, kThreads, args);
    });
  }
}

}  // namespace

void register_mask(KernelTable& table) { set<MaskArgs, mask>(table); }

}  // namespace tern::cuda::device
