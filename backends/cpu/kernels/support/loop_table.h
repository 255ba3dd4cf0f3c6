#pragma once

#include <type_traits>

#include <tern/backends/cpu/kernels/support/loops.h>

// Which ops have loops in which dtypes. A loop costs up to a kilobyte per instruction set, so
// narrow dtypes have loops of their own only for cheap ops; other ops convert tiles (strided.cpp).

namespace tern::cpu {

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

/// The loops of one op, by dtype.
template <int kInputs>
using LoopRow = LoopSet<kInputs>[kLoopDtypes];

/// The ops whose loops stand in one table.
enum class LoopFamily {
  kUnary,        // cheap
  kFloatUnary,   // of one floating input
  kBinary,       // of numbers
  kFloatBinary,  // of two floating inputs
  kCompare,      // bool out
  kTernary,
};

constexpr LoopFamily loop_family(const kernels::ElementwiseInfo& info) {
  using enum kernels::ElementwiseKind;
  if (info.inputs == 1) return info.kind == kFloat ? LoopFamily::kFloatUnary : LoopFamily::kUnary;
  if (info.inputs == 3) return LoopFamily::kTernary;
  if (info.kind == kCompare) return LoopFamily::kCompare;
  return info.kind == kFloat ? LoopFamily::kFloatBinary : LoopFamily::kBinary;
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
  if (family == LoopFamily::kUnary || family == LoopFamily::kFloatUnary) return 1;
  return family == LoopFamily::kTernary ? 3 : 2;
}

/// The loops of the ops of one family, by op and dtype.
template <LoopFamily kFamily>
struct LoopTable {
  LoopRow<inputs_of(kFamily)> rows[count_ops(kFamily)];
};

// Variants of the loops of an op, as bits: which inputs are single numbers.
constexpr unsigned kNoNumber = 1U, kSecond = 1U << 2, kThird = 1U << 4, kLastTwo = 1U << 6;

/// Returns the variants of an op on elements that need no conversion. Numbers are packed for the
/// others, which costs little beside an expensive op.
constexpr unsigned variants(kernels::ElementwiseLoops loops) {
  switch (loops) {
    case kernels::ElementwiseLoops::kPlain:
      return kNoNumber;
    case kernels::ElementwiseLoops::kSecond:
      return kNoNumber | kSecond;
    case kernels::ElementwiseLoops::kThird:
      return kNoNumber | kThird;
    case kernels::ElementwiseLoops::kLastTwo:
      return kNoNumber | kLastTwo;
    default:
      return ~0U;
  }
}

/// Returns the usual variants of an op on narrow elements: others are not worth their size.
constexpr unsigned narrow_variants(kernels::ElementwiseOp op) {
  if (op == kernels::ElementwiseOp::where_op) return kNoNumber | kSecond | kThird;
  if (op == kernels::ElementwiseOp::clamp) return kNoNumber | kLastTwo;
  return op == kernels::ElementwiseOp::addcmul ? kNoNumber : kNoNumber | kSecond;
}

template <class F, class T, kernels::ElementwiseOp kOp, unsigned kVariants, int kInputs>
constexpr void add_dtype(LoopRow<kInputs>& row) {
  if constexpr (kernels::takes<T>(kernels::elementwise_info(kOp).kind)) {
    row[loop_slot(dtype_of<T>())] = loops_of<F, T, kInputs, kVariants>();
  }
}

/// Adds the loops of narrow elements that need no conversion. Selecting only moves elements, and
/// the sign of a small float is one bit.
template <class F, kernels::ElementwiseOp kOp, int kInputs>
constexpr void add_narrow(LoopRow<kInputs>& row) {
  using kernels::ElementwiseLoops, kernels::ElementwiseOp;
  constexpr unsigned kVariants = narrow_variants(kOp);
  constexpr ElementwiseLoops kLoops = kernels::elementwise_info(kOp).loops;
  if constexpr (kOp == ElementwiseOp::where_op) {
    row[loop_slot(kByte)] = row[loop_slot(kChar)] = loops_of<F, std::uint8_t, kInputs, kVariants>();
    row[loop_slot(kShort)] = loops_of<F, std::int16_t, kInputs, kVariants>();
    row[loop_slot(kHalf)] = row[loop_slot(kBFloat16)] = row[loop_slot(kShort)];
  } else if constexpr (kLoops == ElementwiseLoops::kNarrow ||
                       kLoops == ElementwiseLoops::kWrapping) {
    add_dtype<F, std::uint8_t, kOp, kVariants>(row);
    add_dtype<F, std::int16_t, kOp, kVariants>(row);
    if constexpr (kLoops == ElementwiseLoops::kWrapping) {
      row[loop_slot(kChar)] = row[loop_slot(kByte)];
    } else {
      add_dtype<F, std::int8_t, kOp, kVariants>(row);
    }
  }
  if constexpr (kOp == ElementwiseOp::neg || kOp == ElementwiseOp::abs ||
                kOp == ElementwiseOp::copysign) {
    using Bits =
        std::conditional_t<kInputs == 2, move_sign,
                           std::conditional_t<kOp == ElementwiseOp::neg, flip_sign, clear_sign>>;
    row[loop_slot(kHalf)] = row[loop_slot(kBFloat16)] =
        loops_of<Bits, std::uint16_t, kInputs, kVariants>();
  }
}

/// Adds an op to its row.
template <class F, kernels::ElementwiseOp kOp, int kInputs>
constexpr void add_op(LoopRow<kInputs>& row) {
  constexpr unsigned kVariants = variants(kernels::elementwise_info(kOp).loops);
  add_narrow<F, kOp>(row);
  add_dtype<F, float, kOp, kVariants>(row);
  add_dtype<F, double, kOp, kVariants>(row);
  add_dtype<F, std::int32_t, kOp, kVariants>(row);
  add_dtype<F, std::int64_t, kOp, kVariants>(row);
  add_dtype<F, bool, kOp, kVariants>(row);
}

/// Returns the table of a family.
template <LoopFamily kFamily>
constexpr LoopTable<kFamily> make_table() {
  using namespace kernels;
  LoopTable<kFamily> table{};
#define TERN_ELEMENTWISE(name, inputs, kind, cost, accuracy, loops, traits)                 \
  if constexpr (loop_family(elementwise_info(ElementwiseOp::name)) == kFamily) {            \
    add_op<formulas::name, ElementwiseOp::name>(table.rows[loop_row(ElementwiseOp::name)]); \
  }
#include <tern/core/kernels/families/elementwise.def>
  return table;
}

/// Each table is in a file of its own, so that they compile in parallel.
extern const LoopTable<LoopFamily::kUnary> kUnaryLoops;
extern const LoopTable<LoopFamily::kFloatUnary> kFloatUnaryLoops;
extern const LoopTable<LoopFamily::kBinary> kBinaryLoops;
extern const LoopTable<LoopFamily::kFloatBinary> kFloatBinaryLoops;
extern const LoopTable<LoopFamily::kCompare> kCompareLoops;
extern const LoopTable<LoopFamily::kTernary> kTernaryLoops;

}  // namespace tern::cpu
