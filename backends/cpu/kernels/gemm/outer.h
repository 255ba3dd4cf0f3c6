#pragma once

#include <tern/backends/cpu/kernels/gemm/problem.h>
#include <tern/backends/cpu/kernels/support/vector.h>

namespace tern::cpu {

/// Returns true for the product of a column and a row that a single pass reads and writes.
template <class T>
bool is_outer(const Problem<T>& p) {
  return p.k == 1 && p.b.column == 1 && p.c.column == 1 && p.beta == T(0) && p.bias == nullptr;
}

/// Computes the rows [begin, end). Memory bandwidth is the only limit.
template <class T>
void multiply_outer(const Problem<T>& problem, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i) {
    const auto factor = broadcast<T>(problem.a.data[i * problem.a.row]);
    const auto scaled = [&](Vector<T> x) { return factor * x * problem.alpha; };
    T* const c = problem.c.data + i * problem.c.row;
    std::int64_t j = 0;
    for (; j + kLanes<T> <= problem.n; j += kLanes<T>) {
      store(c + j, scaled(load(problem.b.data + j)));
    }
    if (const int rest = static_cast<int>(problem.n - j); rest > 0) {
      store_first(c + j, scaled(load_first(problem.b.data + j, rest)), rest);
    }
  }
}

}  // namespace tern::cpu
