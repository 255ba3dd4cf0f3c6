// Compiled for size.
// Instruction sets: baseline avx2.

#include <tern/backends/cpu/kernels/reduce/reduce.h>
#include <tern/core/kernels/by_size.h>

namespace tern::cpu {
namespace {

using namespace kernels;

/// Flips the bits of integers that `mask` names. So the maximum of signed integers serves minimums
/// and unsigned integers, too: an inversion of all bits inverts the order, and one of the sign
/// gives the order of unsigned integers.
template <class E>
struct Flip {
  template <class V>
  V operator()(V x) const {
    return static_cast<V>(x ^ mask);
  }
  E mask;
};

/// Computes the sum, the product, or the largest or smallest of E. `Read` is its own inverse.
template <class Op, class E, class Read>
struct Values {
  using Element = E;
  using Accumulated = Accumulator<Op, E>;

  static Accumulated identity() { return Op::template kIdentity<E>; }
  static Accumulated combine(Accumulated a, Accumulated b) {
    return Op::template combine<Accumulated>(a, b);
  }

  Accumulated reduce(const E* p, std::int64_t stride, std::int64_t n, std::int64_t) const {
    if (stride == 1) return run_contiguous(p, n);
    E buffer[512];
    Accumulated acc = identity();
    for (std::int64_t i = 0; i < n;) {
      const std::int64_t count = std::min<std::int64_t>(512, n - i);
      gather_span(buffer, p + i * stride, stride, count);
      acc = combine(acc, run_contiguous(buffer, count));
      i += count;
    }
    return acc;
  }

  void add_rows(Accumulated* acc, const E* p, std::int64_t stride, std::int64_t rows,
                std::int64_t columns, std::int64_t) const {
    // Narrow rows without gaps: several of them are processed as one wide row, then folded.
    const std::int64_t fold = kReduceColumns / columns;
    if (stride == columns && fold >= 8 && rows >= 2 * fold) {
      const std::int64_t wide = fold * columns, wide_rows = rows / fold;
      Accumulated folded[kReduceColumns];
      std::fill_n(folded, wide, identity());
      add_rows(folded, p, wide, wide_rows, wide, 0);
      for (std::int64_t i = 0; i < wide; i += columns) {
        for (std::int64_t c = 0; c < columns; ++c) acc[c] = combine(acc[c], folded[i + c]);
      }
      p += wide_rows * wide;
      rows -= wide_rows * fold;
    }
    if constexpr (std::is_same_v<E, Accumulated>) {
      return add_block(acc, p, stride, rows, columns);
    }
    E block[kReduceColumns];
    for (; rows > 0; rows -= kBlockRows, p += kBlockRows * stride) {
      std::fill_n(block, columns, Op::template kIdentity<E>);
      add_block(block, p, stride, std::min(kBlockRows, rows), columns);
      if constexpr (std::is_same_v<Op, Product> && std::is_same_v<E, float>) {
        repeat_in_double(acc, block, p, stride, std::min(kBlockRows, rows), columns);
      }
      for (std::int64_t c = 0; c < columns; ++c) acc[c] = combine(acc[c], block[c]);
    }
  }

  void finish(Accumulated acc, std::int64_t offset) const {
    if constexpr (std::is_floating_point_v<E> && std::is_same_v<Op, Sum>) acc *= scale;
    out.store(offset, read(static_cast<E>(acc)));
  }

  Results<E> out;
  Accumulated scale;
  Read read;

 private:
  static constexpr std::int64_t kBlockRows = std::is_same_v<Op, Product> ? kProductLength : 256;

  /// Multiplies acc by the columns whose product in `block` may have left the range, and sets their
  /// product to 1.
  static void repeat_in_double(Accumulated* acc, E* block, const E* p, std::int64_t stride,
                               std::int64_t rows, std::int64_t columns) {
    std::int32_t outside = 0;
    for (std::int64_t c = 0; c < columns; ++c) outside |= is_in_range(block[c]) ? 0 : 1;
    if (outside == 0) return;
    for (std::int64_t c = 0; c < columns; ++c) {
      // A column with a zero is repeated only once.
      if (is_in_range(block[c]) || (acc[c] == 0 && block[c] == 0)) continue;
      for (std::int64_t r = 0; r < rows; ++r) acc[c] *= static_cast<double>(p[r * stride + c]);
      block[c] = 1;
    }
  }

  Accumulated run_contiguous(const E* p, std::int64_t n) const {
    if constexpr (std::is_integral_v<E>) {
      return reduce_short_span<Op>(p, n, read);
    } else {
      return reduce_span<Op>(p, n);
    }
  }

  void add_block(E* __restrict block, const E* __restrict p, std::int64_t stride, std::int64_t rows,
                 std::int64_t columns) const {
    constexpr auto join = Op::template combine<E>;
    const Read as = read;
    std::int64_t r = 0;
    for (; r + 4 <= rows; r += 4) {
      const E* __restrict a = p + r * stride;
      const E* __restrict b = a + stride;
      const E* __restrict c = b + stride;
      const E* __restrict d = c + stride;
      for (std::int64_t i = 0; i < columns; ++i) {
        block[i] = join(block[i], join(join(as(a[i]), as(b[i])), join(as(c[i]), as(d[i]))));
      }
    }
    for (; r < rows; ++r) {
      const E* __restrict a = p + r * stride;
      for (std::int64_t i = 0; i < columns; ++i) block[i] = join(block[i], as(a[i]));
    }
  }
};

/// Sets to[i] to from[i], or to 0 if it is NaN; `to` may be `from`.
template <class E>
void clear_nans(E* to, const E* from, std::int64_t n) {
  constexpr std::int64_t w = kLanes<E>;
  std::int64_t i = 0;
  for (; i + w <= n; i += w) {
    const Vector<E> x = load(from + i);
    store(to + i, is_nan(x) ? Vector<E>{} : x);
  }
  for (; i < n; ++i) to[i] = is_nan(from[i]) ? E(0) : from[i];
}

template <class Op, class E, class Read = AsStored>
void reduce_as(const ReduceArgs& args, Read read = {}) {
  using Policy = Values<Op, E, Read>;
  const Policy policy{Results<E>(args.out, args.out_dtype),
                      static_cast<Accumulator<Op, E>>(args.scale), read};
  const bool stored_as_is = sizeof(E) == element_size(args.out_dtype);
  const ScalarType dtype = stored_as_is ? args.out_dtype : math_dtype(args.out_dtype);
  void (*change)(E*, const E*, std::int64_t) = nullptr;
  if constexpr (std::is_same_v<Op, Sum> && std::is_floating_point_v<E>) {
    if (args.op == ReduceOp::kNanSum) change = clear_nans<E>;
  }
  Reduction<Policy>(args, dtype, policy, change).run();
}

template <class Op>
void reduce_floats(const ReduceArgs& args, KernelContext& context) {
  visit_floating(math_dtype(args.out_dtype), context,
                 [&](auto tag) { reduce_as<Op, typename decltype(tag)::type>(args); });
}

template <class Op>
void reduce_numbers(const ReduceArgs& args, KernelContext& context) {
  // Unsigned integers wrap around.
  args.out_dtype == kLong ? reduce_as<Op, std::uint64_t>(args) : reduce_floats<Op>(args, context);
}

void find_extremes(const ReduceArgs& args, KernelContext& context) {
  const bool finds_smallest = args.op == ReduceOp::kAmin;
  if (is_floating_point(args.out_dtype)) {
    return finds_smallest ? reduce_floats<Minimum>(args, context)
                          : reduce_floats<Maximum>(args, context);
  }
  visit_size(element_size(args.out_dtype), [&](auto tag) {
    using E = std::make_signed_t<typename decltype(tag)::type>;
    constexpr E kSign = std::numeric_limits<E>::min();
    const bool is_signed = args.out_dtype != kByte && args.out_dtype != kBool;
    const E sign = is_signed ? E(0) : kSign;
    const E mask = static_cast<E>(finds_smallest ? ~sign : sign);
    reduce_as<Maximum, E>(args, Flip<E>{mask});
  });
}

}  // namespace

void reduce_values(const ReduceArgs& args, KernelContext& context) {
  switch (args.op) {
    case ReduceOp::kSum:
    case ReduceOp::kNanSum:
      return reduce_numbers<Sum>(args, context);
    case ReduceOp::kProd:
      return reduce_numbers<Product>(args, context);
    default:
      return find_extremes(args, context);
  }
}

}  // namespace tern::cpu
