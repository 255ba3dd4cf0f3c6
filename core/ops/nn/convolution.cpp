// Compiled for size.

#include <array>
#include <memory>

#include <tern/core/autograd/record.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/ops/common/detail/memory_format.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/nn/detail/convolution.h>
#include <tern/core/ops/ops.h>

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using detail::Convolution;
using kernels::ConvolutionOp;

std::int32_t cudnn_options() {
  const backends::CudnnSettings& settings = backends::cudnn;
  return (settings.allow_tf32 ? kernels::kRoundToTf32 : 0) |
         (settings.deterministic || are_deterministic_algorithms_enabled()
              ? kernels::kDeterministicConvolution
              : 0) |
         (settings.benchmark ? kernels::kFastestConvolution : 0) |
         (settings.enabled ? 0 : kernels::kWithoutCudnn);
}

/// The tensors x, weight and y, or its gradient, of a convolution, each at the index of the op that
/// computes one of its kind. An op reads the two others; its own is undefined.
using Operands = std::array<Tensor, 3>;
constexpr std::size_t index_of(ConvolutionOp op) { return static_cast<std::size_t>(op); }
constexpr std::size_t kY = index_of(ConvolutionOp::kForward),
                      kX = index_of(ConvolutionOp::kInputGradient),
                      kWeight = index_of(ConvolutionOp::kWeightGradient);

/// Runs the kernel.
Tensor run_convolution(const Convolution& c, std::size_t op, const Operands& operands,
                       const Tensor& bias) {
  const NoGradGuard no_grad;
  const DimVector& shape = op == kY ? c.y : op == kX ? c.x : c.weight;
  const Tensor& any = operands[op == kY ? kX : kY];
  const bool channels_last = c.format != MemoryFormat::Contiguous && any.is_cpu();
  const MemoryFormat format = channels_last ? c.format : MemoryFormat::Contiguous;
  Tensor out = detail::make_tensor(shape, format, any.dtype(), any.device());
  if (out.numel() == 0) return detail::in_format(out, c.format);
  Operands dense;
  bool sums_nothing = false;
  for (std::size_t i = 0; i < dense.size(); ++i) {
    if (i == op) continue;
    sums_nothing = sums_nothing || operands[i].numel() == 0;
    dense[i] = operands[i].detach().contiguous(format);
  }
  if (sums_nothing) {
    out.zero_();
    DimVector channels(shape.size(), 1);
    channels[1] = shape[1];
    if (bias.defined()) out.copy_(bias.detach().reshape(channels));
    return detail::in_format(out, c.format);
  }
  const auto address = [](const Tensor& tensor) {
    return tensor.defined() ? tensor.data_ptr() : nullptr;
  };
  const Tensor added = bias.defined() ? bias.detach().contiguous() : bias;
  kernels::ConvolutionArgs args = c.args;
  args.op = static_cast<ConvolutionOp>(op);
  args.dtype = out.dtype();
  args.channels_last = channels_last ? 1 : 0;
  args.options = cudnn_options();
  args.input = address(dense[kX]);
  args.weight = address(dense[kWeight]);
  args.gradient = address(dense[kY]);
  args.bias = address(added);
  args.out = out.data_ptr();
  kernels::run("convolution", out.device(), out.dtype(), args);
  // The gradient of 1 x 1 weights is row-major in PyTorch.
  if (op == kWeight && kernels::volume(args.kernel) == 1) return out.contiguous();
  Tensor result = out.contiguous(c.format);
  result.self().strides = format_strides(shape, c.format);
  return result;
}

/// Returns the gradient of a bias for that of the result.
Tensor sum_channels(const Tensor& g) {
  DimVector others;
  for (std::int64_t d = 0; d < g.dim(); ++d) {
    if (d != 1) others.push_back(d);
  }
  return g.sum(others);
}

/// Computes one of the three tensors, plus the bias unless it is undefined. Recorded.
///
/// The sum of y's gradient times the convolution of x and weight is linear in each of the three,
/// and each op is its derivative by one of them. So the gradient of an op by one of its operands is
/// the op of that operand, with the gradient of the result in the place of the result.
Tensor convolve(const char* node, const Convolution& c, std::size_t op, const Operands& operands,
                const Tensor& bias) {
  Tensor out = run_convolution(c, op, operands, bias);
  const std::size_t a = op == kX ? kY : kX, b = op == kWeight ? kY : kWeight;  // the operands
  if (!needs_grad(operands[a], operands[b], bias)) return out;
  const auto rule = [shared = std::make_shared<const Convolution>(c), op](std::size_t of,
                                                                          std::size_t other) {
    return [shared, op, of, other](const Tensor& g, const Tensor& saved) {
      Operands given;
      given[op] = g;
      given[other] = saved;
      return convolve("ConvolutionBackwardBackward0", *shared, of, given, {});
    };
  };
  return record(node, out, wrt(operands[a], rule(a, b), operands[b]),
                wrt(operands[b], rule(b, a), operands[a]), wrt(bias, sum_channels));
}

Tensor convolve(Convolution c, const Tensor& input, const Tensor& weight, const Tensor& bias) {
  c.check(input, weight, bias);
  const bool has_batch = input.sizes().size() == c.dims + 2;
  Operands operands;
  const Tensor& batch = operands[c.transposed ? kY : kX] = has_batch ? input : input.unsqueeze(0);
  operands[kWeight] = weight;
  c.set_sizes(batch, weight, bias);
  Tensor out = convolve("ConvolutionBackward0", c, c.transposed ? kX : kY, operands, bias);
  return has_batch ? out : out.squeeze(0);
}

}  // namespace

Tensor conv1d(const Tensor& input, const Tensor& weight, const Tensor& bias, IntArrayRef stride,
              IntArrayRef padding, IntArrayRef dilation, StrictInt groups) {
  TERN_OP("conv1d", input, weight);
  TERN_AUTOCAST(kLower, kLower, conv1d, input, weight, bias, stride, padding, dilation, groups);
  return convolve({"conv1d", 1, stride, padding, dilation, groups}, input, weight, bias);
}
Tensor conv1d(const Tensor& input, const Tensor& weight, const Tensor& bias, IntArrayRef stride,
              const PaddingName& padding, IntArrayRef dilation, StrictInt groups) {
  TERN_OP("conv1d", input, weight);
  TERN_AUTOCAST(kLower, kLower, conv1d, input, weight, bias, stride, padding, dilation, groups);
  return convolve({"conv1d", 1, stride, padding, dilation, groups}, input, weight, bias);
}
Tensor conv2d(const Tensor& input, const Tensor& weight, const Tensor& bias, IntArrayRef stride,
              IntArrayRef padding, IntArrayRef dilation, StrictInt groups) {
  TERN_OP("conv2d", input, weight);
  TERN_AUTOCAST(kLower, kLower, conv2d, input, weight, bias, stride, padding, dilation, groups);
  return convolve({"conv2d", 2, stride, padding, dilation, groups}, input, weight, bias);
}
Tensor conv2d(const Tensor& input, const Tensor& weight, const Tensor& bias, IntArrayRef stride,
              const PaddingName& padding, IntArrayRef dilation, StrictInt groups) {
  TERN_OP("conv2d", input, weight);
  TERN_AUTOCAST(kLower, kLower, conv2d, input, weight, bias, stride, padding, dilation, groups);
  return convolve({"conv2d", 2, stride, padding, dilation, groups}, input, weight, bias);
}
Tensor conv3d(const Tensor& input, const Tensor& weight, const Tensor& bias, IntArrayRef stride,
              IntArrayRef padding, IntArrayRef dilation, StrictInt groups) {
  TERN_OP("conv3d", input, weight);
  TERN_AUTOCAST(kLower, kLower, conv3d, input, weight, bias, stride, padding, dilation, groups);
  return convolve({"conv3d", 3, stride, padding, dilation, groups}, input, weight, bias);
}
Tensor conv3d(const Tensor& input, const Tensor& weight, const Tensor& bias, IntArrayRef stride,
              const PaddingName& padding, IntArrayRef dilation, StrictInt groups) {
  TERN_OP("conv3d", input, weight);
  TERN_AUTOCAST(kLower, kLower, conv3d, input, weight, bias, stride, padding, dilation, groups);
  return convolve({"conv3d", 3, stride, padding, dilation, groups}, input, weight, bias);
}
Tensor conv_transpose1d(const Tensor& input, const Tensor& weight, const Tensor& bias,
                        IntArrayRef stride, IntArrayRef padding, IntArrayRef output_padding,
                        StrictInt groups, IntArrayRef dilation) {
  TERN_OP("conv_transpose1d", input, weight);
  TERN_AUTOCAST(kLower, kLower, conv_transpose1d, input, weight, bias, stride, padding,
                output_padding, groups, dilation);
  Convolution c("conv_transpose1d", 1, stride, padding, dilation, groups);
  return convolve(c.transpose(output_padding), input, weight, bias);
}
Tensor conv_transpose2d(const Tensor& input, const Tensor& weight, const Tensor& bias,
                        IntArrayRef stride, IntArrayRef padding, IntArrayRef output_padding,
                        StrictInt groups, IntArrayRef dilation) {
  TERN_OP("conv_transpose2d", input, weight);
  TERN_AUTOCAST(kLower, kLower, conv_transpose2d, input, weight, bias, stride, padding,
                output_padding, groups, dilation);
  Convolution c("conv_transpose2d", 2, stride, padding, dilation, groups);
  return convolve(c.transpose(output_padding), input, weight, bias);
}
Tensor conv_transpose3d(const Tensor& input, const Tensor& weight, const Tensor& bias,
                        IntArrayRef stride, IntArrayRef padding, IntArrayRef output_padding,
                        StrictInt groups, IntArrayRef dilation) {
  TERN_OP("conv_transpose3d", input, weight);
  TERN_AUTOCAST(kLower, kLower, conv_transpose3d, input, weight, bias, stride, padding,
                output_padding, groups, dilation);
  Convolution c("conv_transpose3d", 3, stride, padding, dilation, groups);
  return convolve(c.transpose(output_padding), input, weight, bias);
}

}  // namespace tern
