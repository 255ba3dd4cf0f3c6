// Compiled for size.
// Instruction sets: baseline avx2.

#include <cmath>

#include <tern/backends/cpu/kernels/reduce/reduce.h>

namespace tern::cpu {
namespace {

using namespace kernels;

/// Computes the square root of the sum of squares.
template <class E>
struct Norm {
  using Element = E;
  using Accumulated = double;

  static Accumulated identity() { return 0; }
  static Accumulated combine(Accumulated a, Accumulated b) { return a + b; }

  Accumulated reduce(const E* p, std::int64_t stride, std::int64_t n, std::int64_t) const {
    if (stride == 1) return sum_of_squares(p, n);
    E buffer[512];
    Accumulated sum = 0;
    for (std::int64_t i = 0; i < n;) {
      const std::int64_t count = std::min<std::int64_t>(512, n - i);
      gather_span(buffer, p + i * stride, stride, count);
      sum += sum_of_squares(buffer, count);
      i += count;
    }
    return sum;
  }

  [[gnu::noinline]] void add_rows(Accumulated* __restrict acc, const E* __restrict p,
                                  std::int64_t stride, std::int64_t rows, std::int64_t columns,
                                  std::int64_t) const {
    for (std::int64_t r = 0; r < rows; ++r, p += stride) {
      for (std::int64_t c = 0; c < columns; ++c) {
        acc[c] += static_cast<double>(p[c]) * static_cast<double>(p[c]);
      }
    }
  }

  void finish(Accumulated acc, std::int64_t offset) const {
    out.store(offset, static_cast<E>(std::sqrt(acc) * scale));
  }

  Results<E> out;
  double scale;

 private:
  /// Adds squares of floats up in float and repeats a span in double if they may have left the
  /// range.
  static double sum_of_squares(const E* p, std::int64_t n) {
    if constexpr (std::is_same_v<E, double>) {
      return sum_in<double>(p, n);
    } else {
      double sum = 0;
      for (std::int64_t count; n > 0; n -= count, p += count) {
        count = std::min(kSpanLength, n);
        const float part = sum_in<float>(p, count);
        const bool fits = part > 0x1p-100f && part < std::numeric_limits<float>::infinity();
        sum += fits ? static_cast<double>(part) : sum_in<double>(p, count);
      }
      return sum;
    }
  }

  template <class A>
  [[gnu::noinline]] static A sum_in(const E* p, std::int64_t n) {
    constexpr std::int64_t w = kLanes<A>;
    typedef E Part __attribute__((vector_size(w * sizeof(E))));
    Vector<A> sums[4] = {};
    const auto add = [&](int k, std::int64_t at) {
      Part part;
      std::memcpy(&part, p + at, sizeof(part));
      const auto v = __builtin_convertvector(part, Vector<A>);
      sums[k] += v * v;
    };
    std::int64_t i = 0;
    for (; i + 4 * w <= n; i += 4 * w) {
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) add(k, i + k * w);
    }
    for (; i + w <= n; i += w) add(0, i);
    A sum = reduce_lanes<Sum, A>((sums[0] + sums[1]) + (sums[2] + sums[3]));
    for (; i < n; ++i) sum += static_cast<A>(p[i]) * static_cast<A>(p[i]);
    return sum;
  }
};

template <class E>
void norm_as(const ReduceArgs& args) {
  const Norm<E> policy{Results<E>(args.out, args.out_dtype), args.scale};
  Reduction<Norm<E>>(args, dtype_of<E>(), policy).run();
}

}  // namespace

void reduce_norm(const ReduceArgs& args, KernelContext& context) {
  visit_floating(math_dtype(args.in_dtype), context,
                 [&](auto tag) { norm_as<typename decltype(tag)::type>(args); });
}

}  // namespace tern::cpu
