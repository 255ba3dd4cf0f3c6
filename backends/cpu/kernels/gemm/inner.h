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
      sums[i] = reduce_lanes<Sum, SumOf<S>>(inner_lanes(problem.format, problem.a.data + first,
                                                        problem.b.data + first, last - first));
    }
  });
  for (std::int64_t i = 1; i < parts; ++i) sums[0] += sums[i];
  finish_sums<1>(problem, sums, problem.c.data, 1, problem.bias, 1, 1);
}

}  // namespace tern::cpu
