#pragma once

#include <tern/backends/cpu/kernels/convolution/pixel_product.h>
#include <tern/backends/cpu/kernels/convolution/pixel_weight_gradient.h>
#include <tern/backends/cpu/kernels/convolution/winograd.h>
#include <tern/backends/cpu/kernels/support/scratch.h>

// Convolutions with several channels in a group, of channels-last tensors, and of channels-last
// copies of row-major ones.

namespace tern::cpu {

using kernels::ConvolutionOp;

/// Calls sum(s) for the stencil of each phase of the gradient of a channels-last input, and sets
/// the pixels of no phase. Returns false if a call did.
template <class S, class Sum>
bool each_phase(const ConvolutionArgs& args, Tap* taps, const Sum& sum) {
  const bool covers = each_gradient_stencil(args, taps, [](const Stencil&) {});
  const std::int64_t channels = args.groups * args.inputs;
  const auto bias = static_cast<const S*>(args.bias);
  S* const out = static_cast<S*>(args.out);
  const std::int64_t pixels = covers ? 0 : args.batch * volume(args.in);
  parallel_for(0, pixels, (1 << 15) / channels, [&](std::int64_t begin, std::int64_t end) {
    if (bias == nullptr) return std::fill(out + begin * channels, out + end * channels, S{});
    for (std::int64_t i = begin; i < end; ++i) std::copy_n(bias, channels, out + i * channels);
  });
  bool done = true;
  each_gradient_stencil(args, taps, [&](const Stencil& s) { done = sum(s) && done; });
  return done;
}

/// Computes the gradient of the weights. Returns false if out of memory.
template <class S, class E>
bool dense_weight_gradient(const ConvolutionArgs& args, Tap* taps, SumOf<S>* out) {
  const Stencil s = forward_stencil(args, taps);
  PixelWeightGradient<S, E> gradient(s);
  gradient.dtype = args.dtype;
  gradient.batch = args.batch;
  gradient.groups = args.groups;
  gradient.outputs = args.outputs;
  gradient.channels = args.inputs;
  gradient.in = static_cast<const S*>(args.input);
  gradient.gradient = static_cast<const S*>(args.gradient);
  gradient.out = out;
  return gradient.run();
}

template <class S, class Product>
void set_operands(Product& product, const ConvolutionArgs& args, bool forward) {
  const std::int64_t kernel = volume(args.kernel);
  product.batch = args.batch;
  product.groups = args.groups;
  product.rows = forward ? args.outputs : args.inputs;
  product.channels = forward ? args.inputs : args.outputs;
  product.weights = static_cast<const S*>(args.weight);
  product.w_group = args.outputs * kernel * args.inputs;
  product.w_tap = args.inputs;
  product.w_row = forward ? kernel * args.inputs : 1;
  product.w_channel = forward ? 1 : kernel * args.inputs;
  product.in = static_cast<const S*>(forward ? args.input : args.gradient);
  product.bias = static_cast<const S*>(args.bias);
  product.out = static_cast<S*>(args.out);
}

/// Computes a convolution of channels-last tensors. Returns false if out of memory.
template <class S, class E = S>
bool convolve_dense(const ConvolutionArgs& args, Tap* taps) {
  if (args.op == ConvolutionOp::kWeightGradient) {
    if constexpr (std::is_same_v<S, SumOf<S>>) {
      return dense_weight_gradient<S, E>(args, taps, static_cast<S*>(args.out));
    } else {
      const std::int64_t size = args.groups * args.outputs * args.inputs * volume(args.kernel);
      const Scratch<SumOf<S>> sums(size);
      const bool done = dense_weight_gradient<S, E>(args, taps, sums.data());
      store_span(Format<S>(args.dtype), static_cast<S*>(args.out), sums.data(), size);
      return done;
    }
  }
  const bool forward = args.op == ConvolutionOp::kForward;
  const auto sum = [&](const Stencil& s) {
    if constexpr (std::is_same_v<E, float>) {
      if (Winograd::suits(args)) {
        WinogradProduct product(s);
        set_operands<S>(product, args, forward);
        const Scratch<float> memory(product.transformed_size());
        product.transformed = memory.data();
        return product.run();
      }
    }
    PixelProduct<S, E> product(s);
    product.dtype = args.dtype;
    set_operands<S>(product, args, forward);
    return product.run();
  };
  return forward ? sum(forward_stencil(args, taps)) : each_phase<S>(args, taps, sum);
}

/// Sets to[n, c, r] = from[n, r, c].
template <class T>
void swap_layout(T* to, const T* from, std::int64_t count, std::int64_t rows,
                 std::int64_t columns) {
  constexpr std::int64_t kLines = kVectorBytes / 4;
  const std::int64_t strips = divide_up(rows, kLines);
  parallel_for(0, count * strips, (1 << 15) / (columns * kLines),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i) {
                   const std::int64_t row = i % strips * kLines, n = i / strips * rows * columns;
                   transpose_lines<T, kLines>(to + n + row, rows, from + n + row * columns, columns,
                                              std::min(kLines, rows - row), columns);
                 }
               });
}
inline void swap_layout(Narrow* to, const Narrow* from, std::int64_t count, std::int64_t rows,
                        std::int64_t columns) {
  swap_layout(&to->bits, &from->bits, count, rows, columns);
}

/// Returns how many images are copied at a time into another layout.
template <class S>
std::int64_t images_at_once(const ConvolutionArgs& args) {
  constexpr std::int64_t kBytes = 16 << 20;
  const std::int64_t numbers =
      args.groups * (args.inputs * volume(args.in) + args.outputs * volume(args.out_sizes));
  return std::clamp<std::int64_t>(kBytes / (numbers * std::int64_t{sizeof(S)}), 1, args.batch);
}

/// Computes a convolution of row-major tensors in channels-last copies, some images at a time.
/// Returns false if out of memory.
template <class S, class E = S>
bool convolve_copies(const ConvolutionArgs& args, Tap* taps) {
  using T = SumOf<S>;
  const std::int64_t inputs = args.groups * args.inputs, outputs = args.groups * args.outputs;
  const std::int64_t x_size = inputs * volume(args.in), y_size = outputs * volume(args.out_sizes);
  const std::int64_t kernel = volume(args.kernel), w_size = outputs * args.inputs * kernel;
  const std::int64_t most = images_at_once<S>(args);
  const bool forward = args.op == ConvolutionOp::kForward;
  const bool of_weight = args.op == ConvolutionOp::kWeightGradient;
  const Scratch<S> x(most * x_size), y(most * y_size), w(of_weight ? 0 : w_size);
  const Scratch<T> sums(of_weight ? 2 * w_size : 0);
  T *const sum = sums.data(), *const part_sum = sum + w_size;
  S* const out = static_cast<S*>(args.out);
  if (!of_weight) {
    swap_layout(w.data(), static_cast<const S*>(args.weight), outputs, args.inputs, kernel);
  }
  bool done = true;
  for (std::int64_t first = 0; first < args.batch; first += most) {
    ConvolutionArgs part = args;
    part.channels_last = 1;
    part.batch = std::min(most, args.batch - first);
    part.input = x.data();
    part.gradient = y.data();
    part.weight = w.data();
    part.out = forward ? y.data() : x.data();
    if (args.op != ConvolutionOp::kInputGradient) {
      swap_layout(x.data(), static_cast<const S*>(args.input) + first * x_size, part.batch, inputs,
                  volume(args.in));
    }
    if (!forward) {
      swap_layout(y.data(), static_cast<const S*>(args.gradient) + first * y_size, part.batch,
                  outputs, volume(args.out_sizes));
    }
    if (of_weight) {
      done = dense_weight_gradient<S, E>(part, taps, first == 0 ? sum : part_sum) && done;
      for (std::int64_t i = 0; first > 0 && i < w_size; ++i) sum[i] += part_sum[i];
      continue;
    }
    done = convolve_dense<S, E>(part, taps) && done;
    if (forward) {
      swap_layout(out + first * y_size, y.data(), part.batch, volume(args.out_sizes), outputs);
    } else {
      swap_layout(out + first * x_size, x.data(), part.batch, volume(args.in), inputs);
    }
  }
  if (!of_weight) return done;
  if constexpr (std::is_same_v<S, T>) {
    swap_layout(out, sum, outputs, kernel, args.inputs);
  } else {
    swap_layout(part_sum, sum, outputs, kernel, args.inputs);
    store_span(Format<S>(args.dtype), out, part_sum, w_size);
  }
  return done;
}

/// Computes a convolution of tensors in either layout. Returns false if out of memory.
template <class S, class E = S>
bool convolve_pixels(const ConvolutionArgs& args, Tap* taps) {
  return args.channels_last != 0 ? convolve_dense<S, E>(args, taps)
                                 : convolve_copies<S, E>(args, taps);
}

}  // namespace tern::cpu
