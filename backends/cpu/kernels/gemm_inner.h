#pragma once

#include <algorithm>

#include <tern/backends/cpu/kernels/gemm_dot.h>
#include <tern/core/base/thread_pool.h>

namespace tern::cpu {

/// Whether a product is that of a row and a column, both contiguous and long enough to be computed
/// in parts of `part` elements.
template <class T>
bool is_long_inner(const Problem<T>& p, std::int64_t part) {
  return p.m == 1 && p.n == 1 && p.a.column == 1 && p.b.row == 1 && p.k >= 2 * part;
}

/// The number of parts depends on k alone, so the result does not depend on the thread count.
template <class T>
void multiply_inner(const Problem<T>& problem, std::int64_t part_size) {
  constexpr std::int64_t kMaxParts = 64;
  const std::int64_t parts = std::min(kMaxParts, problem.k / part_size);
  T sums[kMaxParts];
  parallel_for(0, parts, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t first = problem.k * i / parts;
      Problem<T> part = problem;
      part.k = problem.k * (i + 1) / parts - first;
      part.a.data += first;
      part.b.data += first;
      part.c.data = sums + i;
      part.alpha = T(1), part.beta = T(0), part.bias = nullptr, part.relu = false;
      multiply_dot_columns<T, false>(part, 0, 1);
    }
  });
  for (std::int64_t i = 1; i < parts; ++i) sums[0] += sums[i];
  finish_sums<1>(problem, sums, problem.c.data, 1, problem.bias, 1, 1);
}

}  // namespace tern::cpu
