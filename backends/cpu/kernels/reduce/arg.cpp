// Compiled for size.
// Instruction sets: baseline avx2.

#include <tern/backends/cpu/kernels/reduce/reduce.h>

namespace tern::cpu {
namespace {

using namespace kernels;

/// An extreme value and the index of its first occurrence; -1 before any element.
template <class E>
struct Extreme {
  E value;
  std::int64_t index;
};

template <class Op, class E>
struct Arg {
  using Element = E;
  using Accumulated = Extreme<E>;

  static bool beats(E a, E b) {
    const bool further = std::is_same_v<Op, Maximum> ? a > b : a < b;
    return further | (is_nan(a) & !is_nan(b));
  }
  static Accumulated identity() { return {Op::template kIdentity<E>, -1}; }
  /// The indices of `a` come first.
  static Accumulated combine(const Accumulated& a, const Accumulated& b) {
    return a.index < 0 || (b.index >= 0 && beats(b.value, a.value)) ? b : a;
  }

  Accumulated reduce(const E* p, std::int64_t stride, std::int64_t n, std::int64_t first) const {
    Accumulated best{p[0], first};
    E buffer[512];
    for (std::int64_t i = 0; i < n;) {
      const std::int64_t count = std::min<std::int64_t>(512, n - i);
      const E* piece = p + i;
      if (stride != 1) {
        gather_span(buffer, p + i * stride, stride, count);
        piece = buffer;
      }
      const E extreme = reduce_short_span<Op>(piece, count);
      if (beats(extreme, best.value)) {
        std::int64_t k = 0;
        while (piece[k] != extreme && !is_nan(piece[k])) ++k;
        best = {extreme, first + i + k};
      }
      i += count;
    }
    return best;
  }

  void add_rows(Accumulated* acc, const E* p, std::int64_t stride, std::int64_t rows,
                std::int64_t columns, std::int64_t first) const {
    // The indices are as wide as the values, so that both fill vectors equally.
    using Index = std::conditional_t<sizeof(E) == 4, std::int32_t, std::int64_t>;
    constexpr std::int64_t kBlockRows = 1 << 30;
    E value[kReduceColumns];
    Index index[kReduceColumns];
    for (; rows > 0; rows -= kBlockRows, first += kBlockRows, p += kBlockRows * stride) {
      std::copy_n(p, columns, value);
      std::fill_n(index, columns, Index(0));
      const auto last = static_cast<Index>(std::min(kBlockRows, rows));
      for (Index r = 1; r < last; ++r) add_row(value, index, p + r * stride, columns, r);
      for (std::int64_t c = 0; c < columns; ++c) {
        acc[c] = combine(acc[c], {value[c], first + index[c]});
      }
    }
  }

  void finish(const Accumulated& acc, std::int64_t offset) const {
    out[offset] = acc.index;
    if (!values.is_null()) values.store(offset, acc.value);
  }

  std::int64_t* out;
  Results<E> values;

 private:
  template <class Index>
  static void add_row(E* __restrict value, Index* __restrict index, const E* __restrict p,
                      std::int64_t columns, Index r) {
    for (std::int64_t c = 0; c < columns; ++c) {
      const bool better = beats(p[c], value[c]);
      index[c] = better ? r : index[c];
      value[c] = better ? p[c] : value[c];
    }
  }
};

template <class Op>
void reduce_any_dtype(const ReduceArgs& args) {
  const ScalarType dtype = args.in_dtype == kBool ? kInt : math_dtype(args.in_dtype);
  visit_math_dtype(dtype, [&](auto tag) {
    using E = typename decltype(tag)::type;
    if constexpr (!std::is_same_v<E, bool>) {
      const Arg<Op, E> policy{static_cast<std::int64_t*>(args.out),
                              Results<E>(args.values, args.in_dtype)};
      Reduction<Arg<Op, E>>(args, dtype, policy).run();
    }
  });
}

}  // namespace

void reduce_arg(const ReduceArgs& args) {
  if (args.op == ReduceOp::kArgmax) {
    reduce_any_dtype<Maximum>(args);
  } else {
    reduce_any_dtype<Minimum>(args);
  }
}

}  // namespace tern::cpu
