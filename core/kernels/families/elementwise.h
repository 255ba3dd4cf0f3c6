#pragma once

#include <type_traits>

#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

enum class ElementwiseOp : std::int32_t {
#define TERN_ELEMENTWISE(name, inputs, kind) name,
#include <tern/core/kernels/families/elementwise.def>
#undef TERN_ELEMENTWISE
};

/// The dtypes that an elementwise op takes and returns; see elementwise.def.
enum class ElementwiseKind : std::int32_t { kFloat, kNumber, kInteger, kAny, kCompare };

struct ElementwiseInfo {
  const char* name;
  std::int32_t inputs;
  ElementwiseKind kind;
};

constexpr ElementwiseInfo kElementwiseInfo[] = {
#define TERN_ELEMENTWISE(name, inputs, kind) {#name, inputs, ElementwiseKind::kind},
#include <tern/core/kernels/families/elementwise.def>
#undef TERN_ELEMENTWISE
};
constexpr int kElementwiseOps = sizeof(kElementwiseInfo) / sizeof(kElementwiseInfo[0]);

/// Returns the row of `op` in elementwise.def.
constexpr const ElementwiseInfo& elementwise_info(ElementwiseOp op) {
  return kElementwiseInfo[static_cast<int>(op)];
}

/// Returns true when an op of `kind` takes elements of type T, one of the types that kernels
/// compute in.
template <class T>
constexpr bool takes(ElementwiseKind kind) {
  if (kind == ElementwiseKind::kFloat) return std::is_floating_point_v<T>;
  if (kind == ElementwiseKind::kInteger) return std::is_integral_v<T> && !std::is_same_v<T, bool>;
  return kind != ElementwiseKind::kNumber || !std::is_same_v<T, bool>;
}

/// Returns true if an op on a narrow dtype first rounds its numbers to that dtype, as PyTorch does.
/// The other ops use them, except for the first operand, with the precision of math_dtype().
constexpr bool rounds_numbers(ElementwiseOp op) {
  switch (op) {
    case ElementwiseOp::mul:
    case ElementwiseOp::div:
    case ElementwiseOp::lerp:
    case ElementwiseOp::addcmul:
    case ElementwiseOp::addcdiv:
    case ElementwiseOp::polygamma:
    case ElementwiseOp::logit:
    case ElementwiseOp::round_decimals:
    case ElementwiseOp::leaky_relu:
    case ElementwiseOp::elu:
      return false;
    default:
      return true;
  }
}

/// Returns true if integers are divided by the second input, which must not be 0.
constexpr bool divides(ElementwiseOp op) {
  return op == ElementwiseOp::remainder || op == ElementwiseOp::fmod ||
         op == ElementwiseOp::div_floor || op == ElementwiseOp::div_trunc;
}

/// out[i] = formula(in0[i], in1[i], in2[i]) over a shape whose dimensions were merged where all
/// operands allow it; the last dimension runs fastest. A broadcast dimension has stride 0. ndim 0
/// means one element; no size is 0, because empty results never reach a kernel. The output may be
/// the memory of an input with the same strides; any other overlap is forbidden.
struct ElementwiseArgs {
  ElementwiseOp op;
  ScalarType dtype;  // of all inputs (where_op's first is bool), and of the output unless kCompare
  std::int32_t inputs;
  std::int32_t ndim;
  std::int64_t sizes[kMaxDims];
  void* out;
  const void* in[3];  // null: the operand is immediate[k]
  std::int64_t out_strides[kMaxDims];
  std::int64_t in_strides[3][kMaxDims];
  Immediate immediate[3];  // rounded as rounds_numbers(op) says
  Immediate scale;  // add, sub: a +- scale * b; value of addcmul and addcdiv; weight of lerp;
                    // otherwise 1, if elementwise.def does not say more
};

TERN_KERNEL_SLOT(elementwise, ElementwiseArgs)

inline Operands operands(ElementwiseArgs& args) {
  static constexpr const char* kNames[] = {"input 0", "input 1", "input 2"};
  const bool compares = elementwise_info(args.op).kind == ElementwiseKind::kCompare;
  Operands list;
  list.add("the output", args.out, compares ? kBool : args.dtype,
           extents(args.ndim, args.sizes, args.out_strides));
  for (std::int32_t i = 0; i < args.inputs; ++i) {
    const bool condition = args.op == ElementwiseOp::where_op && i == 0;
    list.add(kNames[i], args.in[i], condition ? kBool : args.dtype,
             extents(args.ndim, args.sizes, args.in_strides[i]));
  }
  return list;
}

}  // namespace tern::kernels
