#include <tern/backends/cpu/kernels/kernels.h>
#include <tern/backends/cpu/kernels/reduction.h>

namespace tern::cpu {

void reduce(const kernels::ReduceArgs& args, kernels::KernelContext& context) {
  using enum kernels::ReduceOp;
  switch (args.op) {
    case kSum:
    case kProd:
    case kAmax:
    case kAmin:
      return reduce_values(args, context);
    case kAny:
    case kAll:
      return reduce_truth(args);
    case kArgmax:
    case kArgmin:
      return reduce_arg(args);
  }
}

}  // namespace tern::cpu
