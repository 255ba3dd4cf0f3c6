#pragma once

#include <type_traits>

#include <tern/backends/cpu/kernels/loops.h>

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

/// The loops of one family of ops, by op and dtype; empty for all other ops.
template <int kInputs>
struct LoopTable {
  LoopRow<kInputs> rows[kernels::kElementwiseOps];
};

template <class F, class T, int kInputs, kernels::ElementwiseKind kKind, unsigned kVariants = ~0U>
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

/// Adds the loops that need no conversion. Selecting only moves elements, and the sign of a small
/// float is one bit.
template <class F, int kInputs, kernels::ElementwiseKind kKind>
constexpr void add_narrow(LoopRow<kInputs>& row) {
  using kernels::formulas::abs, kernels::formulas::neg, kernels::formulas::where_op;
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
  if constexpr (is_one_of<F, neg, abs>) {
    using Bits = std::conditional_t<std::is_same_v<F, neg>, flip_sign, clear_sign>;
    row[loop_slot(kHalf)] = row[loop_slot(kBFloat16)] = loops_of<Bits, std::uint16_t, kInputs>();
  }
}

/// Adds an op of the family to its table.
template <bool kInFamily, class F, int kInputs, kernels::ElementwiseKind kKind, class Table>
constexpr void add_op(Table& table, kernels::ElementwiseOp op) {
  if constexpr (kInFamily) {
    LoopRow<kInputs>& row = table.rows[static_cast<int>(op)];
    add_narrow<F, kInputs, kKind>(row);
    add_dtype<F, float, kInputs, kKind>(row);
    add_dtype<F, double, kInputs, kKind>(row);
    add_dtype<F, std::int32_t, kInputs, kKind>(row);
    add_dtype<F, std::int64_t, kInputs, kKind>(row);
    add_dtype<F, bool, kInputs, kKind>(row);
  }
}

/// Returns the table of the ops for which `in_family(info)` is true.
template <int kTableInputs, class Family>
constexpr LoopTable<kTableInputs> make_table(Family in_family) {
  using namespace kernels;
  LoopTable<kTableInputs> table{};
#define TERN_ELEMENTWISE(name, inputs, kind)                                   \
  add_op<(inputs) == kTableInputs &&                                           \
             in_family(ElementwiseInfo{#name, inputs, ElementwiseKind::kind}), \
         formulas::name, inputs, ElementwiseKind::kind>(table, ElementwiseOp::name);
#include <tern/core/kernels/families/elementwise.def>
#undef TERN_ELEMENTWISE
  return table;
}

/// Each table is in a file of its own, so that they compile in parallel.
extern const LoopTable<1> kUnaryLoops;  // cheap
extern const LoopTable<1> kFloatLoops;  // the elementary functions, of floating inputs
extern const LoopTable<2> kBinaryLoops;
extern const LoopTable<2> kCompareLoops;  // bool out
extern const LoopTable<3> kTernaryLoops;

}  // namespace tern::cpu
