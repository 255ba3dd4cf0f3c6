#include <cmath>
#include <limits>
#include <type_traits>

#include <tern/backends/sim/kernels/kernels.h>
#include <tern/backends/sim/kernels/number.h>
#include <tern/backends/sim/kernels/odometer.h>

namespace tern::sim {
namespace {

// As x86 converts: towards zero, and the minimum for whatever does not fit.
std::int64_t to_int64(double value) {
  if (!(value >= -0x1p63 && value < 0x1p63)) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(value);
}

template <class Out, class In>
Out cast(In value) {
  if constexpr (std::is_same_v<Out, bool>) {
    return value != 0;
  } else if constexpr (std::is_integral_v<Out> && std::is_floating_point_v<In>) {
    return to_int64(value);
  } else {
    return static_cast<Out>(value);
  }
}

}  // namespace

bool supports(const CopyArgs&) { return true; }
bool supports(const FillArgs&) { return true; }
bool supports(const ArangeArgs& args) { return args.dtype != kBool; }

void copy(const CopyArgs& args, KernelContext&) {
  visit_dtype(args.out_dtype, [&](auto out_tag) {
    visit_dtype(args.in_dtype, [&](auto in_tag) {
      using Out = typename decltype(out_tag)::type;
      using In = typename decltype(in_tag)::type;
      for (Odometer at(args.ndim, args.sizes); !at.done(); at.next()) {
        const In value = static_cast<const In*>(args.in)[at.offset(args.in_strides)];
        static_cast<Out*>(args.out)[at.offset(args.out_strides)] = cast<Out>(value);
      }
    });
  });
}

void fill(const FillArgs& args, KernelContext&) {
  const View& out = args.out;
  visit_dtype(out.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T value = narrow<T>(immediate<T>(args.value));
    for (Odometer at(out.ndim, out.sizes); !at.done(); at.next()) {
      static_cast<T*>(out.data)[at.offset(out.strides)] = value;
    }
  });
}

void arange(const ArangeArgs& args, KernelContext&) {
  for (std::int64_t i = 0; i < args.count; ++i) {
    const double value = args.start.f + static_cast<double>(i) * args.step.f;
    if (args.dtype == kLong) {
      static_cast<std::int64_t*>(args.out)[i] = plus(args.start.i, times(i, args.step.i));
    } else if (args.dtype == kDouble) {
      static_cast<double*>(args.out)[i] = value;
    } else {
      static_cast<float*>(args.out)[i] = static_cast<float>(value);
    }
  }
}

}  // namespace tern::sim
