#include <tern/core/autograd/record.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/ops/elementwise.h>
#include <tern/core/ops/ops.h>

namespace tern {
namespace {

using autograd::Edge;
using autograd::Kept;
using autograd::needs_grad;
using kernels::BatchNormArgs;
using kernels::BatchNormOp;

void check_parameter(const Tensor& parameter, const char* name, const Tensor& input) {
  if (!parameter.defined()) return;
  const std::int64_t channels = input.size(1);
  TERN_CHECK(parameter.numel() == channels, ShapeError, name, " should contain ", channels,
             " elements not ", parameter.numel());
  TERN_CHECK(parameter.dtype() == input.dtype(), DTypeError,
             "batch_norm: expect parameter to have scalar type of ", input.dtype(), ", but got ",
             name, " of ", parameter.dtype());
}

void* data_of(const Tensor& tensor) { return tensor.defined() ? tensor.data_ptr() : nullptr; }
Tensor dense(const Tensor& tensor) { return tensor.defined() ? tensor.contiguous() : tensor; }

/// Mean and variance of each channel: [2, C] in float64, read in evaluation, written in training.
struct Normalization {
  Tensor statistics;
  bool training;
  double eps;
};

/// Runs the kernel on contiguous tensors.
void run_batch_norm(BatchNormArgs args, const Tensor& input, const Tensor& weight,
                    const Normalization& how) {
  args.dtype = input.dtype();
  args.training = how.training ? 1 : 0;
  args.outer = input.sizes()[0];
  args.channels = input.sizes()[1];
  args.inner = input.numel() / (args.outer * args.channels);
  args.eps = how.eps;
  args.in = input.data_ptr();
  args.weight = data_of(weight);
  args.mean = static_cast<double*>(data_of(how.statistics));
  args.variance = args.mean == nullptr ? nullptr : args.mean + args.channels;
  kernels::run("batch_norm", input.device(), input.dtype(), args);
}

/// All gradients in one pass; the composed formula where it is itself recorded.
class BatchNormBackward final : public autograd::Node {
 public:
  BatchNormBackward(const Tensor& input, const Tensor& weight, const Tensor& bias,
                    Normalization how)
      : Node(edges_, 3), input_(input, false), weight_(weight, false), how_(std::move(how)) {
    const Tensor* inputs[] = {&input, &weight, &bias};
    for (std::size_t i = 0; i < 3; ++i) {
      if (inputs[i]->defined()) edges_[i] = autograd::gradient_edge(*inputs[i]);
    }
  }

  void apply(const Tensor* gradients, Tensor* results) override {
    if (released_) autograd::throw_backward_twice();
    if (!gradients[0].defined()) return;
    const Tensor input = input_.unpack(this), weight = weight_.unpack(this);
    // Gradients of nothing are zeros, whereas the formula divides by the count.
    if (input.numel() != 0 && needs_grad(gradients[0], input, weight)) {
      compose(gradients[0], input, weight, results);
    } else {
      compute(gradients[0], input, weight, results);
    }
  }
  std::string name() const override { return "NativeBatchNormBackward0"; }
  void release_kept() override {
    released_ = true;
    input_ = weight_ = Kept();
    how_.statistics.reset();
  }

 private:
  void compute(const Tensor& g, const Tensor& input, const Tensor& weight, Tensor* results) const {
    const DimVector channels{input.size(1)};
    const bool empty = input.numel() == 0;
    for (std::size_t i = 0; i < 3; ++i) {
      if (!edges_[i].node) continue;
      const IntArrayRef wanted = i == 0 ? input.sizes() : IntArrayRef(channels);
      results[i] = empty ? input.new_zeros(wanted)
                         : detail::make_tensor(wanted, input.dtype(), input.device());
    }
    if (empty) return;
    const Tensor grad = g.contiguous();
    BatchNormArgs args{};
    args.op = BatchNormOp::kBackward;
    args.grad = grad.data_ptr();
    args.grad_in = data_of(results[0]);
    args.grad_weight = data_of(results[1]);
    args.grad_bias = data_of(results[2]);
    run_batch_norm(args, input.contiguous(), dense(weight), how_);
  }

  void compose(const Tensor& g, const Tensor& input, const Tensor& weight, Tensor* results) const {
    DimVector others, broadcast;  // all dimensions but the channels; [1, C, 1, ..]
    for (std::int64_t d = 0; d < input.dim(); ++d) {
      if (d != 1) others.push_back(d);
      broadcast.push_back(d == 1 ? input.size(1) : 1);
    }
    const auto mean_of = [&](const Tensor& t) { return t.mean(others, true); };
    const auto kept = [&](std::int64_t i) {
      return how_.statistics[i].to(input.dtype()).reshape(broadcast);
    };
    const Tensor centered = input - (how_.training ? mean_of(input) : kept(0));
    const Tensor variance = how_.training ? mean_of(square(centered)) : kept(1);
    const Tensor rstd = rsqrt(variance + how_.eps);
    const Tensor x = centered * rstd;
    if (edges_[0].node) {
      const Tensor scale = weight.defined() ? rstd * weight.reshape(broadcast) : rstd;
      results[0] = scale * (how_.training ? g - mean_of(g) - x * mean_of(g * x) : g);
    }
    if (edges_[1].node) results[1] = (g * x).sum(others);
    if (edges_[2].node) results[2] = g.sum(others);
  }

  Edge edges_[3];
  Kept input_, weight_;
  Normalization how_;
  bool released_ = false;
};

void update_running(Tensor running, const Tensor& batch, double momentum) {
  if (running.defined()) running.mul_(1 - momentum).add_(batch, momentum);
}

}  // namespace

Tensor batch_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                  const Tensor& running_mean, const Tensor& running_var, bool training,
                  double momentum, double eps) {
  TERN_CHECK(input.dim() >= 2, ShapeError, "batch_norm: expected at least 2D input, got sizes ",
             input.sizes());
  detail::check_same_device("batch_norm", {&input, &weight, &bias, &running_mean, &running_var},
                            {"input", "weight", "bias", "running_mean", "running_var"});
  TERN_CHECK(input.is_floating_point(), DTypeError, "\"batch_norm\" not implemented for '",
             input.dtype(), "'");
  check_parameter(running_mean, "running_mean", input);
  check_parameter(running_var, "running_var", input);
  check_parameter(weight, "weight", input);
  check_parameter(bias, "bias", input);
  const std::int64_t channels = input.size(1);
  const std::int64_t count = channels == 0 ? 0 : input.numel() / channels;
  if (training) {
    TERN_CHECK(count != 1, ShapeError,
               "Expected more than 1 value per channel when training, got input size ",
               input.sizes());
  } else {
    TERN_CHECK(running_mean.defined(), Error, "running_mean must be defined in evaluation mode");
    TERN_CHECK(running_var.defined(), Error, "running_var must be defined in evaluation mode");
  }

  const bool recorded = needs_grad(input, weight, bias);
  Tensor out = detail::make_tensor(input.sizes(), input.dtype(), input.device());
  Normalization how{detail::make_tensor({2, channels}, kDouble, input.device()), training, eps};
  {
    const NoGradGuard no_grad;
    if (!training) {
      how.statistics[0].copy_(running_mean.reshape({-1}));
      how.statistics[1].copy_(running_var.reshape({-1}));
    }
    if (out.numel() != 0) {
      const Tensor dense_bias = dense(bias);
      BatchNormArgs args{};
      args.op = BatchNormOp::kForward;
      args.bias = data_of(dense_bias);
      args.out = out.data_ptr();
      run_batch_norm(args, input.contiguous(), dense(weight), how);
      if (training) {
        const auto n = static_cast<double>(count);
        update_running(running_mean, how.statistics[0], momentum);
        update_running(running_var, how.statistics[1] * (n / (n - 1)), momentum);
      }
    }
  }
  if (recorded) {
    autograd::set_history(out, IntrusivePtr<autograd::Node>(
                                   new BatchNormBackward(input, weight, bias, std::move(how))));
  }
  return out;
}

}  // namespace tern
