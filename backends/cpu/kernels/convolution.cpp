#include <tern/backends/cpu/kernels/convolution_pixel_weights.h>
#include <tern/backends/cpu/kernels/convolution_pixels.h>
#include <tern/backends/cpu/kernels/convolution_planes.h>
#include <tern/backends/cpu/kernels/convolution_weight.h>
#include <tern/backends/cpu/kernels/convolution_winograd.h>
#include <tern/backends/cpu/kernels/widen.h>
#include <tern/core/tensor/detail/allocator.h>

namespace tern::cpu {
namespace {

using kernels::ConvolutionOp;
using kernels::KernelContext;

/// Memory for one call, from the caching allocator.
template <class T>
class CallMemory {
 public:
  explicit CallMemory(std::int64_t count)
      : bytes_(static_cast<std::size_t>(count + 1) * sizeof(T)),
        data_(static_cast<T*>(tern::detail::allocator_of(kCPU).allocate(bytes_, 0))) {}
  ~CallMemory() { tern::detail::allocator_of(kCPU).deallocate(data_, bytes_, 0); }
  CallMemory(const CallMemory&) = delete;
  CallMemory& operator=(const CallMemory&) = delete;

  T* data() const { return data_; }

 private:
  std::size_t bytes_;
  T* data_;
};

bool is_depthwise(const ConvolutionArgs& args) { return args.inputs == 1 && args.outputs == 1; }

/// Where the weights of a phase of the gradient stand: a matrix [groups *
/// inputs, outputs, taps].
struct PhaseWeights {
  std::int64_t start, taps;
};

/// Sets the matrices of all phases. Weight k of the kernel belongs to the
/// matrix `phases[k]`, which begins at its first tap; start < 0: to none.
template <class T>
void turn_weights(T* to, const ConvolutionArgs& args, const PhaseWeights* phases) {
  const std::int64_t kernel = volume(args.kernel), outputs = args.outputs;
  const bool whole = phases[0].taps == kernel;
  const std::int64_t grain = (1 << 15) / (outputs * kernel + 1);
  parallel_for(0, args.groups * args.inputs, grain, [&](std::int64_t begin, std::int64_t end) {
    // A few rows at a time are written while the weights are read
    // in order.
    constexpr std::int64_t kRows = 16;
    for (std::int64_t first = begin; first < end;) {
      const std::int64_t group = first / args.inputs, channel = first % args.inputs;
      const std::int64_t count = std::min({end - first, kRows, args.inputs - channel});
      for (std::int64_t o = 0; o < outputs; ++o) {
        const T* from = static_cast<const T*>(args.weight) +
                        ((group * outputs + o) * args.inputs + channel) * kernel;
        for (std::int64_t i = first; i < first + count; ++i, from += kernel) {
          const std::int64_t place = i * outputs + o;
          if (whole && kernel > 1) {
            copy_run(to + place * kernel, from, kernel * std::int64_t{sizeof(T)});
            continue;
          }
          for (std::int64_t k = 0; k < kernel; ++k) {
            const PhaseWeights& phase = phases[k];
            if (phase.start >= 0) to[phase.start + place * phase.taps] = from[k];
          }
        }
      }
      first += count;
    }
  });
}

/// Sets every element to the bias of its channel, or to 0.
template <class T>
void fill_planes(const ConvolutionArgs& args) {
  const std::int64_t size = volume(args.in), channels = args.groups * args.inputs;
  const auto bias = static_cast<const T*>(args.bias);
  T* const out = static_cast<T*>(args.out);
  parallel_for(0, args.batch * channels, (1 << 15) / size,
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i) {
                   std::fill_n(out + i * size, size, bias == nullptr ? T(0) : bias[i % channels]);
                 }
               });
}

template <class Product, class T>
bool run_product(Product& product, const ConvolutionArgs& args, const T* weights, bool forward) {
  product.batch = args.batch;
  product.groups = args.groups;
  product.rows = forward ? args.outputs : args.inputs;
  product.channels = forward ? args.inputs : args.outputs;
  product.a = weights;
  product.in = static_cast<const T*>(forward ? args.input : args.gradient);
  product.bias = static_cast<const T*>(args.bias);
  product.out = static_cast<T*>(args.out);
  return product.run();
}

template <class T>
bool sum_taps(const ConvolutionArgs& args, const Stencil& s, const T* weights, bool forward) {
  const std::int64_t rows = forward ? args.outputs : args.inputs;
  const std::int64_t channels = forward ? args.inputs : args.outputs;
  if constexpr (std::is_same_v<T, float>) {
    if (WinogradProduct::suits(s, args.batch, rows, channels)) {
      const CallMemory<float> memory(WinogradProduct::kPoints * args.groups * rows * channels);
      WinogradProduct product(s);
      product.transformed = memory.data();
      return run_product(product, args, weights, forward);
    }
  }
  StencilProduct<T> product(s);
  return run_product(product, args, weights, forward);
}

template <class T>
bool input_gradient(const ConvolutionArgs& args, Tap* taps) {
  const std::int64_t kernel = volume(args.kernel),
                     matrix = args.groups * args.inputs * args.outputs;
  const CallMemory<PhaseWeights> phases(kernel);
  std::fill_n(phases.data(), kernel, PhaseWeights{-1, 0});
  std::int64_t before = 0;
  const bool covers = each_gradient_stencil(args, taps, [&](const Stencil& s) {
    for (std::int64_t t = 0; t < s.count; ++t) {
      phases.data()[s.taps[t].weight] = {before * matrix + t, s.count};
    }
    before += s.count;
  });
  if (!covers) fill_planes<T>(args);
  const CallMemory<T> turned(matrix * before);
  turn_weights(turned.data(), args, phases.data());
  const T* weights = turned.data();
  bool done = true;
  each_gradient_stencil(args, taps, [&](const Stencil& s) {
    done = sum_taps(args, s, weights, false) && done;
    weights += matrix * s.count;
  });
  return done;
}

/// Computes a depthwise convolution of row-major tensors.
template <class T>
bool convolve_planes(const ConvolutionArgs& args, Tap* taps) {
  const CallMemory<Stencil> stencils(volume(args.kernel));
  std::int64_t phases = 0;
  if (args.op != ConvolutionOp::kInputGradient) {
    stencils.data()[phases++] = forward_stencil(args, taps);
    const DepthwisePlanes<T> planes{args, stencils.data(), phases, true};
    if (args.op == ConvolutionOp::kForward) return planes.sum(static_cast<const T*>(args.input));
    const CallMemory<T> parts(planes.parts_size());
    return planes.weight_gradient(parts.data());
  }
  const bool covers =
      each_gradient_stencil(args, taps, [&](const Stencil& s) { stencils.data()[phases++] = s; });
  if (phases == 0) {
    fill_planes<T>(args);
    return true;
  }
  const DepthwisePlanes<T> planes{args, stencils.data(), phases, covers};
  return planes.sum(static_cast<const T*>(args.gradient));
}

/// Calls sum(s) for the stencil of each phase of the gradient of a channels-last input, and sets
/// the pixels of no phase. Returns false if a call did.
template <class T, class Sum>
bool each_phase(const ConvolutionArgs& args, Tap* taps, const Sum& sum) {
  const bool covers = each_gradient_stencil(args, taps, [](const Stencil&) {});
  const std::int64_t channels = args.groups * args.inputs;
  const auto bias = static_cast<const T*>(args.bias);
  T* const out = static_cast<T*>(args.out);
  for (std::int64_t i = 0; !covers && i < args.batch * volume(args.in); ++i) {
    for (std::int64_t c = 0; c < channels; ++c) {
      out[i * channels + c] = bias == nullptr ? T(0) : bias[c];
    }
  }
  bool done = true;
  each_gradient_stencil(args, taps, [&](const Stencil& s) { done = sum(s) && done; });
  return done;
}

/// Computes a depthwise convolution of channels-last tensors.
template <class T>
bool convolve_depthwise(const ConvolutionArgs& args, Tap* taps) {
  const std::int64_t kernel = volume(args.kernel), groups = args.groups;
  const auto in = static_cast<const T*>(args.input);
  const auto gradient = static_cast<const T*>(args.gradient);
  T* const out = static_cast<T*>(args.out);
  if (args.op == ConvolutionOp::kWeightGradient) {
    const Stencil s = forward_stencil(args, taps);
    const DepthwiseChannelsLast<T> product{s, args.batch, groups};
    const CallMemory<T> parts(product.parts_size());
    product.weight_gradient(in, gradient, parts.data(), out);
    return true;
  }
  const CallMemory<T> turned(kernel * groups);
  for (std::int64_t g = 0; g < groups; ++g) {
    for (std::int64_t k = 0; k < kernel; ++k) {
      turned.data()[k * groups + g] = static_cast<const T*>(args.weight)[g * kernel + k];
    }
  }
  const auto bias = static_cast<const T*>(args.bias);
  if (args.op == ConvolutionOp::kForward) {
    const Stencil s = forward_stencil(args, taps);
    return DepthwiseChannelsLast<T>{s, args.batch, groups}.sum(in, turned.data(), bias, out);
  }
  return each_phase<T>(args, taps, [&](const Stencil& s) {
    const DepthwiseChannelsLast<T> phase{s, args.batch, groups};
    return phase.sum(gradient, turned.data(), bias, out);
  });
}

/// Computes a convolution of channels-last tensors.
template <class T>
bool convolve_channels_last(const ConvolutionArgs& args, Tap* taps) {
  if (is_depthwise(args)) return convolve_depthwise<T>(args, taps);
  const std::int64_t kernel = volume(args.kernel);
  if (args.op == ConvolutionOp::kWeightGradient) {
    const Stencil s = forward_stencil(args, taps);
    PixelWeightGradient<T> gradient(s);
    gradient.batch = args.batch;
    gradient.groups = args.groups;
    gradient.outputs = args.outputs;
    gradient.channels = args.inputs;
    gradient.in = static_cast<const T*>(args.input);
    gradient.gradient = static_cast<const T*>(args.gradient);
    gradient.out = static_cast<T*>(args.out);
    return gradient.run();
  }
  const bool forward = args.op == ConvolutionOp::kForward;
  const auto sum = [&](const Stencil& s) {
    PixelProduct<T> product(s);
    product.batch = args.batch;
    product.groups = args.groups;
    product.rows = forward ? args.outputs : args.inputs;
    product.channels = forward ? args.inputs : args.outputs;
    product.weights = static_cast<const T*>(args.weight);
    product.w_group = args.outputs * kernel * args.inputs;
    product.w_tap = args.inputs;
    product.w_row = forward ? kernel * args.inputs : 1;
    product.w_channel = forward ? 1 : kernel * args.inputs;
    product.in = static_cast<const T*>(forward ? args.input : args.gradient);
    product.bias = static_cast<const T*>(args.bias);
    product.out = static_cast<T*>(args.out);
    return product.run();
  };
  return forward ? sum(forward_stencil(args, taps)) : each_phase<T>(args, taps, sum);
}

template <class T>
bool convolve(const ConvolutionArgs& args) {
  const CallMemory<Tap> taps(volume(args.kernel));
  if (args.channels_last != 0) return convolve_channels_last<T>(args, taps.data());
  if (is_depthwise(args)) return convolve_planes<T>(args, taps.data());
  if (args.op == ConvolutionOp::kWeightGradient) {
    return WeightGradient<T>(args, forward_stencil(args, taps.data())).run();
  }
  if (args.op == ConvolutionOp::kForward) {
    const Stencil s = forward_stencil(args, taps.data());
    return sum_taps(args, s, static_cast<const T*>(args.weight), true);
  }
  return input_gradient<T>(args, taps.data());
}

void convolution(const ConvolutionArgs& args, KernelContext& context) {
  const auto run = [&](const ConvolutionArgs& wide) {
    kernels::visit_floating(wide.dtype, context, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if (!convolve<T>(wide)) context.status = kernels::StatusCode::kOutOfMemory;
    });
  };
  run_widened(args, run);
}

}  // namespace

void register_convolution(kernels::KernelTable& table) {
  kernels::set<ConvolutionArgs, convolution>(table);
}

}  // namespace tern::cpu
