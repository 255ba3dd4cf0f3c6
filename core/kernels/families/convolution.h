#pragma once

#include <tern/core/kernels/host_device.h>
#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

enum class ConvolutionOp : std::int32_t { kForward, kInputGradient, kWeightGradient };

/// What cuDNN may do, as bits; every other kernel ignores them.
enum ConvolutionOptions : std::int32_t {
  kRoundToTf32 = 1,               // round float32 operands to TensorFloat32
  kDeterministicConvolution = 2,  // use only engines that give the same bits each time
  kFastestConvolution = 4,        // time the engines at the first call with a shape
  kWithoutCudnn = 8,              // compute nothing
};

/// Convolution in three dimensions; one with fewer has leading extents of 1. All tensors are
/// contiguous and of one floating dtype, narrow ones are computed in float32. With
/// x [batch, groups * inputs, in], w [groups * outputs, inputs, kernel] and
/// y [batch, groups * outputs, out]:
///   y[n, o, p] = bias[o] + the sum over i, k of w[o, i, k] * x[n, i, p * stride - padding + k *
///   dilation],
/// where o and i are in the same group, x is 0 outside of its extents, and p, k and the position
/// have three dimensions. `padding` counts the zeros in front and may be negative; `out` may be any
/// extents.
///   kForward: `out` is y; reads input = x, weight = w and bias (null: none).
///   kInputGradient: `out` is the gradient of x, plus bias[i] (null: none); reads weight = w and
///   gradient, that of y. This is also the transposed convolution.
///   kWeightGradient: `out` is the gradient of w; reads input = x and gradient.
/// With `channels_last`, the channels are the last dimension: x is [batch, in, groups * inputs], w
/// [groups * outputs, kernel, inputs] and y [batch, out, groups * outputs]; only on the CPU.
/// No extent is 0.
struct ConvolutionArgs {
  ConvolutionOp op;
  ScalarType dtype;
  std::int32_t channels_last, options;
  std::int64_t batch, groups, inputs, outputs;  // channels are those of one group
  std::int64_t in[3], kernel[3], out_sizes[3], stride[3], padding[3], dilation[3];
  const void* input;
  const void* weight;
  const void* bias;
  const void* gradient;
  void* out;
  const char** algorithm;  // set by the CPU's kernel for float32 to what it chose, unless null
};

TERN_KERNEL_SLOT(convolution, ConvolutionArgs)

TERN_HOST_DEVICE constexpr std::int64_t volume(const std::int64_t* extents) {
  return extents[0] * extents[1] * extents[2];
}

inline Operands operands(ConvolutionArgs& args) {
  const std::int64_t inputs = args.groups * args.inputs, outputs = args.groups * args.outputs;
  const std::int64_t x = args.batch * inputs * volume(args.in);
  const std::int64_t w = outputs * args.inputs * volume(args.kernel);
  const std::int64_t y = args.batch * outputs * volume(args.out_sizes);
  const bool forward = args.op == ConvolutionOp::kForward;
  const std::int64_t result = forward ? y : args.op == ConvolutionOp::kInputGradient ? x : w;
  return Operands()
      .add("the input", args.input, args.dtype, x)
      .add("the weight", args.weight, args.dtype, w)
      .add("the bias", args.bias, args.dtype, forward ? outputs : inputs)
      .add("the gradient", args.gradient, args.dtype, y)
      .add("the output", args.out, args.dtype, result);
}

}  // namespace tern::kernels
