#include <tern/core/autograd/record.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/ops/elementwise.h>
#include <tern/core/ops/ops.h>

namespace tern {
namespace {

using autograd::Edge;
using autograd::Kept;
using autograd::needs_grad;
using kernels::LayerNormArgs;
using kernels::LayerNormOp;

void check(const Tensor& input, IntArrayRef shape, const Tensor& weight, const Tensor& bias) {
  detail::check_same_device("native_layer_norm", {&input, &weight, &bias},
                            {"input", "weight", "bias"});
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
               "layer_norm: expect parameter to have scalar type of ", input.dtype(), ", but got ",
               name, " of ", parameter.dtype());
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
  TERN_CHECK(input.is_floating_point(), DTypeError, "\"LayerNormKernelImpl\" not implemented for '",
             input.dtype(), "'");
}

void* data_of(const Tensor& tensor) { return tensor.defined() ? tensor.data_ptr() : nullptr; }
Tensor dense(const Tensor& tensor) { return tensor.defined() ? tensor.contiguous() : tensor; }

/// Runs the kernel on contiguous tensors. `statistics` is [2, rows]: means and 1 / deviations.
void run_layer_norm(LayerNormArgs args, const Tensor& input, std::int64_t size,
                    const Tensor& weight, const Tensor& statistics) {
  args.dtype = input.dtype();
  args.rows = input.numel() / size;
  args.size = size;
  args.in = input.data_ptr();
  args.weight = data_of(weight);
  args.mean = static_cast<double*>(data_of(statistics));
  args.rstd = args.mean == nullptr ? nullptr : args.mean + args.rows;
  kernels::run("layer_norm", input.device(), input.dtype(), args);
}

/// All gradients in one pass; the composed formula where it is itself recorded.
class LayerNormBackward final : public autograd::Node {
 public:
  LayerNormBackward(const Tensor& input, std::size_t dims, const Tensor& weight, const Tensor& bias,
                    Tensor statistics, double eps)
      : Node(edges_, 3),
        dims_(dims),
        eps_(eps),
        input_(input, false),
        weight_(weight, false),
        statistics_(std::move(statistics)) {
    const Tensor* inputs[] = {&input, &weight, &bias};
    for (std::size_t i = 0; i < 3; ++i) {
      if (inputs[i]->defined()) edges_[i] = autograd::gradient_edge(*inputs[i]);
    }
  }

  void apply(const Tensor* gradients, Tensor* results) override {
    if (released_) autograd::throw_backward_twice();
    if (!gradients[0].defined()) return;
    const Tensor input = input_.unpack(this), weight = weight_.unpack(this);
    if (needs_grad(gradients[0], input, weight)) {
      compose(gradients[0], input, weight, results);
    } else {
      compute(gradients[0], input, weight, results);
    }
  }
  std::string name() const override { return "NativeLayerNormBackward0"; }
  void release_kept() override {
    released_ = true;
    input_ = weight_ = Kept();
    statistics_.reset();
  }

 private:
  void compute(const Tensor& g, const Tensor& input, const Tensor& weight, Tensor* results) const {
    const IntArrayRef sizes = input.sizes();
    const IntArrayRef shape = sizes.slice(sizes.size() - dims_, dims_);
    const bool empty = input.numel() == 0;
    for (std::size_t i = 0; i < 3; ++i) {
      if (!edges_[i].node) continue;
      const IntArrayRef wanted = i == 0 ? sizes : shape;
      results[i] = empty ? input.new_zeros(wanted)
                         : detail::make_tensor(wanted, input.dtype(), input.device());
    }
    if (empty) return;
    const Tensor grad = g.contiguous();
    LayerNormArgs args{};
    args.op = LayerNormOp::kBackward;
    args.grad = grad.data_ptr();
    args.grad_in = data_of(results[0]);
    args.grad_weight = data_of(results[1]);
    args.grad_bias = data_of(results[2]);
    std::int64_t size = 1;
    for (const std::int64_t each : shape) size *= each;
    run_layer_norm(args, input.contiguous(), size, dense(weight), statistics_);
  }

  void compose(const Tensor& g, const Tensor& input, const Tensor& weight, Tensor* results) const {
    DimVector last;
    for (std::size_t d = dims_; d > 0; --d) last.push_back(-static_cast<std::int64_t>(d));
    const Tensor centered = input - input.mean(last, true);
    const Tensor rstd = rsqrt(square(centered).mean(last, true) + eps_);
    const Tensor x = centered * rstd;
    if (edges_[0].node) {
      const Tensor h = weight.defined() ? g * weight : g;
      results[0] = rstd * (h - h.mean(last, true) - x * (h * x).mean(last, true));
    }
    // The engine sums over the leading dimensions.
    if (edges_[1].node) results[1] = g * x;
    if (edges_[2].node) results[2] = g;
  }

  Edge edges_[3];
  std::size_t dims_;
  double eps_;
  Kept input_, weight_;
  Tensor statistics_;
  bool released_ = false;
};

}  // namespace

Tensor layer_norm(const Tensor& input, IntArrayRef normalized_shape, const Tensor& weight,
                  const Tensor& bias, double eps) {
  check(input, normalized_shape, weight, bias);
  Tensor out = detail::make_tensor(input.sizes(), input.dtype(), input.device());
  const bool recorded = needs_grad(input, weight, bias);
  Tensor statistics;
  if (out.numel() != 0) {
    std::int64_t size = 1;
    for (const std::int64_t each : normalized_shape) size *= each;
    if (recorded) {
      statistics = detail::make_tensor({2, out.numel() / size}, kDouble, input.device());
    }
    const Tensor dense_bias = dense(bias);
    LayerNormArgs args{};
    args.op = LayerNormOp::kForward;
    args.eps = eps;
    args.bias = data_of(dense_bias);
    args.out = out.data_ptr();
    run_layer_norm(args, input.contiguous(), size, dense(weight), statistics);
  }
  if (recorded) {
    autograd::set_history(out, IntrusivePtr<autograd::Node>(new LayerNormBackward(
                                   input, normalized_shape.size(), weight, bias, statistics, eps)));
  }
  return out;
}

}  // namespace tern
