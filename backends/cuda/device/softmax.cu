#include <limits>

#include <tern/backends/cuda/device/support/block_reduce.h>
#include <tern/backends/cuda/device/support/elements.h>
#include <tern/core/kernels/families/softmax.h>
#include <tern/core/kernels/math/math.h>

namespace tern::cuda::device {
namespace {

template <class T>
struct Exponentials {
  T largest, sum;  // the largest x so far; the sum of e^(x - largest)
};

// Computes the result from the inputs, which have type S in memory. One pass suffices for the sum:
// a new largest element rescales it.
template <class S, bool kLog>
struct Forward {
  using T = MathType<S>;
  using State = Exponentials<T>;
  const S* in;
  S* out;

  __device__ State identity() const { return {std::numeric_limits<T>::lowest(), 0}; }
  __device__ State add(const State& state, std::int64_t at) const {
    const T x = widened<T>(in[at]);
    if (!(x > state.largest)) return {state.largest, state.sum + shrink(x, state.largest)};
    return {x, state.sum * shrink(state.largest, x) + (T(1) + (x - x))};  // NaN for infinite x
  }
  __device__ State operator()(const State& a, const State& b) const {
    const T largest = a.largest > b.largest ? a.largest : b.largest;
    return {largest, a.sum * shrink(a.largest, largest) + b.sum * shrink(b.largest, largest)};
  }
  __device__ State finish(const State& state) const {
    return {state.largest, kLog ? math::log(state.sum) : T(1) / state.sum};
  }
  __device__ void store(const State& state, std::int64_t at) const {
    const T x = widened<T>(in[at]);
    out[at] =
        narrowed<S>(kLog ? x - state.largest - state.sum : shrink(x, state.largest) * state.sum);
  }
  __device__ static T shrink(T x, T largest) { return math::exp_or_zero(x - largest); }
};

// Computes the input's gradient from the forward result and the result's gradient.
template <class S, bool kLog>
struct Backward {
  using T = MathType<S>;
  using State = T;
  const S* in;
  const S* grad;
  S* out;

  __device__ T identity() const { return 0; }
  __device__ T add(T sum, std::int64_t at) const {
    const T g = widened<T>(grad[at]);
    return sum + (kLog ? g : g * widened<T>(in[at]));
  }
  __device__ T operator()(T a, T b) const { return a + b; }
  __device__ T finish(T sum) const { return sum; }
  __device__ void store(T sum, std::int64_t at) const {
    const T g = widened<T>(grad[at]), y = widened<T>(in[at]);
    out[at] = narrowed<S>(kLog ? g - math::exp_or_zero(y) * sum : y * (g - sum));
  }
};

/// One team per row. It reads the row twice: to sum, and (now from the cache) to write.
template <class Form>
__global__ void __launch_bounds__(kThreads)
    softmax_kernel(std::int64_t rows, std::int64_t size, std::int64_t inner, Teams teams,
                   Form form) {
  const std::int64_t row = teams.row();
  const std::int64_t start = row / inner * size * inner + row % inner;
  const std::int64_t last = row < rows ? start + size * inner : start;
  const std::int64_t first = start + teams.member() * inner, step = teams.size * inner;
  auto state = form.identity();
#pragma unroll 4
  for (std::int64_t at = first; at < last; at += step) state = form.add(state, at);
  state = form.finish(team_reduce(teams, state, form));
#pragma unroll 4
  for (std::int64_t at = first; at < last; at += step) form.store(state, at);
}

template <class Form>
void run(const SoftmaxArgs& args, KernelContext& context, const Form& form) {
  const std::int64_t rows = args.outer * args.inner;
  const Teams teams =
      args.inner == 1 ? row_teams(rows, args.size) : column_teams(args.inner, args.size);
  launch(context, softmax_kernel<Form>, teams.blocks(rows), kThreads, rows, args.size, args.inner,
         teams, form);
}

template <class S>
void run_op(const SoftmaxArgs& args, KernelContext& context) {
  const auto in = static_cast<const S*>(args.in);
  const auto grad = static_cast<const S*>(args.grad);
  const auto out = static_cast<S*>(args.out);
  switch (args.op) {
    case SoftmaxOp::kSoftmax:
      return run(args, context, Forward<S, false>{in, out});
    case SoftmaxOp::kLogSoftmax:
      return run(args, context, Forward<S, true>{in, out});
    case SoftmaxOp::kSoftmaxBackward:
      return run(args, context, Backward<S, false>{in, grad, out});
    case SoftmaxOp::kLogSoftmaxBackward:
      return run(args, context, Backward<S, true>{in, grad, out});
  }
}

void softmax(const SoftmaxArgs& args, KernelContext& context) {
  visit_all_floating(args.dtype, context,
                     [&](auto tag) { run_op<typename decltype(tag)::type>(args, context); });
}

}  // namespace

void register_softmax(KernelTable& table) { set<SoftmaxArgs, softmax>(table); }

}  // namespace tern::cuda::device
