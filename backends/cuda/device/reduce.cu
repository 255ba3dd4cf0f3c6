#include <tern/backends/cuda/device/reduce/reduce.h>
#include <tern/core/kernels/families/reduce.h>

namespace tern::cuda::device {
namespace {

void reduce(const ReduceArgs& args, KernelContext& context) {
  switch (args.op) {
    case ReduceOp::kSum:
    case ReduceOp::kProd:
    case ReduceOp::kAmax:
    case ReduceOp::kAmin:
    case ReduceOp::kNorm:
    case ReduceOp::kNanSum:
      return reduce_values(args, context);
    case ReduceOp::kArgmax:
    case ReduceOp::kArgmin:
      return reduce_arg(args, context);
    case ReduceOp::kAny:
    case ReduceOp::kAll:
    case ReduceOp::kCount:
      return reduce_truth(args, context);
  }
}

}  // namespace

void register_reduce(KernelTable& table) { set<ReduceArgs, reduce>(table); }

}  // namespace tern::cuda::device
