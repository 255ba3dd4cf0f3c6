#include <tern/backends/cpu/kernels/reduce.h>

namespace tern::cpu {
namespace {

using namespace kernels;

/// Computes the sum, the product, or the largest or smallest of E.
template <class Op, class E>
struct Values {
  using Element = E;
  using Accumulated = Accumulator<Op, E>;

  static Accumulated identity() { return Op::template kIdentity<E>; }
  static Accumulated combine(Accumulated a, Accumulated b) {
    return Op::template combine<Accumulated>(a, b);
  }

  Accumulated run(const E* p, std::int64_t stride, std::int64_t n, std::int64_t) const {
    if (stride == 1) return reduce_run<Op>(p, n);
    E buffer[512];
    Accumulated acc = identity();
    for (std::int64_t i = 0; i < n;) {
      const std::int64_t count = std::min<std::int64_t>(512, n - i);
      gather_run(buffer, p + i * stride, stride, count);
      if constexpr (std::is_same_v<E, Accumulated>) {
        acc = combine(acc, reduce_short_run<Op>(buffer, count));
      } else {
        acc = combine(acc, reduce_run<Op>(buffer, count));
      }
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
    out.store(offset, static_cast<E>(acc));
  }

  Results<E> out;
  Accumulated scale;

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

  static void add_block(E* __restrict block, const E* __restrict p, std::int64_t stride,
                        std::int64_t rows, std::int64_t columns) {
    constexpr auto join = Op::template combine<E>;
    std::int64_t r = 0;
    for (; r + 4 <= rows; r += 4) {
      const E* __restrict a = p + r * stride;
      const E* __restrict b = a + stride;
      const E* __restrict c = b + stride;
      const E* __restrict d = c + stride;
      for (std::int64_t i = 0; i < columns; ++i) {
        block[i] = join(block[i], join(join(a[i], b[i]), join(c[i], d[i])));
      }
    }
    for (; r < rows; ++r) {
      const E* __restrict a = p + r * stride;
      for (std::int64_t i = 0; i < columns; ++i) block[i] = join(block[i], a[i]);
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

template <class Op, class E>
void reduce_as(const ReduceArgs& args) {
  const Values<Op, E> policy{Results<E>(args.out, args.out_dtype),
                             static_cast<Accumulator<Op, E>>(args.scale)};
  const bool stored_as_is = sizeof(E) == element_size(args.out_dtype);
  const ScalarType dtype = stored_as_is ? args.out_dtype : math_dtype(args.out_dtype);
  void (*change)(E*, const E*, std::int64_t) = nullptr;
  if constexpr (std::is_same_v<Op, Sum> && std::is_floating_point_v<E>) {
    if (args.op == ReduceOp::kNanSum) change = clear_nans<E>;
  }
  Reduction<Values<Op, E>>(args, dtype, policy, change).run();
}

template <class Op>
void reduce_any_dtype(const ReduceArgs& args, KernelContext& context) {
  constexpr bool kArithmetic = std::is_same_v<Op, Sum> || std::is_same_v<Op, Product>;
  const bool is_byte = args.out_dtype == kByte || args.out_dtype == kChar;
  const ScalarType dtype = is_byte ? args.out_dtype : math_dtype(args.out_dtype);
  switch (dtype) {
    case kFloat:
      return reduce_as<Op, float>(args);
    case kDouble:
      return reduce_as<Op, double>(args);
    case kLong:
      // Unsigned integers wrap around.
      return reduce_as<Op, std::conditional_t<kArithmetic, std::uint64_t, std::int64_t>>(args);
    default:
      break;
  }
  if constexpr (kArithmetic) {
    context.status = StatusCode::kUnsupportedDtype;
  } else if (dtype == kInt) {
    reduce_as<Op, std::int32_t>(args);
  } else if (dtype == kChar) {
    reduce_as<Op, std::int8_t>(args);
  } else {
    reduce_as<Op, std::uint8_t>(args);  // and bool
  }
}

}  // namespace

void reduce_values(const ReduceArgs& args, KernelContext& context) {
  switch (args.op) {
    case ReduceOp::kSum:
    case ReduceOp::kNanSum:
      return reduce_any_dtype<Sum>(args, context);
    case ReduceOp::kProd:
      return reduce_any_dtype<Product>(args, context);
    case ReduceOp::kAmax:
      return reduce_any_dtype<Maximum>(args, context);
    default:
      return reduce_any_dtype<Minimum>(args, context);
  }
}

}  // namespace tern::cpu
