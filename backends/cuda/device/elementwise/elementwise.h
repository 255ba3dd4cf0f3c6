#pragma once

#include <cstring>

#include <tern/backends/cuda/device/support/map.h>
#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/kernels/formulas/formulas.h>
#include <tern/core/kernels/math/math_dtype.h>

// The rows of elementwise.def as kernels, spread over one file per family so that the files compile
// in parallel.

namespace tern::cuda::device {

/// A group of rows that share a source file.
enum class Family { kUnary, kFloatUnary, kSpecial, kBinary, kFloatBinary, kCompare, kTernary };

constexpr Family family_of(int inputs, ElementwiseKind kind, ElementwiseCost cost) {
  if (inputs == 1 && kind != ElementwiseKind::kFloat) return Family::kUnary;
  if (inputs == 1) return cost < ElementwiseCost::kCostly ? Family::kFloatUnary : Family::kSpecial;
  if (inputs == 3) return Family::kTernary;
  if (kind == ElementwiseKind::kCompare) return Family::kCompare;
  return kind == ElementwiseKind::kFloat ? Family::kFloatBinary : Family::kBinary;
}

/// The type in which a formula of this kind returns what it computes from elements of type T.
template <ElementwiseKind kKind, class T>
using ElementwiseResult = std::conditional_t<kKind == ElementwiseKind::kCompare, bool, T>;

/// True if the kernel of a formula in T is one for all cheap formulas of the family, with a switch:
/// it waits for memory, not for the switch. In float each formula has its own kernel, because
/// networks compute in float32, float16 and bfloat16.
template <class T>
constexpr bool shares_kernel(ElementwiseOp op) {
  return !std::is_same_v<T, float> && op != ElementwiseOp::where_op &&
         elementwise_info(op).cost == ElementwiseCost::kCheap;
}

/// A formula together with its scale, the only argument that is not an element.
template <class Formula, class T, ElementwiseCost kCost>
struct Apply {
  // A kernel of a long function waits for its arithmetic, not for memory.
  static constexpr bool kPacks =
      kCost < (std::is_same_v<T, double> ? ElementwiseCost::kMedium : ElementwiseCost::kCostly);

  T scale;

  template <class... In>
  __device__ auto operator()(In... in) const {
    if constexpr (Formula::kScaled)
      return Formula::value(in..., scale);
    else
      return Formula::value(in...);
  }
};

/// One of the formulas of a family that share a kernel, from T to Out.
template <Family kFamily, class Out, class T>
struct ApplyOneOf {
  using OneOfSeveral = void;

  ElementwiseOp op;
  T scale;

  template <class Visitor>
  __device__ void visit(const Visitor& visitor) const {
    switch (op) {
#define TERN_ELEMENTWISE(name, inputs, kind, cost, accuracy, loops, traits)                     \
  case ElementwiseOp::name:                                                                     \
    if constexpr (family_of(inputs, ElementwiseKind::kind, ElementwiseCost::cost) == kFamily && \
                  takes<T>(ElementwiseKind::kind) && shares_kernel<T>(ElementwiseOp::name) &&   \
                  std::is_same_v<Out, ElementwiseResult<ElementwiseKind::kind, T>>) {           \
      return visitor(Apply<formulas::name, T, ElementwiseCost::cost>{scale});                   \
    }                                                                                           \
    break;
#include <tern/core/kernels/families/elementwise.def>
    }
    __builtin_unreachable();
  }
};

template <class T>
std::int64_t element_bits(const Immediate& immediate) {
  const T value = immediate_value<T>(immediate);
  std::int64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}

/// The operands of a call whose inputs have the types In.
template <class... In>
MapOperands<1 + sizeof...(In)> map_operands(const ElementwiseArgs& args) {
  constexpr int kInputs = sizeof...(In);
  MapOperands<1 + kInputs> operands{};
  operands.ndim = args.ndim;
  operands.dtype = args.dtype;
  std::copy_n(args.sizes, args.ndim, operands.sizes);
  operands.data[0] = args.out;
  operands.strides[0] = args.out_strides;
  for (int k = 0; k < kInputs; ++k) {
    operands.data[k + 1] = args.in[k];
    operands.strides[k + 1] = args.in[k] == nullptr ? nullptr : args.in_strides[k];
  }
  int k = 0;
  ((operands.immediate[k + 1] = element_bits<In>(args.immediate[k]), ++k), ...);
  return operands;
}

/// Runs a function of inputs of type T.
template <class Out, class T, int kInputs, class Function>
void run_function(const ElementwiseArgs& args, KernelContext& context, const Function& function) {
  if constexpr (kInputs == 1) {
    map<Out, T>(context, map_operands<T>(args), function);
  } else if constexpr (kInputs == 2) {
    map<Out, T, T>(context, map_operands<T, T>(args), function);
  } else {
    map<Out, T, T, T>(context, map_operands<T, T, T>(args), function);
  }
}

/// Runs the formula in the type T, or reports kUnsupportedDtype.
template <class Formula, ElementwiseOp kOp, class T>
void run_formula(const ElementwiseArgs& args, KernelContext& context) {
  constexpr ElementwiseInfo kInfo = elementwise_info(kOp);
  using Out = ElementwiseResult<kInfo.kind, T>;
  using Function = Apply<Formula, T, kInfo.cost>;
  const T scale = immediate_value<T>(args.scale);
  if constexpr (!takes<T>(kInfo.kind)) {
    context.status = StatusCode::kUnsupportedDtype;
  } else if constexpr (shares_kernel<T>(kOp)) {
    using Shared = ApplyOneOf<family_of(kInfo.inputs, kInfo.kind, kInfo.cost), Out, T>;
    run_function<Out, T, kInfo.inputs>(args, context, Shared{kOp, scale});
  } else if constexpr (kOp == ElementwiseOp::where_op) {
    map<T, bool, T, T>(context, map_operands<bool, T, T>(args), Function{scale});
  } else {
    run_function<Out, T, kInfo.inputs>(args, context, Function{scale});
  }
}

/// The same in the dtype of the call.
template <class Formula, ElementwiseOp kOp>
void run_row(const ElementwiseArgs& args, KernelContext& context) {
  visit_math_dtype(args.dtype, [&](auto tag) {
    run_formula<Formula, kOp, typename decltype(tag)::type>(args, context);
  });
}

/// Runs an op of this family. Each family is instantiated in its own file.
template <Family kFamily>
void run_family(const ElementwiseArgs& args, KernelContext& context) {
  switch (args.op) {
#define TERN_ELEMENTWISE(name, inputs, kind, cost, accuracy, loops, traits)                   \
  case ElementwiseOp::name:                                                                   \
    if constexpr (family_of(inputs, ElementwiseKind::kind, ElementwiseCost::cost) == kFamily) \
      run_row<formulas::name, ElementwiseOp::name>(args, context);                            \
    break;
#include <tern/core/kernels/families/elementwise.def>
  }
}

}  // namespace tern::cuda::device
