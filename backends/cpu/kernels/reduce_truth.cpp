#include <tern/backends/cpu/kernels/reduce.h>

namespace tern::cpu {
namespace {

using namespace kernels;

/// Computes any (the largest of x != 0) or all (the smallest).
template <class Op, class T>
struct Truth {
  using Element = T;
  using Accumulated = std::uint8_t;

  static Accumulated identity() { return std::is_same_v<Op, Maximum> ? 0 : 1; }
  static Accumulated combine(Accumulated a, Accumulated b) {
    return Op::template combine<Accumulated>(a, b);
  }

  Accumulated run(const T* p, std::int64_t stride, std::int64_t n, std::int64_t) const {
    std::uint8_t buffer[1024];
    Accumulated acc = identity();
    for (std::int64_t i = 0; i < n;) {
      const std::int64_t count = std::min<std::int64_t>(1024, n - i);
      const auto test = [&](auto step) {
        for (std::int64_t k = 0; k < count; ++k) buffer[k] = p[(i + k) * step] != 0;
      };
      if (stride == 1) {
        test(std::integral_constant<std::int64_t, 1>());
      } else {
        test(stride);
      }
      acc = combine(acc, reduce_short_run<Op>(buffer, count));
      i += count;
    }
    return acc;
  }

  void add_rows(Accumulated* __restrict acc, const T* __restrict p, std::int64_t stride,
                std::int64_t rows, std::int64_t columns, std::int64_t) const {
    for (std::int64_t r = 0; r < rows; ++r, p += stride) {
      for (std::int64_t c = 0; c < columns; ++c) {
        acc[c] = combine(acc[c], static_cast<std::uint8_t>(p[c] != 0));
      }
    }
  }

  void finish(Accumulated acc, std::int64_t offset) const { out[offset] = acc; }

  std::uint8_t* out;
};

template <class Op>
void reduce_truth_values(const ReduceArgs& args) {
  const auto out = static_cast<std::uint8_t*>(args.out);
  if (args.in_dtype == kByte || args.in_dtype == kChar) {
    return Reduction(args, args.in_dtype, Truth<Op, std::uint8_t>{out}).run();
  }
  visit_math_dtype(args.in_dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using E = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
    const Truth<Op, E> policy{out};
    Reduction<Truth<Op, E>>(args, math_dtype(args.in_dtype), policy).run();
  });
}

}  // namespace

void reduce_truth(const ReduceArgs& args) {
  if (args.op == ReduceOp::kAny) {
    reduce_truth_values<Maximum>(args);
  } else {
    reduce_truth_values<Minimum>(args);
  }
}

}  // namespace tern::cpu
