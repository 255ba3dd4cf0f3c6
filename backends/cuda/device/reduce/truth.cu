#include <tern/backends/cuda/device/reduce/reduce.h>
#include <tern/core/kernels/by_size.h>

namespace tern::cuda::device {
namespace {

/// Finds out whether any element decides the result: a true one for any(), a false one for all().
/// Looks at the bits of the elements only, so there is one kernel for each element size.
template <class Bits>
struct Decide {
  using State = bool;
  const Bits* in;
  bool* out;
  Bits counted;  // all bits but the sign of a floating number, because -0 is false
  bool decisive;

  __device__ bool identity() const { return false; }
  __device__ bool at(std::int64_t offset, std::int64_t, std::int64_t) const {
    return ((in[offset] & counted) != 0) == decisive;
  }
  __device__ bool operator()(bool a, bool b) const { return a || b; }
  __device__ void store(std::int64_t, std::int64_t offset, bool found) const {
    out[offset] = found == decisive;
  }
};

/// Counts the elements that are not 0.
template <class Bits>
struct Count {
  using State = std::int64_t;
  const Bits* in;
  std::int64_t* out;
  Bits counted;

  __device__ State identity() const { return 0; }
  __device__ State at(std::int64_t offset, std::int64_t, std::int64_t) const {
    return (in[offset] & counted) != 0 ? 1 : 0;
  }
  __device__ State operator()(State a, State b) const { return a + b; }
  __device__ void store(std::int64_t, std::int64_t offset, State count) const {
    out[offset] = count;
  }
};

}  // namespace

void reduce_truth(const ReduceArgs& args, KernelContext& context) {
  visit_size(element_size(args.in_dtype), [&](auto tag) {
    using Bits = typename decltype(tag)::type;
    constexpr Bits kAll = std::numeric_limits<Bits>::max();
    const auto counted = static_cast<Bits>(is_floating_point(args.in_dtype) ? kAll >> 1 : kAll);
    if (args.op == ReduceOp::kCount) {
      return run_reduce(args, context,
                        Count<Bits>{static_cast<const Bits*>(args.in),
                                    static_cast<std::int64_t*>(args.out), counted});
    }
    run_reduce(args, context,
               Decide<Bits>{static_cast<const Bits*>(args.in), static_cast<bool*>(args.out),
                            counted, args.op == ReduceOp::kAny});
  });
}

}  // namespace tern::cuda::device
