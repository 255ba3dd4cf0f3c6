#include <tern/backends/sim/kernels/kernels.h>
#include <tern/backends/sim/kernels/number.h>
#include <tern/core/kernels/stride_walker.h>

namespace tern::sim {
namespace {

bool supports(const FillArgs&) { return true; }
bool supports(const ArangeArgs& args) { return args.dtype != kBool; }

void fill(const FillArgs& args, KernelContext&) {
  const View& out = args.out;
  visit_dtype(out.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T value = narrow<T>(immediate<T>(args.value));
    for (CountedWalker<1> at(out.ndim, out.sizes, {out.strides}); !at.done(); at.next()) {
      static_cast<T*>(out.data)[at.offset(0)] = value;
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

}  // namespace

void register_fill(OracleTable& table) {
  set<FillArgs, supports, fill>(table);
  set<ArangeArgs, supports, arange>(table);
}

}  // namespace tern::sim
