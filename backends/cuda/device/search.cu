#include <tern/backends/cuda/device/support/elements.h>
#include <tern/backends/cuda/device/support/launch.h>
#include <tern/core/kernels/families/search.h>

namespace tern::cuda::device {
namespace {

/// One thread per value.
template <class T>
__global__ void __launch_bounds__(kThreads)
    search_kernel(Elements<T> sequence, const std::int64_t* __restrict__ sorter, Elements<T> in,
                  SearchArgs args) {
  const std::int64_t stride = std::int64_t{gridDim.x} * kThreads, total = args.rows * args.count;
  for (std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x; i < total; i += stride) {
    const std::int64_t first = args.shared != 0 ? 0 : i / args.count * args.size;
    const T value = in[i];
    std::int64_t begin = 0, end = args.size;
    while (begin < end) {
      const std::int64_t middle = begin + (end - begin) / 2;
      const std::int64_t at = sorter == nullptr ? middle : sorter[first + middle];
      const T element = sequence[first + at];
      // Negations, so that a NaN is behind every element.
      if (args.right != 0 ? !(element > value) : !(element >= value)) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    if (args.out_dtype == kInt) {
      static_cast<std::int32_t*>(args.out)[i] = static_cast<std::int32_t>(begin);
    } else {
      static_cast<std::int64_t*>(args.out)[i] = begin;
    }
  }
}

void search(const SearchArgs& args, KernelContext& context) {
  const auto run = [&](auto tag) {
    using T = typename decltype(tag)::type;
    launch(context, search_kernel<T>, blocks_for(args.rows * args.count, kThreads), kThreads,
           Elements<T>{args.sequence, args.dtype}, args.sorter, Elements<T>{args.in, args.dtype},
           args);
  };
  if (!is_floating_point(args.dtype)) return run(TypeTag<std::int64_t>());
  args.dtype == kDouble ? run(TypeTag<double>()) : run(TypeTag<float>());
}

}  // namespace

void register_search(KernelTable& table) { set<SearchArgs, search>(table); }

}  // namespace tern::cuda::device
