#pragma once

#include <type_traits>

#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

enum class ElementwiseOp : std::int32_t {
#define TERN_ELEMENTWISE(name, inputs, kind, cost, accuracy, loops, traits) name,
#include <tern/core/kernels/families/elementwise.def>
};

/// The dtypes that an elementwise op takes, and the dtype of its result.
enum class ElementwiseKind : std::int32_t {
  kFloat,    // floating inputs, the same dtype out
  kNumber,   // floating and integral, the same dtype out
  kInteger,  // integral, the same dtype out
  kAny,      // every dtype, the same dtype out
  kCompare,  // every dtype in, bool out
};

/// How long a CPU computes one element.
enum class ElementwiseCost : std::int32_t { kCheap, kMedium, kCostly, kSeries };

/// How far results may be from the reference, in units in the last place.
enum class ElementwiseAccuracy : std::int32_t {
  kRounded,    // one rounding
  kAccurate,   // 4 units for every input
  kUsual,      // 4 units for inputs of usual size
  kEightUlps,  // 8 units for such inputs
  kManySteps,  // 4 units, in float64 more
  kCancels,    // 4 units; in float64 far more where terms of the result cancel out
};

/// Which loops of the CPU an op has. A loop costs up to a kilobyte per instruction set and dtype.
enum class ElementwiseLoops : std::int32_t {
  kEvery,     // one for each choice of inputs that are single numbers
  kNarrow,    // the same, and loops for narrow integers
  kWrapping,  // the same; int8 shares those of uint8, because the low bits of the result depend
              // only on the low bits of the inputs
  kPlain,     // no input is a number
  kSecond,    // no input, or the second one
  kThird,     // no input, or the third one
  kLastTwo,   // no input, or the last two: those of every call
};

struct ElementwiseInfo {
  const char* name;
  std::int32_t inputs;
  ElementwiseKind kind;
  ElementwiseCost cost;
  ElementwiseAccuracy accuracy;
  ElementwiseLoops loops;
  unsigned traits;

  /// What few ops have; traits are joined by |.
  enum Trait : unsigned {
    kNone = 0,
    kDivides = 1,  // divides integers by the second input, which must not be 0
    // An op on a narrow dtype first rounds its numbers to that dtype, as PyTorch does. Ops with
    // this trait use them, except for the first operand, with the precision of math_dtype().
    kWideNumbers = 2,
    // What tests compare with the reference:
    kUnitInputs = 4,   // only inputs in [0, 1): others cancel out
    kUsualScale = 8,   // not inputs of every scale
    kRoundsTwice = 16  // float32 only on inputs for which nothing is rounded on the way
  };
  constexpr bool has(Trait trait) const { return (traits & trait) != 0; }
};

constexpr ElementwiseInfo kElementwiseInfo[] = {
#define TERN_ELEMENTWISE(name, inputs, kind, cost, accuracy, loops, traits) \
  [] {                                                                      \
    using enum ElementwiseInfo::Trait;                                      \
    return ElementwiseInfo{#name,                                           \
                           inputs,                                          \
                           ElementwiseKind::kind,                           \
                           ElementwiseCost::cost,                           \
                           ElementwiseAccuracy::accuracy,                   \
                           ElementwiseLoops::loops,                         \
                           traits};                                         \
  }(),
#include <tern/core/kernels/families/elementwise.def>
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

/// Returns true if an op on a narrow dtype first rounds its numbers to that dtype.
constexpr bool rounds_numbers(ElementwiseOp op) {
  return !elementwise_info(op).has(ElementwiseInfo::kWideNumbers);
}

/// Returns true if integers are divided by the second input, which must not be 0.
constexpr bool divides(ElementwiseOp op) {
  return elementwise_info(op).has(ElementwiseInfo::kDivides);
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
