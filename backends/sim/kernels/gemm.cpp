#include <cstdint>

#include <tern/backends/sim/kernels/kernels.h>
#include <tern/backends/sim/kernels/number.h>

namespace tern::sim {
namespace {

// c[m, n] = epilogue(alpha * sum over k of a[m, k] * b[k, n] + beta * c[m, n] + bias[n])
template <class T>
void multiply(const GemmArgs& args, const T* a, const T* b, T* c) {
  const T* bias = static_cast<const T*>(args.bias);
  const auto alpha = static_cast<Wide<T>>(args.alpha), beta = static_cast<Wide<T>>(args.beta);
  for (std::int64_t i = 0; i < args.m; ++i) {
    for (std::int64_t j = 0; j < args.n; ++j) {
      Wide<T> sum = 0;
      for (std::int64_t p = 0; p < args.k; ++p) {
        const Wide<T> x = a[i * args.a_row_stride + p * args.a_col_stride];
        const Wide<T> y = b[p * args.b_row_stride + j * args.b_col_stride];
        sum = plus(sum, times(x, y));
      }
      T& out = c[i * args.c_row_stride + j];
      Wide<T> result = times(alpha, sum);
      if (beta != 0) result = plus(result, times(beta, static_cast<Wide<T>>(out)));
      if (bias != nullptr) {
        result = plus(result, static_cast<Wide<T>>(bias[j * args.bias_stride]));
      }
      if (args.epilogue == GemmEpilogue::kRelu && result < 0) result = 0;
      out = narrow<T>(result);
    }
  }
}

}  // namespace

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

}  // namespace tern::sim
