// Compiled for size.

#include <limits>

#include <tern/core/autograd/record.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/families/layer_norm.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/nn/detail/normalize_backward.h>
#include <tern/core/ops/ops.h>

namespace tern {
namespace {

using detail::contiguous_or_undefined;
using detail::data_or_null;
using kernels::LayerNormArgs;
using kernels::LayerNormOp;

/// The two ops of this file. `method` and `kernel` are PyTorch's names, for error texts.
struct LastDimsNorm {
  const char* method;
  const char* kernel;
  const char* node;
  bool is_rms;
};
constexpr LastDimsNorm kLayerNorm = {"_native_layer_norm", "LayerNormKernelImpl",
                                     "NativeLayerNormBackward0", false};
constexpr LastDimsNorm kRmsNorm = {"_fused_rms_norm", "rms_norm", "FusedRmsNormBackward0", true};

void check(const LastDimsNorm& norm, const Tensor& input, IntArrayRef shape, const Tensor& weight,
           const Tensor& bias) {
  detail::check_same_device(norm.method, {&input, &weight, &bias}, {"input", "weight", "bias"});
  TERN_CHECK(!shape.empty(), ShapeError,
             "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least "
             "one element, but got normalized_shape = ",
             shape);
  const auto check_parameter = [&](const char* name, const Tensor& parameter) {
    if (!parameter.defined()) return;
    TERN_CHECK(parameter.sizes() == shape, ShapeError, "Expected ", name,
               " to be of same shape as normalized_shape, but got ", name, " of shape ",
               parameter.sizes(), " and normalized_shape = ", shape);
    TERN_CHECK(parameter.dtype() == input.dtype(), DTypeError,
               "expect parameter to have scalar type of ", input.scalar_type(), ", but got ", name,
               " of ", parameter.scalar_type());
  };
  check_parameter("weight", weight);
  check_parameter("bias", bias);
  const IntArrayRef sizes = input.sizes();
  if (sizes.size() < shape.size() ||
      !(sizes.slice(sizes.size() - shape.size(), shape.size()) == shape)) {
    std::string expected;
    for (const std::int64_t size : shape) expected += ", " + std::to_string(size);
    detail::raise<ShapeError>("Given normalized_shape=", shape, ", expected input with shape [*",
                              expected, "], but got input of size", sizes);
  }
  TERN_CHECK(input.is_floating_point(), DTypeError, "\"", norm.kernel, "\" not implemented for '",
             input.scalar_type(), "'");
}

std::int64_t product_of(IntArrayRef sizes) {
  std::int64_t product = 1;
  for (const std::int64_t size : sizes) product *= size;
  return product;
}

/// Runs the kernel on contiguous tensors. `statistics` is [2, rows]: means and reciprocal
/// deviations.
void run_layer_norm(LayerNormArgs args, const Tensor& input, std::int64_t size,
                    const Tensor& weight, const Tensor& statistics) {
  args.dtype = input.dtype();
  args.rows = input.numel() / size;
  args.size = size;
  args.in = input.data_ptr();
  args.weight = data_or_null(weight);
  args.mean = static_cast<double*>(data_or_null(statistics));
  args.rstd = args.mean == nullptr ? nullptr : args.mean + args.rows;
  kernels::run("layer_norm", input.device(), input.dtype(), args);
}

class LayerNormBackward final : public detail::NormalizeBackward {
 public:
  LayerNormBackward(const LastDimsNorm& norm, const Tensor& input, IntArrayRef shape,
                    const Tensor& weight, const Tensor& bias, const Tensor& statistics, double eps)
      : NormalizeBackward(norm.node, input, weight, bias, shape, statistics),
        is_rms_(norm.is_rms),
        shape_(shape),
        eps_(eps) {}

 private:
  void compute(const Tensor& g, const Tensor& input, const Tensor& weight, const Tensor& statistics,
               const Tensor* results) const override {
    LayerNormArgs args{};
    args.op = LayerNormOp::kBackward;
    args.root_mean_square = is_rms_ ? 1 : 0;
    detail::set_gradients(args, g, results);
    run_layer_norm(args, input, product_of(shape_), weight, statistics);
  }

  void compose(const Tensor& g, const Tensor& input, const Tensor& weight,
               const Tensor& /*statistics*/, Tensor* results,
               autograd::EdgeSet wanted) const override {
    DimVector last;
    for (std::size_t d = shape_.size(); d > 0; --d) last.push_back(-static_cast<std::int64_t>(d));
    const Tensor centered = is_rms_ ? input : input - input.mean(last, true);
    const Tensor rstd = rsqrt(square(centered).mean(last, true) + eps_);
    const Tensor x = centered * rstd;
    if (wanted.has(0)) {
      const Tensor h = weight.defined() ? g * weight : g;
      const Tensor centered_h = is_rms_ ? h : h - h.mean(last, true);
      results[0] = rstd * (centered_h - x * (h * x).mean(last, true));
    }
    // The engine sums over the leading dimensions.
    if (wanted.has(1)) results[1] = g * x;
    if (wanted.has(2)) results[2] = g;
  }

  bool is_rms_;
  DimVector shape_;
  double eps_;
};

Tensor normalize_last(const LastDimsNorm& norm, const Tensor& input, IntArrayRef normalized_shape,
                      const Tensor& weight, const Tensor& bias, double eps) {
  check(norm, input, normalized_shape, weight, bias);
  Tensor out = detail::make_tensor(input.sizes(), input.dtype(), input.device());
  const bool recorded = autograd::needs_grad(input, weight, bias);
  Tensor statistics;
  if (out.numel() != 0) {
    const std::int64_t size = product_of(normalized_shape);
    if (recorded) {
      statistics = detail::make_tensor({2, out.numel() / size}, kDouble, input.device());
    }
    const Tensor dense_bias = contiguous_or_undefined(bias);
    LayerNormArgs args{};
    args.op = LayerNormOp::kForward;
    args.root_mean_square = norm.is_rms ? 1 : 0;
    args.eps = eps;
    args.bias = data_or_null(dense_bias);
    args.out = out.data_ptr();
    run_layer_norm(args, input.contiguous(), size, contiguous_or_undefined(weight), statistics);
  }
  if (recorded) {
    autograd::set_history(out, IntrusivePtr<autograd::Node>(new LayerNormBackward(
                                   norm, input, normalized_shape, weight, bias, statistics, eps)));
  }
  return out;
}

}  // namespace

Tensor layer_norm(const Tensor& input, IntArrayRef normalized_shape, const Tensor& weight,
                  const Tensor& bias, double eps) {
  TERN_OP("layer_norm", input);
  TERN_AUTOCAST(kUnchanged, kFloat32, layer_norm, input, normalized_shape, weight, bias, eps);
  if (detail::is_mixed_norm(input, {&weight, &bias})) {
    return layer_norm(input.to(kFloat), normalized_shape, weight, bias, eps).to(input.dtype());
  }
  return normalize_last(kLayerNorm, input, normalized_shape, weight, bias, eps);
}

Tensor rms_norm(const Tensor& input, IntArrayRef normalized_shape, const Tensor& weight,
                std::optional<double> eps) {
  TERN_OP("rms_norm", input);
  TERN_AUTOCAST(kUnchanged, kFloat32, rms_norm, input, normalized_shape, weight, eps);
  if (detail::is_mixed_norm(input, {&weight})) {
    return rms_norm(input.to(kFloat), normalized_shape, weight, eps).to(input.dtype());
  }
  const double smallest = input.dtype() == kDouble ? std::numeric_limits<double>::epsilon()
                                                   : std::numeric_limits<float>::epsilon();
  return normalize_last(kRmsNorm, input, normalized_shape, weight, {}, eps.value_or(smallest));
}

}  // namespace tern
