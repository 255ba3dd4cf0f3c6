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
void turn_weights(float* to, const ConvolutionArgs& args, const PhaseWeights* phases) {
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
        const float* from = static_cast<const float*>(args.weight) +
                            ((group * outputs + o) * args.inputs + channel) * kernel;
        for (std::int64_t i = first; i < first + count; ++i, from += kernel) {
          const std::int64_t place = i * outputs + o;
          if (whole && kernel > 1) {
            copy_run(to + place * kernel, from, kernel * std::int64_t{sizeof(float)});
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

bool sum_taps(const ConvolutionArgs& args, const Stencil& s, const float* weights, bool forward) {
  StencilProduct<float> product(s);
  product.batch = args.batch;
  product.groups = args.groups;
  product.rows = forward ? args.outputs : args.inputs;
  product.channels = forward ? args.inputs : args.outputs;
  product.a = weights;
  product.in = static_cast<const float*>(forward ? args.input : args.gradient);
  product.bias = static_cast<const float*>(args.bias);
  product.out = static_cast<float*>(args.out);
  return product.run();
}

bool input_gradient(const ConvolutionArgs& args, Tap* taps) {
  const std::int64_t kernel = volume(args.kernel);
  const std::int64_t matrix = args.groups * args.inputs * args.outputs;
  const CallMemory<PhaseWeights> phases(kernel);
  std::fill_n(phases.data(), kernel, PhaseWeights{-1, 0});
  std::int64_t before = 0;
  const bool covers = each_gradient_stencil(args, taps, [&](const Stencil& s) {
    for (std::int64_t t = 0; t < s.count; ++t) {
      phases.data()[s.taps[t].weight] = {before * matrix + t, s.count};
    }
    before += s.count;
  });
  if (!covers) fill_planes<float>(args);
  const CallMemory<float> turned(matrix * before);
  turn_weights(turned.data(), args, phases.data());
  const float* weights = turned.data();
  bool done = true;
  each_gradient_stencil(args, taps, [&](const Stencil& s) {
    done = sum_taps(args, s, weights, false) && done;
    weights += matrix * s.count;
  });
  return done;
}

/// Computes a convolution of row-major tensors without copies.
bool convolve_in_place(const ConvolutionArgs& args, Tap* taps) {
  if (args.op == ConvolutionOp::kInputGradient) return input_gradient(args, taps);
  const Stencil s = forward_stencil(args, taps);
  if (args.op == ConvolutionOp::kWeightGradient) return WeightGradient<float>(args, s).run();
  return sum_taps(args, s, static_cast<const float*>(args.weight), true);
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

/// Sets the operands of a product of channels-last tensors.
template <class Product>
void set_operands(Product& product, const ConvolutionArgs& args, bool forward) {
  using T = std::remove_pointer_t<decltype(product.out)>;
  const std::int64_t kernel = volume(args.kernel);
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
}

/// Computes a convolution of channels-last tensors.
template <class T>
bool convolve_channels_last(const ConvolutionArgs& args, Tap* taps) {
  if (is_depthwise(args)) return convolve_depthwise<T>(args, taps);
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
    if constexpr (std::is_same_v<T, float>) {
      if (Winograd::suits(s, args.batch, forward ? args.outputs : args.inputs,
                          forward ? args.inputs : args.outputs)) {
        WinogradProduct product(s);
        set_operands(product, args, forward);
        const CallMemory<float> memory(product.transformed_size());
        product.transformed = memory.data();
        return product.run();
      }
    }
    PixelProduct<T> product(s);
    set_operands(product, args, forward);
    return product.run();
  };
  return forward ? sum(forward_stencil(args, taps)) : each_phase<T>(args, taps, sum);
}

/// Sets to[n, c, r] = from[n, r, c].
template <class T>
void swap_layout(T* to, const T* from, std::int64_t count, std::int64_t rows,
                 std::int64_t columns) {
  constexpr std::int64_t kWidth = Simd<T>::kWidth;
  const std::int64_t strips = divide_up(rows, kWidth);
  parallel_for(0, count * strips, (1 << 15) / (columns * kWidth),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i) {
                   const std::int64_t row = i % strips * kWidth, n = i / strips * rows * columns;
                   T* const target = to + n + row;
                   const T* const source = from + n + row * columns;
                   const std::int64_t lines = std::min(kWidth, rows - row);
                   if (lines == kWidth) {
                     pack<T, kWidth>(target, rows, source, columns, 1, kWidth, columns);
                     continue;
                   }
                   for (std::int64_t c = 0; c < columns; ++c) {
                     for (std::int64_t l = 0; l < lines; ++l) {
                       target[c * rows + l] = source[l * columns + c];
                     }
                   }
                 }
               });
}

/// Returns true if a convolution of row-major float32 tensors is faster in channels-last copies.
bool is_worth_copies(const ConvolutionArgs& args) {
  constexpr std::int64_t kFewestChannels = 16;
  return volume(args.kernel) > 1 && std::min(args.inputs, args.outputs) >= kFewestChannels;
}

/// Computes a convolution of row-major tensors in channels-last copies, some images at a time.
template <class T>
bool convolve_copies(const ConvolutionArgs& args, Tap* taps) {
  const std::int64_t inputs = args.groups * args.inputs, outputs = args.groups * args.outputs;
  const std::int64_t x_size = inputs * volume(args.in), y_size = outputs * volume(args.out_sizes);
  const std::int64_t kernel = volume(args.kernel), w_size = outputs * args.inputs * kernel;
  constexpr std::int64_t kBytes = 16 << 20;
  const std::int64_t most = std::clamp<std::int64_t>(
      kBytes / ((x_size + y_size) * std::int64_t{sizeof(T)}), 1, args.batch);
  const bool forward = args.op == ConvolutionOp::kForward;
  const bool of_weight = args.op == ConvolutionOp::kWeightGradient;
  const CallMemory<T> x(most * x_size), y(most * y_size), w(w_size), sum(of_weight ? w_size : 0);
  T* const out = static_cast<T*>(args.out);
  if (!of_weight) {
    swap_layout(w.data(), static_cast<const T*>(args.weight), outputs, args.inputs, kernel);
  }
  bool done = true;
  for (std::int64_t first = 0; first < args.batch; first += most) {
    ConvolutionArgs part = args;
    part.channels_last = 1;
    part.batch = std::min(most, args.batch - first);
    part.input = x.data();
    part.gradient = y.data();
    part.weight = w.data();
    part.out = forward ? y.data() : of_weight ? w.data() : x.data();
    if (args.op != ConvolutionOp::kInputGradient) {
      swap_layout(x.data(), static_cast<const T*>(args.input) + first * x_size, part.batch, inputs,
                  volume(args.in));
    }
    if (!forward) {
      swap_layout(y.data(), static_cast<const T*>(args.gradient) + first * y_size, part.batch,
                  outputs, volume(args.out_sizes));
    }
    done = convolve_channels_last<T>(part, taps) && done;
    if (forward) {
      swap_layout(out + first * y_size, y.data(), part.batch, volume(args.out_sizes), outputs);
    } else if (!of_weight) {
      swap_layout(out + first * x_size, x.data(), part.batch, volume(args.in), inputs);
    } else if (first == 0) {
      copy_run(sum.data(), w.data(), w_size * std::int64_t{sizeof(T)});
    } else {
      for (std::int64_t i = 0; i < w_size; ++i) sum.data()[i] += w.data()[i];
    }
  }
  if (of_weight) swap_layout(out, sum.data(), outputs, kernel, args.inputs);
  return done;
}

template <class T>
bool convolve(const ConvolutionArgs& args) {
  const CallMemory<Tap> taps(volume(args.kernel));
  if (args.channels_last != 0) return convolve_channels_last<T>(args, taps.data());
  if (is_depthwise(args)) return convolve_planes<T>(args, taps.data());
  if constexpr (std::is_same_v<T, float>) {
    if (!is_worth_copies(args)) return convolve_in_place(args, taps.data());
  }
  return convolve_copies<T>(args, taps.data());
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
