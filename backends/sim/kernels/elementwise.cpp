#include <tern/backends/sim/kernels/formulas.h>
#include <tern/backends/sim/kernels/kernels.h>
#include <tern/backends/sim/kernels/number.h>
#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/kernels/math/math_dtype.h>
#include <tern/core/kernels/stride_walker.h>

namespace tern::sim {
namespace {

// Walks over the three inputs (0 to 2) and the output (3).
using Walker = CountedWalker<4>;

// Returns an element of an input, or the immediate number that replaces the input.
template <class T>
Wide<T> input(const ElementwiseArgs& args, int k, const Walker& at) {
  if (k >= args.inputs) return 0;
  if (args.in[k] == nullptr) return immediate<MathType<T>>(args.immediate[k]);
  return static_cast<const T*>(args.in[k])[at.offset(k)];
}

template <class T>
void apply(const ElementwiseArgs& args) {
  const bool compares = elementwise_info(args.op).kind == ElementwiseKind::kCompare;
  const bool selects = args.op == ElementwiseOp::where_op;
  const Wide<T> scale = immediate<MathType<T>>(args.scale);
  const auto strides = [&](int k) {  // inputs that are not read have no strides
    return k < args.inputs && args.in[k] != nullptr ? args.in_strides[k] : args.out_strides;
  };
  Walker at(args.ndim, args.sizes, {strides(0), strides(1), strides(2), args.out_strides});
  for (; !at.done(); at.next()) {
    const Wide<T> a =
        selects ? static_cast<Wide<T>>(input<bool>(args, 0, at)) : input<T>(args, 0, at);
    Wide<T> result = formula(args.op, a, input<T>(args, 1, at), input<T>(args, 2, at), scale);
    if (args.op == ElementwiseOp::lcm) {  // the product wraps around before its magnitude is taken
      const Wide<T> product = narrow<MathType<T>>(result);
      result = formula(ElementwiseOp::abs, product, Wide<T>{}, Wide<T>{}, Wide<T>{});
    }
    if (compares) {
      static_cast<bool*>(args.out)[at.offset(3)] = result != 0;
    } else {
      static_cast<T*>(args.out)[at.offset(3)] = narrow<T>(result);
    }
  }
}

bool supports(const ElementwiseArgs& args) {
  const ElementwiseKind kind = elementwise_info(args.op).kind;
  return visit_dtype(args.dtype,
                     [&](auto tag) { return takes<MathType<typename decltype(tag)::type>>(kind); });
}

void elementwise(const ElementwiseArgs& args, KernelContext&) {
  visit_dtype(args.dtype, [&](auto tag) { apply<typename decltype(tag)::type>(args); });
}

}  // namespace

void register_elementwise(OracleTable& table) {
  set<ElementwiseArgs, supports, elementwise>(table);
}

}  // namespace tern::sim
