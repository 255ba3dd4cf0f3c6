#pragma once

#include <cstdint>

#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/families/gemm.h>

namespace tern::cpu {

/// Multiplies int64 matrices. Overflow wraps around, as for unsigned integers.
inline void multiply_integers(const kernels::GemmArgs& args) {
  using U = std::uint64_t;
  const auto number = [](double x) { return static_cast<U>(static_cast<std::int64_t>(x)); };
  const U alpha = number(args.alpha), beta = number(args.beta);
  constexpr std::int64_t kWorkPerThread = 1 << 14;
  const std::int64_t grain = kWorkPerThread / (args.n * args.k + 1) + 1;
  parallel_for(0, args.batch * args.m, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t line = begin; line < end; ++line) {
      const std::int64_t index = line / args.m, i = line % args.m;
      const U* const a =
          static_cast<const U*>(args.a) + index * args.a_batch_stride + i * args.a_row_stride;
      const U* const b = static_cast<const U*>(args.b) + index * args.b_batch_stride;
      U* const c = static_cast<U*>(args.c) + index * args.c_batch_stride + i * args.c_row_stride;
      for (std::int64_t j = 0; j < args.n; ++j) c[j] = beta == 0 ? 0 : beta * c[j];
      for (std::int64_t p = 0; p < args.k; ++p) {
        const U factor = alpha * a[p * args.a_col_stride];
        const U* const row = b + p * args.b_row_stride;
        if (args.b_col_stride == 1) {
          for (std::int64_t j = 0; j < args.n; ++j) c[j] += factor * row[j];
        } else {
          for (std::int64_t j = 0; j < args.n; ++j) c[j] += factor * row[j * args.b_col_stride];
        }
      }
      if (args.bias != nullptr) {
        const U* const bias = static_cast<const U*>(args.bias);
        for (std::int64_t j = 0; j < args.n; ++j) c[j] += bias[j * args.bias_stride];
      }
    }
  });
}

}  // namespace tern::cpu
