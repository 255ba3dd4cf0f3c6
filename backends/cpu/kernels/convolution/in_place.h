#pragma once

#include <tern/backends/cpu/kernels/convolution/dense.h>
#include <tern/backends/cpu/kernels/convolution/plane_weight_gradient.h>
#include <tern/backends/cpu/kernels/convolution/stencil_product.h>
#include <tern/backends/cpu/kernels/convolution/stencil_weight_gradient.h>

// Convolutions of row-major float32 tensors by products that read the tensors in place.

namespace tern::cpu {

/// Where the weights of a phase of the gradient stand: a matrix [groups * inputs, outputs, taps].
struct PhaseWeights {
  std::int64_t start, taps;
};

/// Sets the matrices of all phases. Weight k of the kernel belongs to the matrix `phases[k]`, which
/// begins at its first tap; start < 0: to none.
inline void transpose_weights(float* to, const ConvolutionArgs& args, const PhaseWeights* phases) {
  const std::int64_t kernel = volume(args.kernel), outputs = args.outputs;
  const bool whole = phases[0].taps == kernel;
  if (whole && kernel == 1) {
    return swap_layout(to, static_cast<const float*>(args.weight), args.groups, outputs,
                       args.inputs);
  }
  const std::int64_t grain = (1 << 15) / (outputs * kernel + 1);
  parallel_for(0, args.groups * args.inputs, grain, [&](std::int64_t begin, std::int64_t end) {
    // A few rows at a time are written while the weights are read in order.
    constexpr std::int64_t kRows = 16;
    for (std::int64_t first = begin; first < end;) {
      const std::int64_t group = first / args.inputs, channel = first % args.inputs;
      const std::int64_t count = std::min({end - first, kRows, args.inputs - channel});
      for (std::int64_t o = 0; o < outputs; ++o) {
        const float* from = static_cast<const float*>(args.weight) +
                            ((group * outputs + o) * args.inputs + channel) * kernel;
        for (std::int64_t i = first; i < first + count; ++i, from += kernel) {
          const std::int64_t place = i * outputs + o;
          if (whole) {
            copy_span(to + place * kernel, from, kernel * std::int64_t{sizeof(float)});
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

template <class Product>
bool run_product(Product& product, const ConvolutionArgs& args, const float* weights,
                 bool forward) {
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

inline bool sum_taps(const ConvolutionArgs& args, const Stencil& s, const float* weights,
                     bool forward) {
  if (PlaneProduct<float>::suits(s, forward ? args.outputs : args.inputs,
                                 forward ? args.inputs : args.outputs)) {
    PlaneProduct<float> product(s);
    return run_product(product, args, weights, forward);
  }
  StencilProduct<float> product(s);
  return run_product(product, args, weights, forward);
}

inline bool input_gradient(const ConvolutionArgs& args, Tap* taps) {
  const std::int64_t kernel = volume(args.kernel);
  const std::int64_t matrix = args.groups * args.inputs * args.outputs;
  const Scratch<PhaseWeights> phases(kernel);
  std::fill_n(phases.data(), kernel, PhaseWeights{-1, 0});
  std::int64_t before = 0;
  const bool covers = each_gradient_stencil(args, taps, [&](const Stencil& s) {
    for (std::int64_t t = 0; t < s.count; ++t) {
      phases.data()[s.taps[t].weight] = {before * matrix + t, s.count};
    }
    before += s.count;
  });
  if (!covers) fill_planes<float>(args);
  const Scratch<float> transposed(matrix * before);
  transpose_weights(transposed.data(), args, phases.data());
  const float* weights = transposed.data();
  bool done = true;
  each_gradient_stencil(args, taps, [&](const Stencil& s) {
    done = sum_taps(args, s, weights, false) && done;
    weights += matrix * s.count;
  });
  return done;
}

/// Returns true if the copy of the weights would take about as long as the product: for the few
/// pixels of the last layers of a network and a small batch.
inline bool has_few_pixels(const ConvolutionArgs& args) {
  constexpr std::int64_t kMostWeights = 15;  // per number of the images
  const std::int64_t numbers =
      args.batch * (args.inputs * volume(args.in) + args.outputs * volume(args.out_sizes));
  return args.inputs * args.outputs * volume(args.kernel) > kMostWeights * numbers;
}

/// Returns true if products of planes would leave more than a sixth of the lanes empty, as with 7 x
/// 7 pixels. In copies, the pixels of all images follow each other and fill the lanes.
inline bool has_empty_lanes(const ConvolutionArgs& args) {
  constexpr std::int64_t kFewestChannels = 64, kWidth = kLanes<float>;
  const std::int64_t pixels = volume(args.out_sizes);
  return args.batch > 1 && volume(args.stride) == 1 &&
         std::min(args.inputs, args.outputs) >= kFewestChannels &&
         6 * pixels < 5 * kWidth * divide_up(pixels, kWidth);
}

/// Returns true if a convolution of row-major float32 tensors is faster in channels-last copies.
inline bool is_worth_copies(const ConvolutionArgs& args) {
  constexpr std::int64_t kFewestChannels = 16, kMostOfWeight = 24, kFewestColumns = 32;
  if (args.op == ConvolutionOp::kForward && has_few_pixels(args)) return false;
  if (args.op == ConvolutionOp::kWeightGradient &&
      (std::max(args.inputs, args.outputs) <= kMostOfWeight ||
       (args.outputs >= kFewestColumns && has_few_pixels(args)))) {
    return false;
  }
  return (volume(args.kernel) > volume(args.stride) &&
          std::min(args.inputs, args.outputs) >= kFewestChannels) ||
         has_empty_lanes(args);
}

/// Returns true for the gradient of a channels-last input of few channels, as of images: most lanes
/// of a vector of channels would be empty.
inline bool has_few_channels(const ConvolutionArgs& args) {
  constexpr std::int64_t kMostChannels = 8, kFewestOutputs = 16;
  return args.channels_last != 0 && args.op == ConvolutionOp::kInputGradient && args.groups == 1 &&
         args.inputs <= kMostChannels && args.outputs >= kFewestOutputs && volume(args.kernel) > 1;
}

/// Computes the gradient of a channels-last input in row-major copies, some images at a time.
/// Returns false if out of memory.
inline bool copied_input_gradient(const ConvolutionArgs& args, Tap* taps) {
  const std::int64_t in_pixels = volume(args.in), pixels = volume(args.out_sizes);
  const std::int64_t x_size = args.inputs * in_pixels, y_size = args.outputs * pixels;
  const std::int64_t kernel = volume(args.kernel);
  const std::int64_t most = images_at_once<float>(args);
  const Scratch<float> x(most * x_size), y(most * y_size), w(args.outputs * args.inputs * kernel);
  swap_layout(w.data(), static_cast<const float*>(args.weight), args.outputs, kernel, args.inputs);
  ConvolutionArgs part = args;
  part.channels_last = 0;
  part.gradient = y.data();
  part.weight = w.data();
  part.out = x.data();
  bool done = true;
  for (std::int64_t first = 0; first < args.batch; first += most) {
    part.batch = std::min(most, args.batch - first);
    swap_layout(y.data(), static_cast<const float*>(args.gradient) + first * y_size, part.batch,
                pixels, args.outputs);
    done = input_gradient(part, taps) && done;
    swap_layout(static_cast<float*>(args.out) + first * x_size, x.data(), part.batch, args.inputs,
                in_pixels);
  }
  return done;
}

/// Computes a convolution of row-major tensors without copies.
inline bool convolve_in_place(const ConvolutionArgs& args, Tap* taps) {
  if (args.op == ConvolutionOp::kInputGradient) return input_gradient(args, taps);
  const Stencil s = forward_stencil(args, taps);
  if (args.op == ConvolutionOp::kWeightGradient) {
    PlaneWeightGradient<float> gradient(args, s);
    return gradient.suits() ? gradient.run() : StencilWeightGradient<float>(args, s).run();
  }
  return sum_taps(args, s, static_cast<const float*>(args.weight), true);
}

}  // namespace tern::cpu
