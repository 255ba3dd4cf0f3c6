#include <tern/backends/cuda/device/reduce/reduce.h>

namespace tern::cuda::device {
namespace {

template <class T>
struct Candidate {
  T value;
  std::int64_t position;
};

/// Finds the first of the largest or smallest elements. The first NaN beats all numbers.
template <class T>
struct FindExtreme {
  using State = Candidate<T>;
  Elements<T> in;
  std::int64_t* out;
  Elements<T> values;
  bool largest;

  __device__ bool beats(T a, T b) const { return (largest ? a > b : a < b) || (a != a && b == b); }
  __device__ State identity() const { return {last_choice<T>(largest), INT64_MAX}; }
  __device__ State at(std::int64_t offset, std::int64_t position, std::int64_t) const {
    return {in[offset], position};
  }
  __device__ State operator()(const State& a, const State& b) const {
    if (beats(a.value, b.value)) return a;
    return beats(b.value, a.value) || b.position < a.position ? b : a;
  }
  __device__ void store(std::int64_t, std::int64_t offset, const State& winner) const {
    out[offset] = winner.position;
    if (values.data != nullptr) values.set(offset, winner.value);
  }
};

}  // namespace

void reduce_arg(const ReduceArgs& args, KernelContext& context) {
  visit_reduced(args.in_dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    run_reduce(args, context,
               FindExtreme<T>{{args.in, args.in_dtype},
                              static_cast<std::int64_t*>(args.out),
                              {args.values, args.in_dtype},
                              args.op == ReduceOp::kArgmax});
  });
}

}  // namespace tern::cuda::device
