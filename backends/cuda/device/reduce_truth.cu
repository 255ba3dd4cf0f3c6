#include <tern/backends/cuda/device/reduce.h>
#include <tern/core/kernels/math_dtype.h>

namespace tern::cuda::device {
namespace {

/// Finds out whether any element decides the result: a true one for any(), a false one for all().
template <class T>
struct Decide {
  using State = bool;
  const T* in;
  bool* out;
  bool decisive;

  __device__ bool identity() const { return false; }
  __device__ bool at(std::int64_t offset, std::int64_t, std::int64_t) const {
    return (in[offset] != T(0)) == decisive;
  }
  __device__ bool operator()(bool a, bool b) const { return a || b; }
  __device__ void store(std::int64_t, std::int64_t offset, bool found) const {
    out[offset] = found == decisive;
  }
};

}  // namespace

void reduce_truth(const ReduceArgs& args, KernelContext& context) {
  visit_math_dtype(args.in_dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    run_reduce(args, context,
               Decide<T>{static_cast<const T*>(args.in), static_cast<bool*>(args.out),
                         args.op == ReduceOp::kAny});
  });
}

}  // namespace tern::cuda::device
