#include <cstddef>
#include <cstdint>
#include <vector>

#include <tern/backends/sim/kernels/kernels.h>
#include <tern/backends/sim/kernels/number.h>

namespace tern::sim {
namespace {

// Copies a matrix with any strides into contiguous rows of wide numbers.
template <class T>
std::vector<Wide<T>> widened(const T* matrix, std::int64_t rows, std::int64_t columns,
                             std::int64_t row_stride, std::int64_t column_stride) {
  std::vector<Wide<T>> wide;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      wide.push_back(matrix[i * row_stride + j * column_stride]);
    }
  }
  return wide;
}

// Computes c[m, n] = alpha * sum over k of a[m, k] * b[k, n] + beta * c[m, n] + bias[n].
template <class T>
void multiply(const GemmArgs& args, const T* a, const T* b, T* c) {
  const T* bias = static_cast<const T*>(args.bias);
  const auto alpha = static_cast<Wide<T>>(args.alpha), beta = static_cast<Wide<T>>(args.beta);
  const auto wide_a = widened(a, args.m, args.k, args.a_row_stride, args.a_col_stride);
  const auto wide_b = widened(b, args.k, args.n, args.b_row_stride, args.b_col_stride);
  for (std::int64_t i = 0; i < args.m; ++i) {
    std::vector<Wide<T>> sums(static_cast<std::size_t>(args.n));
    for (std::int64_t p = 0; p < args.k; ++p) {
      const Wide<T> x = wide_a[static_cast<std::size_t>(i * args.k + p)];
      const Wide<T>* row = wide_b.data() + p * args.n;
      for (std::size_t j = 0; j < sums.size(); ++j) sums[j] = plus(sums[j], times(x, row[j]));
    }
    for (std::int64_t j = 0; j < args.n; ++j) {
      T& out = c[i * args.c_row_stride + j];
      Wide<T> result = times(alpha, sums[static_cast<std::size_t>(j)]);
      if (beta != 0) result = plus(result, times(beta, static_cast<Wide<T>>(out)));
      if (bias != nullptr) {
        result = plus(result, static_cast<Wide<T>>(bias[j * args.bias_stride]));
      }
      out = narrow<T>(result);
    }
  }
}

bool supports(const GemmArgs& args) { return args.dtype != kBool; }

void gemm(const GemmArgs& args, KernelContext&) {
  visit_dtype(args.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::int64_t batch = 0; batch < args.batch; ++batch) {
      multiply(args, static_cast<const T*>(args.a) + batch * args.a_batch_stride,
               static_cast<const T*>(args.b) + batch * args.b_batch_stride,
               static_cast<T*>(args.c) + batch * args.c_batch_stride);
    }
  });
}

}  // namespace

void register_gemm(OracleTable& table) { set<GemmArgs, supports, gemm>(table); }

}  // namespace tern::sim
