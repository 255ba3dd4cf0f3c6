#include <tern/backends/cuda/device/reduce/loops.h>
#include <tern/backends/cuda/device/support/normalize.h>
#include <tern/core/kernels/families/batch_norm.h>

// Both directions take two passes. The first sums over each channel, and the last thread of a
// channel turns the sums into the numbers of Channel. The second walks over all elements and
// applies these numbers.

namespace tern::cuda::device {
namespace {

// S is the type of the elements in memory.

/// The numbers that the elements of one channel need.
/// Forward:  out = (in - mean) scale + shift.
/// Backward: grad_in = (grad - shift - (in - mean) slope) scale.
template <class T>
struct alignas(16) Channel {
  Center<T> mean;
  T scale, shift, slope;
};

template <class S>
struct Forward {
  using T = MathType<S>;
  BatchNormArgs args;
  Channel<T>* channels;

  __device__ void prepare(std::int64_t c, double mean, double variance) const {
    const double rstd = 1 / ::sqrt(variance + args.eps);
    channels[c] = {Center<T>(mean), static_cast<T>(rstd * affine<S>(args.weight, c, 1)),
                   affine<S>(args.bias, c, 0), 0};
  }
  __device__ void prepare(std::int64_t c) const { prepare(c, args.mean[c], args.variance[c]); }
  __device__ S* out() const { return static_cast<S*>(args.out); }
  __device__ S element(std::int64_t i, const Channel<T>& channel) const {
    const T x = channel.mean(element_of<S>(args.in, i));
    return narrowed<S>(x * channel.scale + channel.shift);
  }
};

template <class S>
struct Backward {
  using T = MathType<S>;
  BatchNormArgs args;
  Channel<T>* channels;

  __device__ double rstd(std::int64_t c) const { return 1 / ::sqrt(args.variance[c] + args.eps); }
  __device__ void prepare(std::int64_t c, double shift = 0, double slope = 0) const {
    channels[c] = {Center<T>(args.mean[c]), static_cast<T>(rstd(c) * affine<S>(args.weight, c, 1)),
                   static_cast<T>(shift), static_cast<T>(slope)};
  }
  __device__ S* out() const { return static_cast<S*>(args.grad_in); }
  __device__ S element(std::int64_t i, const Channel<T>& channel) const {
    const T x = channel.mean(element_of<S>(args.in, i)), grad = element_of<S>(args.grad, i);
    // With fixed statistics the slope is 0, and x may be infinite or NaN.
    return narrowed<S>((grad - channel.shift - (channel.slope == 0 ? T(0) : x * channel.slope)) *
                       channel.scale);
  }
};

/// Computes mean and variance of each channel.
template <class S>
struct ForwardSums : AddPairs {
  using State = Pair<double>;
  Forward<S> forward;

  explicit ForwardSums(const Forward<S>& direction) : forward(direction) {}
  __device__ double in(std::int64_t i) const { return element_of<S>(forward.args.in, i); }
  // The value that is subtracted before summing. Distances from an infinite or NaN first element
  // would be infinite or NaN, so 0 replaces such an element.
  __device__ double about(std::int64_t c) const {
    const double first = in(c * forward.args.inner);
    return first - first == 0 ? first : 0;
  }
  __device__ State identity() const { return {0, 0}; }
  __device__ State at(std::int64_t offset, std::int64_t, std::int64_t c) const {
    return moment_term(in(offset), about(c));
  }
  __device__ void store(std::int64_t c, std::int64_t, const State& sums) const {
    const BatchNormArgs& args = forward.args;
    const auto [mean, variance] = moments(sums, about(c), args.outer * args.inner);
    args.mean[c] = mean;
    args.variance[c] = variance;
    forward.prepare(c, mean, variance);
  }
};

/// Sums grad (in - mean) and grad of each channel.
template <class S>
struct BackwardSums : AddPairs {
  using T = MathType<S>;
  using State = Pair<T>;
  Backward<S> backward;

  explicit BackwardSums(const Backward<S>& direction) : backward(direction) {}
  __device__ State identity() const { return {0, 0}; }
  __device__ State at(std::int64_t offset, std::int64_t, std::int64_t c) const {
    const BatchNormArgs& args = backward.args;
    const T grad = element_of<S>(args.grad, offset);
    return {grad * Center<T>(args.mean[c])(element_of<S>(args.in, offset)), grad};
  }
  __device__ void store(std::int64_t c, std::int64_t, const State& sums) const {
    const BatchNormArgs& args = backward.args;
    const double rstd = backward.rstd(c), product = rstd * sums.first, sum = sums.second;
    if (args.grad_weight != nullptr) {
      static_cast<S*>(args.grad_weight)[c] = narrowed<S>(static_cast<T>(product));
    }
    if (args.grad_bias != nullptr) {
      static_cast<S*>(args.grad_bias)[c] = narrowed<S>(static_cast<T>(sum));
    }
    const auto n = static_cast<double>(args.outer * args.inner);
    if (args.training != 0)
      backward.prepare(c, sum / n, rstd * product / n);
    else
      backward.prepare(c);
  }
};

/// Fills the channels when no sums are needed; one thread per channel.
template <class Direction>
__global__ void __launch_bounds__(kThreads) prepare_kernel(Direction direction) {
  const std::int64_t c = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (c < direction.args.channels) direction.prepare(c);
}

constexpr int kPerThread = 4;

/// Writes all elements. A thread takes kPerThread elements, kThreads apart, and reads all of them
/// before it writes, so that it waits for memory only once.
template <class S, class Direction>
__global__ void __launch_bounds__(kThreads)
    element_kernel(Direction direction, StridedIndex<1> channels) {
  const std::int64_t first = std::int64_t{blockIdx.x} * (kThreads * kPerThread) + threadIdx.x;
  std::int64_t channel[kPerThread][1];  // beyond the end, of no use
  channels.offsets(first, std::int64_t{kThreads}, channel);
  S results[kPerThread];
#pragma unroll
  for (int k = 0; k < kPerThread; ++k) {
    const std::int64_t i = first + k * std::int64_t{kThreads};
    if (i < channels.count) {
      results[k] = direction.element(i, direction.channels[channel[k][0]]);
    }
  }
#pragma unroll
  for (int k = 0; k < kPerThread; ++k) {
    const std::int64_t i = first + k * std::int64_t{kThreads};
    if (i < channels.count) direction.out()[i] = results[k];
  }
}

template <class S, class Sums, class Direction>
void run(const BatchNormArgs& args, KernelContext& context, const Direction& direction,
         bool needs_sums, bool needs_elements) {
  if (needs_sums) {
    StridedIndex<2> channels;
    channels.add_dim(args.channels, {args.inner, 1});
    StridedIndex<1> reduced;
    reduced.add_dim(args.outer, {args.channels * args.inner});
    reduced.add_dim(args.inner, {1});
    run_reduction(context, channels, reduced, Sums(direction));
  } else {
    launch(context, prepare_kernel<Direction>, blocks_for(args.channels, kThreads), kThreads,
           direction);
  }
  if (!needs_elements) return;
  StridedIndex<1> channels;  // maps an element to the index of its channel
  channels.add_dim(args.outer, {0});
  channels.add_dim(args.channels, {1});
  channels.add_dim(args.inner, {0});
  launch(context, element_kernel<S, Direction>, blocks_for(channels.count, kThreads * kPerThread),
         kThreads, direction, channels);
}

template <class S>
void run_op(const BatchNormArgs& args, KernelContext& context) {
  const Scratch scratch(context,
                        sizeof(Channel<MathType<S>>) * static_cast<std::size_t>(args.channels));
  Channel<MathType<S>>* const channels = scratch.template get<Channel<MathType<S>>>();
  const bool training = args.training != 0;
  if (args.op == BatchNormOp::kForward) {
    return run<S, ForwardSums<S>>(args, context, Forward<S>{args, channels}, training,
                                  args.out != nullptr);
  }
  const bool needs_sums = training || args.grad_weight != nullptr || args.grad_bias != nullptr;
  run<S, BackwardSums<S>>(args, context, Backward<S>{args, channels}, needs_sums,
                          args.grad_in != nullptr);
}

void batch_norm(const BatchNormArgs& args, KernelContext& context) {
  visit_all_floating(args.dtype, context,
                     [&](auto tag) { run_op<typename decltype(tag)::type>(args, context); });
}

}  // namespace

void register_batch_norm(KernelTable& table) { set<BatchNormArgs, batch_norm>(table); }

}  // namespace tern::cuda::device
