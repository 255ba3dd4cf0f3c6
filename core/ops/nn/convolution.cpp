// Compiled for size.

#include <memory>

#include <tern/core/autograd/record.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/ops/common/detail/memory_format.h>
#include <tern/core/ops/nn/detail/convolution.h>
#include <tern/core/ops/ops.h>

// With y = F(x, w), a convolution, let D(g, w) be the gradient of x and E(x, g) that of w. All
// three are linear in each argument, and the gradients of each are again made of the three:
//
//   F(x, w) for g: x gets D(g, w), w gets E(x, g)
//   D(g, w) for x: g gets F(x, w), w gets E(x, g)
//   E(x, g) for w: x gets D(g, w), g gets F(x, w)

namespace tern::detail {

namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using kernels::ConvolutionOp;

using SharedSizes = std::shared_ptr<const ConvolutionSizes>;

constexpr const char* kGradientNode = "ConvolutionBackwardBackward0";

std::int32_t cudnn_options() {
  const backends::CudnnSettings& settings = backends::cudnn;
  return (settings.allow_tf32 ? kernels::kRoundToTf32 : 0) |
         (settings.deterministic || are_deterministic_algorithms_enabled()
              ? kernels::kDeterministicConvolution
              : 0) |
         (settings.benchmark ? kernels::kFastestConvolution : 0) |
         (settings.enabled ? 0 : kernels::kWithoutCudnn);
}

/// Runs the kernel; `first` and `second` are the operands other than the bias.
Tensor run_convolution(ConvolutionOp op, const ConvolutionSizes& sizes, const Tensor& first,
                       const Tensor& second, const Tensor& bias) {
  const NoGradGuard no_grad;
  const DimVector& shape = op == ConvolutionOp::kForward         ? sizes.output
                           : op == ConvolutionOp::kInputGradient ? sizes.input
                                                                 : sizes.weight;
  const bool is_weight = op == ConvolutionOp::kWeightGradient;
  const bool channels_last = sizes.format != MemoryFormat::Contiguous && first.is_cpu();
  const MemoryFormat format = channels_last ? sizes.format : MemoryFormat::Contiguous;
  Tensor out = make_tensor(shape, format, first.dtype(), first.device());
  if (out.numel() == 0) return in_format(out, sizes.format);
  if (first.numel() == 0 || second.numel() == 0) {  // sums of nothing
    out.zero_();
    DimVector channels(shape.size(), 1);
    channels[1] = shape[1];
    if (bias.defined()) out.copy_(bias.detach().reshape(channels));
    return in_format(out, sizes.format);
  }
  const Tensor a = first.detach().contiguous(format);
  const Tensor b = second.detach().contiguous(format);
  const Tensor c = bias.defined() ? bias.detach().contiguous() : bias;
  kernels::ConvolutionArgs args = sizes.numbers;
  args.op = op;
  args.dtype = out.dtype();
  args.channels_last = channels_last ? 1 : 0;
  args.options = cudnn_options();
  args.bias = c.defined() ? c.data_ptr() : nullptr;
  (op == ConvolutionOp::kInputGradient ? args.gradient : args.input) = a.data_ptr();
  (op == ConvolutionOp::kWeightGradient ? args.gradient : args.weight) = b.data_ptr();
  args.out = out.data_ptr();
  kernels::run("convolution", out.device(), out.dtype(), args);
  // The gradient of 1 x 1 weights is row-major in PyTorch.
  const bool is_point = is_weight && kernels::volume(args.kernel) == 1;
  if (is_point) return out.contiguous();
  Tensor result = out.contiguous(sizes.format);
  result.self().strides = format_strides(shape, sizes.format);
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

}  // namespace

Tensor convolve(const char* node, const ConvolutionSizes& sizes, const Tensor& input,
                const Tensor& weight, const Tensor& bias) {
  Tensor out = run_convolution(ConvolutionOp::kForward, sizes, input, weight, bias);
  if (!needs_grad(input, weight, bias)) return out;
  const auto shared = std::make_shared<const ConvolutionSizes>(sizes);
  return record(
      node, out,
      wrt(
          input,
          [shared](const Tensor& g, const Tensor& w) {
            return convolve_transposed(kGradientNode, *shared, g, w, {});
          },
          weight),
      wrt(
          weight,
          [shared](const Tensor& g, const Tensor& x) { return convolve_for_weight(*shared, x, g); },
          input),
      wrt(bias, sum_channels));
}

Tensor convolve_transposed(const char* node, const ConvolutionSizes& sizes, const Tensor& gradient,
                           const Tensor& weight, const Tensor& bias) {
  Tensor out = run_convolution(ConvolutionOp::kInputGradient, sizes, gradient, weight, bias);
  if (!needs_grad(gradient, weight, bias)) return out;
  const auto shared = std::make_shared<const ConvolutionSizes>(sizes);
  return record(
      node, out,
      wrt(
          gradient,
          [shared](const Tensor& x, const Tensor& w) {
            return convolve(kGradientNode, *shared, x, w, {});
          },
          weight),
      wrt(
          weight,
          [shared](const Tensor& x, const Tensor& g) { return convolve_for_weight(*shared, x, g); },
          gradient),
      wrt(bias, sum_channels));
}

Tensor convolve_for_weight(const ConvolutionSizes& sizes, const Tensor& input,
                           const Tensor& gradient) {
  Tensor out = run_convolution(ConvolutionOp::kWeightGradient, sizes, input, gradient, {});
  if (!needs_grad(input, gradient)) return out;
  const auto shared = std::make_shared<const ConvolutionSizes>(sizes);
  return record(kGradientNode, out,
                wrt(
                    input,
                    [shared](const Tensor& w, const Tensor& g) {
                      return convolve_transposed(kGradientNode, *shared, g, w, {});
                    },
                    gradient),
                wrt(
                    gradient,
                    [shared](const Tensor& w, const Tensor& x) {
                      return convolve(kGradientNode, *shared, x, w, {});
                    },
                    input));
}

}  // namespace tern::detail
