#include <cstring>

#include <tern/backends/cuda/device/support/map.h>
#include <tern/core/kernels/by_size.h>
#include <tern/core/kernels/families/fill.h>
#include <tern/core/kernels/math/math_dtype.h>

namespace tern::cuda::device {
namespace {

template <class T>
struct Constant {
  T value;
  __device__ T operator()() const { return value; }
};

// Computes start + i * step in double, or in integers that wrap around.
template <class T, class Number>
__global__ void __launch_bounds__(kThreads)
    arange_kernel(T* out, std::int64_t count, Number start, Number step) {
  const std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i < count) out[i] = static_cast<T>(start + static_cast<Number>(i) * step);
}

template <class T, class Number>
void run_arange(const ArangeArgs& args, KernelContext& context, Number start, Number step) {
  launch(context, arange_kernel<T, Number>, blocks_for(args.count, kThreads), kThreads,
         static_cast<T*>(args.out), args.count, start, step);
}

void fill(const FillArgs& args, KernelContext& context) {
  MapOperands<1> operands{};
  operands.ndim = args.out.ndim;
  std::copy_n(args.out.sizes, args.out.ndim, operands.sizes);
  operands.data[0] = args.out.data;
  operands.strides[0] = args.out.strides;
  visit_dtype(args.out.dtype, [&](auto dtype_tag) {
    const auto value = immediate_value<typename decltype(dtype_tag)::type>(args.value);
    visit_size(sizeof(value), [&](auto tag) {
      typename decltype(tag)::type bits = 0;
      if constexpr (sizeof(bits) == sizeof(value)) {
        std::memcpy(&bits, &value, sizeof(bits));
        map<decltype(bits)>(context, operands, Constant<decltype(bits)>{bits});
      }
    });
  });
}

void arange(const ArangeArgs& args, KernelContext& context) {
  if (args.dtype == kLong) {
    return run_arange<std::int64_t>(args, context, static_cast<std::uint64_t>(args.start.i),
                                    static_cast<std::uint64_t>(args.step.i));
  }
  visit_floating(args.dtype, context, [&](auto tag) {
    run_arange<typename decltype(tag)::type>(args, context, args.start.f, args.step.f);
  });
}

}  // namespace

void register_fill(KernelTable& table) {
  set<FillArgs, fill>(table);
  set<ArangeArgs, arange>(table);
}

}  // namespace tern::cuda::device
