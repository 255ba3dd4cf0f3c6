#include <cstring>

#include <tern/backends/cuda/device/kernels.h>
#include <tern/backends/cuda/device/map.h>
#include <tern/core/kernels/by_size.h>
#include <tern/core/kernels/cast.h>
#include <tern/core/kernels/elementwise.h>

namespace tern::cuda::device {
namespace {

/// Calls visitor(TypeTag<T>()) with the C++ type of `dtype`, one of the dtypes of this size.
template <std::size_t kSize, class Visitor>
__device__ auto visit_dtype_of_size(ScalarType dtype, const Visitor& visitor) {
  switch (dtype) {
#define TERN_DTYPE(name, type, number, file_name, python_name, category)  \
  case ScalarType::name:                                                  \
    if constexpr (sizeof(type) == kSize) return visitor(TypeTag<type>()); \
    break;
#include <tern/core/tensor/dtypes.def>
#undef TERN_DTYPE
  }
  __builtin_unreachable();
}

/// Casts an element of one dtype to another, both as bits. Dtypes of one size share a kernel, which
/// looks at the dtype of each element: a kernel for each of 90 pairs took a fifth of the build, and
/// memory is slower than the switch.
template <class OutBits, class InBits>
struct CastBits {
  ScalarType out_dtype, in_dtype;

  __device__ OutBits operator()(InBits bits) const {
    return visit_dtype_of_size<sizeof(InBits)>(in_dtype, [&](auto in_tag) {
      using In = typename decltype(in_tag)::type;
      In in;
      memcpy(&in, &bits, sizeof(in));
      return visit_dtype_of_size<sizeof(OutBits)>(out_dtype, [&](auto out_tag) {
        using Out = typename decltype(out_tag)::type;
        const Out out = cast<Out>(in);
        OutBits out_bits;
        memcpy(&out_bits, &out, sizeof(out));
        return out_bits;
      });
    });
  }
};

template <class T>
struct Same {
  __device__ T operator()(T x) const { return x; }
};

template <class T>
struct Constant {
  T value;
  __device__ T operator()() const { return value; }
};

// Numbers that fit: start + i * step, in double or in integers that wrap around.
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

}  // namespace

void copy(const CopyArgs& args, KernelContext& context) {
  MapOperands<2> operands{};
  operands.ndim = args.ndim;
  std::copy_n(args.sizes, args.ndim, operands.sizes);
  operands.data[0] = args.out;
  operands.strides[0] = args.out_strides;
  operands.data[1] = args.in;
  operands.strides[1] = args.in_strides;
  visit_size(element_size(args.out_dtype), [&](auto out_tag) {
    using Out = typename decltype(out_tag)::type;
    if (args.in_dtype == args.out_dtype) return map<Out, Out>(context, operands, Same<Out>());
    visit_size(element_size(args.in_dtype), [&](auto in_tag) {
      using In = typename decltype(in_tag)::type;
      map<Out, In>(context, operands, CastBits<Out, In>{args.out_dtype, args.in_dtype});
    });
  });
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
  switch (args.dtype) {
    case kLong:
      return run_arange<std::int64_t>(args, context, static_cast<std::uint64_t>(args.start.i),
                                      static_cast<std::uint64_t>(args.step.i));
    case kFloat:
      return run_arange<float>(args, context, args.start.f, args.step.f);
    case kDouble:
      return run_arange<double>(args, context, args.start.f, args.step.f);
    default:
      context.status = StatusCode::kUnsupportedDtype;
  }
}

}  // namespace tern::cuda::device
