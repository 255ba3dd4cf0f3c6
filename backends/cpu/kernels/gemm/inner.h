#pragma once

#include <algorithm>

#include <tern/backends/cpu/kernels/gemm/dot.h>
#include <tern/core/base/thread_pool.h>

namespace tern::cpu {

/// Returns true for the product of a contiguous row and a contiguous column.
template <class S>
bool is_inner(const Problem<S>& p) {
  return p.m == 1 && p.n == 1 && p.a.column == 1 && p.b.row == 1;
}

/// Keeps several sums at once, because each addition waits for the previous one to its sum.
template <class S>
SumOf<S> inner_product(const Format<S>& format, const S* a, const S* b, std::int64_t n) {
  using T = SumOf<S>;
  constexpr int kSums = 4, kWidth = kLanes<T>;
  constexpr std::int64_t kStep = std::int64_t{kSums} * kWidth;
  Vector<T> sum[kSums] = {};
  const auto add = [&](int k, std::int64_t at) {
    sum[k] = fma(format.load(a + at), format.load(b + at), sum[k]);
  };
  std::int64_t i = 0;
  for (; i + kStep <= n; i += kStep) {
#pragma GCC unroll 4
    for (int k = 0; k < kSums; ++k) add(k, i + std::int64_t{k} * kWidth);
  }
  for (; i + kWidth <= n; i += kWidth) add(0, i);
  if (const int rest = static_cast<int>(n - i); rest > 0) {
    sum[1] = fma(format.load_first(a + i, rest), format.load_first(b + i, rest), sum[1]);
  }
  return reduce_lanes<Sum, T>((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

/// Splits k into parts of at least `part_size` elements. The number of parts depends only on k, so
/// the result does not depend on the thread count.
template <class S>
void multiply_inner(const Problem<S>& problem, std::int64_t part_size) {
  constexpr std::int64_t kMaxParts = 64;
  const std::int64_t parts = std::clamp<std::int64_t>(problem.k / part_size, 1, kMaxParts);
  SumOf<S> sums[kMaxParts];
  parallel_for(0, parts, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t first = problem.k * i / parts, last = problem.k * (i + 1) / parts;
      sums[i] = inner_product(problem.format, problem.a.data + first, problem.b.data + first,
                              last - first);
    }
  });
  for (std::int64_t i = 1; i < parts; ++i) sums[0] += sums[i];
  finish_sums<1>(problem, sums, problem.c.data, 1, problem.bias, 1, 1);
}

}  // namespace tern::cpu
