// Compiled for size.
// Instruction sets: baseline avx2 avx512 avx512_bf16.

#include <tern/backends/cpu/kernels/convolution/dense.h>
#include <tern/backends/cpu/kernels/convolution/depthwise.h>
#include <tern/backends/cpu/kernels/convolution/depthwise_planes.h>
#include <tern/backends/cpu/kernels/convolution/in_place.h>
#include <tern/backends/cpu/kernels/support/widen.h>

namespace tern::cpu {
namespace {

using kernels::KernelContext;

/// Computes a depthwise convolution of row-major tensors.
template <class T>
bool convolve_depthwise_planes(const ConvolutionArgs& args, Tap* taps) {
  const Scratch<Stencil> stencils(volume(args.kernel));
  std::int64_t phases = 0;
  if (args.op != ConvolutionOp::kInputGradient) {
    stencils.data()[phases++] = forward_stencil(args, taps);
    const DepthwisePlanes<T> planes{args, stencils.data(), phases, true};
    if (args.op == ConvolutionOp::kForward) return planes.sum(static_cast<const T*>(args.input));
    const Scratch<T> parts(planes.parts_size());
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
    const Scratch<T> parts(product.parts_size());
    product.weight_gradient(in, gradient, parts.data(), out);
    return true;
  }
  const Scratch<T> transposed(kernel * groups);
  for (std::int64_t g = 0; g < groups; ++g) {
    for (std::int64_t k = 0; k < kernel; ++k) {
      transposed.data()[k * groups + g] = static_cast<const T*>(args.weight)[g * kernel + k];
    }
  }
  const auto bias = static_cast<const T*>(args.bias);
  if (args.op == ConvolutionOp::kForward) {
    const Stencil s = forward_stencil(args, taps);
    return DepthwiseChannelsLast<T>{s, args.batch, groups}.sum(in, transposed.data(), bias, out);
  }
  // A few images at a time stay in the cache from phase to phase.
  constexpr std::int64_t kElements = 1 << 19;
  const std::int64_t in_size = volume(args.in) * groups, size = volume(args.out_sizes) * groups;
  const std::int64_t most = std::max<std::int64_t>(1, kElements / in_size);
  bool done = true;
  for (std::int64_t image = 0; image < args.batch; image += most) {
    ConvolutionArgs part = args;
    part.batch = std::min(most, args.batch - image);
    part.out = out + image * in_size;
    const auto sum = [&](const Stencil& s) {
      const DepthwiseChannelsLast<T> phase{s, part.batch, groups};
      return phase.sum(gradient + image * size, transposed.data(), bias, static_cast<T*>(part.out));
    };
    done = each_phase<T>(part, taps, sum) && done;
  }
  return done;
}

#if !defined(TERN_CPU_PAIRS_ONLY)
bool is_depthwise(const ConvolutionArgs& args) { return args.inputs == 1 && args.outputs == 1; }
bool is_channels_last(const ConvolutionArgs& args) { return args.channels_last != 0; }
bool is_depthwise_channels_last(const ConvolutionArgs& args) {
  return is_depthwise(args) && is_channels_last(args);
}

/// An algorithm for convolutions of float32, and the calls for which it is the fastest.
struct Algorithm {
  const char* name;
  bool (*suits)(const ConvolutionArgs& args);
  bool (*run)(const ConvolutionArgs& args, Tap* taps);  // returns false if out of memory
};

/// The first algorithm that suits is taken.
constexpr Algorithm kAlgorithms[] = {
    {"depthwise, pixels", is_depthwise_channels_last, convolve_depthwise<float>},
    {"depthwise, planes", is_depthwise, convolve_depthwise_planes<float>},
    {"Winograd", Winograd::suits, convolve_pixels<float>},
    {"copied planes", has_few_channels, copied_input_gradient},
    {"pixels", is_channels_last, convolve_dense<float>},
    {"copied pixels", is_worth_copies, convolve_copies<float>},
    {"planes", [](const ConvolutionArgs&) { return true; }, convolve_in_place}};

template <class T>
bool convolve(const ConvolutionArgs& args) {
  const Scratch<Tap> taps(volume(args.kernel));
  if constexpr (std::is_same_v<T, float>) {
    const Algorithm* algorithm = kAlgorithms;
    while (!algorithm->suits(args)) ++algorithm;
    if (args.algorithm != nullptr) *args.algorithm = algorithm->name;
    return algorithm->run(args, taps.data());
  } else {
    if (is_depthwise_channels_last(args)) return convolve_depthwise<T>(args, taps.data());
    if (is_depthwise(args)) return convolve_depthwise_planes<T>(args, taps.data());
    return convolve_pixels<T>(args, taps.data());
  }
}
#endif

#if defined(__AVX512BF16__)
/// Returns true if the call is computed in pairs of bfloat16 steps.
bool is_paired(const ConvolutionArgs& args) {
  constexpr std::int64_t kFewestChannels = 16;
  const auto is_aligned = [](const void* data) {
    return reinterpret_cast<std::uintptr_t>(data) % sizeof(Bfloat16Pair) == 0;
  };
  return args.dtype == kBFloat16 && (args.inputs | args.outputs) % 2 == 0 &&
         std::min(args.inputs, args.outputs) >= kFewestChannels && is_aligned(args.input) &&
         is_aligned(args.gradient);
}

bool convolve_pairs(const ConvolutionArgs& args) {
  const Scratch<Tap> taps(volume(args.kernel));
  return convolve_pixels<Narrow, Bfloat16Pair>(args, taps.data());
}
#endif

#if defined(TERN_CPU_BASE_SET) && defined(__AVX512F__)
// float64 is left to the kernel of the set before this one, for the size of the library.
constexpr bool kHasBase = true;
#else
constexpr bool kHasBase = false;
#endif
kernels::KernelFn base_convolution = nullptr;

void convolution(const ConvolutionArgs& args, KernelContext& context) {
#if defined(__AVX512BF16__)
  if (is_paired(args)) {
    if (!convolve_pairs(args)) context.status = kernels::StatusCode::kOutOfMemory;
    return;
  }
#endif
#if defined(TERN_CPU_PAIRS_ONLY)
  base_convolution(&args, &context);
#else
  run_widened(args, [&](const ConvolutionArgs& wide) {
    kernels::visit_floating(wide.dtype, context, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (kHasBase && std::is_same_v<T, double>) {
        base_convolution(&wide, &context);
      } else {
        if (!convolve<T>(wide)) context.status = kernels::StatusCode::kOutOfMemory;
      }
    });
  });
#endif
}

}  // namespace

void register_convolution(kernels::KernelTable& table) {
  if (kHasBase) base_convolution = table[kernels::Slot::convolution];
  kernels::set<ConvolutionArgs, convolution>(table);
}

}  // namespace tern::cpu
