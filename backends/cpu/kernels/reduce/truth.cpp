// Compiled for size.
// Instruction sets: baseline avx2.

#include <tern/backends/cpu/kernels/reduce/reduce.h>

namespace tern::cpu {
namespace {

using namespace kernels;

// Elements are cast to bool, which is cheap in every dtype.

/// Computes any (the largest element) or all (the smallest).
template <class Op>
struct Truth {
  using Element = std::uint8_t;
  using Accumulated = std::uint8_t;

  static Accumulated identity() { return std::is_same_v<Op, Maximum> ? 0 : 1; }
  static Accumulated combine(Accumulated a, Accumulated b) {
    return Op::template combine<Accumulated>(a, b);
  }

  Accumulated reduce(const Element* p, std::int64_t stride, std::int64_t n, std::int64_t) const {
    if (stride == 1) return reduce_short_span<Op>(p, n);
    Accumulated acc = identity();
    for (std::int64_t i = 0; i < n; ++i) acc = combine(acc, p[i * stride]);
    return acc;
  }

  void add_rows(Accumulated* __restrict acc, const Element* __restrict p, std::int64_t stride,
                std::int64_t rows, std::int64_t columns, std::int64_t) const {
    for (std::int64_t r = 0; r < rows; ++r, p += stride) {
      for (std::int64_t c = 0; c < columns; ++c) acc[c] = combine(acc[c], p[c]);
    }
  }

  void finish(Accumulated acc, std::int64_t offset) const { out[offset] = acc; }

  std::uint8_t* out;
};

/// The cast to bool of float16 and bfloat16, which has no loop. -0 is 0.
void differs_from_zero(void* to, const void* const* from, std::int64_t n, const Immediate*) {
  const auto bits = static_cast<const std::uint16_t*>(*from);
  const auto out = static_cast<std::uint8_t*>(to);
  for (std::int64_t i = 0; i < n; ++i) out[i] = (bits[i] & 0x7fff) != 0 ? 1 : 0;
}

/// Counts the elements that are true.
struct Count {
  using Element = std::uint8_t;
  using Accumulated = std::int64_t;

  static Accumulated identity() { return 0; }
  static Accumulated combine(Accumulated a, Accumulated b) { return a + b; }

  Accumulated reduce(const Element* p, std::int64_t stride, std::int64_t n, std::int64_t) const {
    if (stride != 1) {
      Accumulated sum = 0;
      for (std::int64_t i = 0; i < n; ++i) sum += p[i * stride];
      return sum;
    }
    constexpr std::int64_t w = kLanes<Element>, kMost = 255 * w;  // a byte holds 255 ones
    Accumulated sum = 0;
    std::int64_t i = 0;
    while (n - i >= w) {
      Vector<Element> ones{};
      const std::int64_t end = i + std::min((n - i) / w * w, kMost);
      for (; i < end; i += w) ones += load(p + i);
      for (std::int64_t k = 0; k < w; ++k) sum += ones[k];
    }
    for (; i < n; ++i) sum += p[i];
    return sum;
  }

  void add_rows(Accumulated* __restrict acc, const Element* __restrict p, std::int64_t stride,
                std::int64_t rows, std::int64_t columns, std::int64_t) const {
    constexpr std::int64_t kMost = 255;
    Element ones[kReduceColumns];
    for (std::int64_t r = 0; r < rows;) {
      std::fill_n(ones, columns, Element{0});
      for (const std::int64_t end = std::min(r + kMost, rows); r < end; ++r, p += stride) {
        for (std::int64_t c = 0; c < columns; ++c) ones[c] += p[c];
      }
      for (std::int64_t c = 0; c < columns; ++c) acc[c] += ones[c];
    }
  }

  void finish(Accumulated acc, std::int64_t offset) const { out[offset] = acc; }

  std::int64_t* out;
};

template <class Policy>
void reduce_bools(const ReduceArgs& args, const Policy& policy) {
  const bool is_half = args.in_dtype == kHalf || args.in_dtype == kBFloat16;
  Reduction<Policy>(args, kBool, policy, nullptr, is_half ? differs_from_zero : nullptr).run();
}

}  // namespace

void reduce_truth(const ReduceArgs& args) {
  switch (args.op) {
    case ReduceOp::kAny:
      return reduce_bools(args, Truth<Maximum>{static_cast<std::uint8_t*>(args.out)});
    case ReduceOp::kAll:
      return reduce_bools(args, Truth<Minimum>{static_cast<std::uint8_t*>(args.out)});
    default:
      return reduce_bools(args, Count{static_cast<std::int64_t*>(args.out)});
  }
}

}  // namespace tern::cpu
