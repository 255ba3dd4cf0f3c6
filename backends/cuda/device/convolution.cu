// Spills registers.

#include <cstdint>

#include <tern/backends/cuda/device/cudnn/convolution.h>
#include <tern/backends/cuda/device/support/block_reduce.h>
#include <tern/backends/cuda/device/support/elements.h>
#include <tern/core/kernels/families/convolution.h>

// Convolution by cuDNN where it is installed. Direct kernels, the fallback for every shape: each
// thread sums the products of one element, or of its part of one weight.

namespace tern::cuda::device {
namespace {

/// Three indices of the element `number` of a volume.
struct Position {
  std::int64_t at[3];

  __device__ Position(std::int64_t number, const std::int64_t* extents)
      : at{number / extents[2] / extents[1], number / extents[2] % extents[1],
           number % extents[2]} {}
};

/// Returns the number of the element of x that position p of y multiplies by weight k; -1 if it is
/// one of the zeros around x.
__device__ inline std::int64_t input_element(const ConvolutionArgs& args, const Position& p,
                                             const Position& k) {
  std::int64_t number = 0;
  for (int d = 0; d < 3; ++d) {
    const std::int64_t at = p.at[d] * args.stride[d] - args.padding[d] + k.at[d] * args.dilation[d];
    if (at < 0 || at >= args.in[d]) return -1;
    number = number * args.in[d] + at;
  }
  return number;
}

/// Returns the number of the element of y that weight k adds position p of x to; -1 if there is
/// none.
__device__ inline std::int64_t output_element(const ConvolutionArgs& args, const Position& p,
                                              const Position& k) {
  std::int64_t number = 0;
  for (int d = 0; d < 3; ++d) {
    const std::int64_t at = p.at[d] + args.padding[d] - k.at[d] * args.dilation[d];
    const std::int64_t out = at / args.stride[d];
    if (at < 0 || at % args.stride[d] != 0 || out >= args.out_sizes[d]) return -1;
    number = number * args.out_sizes[d] + out;
  }
  return number;
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    convolution_forward_kernel(ConvolutionArgs args, std::int64_t count) {
  const Elements<T> x{args.input, args.dtype}, w{args.weight, args.dtype};
  const Elements<T> bias{args.bias, args.dtype}, out{args.out, args.dtype};
  const std::int64_t channels = args.groups * args.outputs, taps = volume(args.kernel);
  const std::int64_t stride = std::int64_t{gridDim.x} * kThreads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x; i < count; i += stride) {
    const std::int64_t size = volume(args.out_sizes), o = i / size % channels;
    const std::int64_t first = (i / size / channels * args.groups + o / args.outputs) * args.inputs;
    const Position p(i % size, args.out_sizes);
    T sum = args.bias == nullptr ? T(0) : bias[o];
    for (std::int64_t k = 0; k < taps; ++k) {
      const std::int64_t at = input_element(args, p, Position(k, args.kernel));
      if (at < 0) continue;
      for (std::int64_t c = 0; c < args.inputs; ++c) {
        sum += w[(o * args.inputs + c) * taps + k] * x[(first + c) * volume(args.in) + at];
      }
    }
    out.set(i, sum);
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    convolution_input_gradient_kernel(ConvolutionArgs args, std::int64_t count) {
  const Elements<T> y{args.gradient, args.dtype}, w{args.weight, args.dtype};
  const Elements<T> bias{args.bias, args.dtype}, out{args.out, args.dtype};
  const std::int64_t channels = args.groups * args.inputs, taps = volume(args.kernel);
  const std::int64_t stride = std::int64_t{gridDim.x} * kThreads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x; i < count; i += stride) {
    const std::int64_t size = volume(args.in), channel = i / size % channels;
    const std::int64_t group = channel / args.inputs, c = channel % args.inputs;
    const std::int64_t first = (i / size / channels * args.groups + group) * args.outputs;
    const Position p(i % size, args.in);
    T sum = args.bias == nullptr ? T(0) : bias[channel];
    for (std::int64_t k = 0; k < taps; ++k) {
      const std::int64_t at = output_element(args, p, Position(k, args.kernel));
      if (at < 0) continue;
      for (std::int64_t o = 0; o < args.outputs; ++o) {
        sum += w[((group * args.outputs + o) * args.inputs + c) * taps + k] *
               y[(first + o) * volume(args.out_sizes) + at];
      }
    }
    out.set(i, sum);
  }
}

/// A team of threads per weight.
template <class T>
__global__ void __launch_bounds__(kThreads)
    convolution_weight_gradient_kernel(ConvolutionArgs args, Teams teams, std::int64_t count) {
  const Elements<T> x{args.input, args.dtype}, y{args.gradient, args.dtype};
  const std::int64_t weight = teams.row(), taps = volume(args.kernel);
  const std::int64_t size = volume(args.out_sizes);
  T sum = 0;
  if (weight < count) {
    const std::int64_t o = weight / taps / args.inputs, c = weight / taps % args.inputs;
    const std::int64_t channel = o / args.outputs * args.inputs + c;
    const Position k(weight % taps, args.kernel);
    for (std::int64_t i = teams.member(); i < args.batch * size; i += teams.size) {
      const std::int64_t n = i / size, p = i % size;
      const std::int64_t at = input_element(args, Position(p, args.out_sizes), k);
      if (at < 0) continue;
      sum += x[(n * args.groups * args.inputs + channel) * volume(args.in) + at] *
             y[(n * args.groups * args.outputs + o) * size + p];
    }
  }
  sum = team_reduce(teams, sum, [](T a, T b) { return a + b; });
  if (weight < count && teams.member() == 0) Elements<T>{args.out, args.dtype}.set(weight, sum);
}

template <class T>
void convolve(const ConvolutionArgs& args, KernelContext& context) {
  const bool forward = args.op == ConvolutionOp::kForward;
  if (args.op == ConvolutionOp::kWeightGradient) {
    const std::int64_t count = args.groups * args.outputs * args.inputs * volume(args.kernel);
    const Teams teams = row_teams(count, args.batch * volume(args.out_sizes));
    launch(context, convolution_weight_gradient_kernel<T>, teams.blocks(count), kThreads, args,
           teams, count);
    return;
  }
  const std::int64_t count =
      args.batch * args.groups *
      (forward ? args.outputs * volume(args.out_sizes) : args.inputs * volume(args.in));
  launch(context, forward ? convolution_forward_kernel<T> : convolution_input_gradient_kernel<T>,
         blocks_for(count, kThreads), kThreads, args, count);
}

/// Adds the bias of each row's channel to the row. A team of threads per row.
template <class T>
__global__ void __launch_bounds__(kThreads)
    convolution_bias_kernel(Elements<T> out, Elements<T> bias, Teams teams, std::int64_t rows,
                            std::int64_t channels, std::int64_t size) {
  const std::int64_t row = teams.row();
  if (row >= rows) return;
  const T term = bias[row % channels];
  for (std::int64_t i = teams.member(); i < size; i += teams.size) {
    out.set(row * size + i, out[row * size + i] + term);
  }
}

template <class T>
void add_convolution_bias(const ConvolutionArgs& args, KernelContext& context) {
  const bool forward = args.op == ConvolutionOp::kForward;
  const std::int64_t channels = args.groups * (forward ? args.outputs : args.inputs);
  const std::int64_t rows = args.batch * channels,
                     size = volume(forward ? args.out_sizes : args.in);
  const Teams teams = row_teams(rows, size);
  launch(context, convolution_bias_kernel<T>, teams.blocks(rows), kThreads,
         Elements<T>{args.out, args.dtype}, Elements<T>{args.bias, args.dtype}, teams, rows,
         channels, size);
}

void convolution(const ConvolutionArgs& args, KernelContext& context) {
  const bool queued = cudnn::convolve(args, context);
  if (queued && args.bias == nullptr) return;
  visit_floating(math_dtype(args.dtype), context, [&](auto tag) {
    using T = typename decltype(tag)::type;
    queued ? add_convolution_bias<T>(args, context) : convolve<T>(args, context);
  });
}

}  // namespace

void register_convolution(KernelTable& table) { set<ConvolutionArgs, convolution>(table); }

}  // namespace tern::cuda::device
