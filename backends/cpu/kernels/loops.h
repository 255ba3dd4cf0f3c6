#pragma once

#include <utility>

#include <tern/backends/cpu/kernels/strided.h>
#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/kernels/formulas.h>

// The inner loops of the elementwise kernels: the output is contiguous, each input is contiguous or
// a single number. strided.cpp packs all other layouts into this form.

// The output may be an input: an iteration reads only elements that no other iteration writes.
#ifdef __clang__
#define TERN_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define TERN_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace tern::cpu {

template <class T>
struct Elements {
  const T* data;
  T operator[](std::int64_t i) const { return data[i]; }
};

template <class F, class... Formulas>
constexpr bool is_one_of = (std::is_same_v<F, Formulas> || ...);

/// Read as bytes, because loops over bool do not vectorise.
template <>
struct Elements<bool> {
  const bool* data;
  bool operator[](std::int64_t i) const {
    return reinterpret_cast<const unsigned char*>(data)[i] != 0;
  }
};

template <class T>
struct Number {
  T value;
  T operator[](std::int64_t) const { return value; }
};

/// Not inlined: rare, and the compiler would vectorise the loop.
template <class F, class... T>
[[gnu::noinline]] auto unbounded_value(T... x) {
  return F::value(x...);
}

template <class F, class Out, class... In>
void run_loop(Out* out, std::int64_t n, In... in) {
  if constexpr (requires { F::bounded(in[0]...); }) {
    constexpr std::int64_t kBlock = 1024;
    for (std::int64_t begin = 0; begin < n; begin += kBlock) {
      const std::int64_t end = begin + kBlock < n ? begin + kBlock : n;
      unsigned unbounded = 0;
      for (std::int64_t i = begin; i < end; ++i) unbounded |= !F::bounded(in[i]...);
      if (unbounded == 0) {
        TERN_INDEPENDENT
        for (std::int64_t i = begin; i < end; ++i) out[i] = F::bounded_value(in[i]...);
      } else {
        for (std::int64_t i = begin; i < end; ++i) out[i] = unbounded_value<F>(in[i]...);
      }
    }
  } else {
    TERN_INDEPENDENT
    for (std::int64_t i = 0; i < n; ++i) out[i] = F::value(in[i]...);
  }
}

template <bool kNumber, class T>
auto operand(const void* data) {
  if constexpr (kNumber) {
    return Number<T>{*static_cast<const T*>(data)};
  } else {
    return Elements<T>{static_cast<const T*>(data)};
  }
}

/// The loop of formula F in which the inputs in the bit set kNumbers are single numbers.
template <class F, class T, unsigned kNumbers, class... Inputs>
void loop(void* out, const void* const* in, std::int64_t n, const kernels::Immediate* scale) {
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    using Out = decltype(F::value(Inputs()...));
    const auto result = static_cast<Out*>(out);
    if constexpr (kNumbers == 2 && requires { F::by_exponent(T(), [](auto) {}); }) {
      const auto use = [&](auto simpler) {
        run_loop<decltype(simpler)>(result, n, operand<false, T>(in[0]));
      };
      if (F::by_exponent(*static_cast<const T*>(in[1]), use)) return;
    }
    if constexpr (std::is_same_v<F, kernels::formulas::pow> && kNumbers == 1) {
      // The compiler would split the loop by the value of a single base and not vectorise it.
      constexpr std::int64_t kBlock = 512;
      T bases[kBlock];
      for (T& base : bases) base = *static_cast<const T*>(in[0]);
      const T* const exponents = static_cast<const T*>(in[1]);
      for (std::int64_t i = 0; i < n; i += kBlock) {
        run_loop<F>(result + i, n - i < kBlock ? n - i : kBlock, Elements<T>{bases},
                    Elements<T>{exponents + i});
      }
      return;
    }
    if constexpr (std::is_same_v<F, kernels::formulas::clamp> && kNumbers == 6) {
      const T low = *static_cast<const T*>(in[1]), high = *static_cast<const T*>(in[2]);
      if (!kernels::formulas::isnan::value(low) && !kernels::formulas::isnan::value(high)) {
        run_loop<kernels::formulas::clamp_between>(result, n, operand<false, T>(in[0]),
                                                   Number<T>{low}, Number<T>{high});
        return;
      }
    }
    if constexpr (F::kScaled) {
      const T factor = kernels::immediate_value<T>(*scale);
      if (factor != T(1)) {
        run_loop<F>(result, n, operand<((kNumbers >> k) & 1) != 0, Inputs>(in[k])...,
                    Number<T>{factor});
        return;
      }
    }
    run_loop<F>(result, n, operand<((kNumbers >> k) & 1) != 0, Inputs>(in[k])...);
  }
  (std::index_sequence_for<Inputs...>());
}

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
