#include <algorithm>

#include <tern/backends/cpu/kernels/normalize/normalize.h>
#include <tern/backends/cpu/kernels/reduce/span.h>
#include <tern/backends/cpu/kernels/support/dims.h>
#include <tern/backends/cpu/kernels/support/divide_up.h>
#include <tern/backends/cpu/kernels/support/widen.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/families/softmax.h>
#include <tern/core/kernels/math/math.h>
#include <tern/core/kernels/math/math_dtype.h>

namespace tern::cpu {
namespace {

using namespace kernels;

constexpr std::int64_t kSoftmaxGrain = 4096;
constexpr std::int64_t kSoftmaxColumns = 256;

template <class T, class Top>
void exp_of_difference(T* __restrict out, const T* __restrict in, std::int64_t n, Top top) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = math::exp_or_zero(in[i] - top[i]);
}
template <class T, class Factor>
void scale(T* __restrict out, std::int64_t n, Factor factor) {
  for (std::int64_t i = 0; i < n; ++i) out[i] *= factor[i];
}
template <class T, class Top>
void subtract(T* __restrict out, const T* __restrict in, std::int64_t n, Top top, Top log_sum) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = (in[i] - top[i]) - log_sum[i];
}
template <class T>
void multiply(T* __restrict out, const T* __restrict a, const T* __restrict b, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = a[i] * b[i];
}
template <class T, class Dot>
void softmax_gradient(T* __restrict out, const T* __restrict y, const T* __restrict grad,
                      std::int64_t n, Dot dot) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = y[i] * (grad[i] - dot[i]);
}
template <class T, class Sum>
void log_softmax_gradient(T* __restrict out, const T* __restrict y, const T* __restrict grad,
                          std::int64_t n, Sum sum) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = grad[i] - math::exp_or_zero(y[i]) * sum[i];
}

/// Computes one row; `out` must not be the memory of another operand.
template <class T>
void softmax_row(SoftmaxOp op, T* out, const T* in, const T* grad, std::int64_t n) {
  if (op == SoftmaxOp::kSoftmaxBackward) {
    multiply(out, in, grad, n);
    softmax_gradient(out, in, grad, n, Same<T>{static_cast<T>(reduce_span<Sum>(out, n))});
    return;
  }
  if (op == SoftmaxOp::kLogSoftmaxBackward) {
    log_softmax_gradient(out, in, grad, n, Same<T>{static_cast<T>(reduce_span<Sum>(grad, n))});
    return;
  }
  // NaN need not win here: it makes the sum NaN, and with the sum every result.
  const Same<T> top{reduce_short_span<Larger>(in, n)};
  exp_of_difference(out, in, n, top);
  const auto sum = static_cast<T>(reduce_span<Sum>(out, n));
  if (op == SoftmaxOp::kSoftmax) {
    scale(out, n, Same<T>{T(1) / sum});
  } else {
    subtract(out, in, n, top, Same<T>{math::log(sum)});
  }
}

template <class T>
void raise(T* __restrict top, const T* __restrict in, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) top[i] = Larger::combine(top[i], in[i]);
}
template <class T, class U>
void add(T* __restrict sum, const U* __restrict terms, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) sum[i] += terms[i];
}

/// Sets sum[c] to the sum over j < n of the elements that terms(j) points to; sums only a few in T.
template <class T, class Terms>
void sum_columns(T* sum, std::int64_t n, std::int64_t columns, const Terms& terms) {
  double total[kSoftmaxColumns] = {};
  for (std::int64_t j = 0; j < n;) {
    T block[kSoftmaxColumns] = {};
    for (const std::int64_t end = std::min<std::int64_t>(j + 64, n); j < end; ++j) {
      add(block, terms(j), columns);
    }
    add(total, block, columns);
  }
  for (std::int64_t c = 0; c < columns; ++c) sum[c] = static_cast<T>(total[c]);
}

/// Computes a block of columns of one [n, inner] matrix, row by row.
template <class T>
void softmax_columns(SoftmaxOp op, T* out, const T* in, const T* grad, std::int64_t n,
                     std::int64_t inner, std::int64_t columns) {
  T top[kSoftmaxColumns], sum[kSoftmaxColumns], terms[kSoftmaxColumns];
  const auto for_each = [&](const auto& row) {
    for (std::int64_t i = 0; i < n * inner; i += inner) row(i);
  };
  if (op == SoftmaxOp::kSoftmaxBackward) {
    sum_columns(sum, n, columns, [&](std::int64_t j) {
      multiply(terms, in + j * inner, grad + j * inner, columns);
      return terms;
    });
    for_each([&](std::int64_t i) { softmax_gradient(out + i, in + i, grad + i, columns, sum); });
    return;
  }
  if (op == SoftmaxOp::kLogSoftmaxBackward) {
    sum_columns(sum, n, columns, [&](std::int64_t j) { return grad + j * inner; });
    for_each(
        [&](std::int64_t i) { log_softmax_gradient(out + i, in + i, grad + i, columns, sum); });
    return;
  }
  std::copy_n(in, columns, top);
  for_each([&](std::int64_t i) { raise(top, in + i, columns); });
  const bool is_log = op == SoftmaxOp::kLogSoftmax;
  sum_columns(sum, n, columns, [&](std::int64_t j) {
    T* const to = is_log ? terms : out + j * inner;
    exp_of_difference(to, in + j * inner, columns, top);
    return to;
  });
  for (std::int64_t c = 0; c < columns; ++c) sum[c] = is_log ? math::log(sum[c]) : T(1) / sum[c];
  if (is_log) {
    for_each([&](std::int64_t i) { subtract(out + i, in + i, columns, top, sum); });
  } else {
    for_each([&](std::int64_t i) { scale(out + i, columns, sum); });
  }
}

template <class T>
void softmax_typed(const SoftmaxArgs& args) {
  const auto in = static_cast<const T*>(args.in);
  const auto grad = static_cast<const T*>(args.grad != nullptr ? args.grad : args.in);
  const auto out = static_cast<T*>(args.out);
  const std::int64_t n = args.size, inner = args.inner;
  if (inner == 1) {
    parallel_for(0, args.outer, kSoftmaxGrain / n, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin * n; i < end * n; i += n) {
        softmax_row(args.op, out + i, in + i, grad + i, n);
      }
    });
    return;
  }
  const std::int64_t blocks = divide_up(inner, kSoftmaxColumns);
  parallel_for(0, args.outer * blocks, kSoftmaxGrain / (n * kSoftmaxColumns),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t block = begin; block < end; ++block) {
                   const std::int64_t column = block % blocks * kSoftmaxColumns;
                   const std::int64_t i = block / blocks * n * inner + column;
                   softmax_columns(args.op, out + i, in + i, grad + i, n, inner,
                                   std::min(kSoftmaxColumns, inner - column));
                 }
               });
}

void softmax(const SoftmaxArgs& args, KernelContext& context) {
  const auto run = [&](const SoftmaxArgs& wide) {
    visit_floating(wide.dtype, context,
                   [&](auto tag) { softmax_typed<typename decltype(tag)::type>(wide); });
  };
  run_widened_columns(args, &SoftmaxArgs::outer, &SoftmaxArgs::inner, run);
}

}  // namespace

void register_softmax(kernels::KernelTable& table) {
  kernels::set<kernels::SoftmaxArgs, softmax>(table);
}

}  // namespace tern::cpu
