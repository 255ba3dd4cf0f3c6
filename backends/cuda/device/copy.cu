#include <tern/backends/cuda/device/support/copy.h>

#include <cstring>

#include <tern/backends/cuda/device/support/map.h>
#include <tern/core/kernels/by_size.h>
#include <tern/core/kernels/math/cast.h>

namespace tern::cuda::device {
namespace {

/// Calls visitor(TypeTag<T>()) with the C++ type of `dtype`, which must have kSize bytes.
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

/// Casts an element between two dtypes, given as bits. All dtypes of one size share one kernel,
/// which switches on the dtype for each element: separate kernels for the 90 pairs took a fifth of
/// the build time, and the kernel waits for memory, not for the switch.
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

void register_copy(KernelTable& table) { set<CopyArgs, copy>(table); }

}  // namespace tern::cuda::device
