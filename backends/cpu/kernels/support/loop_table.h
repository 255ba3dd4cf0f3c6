#pragma once

#include <type_traits>

#include <tern/backends/cpu/kernels/support/loops.h>

// Which ops have loops in which dtypes. A loop costs up to a kilobyte per instruction set, so
// narrow dtypes have loops of their own only for cheap ops; other ops convert tiles (strided.cpp).

namespace tern::cpu {

template <class F, class... Formulas>
constexpr bool is_one_of = (std::is_same_v<F, Formulas> || ...);

/// The loops of one op and dtype. The index has a bit for each input that is a single number.
template <int kInputs>
struct LoopSet {
  Loop by_numbers[(1 << kInputs) - 1];
};

/// Returns the loops of one op and dtype: those whose bits are set in kVariants. strided.cpp packs
/// numbers for which there is none; so it does if all inputs are numbers.
template <class F, class T, int kInputs, unsigned kVariants = ~0U>
constexpr LoopSet<kInputs> loops_of() {
  const auto variant = []<unsigned kNumbers>(std::integral_constant<unsigned, kNumbers>) -> Loop {
    if constexpr ((kVariants >> kNumbers & 1) == 0) {
      return nullptr;
    } else if constexpr (kInputs == 1) {
      return loop<F, T, kNumbers, T>;
    } else if constexpr (kInputs == 2) {
      return loop<F, T, kNumbers, T, T>;
    } else {
      using First = std::conditional_t<std::is_same_v<F, kernels::formulas::where_op>, bool, T>;
      return loop<F, T, kNumbers, First, T, T>;
    }
  };
  return [&]<unsigned... kNumbers>(std::integer_sequence<unsigned, kNumbers...>) {
    return LoopSet<kInputs>{variant(std::integral_constant<unsigned, kNumbers>())...};
  }
  (std::make_integer_sequence<unsigned, (1U << kInputs) - 1>());
}

/// The dtypes in which loops compute: the math dtypes, and for cheap ops also the narrow ones.
/// A vector holds four times as many int8 as int32, and a conversion would cost more than the op.
constexpr int kLoopDtypes = kMathDtypes + 5;

/// Returns the index in tables of the loops that read and write elements of `dtype`.
constexpr int loop_slot(ScalarType dtype) {
  switch (dtype) {
    case kByte:
      return kMathDtypes;
    case kChar:
      return kMathDtypes + 1;
    case kShort:
      return kMathDtypes + 2;
    case kHalf:
      return kMathDtypes + 3;
    case kBFloat16:
      return kMathDtypes + 4;
    default:
      return math_slot(dtype);
  }
}

/// Negates a float16 or bfloat16 by its bits.
struct flip_sign : kernels::formulas::Formula {
  static std::uint16_t value(std::uint16_t a) { return a ^ 0x8000U; }
};

/// Returns the absolute value of a float16 or bfloat16.
struct clear_sign : kernels::formulas::Formula {
  static std::uint16_t value(std::uint16_t a) { return a & 0x7fffU; }
};

/// Copies the sign of a float16 or bfloat16 to another one.
struct move_sign : kernels::formulas::Formula {
  static std::uint16_t value(std::uint16_t a, std::uint16_t sign) {
    return (a & 0x7fffU) | (sign & 0x8000U);
  }
};

/// Returns true for ops on narrow integers whose loops are worth their size.
template <class F>
constexpr bool is_cheap() {
  using namespace kernels::formulas;
  return is_one_of<F, neg, abs, sign, square, relu, logical_not, bitwise_not, add, sub, mul,
                   maximum, minimum, eq, ne, lt, le, gt, ge, logical_and, logical_or, logical_xor,
                   bitwise_and, bitwise_or, bitwise_xor, clamp, addcmul, floor, ceil, round, trunc>;
}

/// Returns true if the low bits of the result depend only on the low bits of the operands. The
/// loops of int8 are then the loops of uint8.
template <class F>
constexpr bool ignores_sign() {
  using namespace kernels::formulas;
  return is_one_of<F, neg, square, logical_not, bitwise_not, add, sub, mul, eq, ne, logical_and,
                   logical_or, logical_xor, bitwise_and, bitwise_or, bitwise_xor, addcmul, floor,
                   ceil, round, trunc>;
}

/// The loops of one op, by dtype.
template <int kInputs>
using LoopRow = LoopSet<kInputs>[kLoopDtypes];

/// The ops whose loops stand in one table.
enum class LoopFamily {
  kUnary,    // cheap
  kFloat,    // the elementary functions, of one floating input
  kBinary,   // of numbers
  kPair,     // of two floating inputs
  kCompare,  // bool out
  kTernary,
};

constexpr LoopFamily loop_family(const kernels::ElementwiseInfo& info) {
  using enum kernels::ElementwiseKind;
  if (info.inputs == 1) return info.kind == kFloat ? LoopFamily::kFloat : LoopFamily::kUnary;
  if (info.inputs == 3) return LoopFamily::kTernary;
  if (info.kind == kCompare) return LoopFamily::kCompare;
  return info.kind == kFloat ? LoopFamily::kPair : LoopFamily::kBinary;
}

/// Returns the number of ops of `family` among the first `ops` ones.
constexpr int count_ops(LoopFamily family, int ops = kernels::kElementwiseOps) {
  int count = 0;
  for (int i = 0; i < ops; ++i) {
    if (loop_family(kernels::kElementwiseInfo[i]) == family) ++count;
  }
  return count;
}

/// Returns the row of `op` in the table of its family.
constexpr int loop_row(kernels::ElementwiseOp op) {
  return count_ops(loop_family(kernels::elementwise_info(op)), static_cast<int>(op));
}

/// Returns the number of inputs of the ops of a family.
constexpr int inputs_of(LoopFamily family) {
  if (family == LoopFamily::kUnary || family == LoopFamily::kFloat) return 1;
  return family == LoopFamily::kTernary ? 3 : 2;
}

/// The loops of the ops of one family, by op and dtype.
template <LoopFamily kFamily>
struct LoopTable {
  LoopRow<inputs_of(kFamily)> rows[count_ops(kFamily)];
};

/// Returns the variants of an op on wide elements, as bits. The last two inputs of some ops are
/// always numbers.
template <class F>
constexpr unsigned all_variants() {
  using namespace kernels::formulas;
  return is_one_of<F, threshold, nan_to_num, elu> ? 1U | 1U << 6 : ~0U;
}

template <class F, class T, int kInputs, kernels::ElementwiseKind kKind,
          unsigned kVariants = all_variants<F>()>
constexpr void add_dtype(LoopRow<kInputs>& row) {
  if constexpr (kernels::takes<T>(kKind)) {
    row[loop_slot(dtype_of<T>())] = loops_of<F, T, kInputs, kVariants>();
  }
}

/// Returns the usual variants of an op on narrow elements, as bits: others are not worth their
/// size.
template <class F>
constexpr unsigned usual_variants() {
  using namespace kernels::formulas;
  constexpr unsigned kNone = 1U, kSecond = 1U << 2, kThird = 1U << 4, kSecondAndThird = 1U << 6;
  if (std::is_same_v<F, where_op>) return kNone | kSecond | kThird;
  if (std::is_same_v<F, clamp>) return kNone | kSecondAndThird;
  return std::is_same_v<F, addcmul> ? kNone : kNone | kSecond;
}

/// Returns the variants of an op on elements that need no conversion. Rare ops have only the usual
/// ones; numbers are packed for the others, which costs little beside an expensive op.
template <class F>
constexpr unsigned variants() {
  using namespace kernels::formulas;
  constexpr unsigned kNone = 1U, kSecond = 1U << 2, kThird = 1U << 4;
  if (is_one_of<F, bitwise_left_shift, bitwise_right_shift, fmod, div_floor, div_trunc, copysign>) {
    return kNone | kSecond;
  }
  const bool is_rare =
      is_one_of<F, gcd, lcm, heaviside, fmax, fmin, atan2, hypot, logaddexp, logaddexp2, xlogy,
                xlog1py, zeta, ldexp, addcdiv, lerp_tensor, huber, smooth_l1>;
  if (std::is_same_v<F, huber_backward>) return kNone | kThird;
  return is_rare ? kNone : ~0U;
}

/// Adds the loops that need no conversion. Selecting only moves elements, and the sign of a small
/// float is one bit.
template <class F, int kInputs, kernels::ElementwiseKind kKind>
constexpr void add_narrow(LoopRow<kInputs>& row) {
  using kernels::formulas::abs, kernels::formulas::copysign, kernels::formulas::neg,
      kernels::formulas::where_op;
  constexpr unsigned kVariants = usual_variants<F>();
  if constexpr (std::is_same_v<F, where_op>) {
    row[loop_slot(kByte)] = row[loop_slot(kChar)] = loops_of<F, std::uint8_t, kInputs, kVariants>();
    row[loop_slot(kShort)] = loops_of<F, std::int16_t, kInputs, kVariants>();
    row[loop_slot(kHalf)] = row[loop_slot(kBFloat16)] = row[loop_slot(kShort)];
  } else if constexpr (is_cheap<F>()) {
    add_dtype<F, std::uint8_t, kInputs, kKind, kVariants>(row);
    add_dtype<F, std::int16_t, kInputs, kKind, kVariants>(row);
    if constexpr (ignores_sign<F>()) {
      row[loop_slot(kChar)] = row[loop_slot(kByte)];
    } else {
      add_dtype<F, std::int8_t, kInputs, kKind, kVariants>(row);
    }
  }
  if constexpr (is_one_of<F, neg, abs, copysign>) {
    using Bits =
        std::conditional_t<kInputs == 2, move_sign,
                           std::conditional_t<std::is_same_v<F, neg>, flip_sign, clear_sign>>;
    row[loop_slot(kHalf)] = row[loop_slot(kBFloat16)] =
        loops_of<Bits, std::uint16_t, kInputs, kVariants>();
  }
}

/// Adds an op to its row.
template <class F, int kInputs, kernels::ElementwiseKind kKind>
constexpr void add_op(LoopRow<kInputs>& row) {
  add_narrow<F, kInputs, kKind>(row);
  add_dtype<F, float, kInputs, kKind, variants<F>()>(row);
  add_dtype<F, double, kInputs, kKind, variants<F>()>(row);
  add_dtype<F, std::int32_t, kInputs, kKind, variants<F>()>(row);
  add_dtype<F, std::int64_t, kInputs, kKind, variants<F>()>(row);
  add_dtype<F, bool, kInputs, kKind, variants<F>()>(row);
}

/// Returns the table of a family.
template <LoopFamily kFamily>
constexpr LoopTable<kFamily> make_table() {
  using namespace kernels;
  LoopTable<kFamily> table{};
#define TERN_ELEMENTWISE(name, inputs, kind)                                      \
  if constexpr (loop_family({#name, inputs, ElementwiseKind::kind}) == kFamily) { \
    add_op<formulas::name, inputs, ElementwiseKind::kind>(                        \
        table.rows[loop_row(ElementwiseOp::name)]);                               \
  }
#include <tern/core/kernels/families/elementwise.def>
#undef TERN_ELEMENTWISE
  return table;
}

/// Each table is in a file of its own, so that they compile in parallel.
extern const LoopTable<LoopFamily::kUnary> kUnaryLoops;
extern const LoopTable<LoopFamily::kFloat> kFloatLoops;
extern const LoopTable<LoopFamily::kBinary> kBinaryLoops;
extern const LoopTable<LoopFamily::kPair> kPairLoops;
extern const LoopTable<LoopFamily::kCompare> kCompareLoops;
extern const LoopTable<LoopFamily::kTernary> kTernaryLoops;

}  // namespace tern::cpu
