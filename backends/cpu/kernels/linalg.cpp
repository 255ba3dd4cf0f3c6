// Instruction sets: baseline.

#include <atomic>
#include <new>

#include <tern/backends/cpu/kernels/linalg/factors.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/math/math_dtype.h>

namespace tern::cpu {
namespace {

using namespace kernels;

constexpr std::int64_t kLinalgGrain = 32768;  // multiplications

/// Returns the info of matrix `index`. Throws std::bad_alloc.
template <class T>
std::int64_t factor(const LinalgArgs& args, std::int64_t index) {
  switch (args.op) {
    case LinalgOp::kCholesky:
      return cholesky<T>(args, index);
    case LinalgOp::kLu:
      return lu<T>(args, index);
    case LinalgOp::kEigh:
      return eigh<T>(args, index);
    case LinalgOp::kSvd:
      return svd<T>(args, index);
    case LinalgOp::kQr:
      qr<T>(args, index);
      return 0;
    case LinalgOp::kTriangular:
      triangular<T>(args, index);
      return 0;
    default:
      return solve<T>(args, index);
  }
}

template <class T>
void linalg_typed(const LinalgArgs& args, KernelContext& context) {
  std::atomic<bool> out_of_memory = false;
  const std::int64_t work = args.m * args.n * (args.n + args.columns) + 1;
  parallel_for(0, args.batch, kLinalgGrain / work, [&](std::int64_t begin, std::int64_t end) {
    try {
      for (std::int64_t i = begin; i < end; ++i) args.info[i] = factor<T>(args, i);
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
