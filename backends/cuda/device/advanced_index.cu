#include <tern/backends/cuda/device/atomic_update.h>
#include <tern/backends/cuda/device/bad_index.h>
#include <tern/backends/cuda/device/launch.h>
#include <tern/backends/cuda/device/strided_index.h>
#include <tern/core/kernels/by_size.h>
#include <tern/core/kernels/families/advanced_index.h>

namespace tern::cuda::device {
namespace {

/// The indexed tensor as a function of the elements of the other tensor.
struct Named {
  AdvancedIndexArgs args;
  /// First offset: the row of indices; second: the offset of the dimensions without indices.
  StridedIndex<2> elements;
  LateFailure* failure;

  Named(const AdvancedIndexArgs& all, KernelContext& context)
      : args(all), failure(late_failure(context)) {
    elements.add_dim(args.outer, {0, args.outer_stride});
    elements.add_dim(args.count, {1, 0});
    elements.add_dim(args.inner, {0, args.inner_stride});
  }

  /// Sets `offset` to where the element's indices point. Records an index out of range and returns
  /// false.
  __device__ bool find(std::int64_t element, std::int64_t& offset) const {
    std::int64_t offsets[2];
    elements.offsets(element, offsets);
    offset = offsets[1];
    for (std::int32_t d = 0; d < args.indexed; ++d) {
      const std::int64_t index = args.index[d * args.count + offsets[0]], size = args.sizes[d];
      if (index >= size || index < (args.wraps != 0 ? -size : 0)) {
        record_bad_index(failure, args.op, index, size);
        return false;
      }
      offset += (index < 0 ? index + size : index) * args.strides[d];
    }
    return true;
  }
};

/// One thread per element. Of equal indices any one wins.
template <class T>
__global__ void __launch_bounds__(kThreads) move_kernel(Named named) {
  const std::int64_t element = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  std::int64_t offset;
  if (element >= named.elements.count || !named.find(element, offset)) return;
  const auto in = static_cast<const T*>(named.args.in);
  const auto out = static_cast<T*>(named.args.out);
  if (named.args.action == IndexAction::kGet) {
    out[element] = in[offset];
  } else {
    out[offset] = in[named.args.one_value != 0 ? 0 : element];
  }
}

/// One thread per element. Terms of one sum are added in any order.
template <class T>
__global__ void __launch_bounds__(kThreads) accumulate_kernel(Named named) {
  const std::int64_t element = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  std::int64_t offset;
  if (element >= named.elements.count || !named.find(element, offset)) return;
  const auto in = static_cast<const T*>(named.args.in);
  atomic_add(static_cast<T*>(named.args.out) + offset, in[named.args.one_value != 0 ? 0 : element]);
}

void advanced_index(const AdvancedIndexArgs& args, KernelContext& context) {
  const Named named(args, context);
  const unsigned blocks = blocks_for(named.elements.count, kThreads);
  if (args.action == IndexAction::kAccumulate) {
    return visit_dtype(args.dtype, [&](auto tag) {
      launch(context, accumulate_kernel<typename decltype(tag)::type>, blocks, kThreads, named);
    });
  }
  visit_size(element_size(args.dtype), [&](auto tag) {
    launch(context, move_kernel<typename decltype(tag)::type>, blocks, kThreads, named);
  });
}

}  // namespace

void register_advanced_index(KernelTable& table) { set<AdvancedIndexArgs, advanced_index>(table); }

}  // namespace tern::cuda::device
