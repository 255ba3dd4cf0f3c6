#include <algorithm>
#include <limits>

#include <tern/backends/cpu/kernels/kernels.h>
#include <tern/backends/cpu/kernels/odometer.h>
#include <tern/backends/cpu/kernels/run.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/math.h>

namespace tern::cpu {
namespace {

using namespace kernels;

constexpr std::int64_t kGrain = 4096;
constexpr std::int64_t kColumns = 64;

template <class T>
void exp_of_difference(T* __restrict out, const T* __restrict in, std::int64_t n, T top) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = math::exp(in[i] - top);
}
template <class T>
void scale(T* out, std::int64_t n, T factor) {
  for (std::int64_t i = 0; i < n; ++i) out[i] *= factor;
}
template <class T>
void subtract(T* __restrict out, const T* __restrict in, std::int64_t n, T top, T log_sum) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = (in[i] - top) - log_sum;
}
template <class T>
void multiply(T* __restrict out, const T* __restrict a, const T* __restrict b, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = a[i] * b[i];
}
template <class T>
void softmax_gradient(T* __restrict out, const T* __restrict y, const T* __restrict grad,
                      std::int64_t n, T dot) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = y[i] * (grad[i] - dot);
}
template <class T>
void log_softmax_gradient(T* __restrict out, const T* __restrict y, const T* __restrict grad,
                          std::int64_t n, T sum) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = grad[i] - math::exp(y[i]) * sum;
}

/// One row; `out` is no other operand's memory.
template <class T>
void softmax_row(SoftmaxOp op, T* out, const T* in, const T* grad, std::int64_t n) {
  if (op == SoftmaxOp::kSoftmaxBackward) {
    multiply(out, in, grad, n);
    softmax_gradient(out, in, grad, n, static_cast<T>(reduce_run<Sum>(out, n)));
    return;
  }
  if (op == SoftmaxOp::kLogSoftmaxBackward) {
    log_softmax_gradient(out, in, grad, n, static_cast<T>(reduce_run<Sum>(grad, n)));
    return;
  }
  const T top = reduce_run<Maximum>(in, n);
  exp_of_difference(out, in, n, top);
  const auto sum = static_cast<T>(reduce_run<Sum>(out, n));
  if (op == SoftmaxOp::kSoftmax) {
    scale(out, n, T(1) / sum);
  } else {
    subtract(out, in, n, top, math::log(sum));
  }
}

/// A block of columns of one [n, inner] matrix, all walked together.
template <class T>
void softmax_columns(SoftmaxOp op, T* out, const T* in, const T* grad, std::int64_t n,
                     std::int64_t inner, std::int64_t columns) {
  T top[kColumns];
  double sum[kColumns];
  for (std::int64_t c = 0; c < columns; ++c) top[c] = -std::numeric_limits<T>::infinity();
  for (std::int64_t c = 0; c < columns; ++c) sum[c] = 0;
  const auto for_each = [&](auto body) {
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t c = 0; c < columns; ++c) body(j * inner + c, c);
    }
  };
  switch (op) {
    case SoftmaxOp::kSoftmaxBackward:
      for_each([&](std::int64_t i, std::int64_t c) { sum[c] += in[i] * grad[i]; });
      for_each([&](std::int64_t i, std::int64_t c) {
        out[i] = in[i] * (grad[i] - static_cast<T>(sum[c]));
      });
      return;
    case SoftmaxOp::kLogSoftmaxBackward:
      for_each([&](std::int64_t i, std::int64_t c) { sum[c] += grad[i]; });
      for_each([&](std::int64_t i, std::int64_t c) {
        out[i] = grad[i] - math::exp(in[i]) * static_cast<T>(sum[c]);
      });
      return;
    case SoftmaxOp::kSoftmax:
    case SoftmaxOp::kLogSoftmax:
      break;
  }
  for_each([&](std::int64_t i, std::int64_t c) { top[c] = Maximum::combine(top[c], in[i]); });
  if (op == SoftmaxOp::kSoftmax) {
    for_each([&](std::int64_t i, std::int64_t c) {
      out[i] = math::exp(in[i] - top[c]);
      sum[c] += out[i];
    });
    for_each([&](std::int64_t i, std::int64_t c) { out[i] /= static_cast<T>(sum[c]); });
  } else {
    for_each([&](std::int64_t i, std::int64_t c) { sum[c] += math::exp(in[i] - top[c]); });
    for (std::int64_t c = 0; c < columns; ++c) sum[c] = math::log(sum[c]);
    for_each([&](std::int64_t i, std::int64_t c) {
      out[i] = (in[i] - top[c]) - static_cast<T>(sum[c]);
    });
  }
}

template <class T>
void softmax_typed(const SoftmaxArgs& args) {
  const auto in = static_cast<const T*>(args.in);
  const auto grad = static_cast<const T*>(args.grad);
  const auto out = static_cast<T*>(args.out);
  const std::int64_t n = args.size, inner = args.inner;
  if (inner == 1) {
    parallel_for(0, args.outer, kGrain / n, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin * n; i < end * n; i += n) {
        softmax_row(args.op, out + i, in + i, grad == nullptr ? nullptr : grad + i, n);
      }
    });
    return;
  }
  const std::int64_t blocks = divide_up(inner, kColumns);
  parallel_for(0, args.outer * blocks, kGrain / (n * kColumns),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t block = begin; block < end; ++block) {
                   const std::int64_t column = block % blocks * kColumns;
                   const std::int64_t i = block / blocks * n * inner + column;
                   softmax_columns(args.op, out + i, in + i, grad == nullptr ? nullptr : grad + i,
                                   n, inner, std::min(kColumns, inner - column));
                 }
               });
}

}  // namespace

void softmax(const SoftmaxArgs& args, KernelContext& context) {
  if (args.dtype == kFloat) {
    softmax_typed<float>(args);
  } else if (args.dtype == kDouble) {
    softmax_typed<double>(args);
  } else {
    context.status = StatusCode::kUnsupportedDtype;
  }
}

}  // namespace tern::cpu
