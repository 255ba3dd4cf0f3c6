#define EIGEN_DONT_PARALLELIZE  // the thread pool splits the batch

#include <atomic>
#include <cmath>
#include <new>

#include <tern/backends/cpu/kernels/linalg_factors.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/math_dtype.h>

namespace tern::cpu {
namespace {

using namespace kernels;

constexpr std::int64_t kLinalgGrain = 32768;  // multiplications

/// Returns the determinant, in double so that products of floats do not overflow on the way.
template <class T>
double determinant(const Eigen::PartialPivLU<RowMajor<T>>& lu) {
  double product = static_cast<double>(lu.permutationP().determinant());
  for (Eigen::Index i = 0; i < lu.rows(); ++i) {
    product *= static_cast<double>(lu.matrixLU()(i, i));
  }
  return product;
}

/// Returns the order of the smallest leading block that LLT refuses; it refuses all of `a`.
template <class T>
std::int64_t bad_minor(const Eigen::Map<const RowMajor<T>>& a) {
  Eigen::Index good = 0, bad = a.rows();
  while (bad - good > 1) {
    const Eigen::Index middle = good + (bad - good) / 2;
    const Eigen::LLT<RowMajor<T>> llt(a.topLeftCorner(middle, middle));
    (llt.info() == Eigen::Success ? good : bad) = middle;
  }
  return bad;
}

template <class T>
std::int64_t cholesky(const Eigen::Map<const RowMajor<T>>& a, Eigen::Map<RowMajor<T>> out) {
  out = a;
  const Eigen::LLT<Eigen::Ref<RowMajor<T>>> llt(out);
  if (llt.info() != Eigen::Success) return bad_minor<T>(a);
  // LLT lets NaN pass.
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    if (std::isnan(out(i, i))) return i + 1;
  }
  out.template triangularView<Eigen::StrictlyUpper>().setZero();
  return 0;
}

/// The ops of linalg_factors.h. Returns the info.
template <class T>
std::int64_t factor_one(const LinalgArgs& args, std::int64_t index) {
  switch (args.op) {
    case LinalgOp::kLu:
      return lu<T>(args, index);
    case LinalgOp::kEigh:
      return eigh<T>(args, index);
    case LinalgOp::kSvd:
      return svd<T>(args, index);
    case LinalgOp::kQr:
      qr<T>(args, index);
      return 0;
    default:
      triangular<T>(args, index);
      return 0;
  }
}

/// The matrices [begin, end) of the batch. Throws std::bad_alloc.
template <class T>
void factor(const LinalgArgs& args, std::int64_t begin, std::int64_t end) {
  if (args.op >= LinalgOp::kTriangular) {
    for (std::int64_t i = begin; i < end; ++i) args.info[i] = factor_one<T>(args, i);
    return;
  }
  const std::int64_t n = args.n, columns = args.columns;
  const auto in = static_cast<const T*>(args.a), b = static_cast<const T*>(args.b);
  const auto out = static_cast<T*>(args.out);
  Eigen::PartialPivLU<RowMajor<T>> lu(n);
  for (std::int64_t i = begin; i < end; ++i) {
    const Eigen::Map<const RowMajor<T>> a(in + i * n * n, n, n);
    if (args.op == LinalgOp::kCholesky) {
      args.info[i] = cholesky<T>(a, {out + i * n * n, n, n});
      continue;
    }
    lu.compute(a);
    args.info[i] = zero_pivot(lu.matrixLU());
    if (args.op == LinalgOp::kDeterminant) {
      out[i] = static_cast<T>(determinant<T>(lu));
    } else if (args.info[i] != 0) {
      continue;
    } else if (args.op == LinalgOp::kInverse) {
      Eigen::Map<RowMajor<T>>(out + i * n * n, n, n) = lu.inverse();
    } else if (columns != 0) {
      const Eigen::Map<const RowMajor<T>> right(b + i * n * columns, n, columns);
      Eigen::Map<RowMajor<T>>(out + i * n * columns, n, columns) = lu.solve(right);
    }
  }
}

template <class T>
void linalg_typed(const LinalgArgs& args, KernelContext& context) {
  std::atomic<bool> out_of_memory = false;
  const std::int64_t work = args.m * args.n * (args.n + args.columns) + 1;
  parallel_for(0, args.batch, kLinalgGrain / work, [&](std::int64_t begin, std::int64_t end) {
    try {
      factor<T>(args, begin, end);
    } catch (const std::bad_alloc&) {
      out_of_memory = true;
    }
  });
  if (out_of_memory) context.status = StatusCode::kOutOfMemory;
}

void linalg(const LinalgArgs& args, KernelContext& context) {
  visit_floating(args.dtype, context,
                 [&](auto tag) { linalg_typed<typename decltype(tag)::type>(args, context); });
}

}  // namespace

void register_linalg(kernels::KernelTable& table) {
  kernels::set<kernels::LinalgArgs, linalg>(table);
}

}  // namespace tern::cpu
