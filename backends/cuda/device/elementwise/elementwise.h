#pragma once

#include <cstring>

#include <tern/backends/cuda/device/support/map.h>
#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/kernels/formulas/formulas.h>
#include <tern/core/kernels/math/math_dtype.h>

// The rows of elementwise.def as kernels, spread over one file per family so that the files compile
// in parallel.

namespace tern::cuda::device {

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

template <class Function, class Out, class T, class... In>
void run_map(const ElementwiseArgs& args, KernelContext& context) {
  map<Out, In...>(context, map_operands<In...>(args), Function{immediate_value<T>(args.scale)});
}

/// Runs the formula in the type T, or reports kUnsupportedDtype.
template <class Formula, int kInputs, ElementwiseKind kKind, ElementwiseCost kCost, class T>
void run_formula(const ElementwiseArgs& args, KernelContext& context) {
  using Out = std::conditional_t<kKind == ElementwiseKind::kCompare, bool, T>;
  using Function = Apply<Formula, T, kCost>;
  if constexpr (!takes<T>(kKind)) {
    context.status = StatusCode::kUnsupportedDtype;
  } else if constexpr (std::is_same_v<Formula, formulas::where_op>) {
    run_map<Function, Out, T, bool, T, T>(args, context);
  } else if constexpr (kInputs == 1) {
    run_map<Function, Out, T, T>(args, context);
  } else if constexpr (kInputs == 2) {
    run_map<Function, Out, T, T, T>(args, context);
  } else {
    run_map<Function, Out, T, T, T, T>(args, context);
  }
}

/// The same in the dtype of the call.
template <class Formula, int kInputs, ElementwiseKind kKind, ElementwiseCost kCost>
void run_row(const ElementwiseArgs& args, KernelContext& context) {
  visit_math_dtype(args.dtype, [&](auto tag) {
    run_formula<Formula, kInputs, kKind, kCost, typename decltype(tag)::type>(args, context);
  });
}

/// A group of rows that share a source file.
enum class Family { kUnary, kFloatUnary, kBinary, kFloatBinary, kCompare, kTernary };

constexpr Family family_of(int inputs, ElementwiseKind kind) {
  if (inputs == 1) return kind == ElementwiseKind::kFloat ? Family::kFloatUnary : Family::kUnary;
  if (inputs == 3) return Family::kTernary;
  if (kind == ElementwiseKind::kCompare) return Family::kCompare;
  return kind == ElementwiseKind::kFloat ? Family::kFloatBinary : Family::kBinary;
}

/// Runs an op of this family. Each family is instantiated in its own file.
template <Family kFamily>
void run_family(const ElementwiseArgs& args, KernelContext& context) {
  switch (args.op) {
#define TERN_ELEMENTWISE(name, inputs, kind, cost, accuracy, loops, traits)                   \
  case ElementwiseOp::name:                                                                   \
    if constexpr (family_of(inputs, ElementwiseKind::kind) == kFamily)                        \
      run_row<formulas::name, inputs, ElementwiseKind::kind, ElementwiseCost::cost>(args,     \
                                                                                    context); \
    break;
#include <tern/core/kernels/families/elementwise.def>
  }
}

}  // namespace tern::cuda::device
