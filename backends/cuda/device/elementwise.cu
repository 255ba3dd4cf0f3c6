#include <tern/backends/cuda/device/elementwise/elementwise.h>
#include <tern/core/kernels/families/elementwise.h>

namespace tern::cuda::device {

extern template void run_family<Family::kUnary>(const ElementwiseArgs&, KernelContext&);
extern template void run_family<Family::kFloatUnary>(const ElementwiseArgs&, KernelContext&);
extern template void run_family<Family::kSpecial>(const ElementwiseArgs&, KernelContext&);
extern template void run_family<Family::kBinary>(const ElementwiseArgs&, KernelContext&);
extern template void run_family<Family::kFloatBinary>(const ElementwiseArgs&, KernelContext&);
extern template void run_family<Family::kCompare>(const ElementwiseArgs&, KernelContext&);
extern template void run_family<Family::kTernary>(const ElementwiseArgs&, KernelContext&);

namespace {

void elementwise(const ElementwiseArgs& args, KernelContext& context) {
  const ElementwiseInfo& info = elementwise_info(args.op);
  switch (family_of(info.inputs, info.kind, info.cost)) {
    case Family::kUnary:
      return run_family<Family::kUnary>(args, context);
    case Family::kFloatUnary:
      return run_family<Family::kFloatUnary>(args, context);
    case Family::kSpecial:
      return run_family<Family::kSpecial>(args, context);
    case Family::kBinary:
      return run_family<Family::kBinary>(args, context);
    case Family::kFloatBinary:
      return run_family<Family::kFloatBinary>(args, context);
    case Family::kCompare:
      return run_family<Family::kCompare>(args, context);
    case Family::kTernary:
      return run_family<Family::kTernary>(args, context);
  }
}

}  // namespace

void register_elementwise(KernelTable& table) { set<ElementwiseArgs, elementwise>(table); }

}  // namespace tern::cuda::device
