// Compiled for size.

#include <limits>

#include <tern/core/autograd/record.h>
#include <tern/core/base/detail/libtorch.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/families/batch_norm.h>
#include <tern/core/ops/common/detail/memory_format.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/nn/detail/batch_norm.h>
#include <tern/core/ops/nn/detail/normalize_backward.h>
#include <tern/core/ops/ops.h>

namespace tern {
namespace {

using detail::contiguous_or_undefined;
using detail::data_or_null;
using kernels::BatchNormArgs;
using kernels::BatchNormOp;

void check_parameter(const Tensor& parameter, const char* name, const Tensor& input) {
  if (!parameter.defined()) return;
  const std::int64_t channels = input.size(1);
  TERN_CHECK(parameter.numel() == channels, ShapeError, name, " should contain ", channels,
             " elements not ", parameter.numel());
  TERN_CHECK(parameter.dtype() == input.dtype(), DTypeError,
             "expect parameter to have scalar type of ", input.scalar_type(), ", but got ", name,
             " of ", parameter.scalar_type());
}

}  // namespace

BatchNormArgs detail::batch_norm_args(BatchNormOp op, const Tensor& input, MemoryFormat format,
                                      bool training, double eps) {
  BatchNormArgs args{};
  args.op = op;
  args.training = training ? 1 : 0;
  args.outer = input.sizes()[0];
  args.channels = input.sizes()[1];
  args.inner = input.numel() / (args.outer * args.channels);
  if (format != MemoryFormat::Contiguous) {
    args.outer *= args.inner;
    args.inner = 1;
  }
  args.eps = eps;
  return args;
}

DimVector detail::dims_of_channel(const Tensor& input) {
  DimVector others;
  for (std::int64_t d = 0; d < input.dim(); ++d) {
    if (d != 1) others.push_back(d);
  }
  return others;
}

void detail::compose_batch_norm(const Tensor& g, const Tensor& input, const Tensor& weight,
                                const Tensor& statistics, double eps,
                                const std::function<Tensor(const Tensor&)>& mean_of,
                                Tensor* results, autograd::EdgeSet wanted) {
  const DimVector others = dims_of_channel(input);
  DimVector broadcast;  // [1, C, 1, ..]
  for (std::int64_t d = 0; d < input.dim(); ++d) broadcast.push_back(d == 1 ? input.size(1) : 1);
  const auto saved = [&](std::int64_t i) {
    return statistics[i].to(input.dtype()).reshape(broadcast);
  };
  const Tensor centered = input - (mean_of ? mean_of(input) : saved(0));
  const Tensor variance = mean_of ? mean_of(square(centered)) : saved(1);
  Tensor rstd = rsqrt(variance + eps);
  if (mean_of && eps == 0) rstd = masked_fill(rstd, variance == 0, 0);
  const Tensor x = centered * rstd;
  if (wanted.has(0)) {
    const Tensor scale = weight.defined() ? rstd * weight.reshape(broadcast) : rstd;
    results[0] = scale * (mean_of ? g - mean_of(g) - x * mean_of(g * x) : g);
  }
  if (wanted.has(1)) results[1] = (g * x).sum(others);
  if (wanted.has(2)) results[2] = g.sum(others);
}

namespace {

class BatchNormBackward final : public detail::NormalizeBackward {
 public:
  BatchNormBackward(const Tensor& input, const Tensor& weight, const Tensor& bias,
                    const Tensor& statistics, bool training, double eps)
      : NormalizeBackward("NativeBatchNormBackward0", input, weight, bias, input.size(1),
                          statistics, input.suggest_memory_format()),
        training_(training),
        eps_(eps) {}

 private:
  void compute(const Tensor& g, const Tensor& input, const Tensor& weight, const Tensor& statistics,
               const Tensor* results) const override {
    BatchNormArgs args =
        detail::batch_norm_args(BatchNormOp::kBackward, input, format(), training_, eps_);
    detail::set_gradients(args, g, results);
    detail::run_batch_norm(args, input, weight, statistics);
  }

  void compose(const Tensor& g, const Tensor& input, const Tensor& weight, const Tensor& statistics,
               Tensor* results, autograd::EdgeSet wanted) const override {
    std::function<Tensor(const Tensor&)> mean_of;
    if (training_) {
      mean_of = [&](const Tensor& t) { return t.mean(detail::dims_of_channel(input), true); };
    }
    detail::compose_batch_norm(g, input, weight, statistics, eps_, mean_of, results, wanted);
  }

  bool training_;
  double eps_;
};

}  // namespace

void detail::update_running_statistics(const Tensor& running_mean, const Tensor& running_var,
                                       const Tensor& statistics, double count, double momentum) {
  const auto update = [&](const Tensor& running, const Tensor& batch) {
    if (running.defined()) running.mul_(1 - momentum).add_(batch, momentum);
  };
  update(running_mean, statistics[0]);
  update(running_var, statistics[1] * (count / (count - 1)));
}

void detail::check_batch_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                              const Tensor& running_mean, const Tensor& running_var, double eps) {
  TERN_CHECK(input.dim() >= 2, ShapeError, "expected at least 2D input, got sizes ", input.sizes());
  check_same_device("_native_batch_norm", {&input, &weight, &bias, &running_mean, &running_var},
                    {"input", "weight", "bias", "running_mean", "running_var"});
  TERN_CHECK(input.is_floating_point(), DTypeError, "\"batch_norm\" not implemented for '",
             input.scalar_type(), "'");
  TERN_CHECK(!(eps < 0), Error, "batch_norm eps must be non-negative, but got ", eps);
  check_parameter(running_mean, "running_mean", input);
  check_parameter(running_var, "running_var", input);
  check_parameter(weight, "weight", input);
  check_parameter(bias, "bias", input);
}

void detail::run_batch_norm(BatchNormArgs args, const Tensor& input, const Tensor& weight,
                            const Tensor& statistics) {
  args.dtype = input.dtype();
  args.in = input.data_ptr();
  args.weight = data_or_null(weight);
  args.mean = statistics.data_ptr<double>();
  args.variance = args.mean + args.channels;
  kernels::run("batch_norm", input.device(), input.dtype(), args);
}

void detail::check_batch_norm_sizes(const Tensor& input) {
  const std::int64_t channels = input.dim() < 2 ? 0 : input.size(1);
  TERN_CHECK(channels == 0 || input.numel() != channels, ShapeError,
             "Expected more than 1 value per channel when training, got input size ",
             input.sizes());
}

namespace {

Tensor normalized_batch(const Tensor& input, const Tensor& weight, const Tensor& bias,
                        const Tensor& running_mean, const Tensor& running_var, bool training,
                        double momentum, double eps) {
  if (detail::is_mixed_norm(input, {&weight, &bias, &running_mean, &running_var})) {
    return normalized_batch(input.to(kFloat), weight, bias, running_mean, running_var, training,
                            momentum, eps)
        .to(input.dtype());
  }
  // As in PyTorch, a 1-d input without elements has no channels.
  if (input.dim() == 1 && input.numel() == 0) return input.clone();
  detail::check_batch_norm(input, weight, bias, running_mean, running_var, eps);
  const std::int64_t channels = input.size(1);
  const std::int64_t count = channels == 0 ? 0 : input.numel() / channels;
  if (training) {
    if (!detail::as_libtorch) detail::check_batch_norm_sizes(input);
  } else {
    TERN_CHECK(running_mean.defined(), Error, "running_mean must be defined in evaluation mode");
    TERN_CHECK(running_var.defined(), Error, "running_var must be defined in evaluation mode");
  }

  const bool recorded = autograd::needs_grad(input, weight, bias);
  const MemoryFormat format =
      input.is_contiguous() ? MemoryFormat::Contiguous : input.suggest_memory_format();
  Tensor out = detail::make_tensor(input.sizes(), format, input.dtype(), input.device());
  const Tensor statistics = detail::make_tensor({2, channels}, kDouble, input.device());
  {
    const NoGradGuard no_grad;
    if (!training) {
      statistics[0].copy_(running_mean.reshape({-1}));
      statistics[1].copy_(running_var.reshape({-1}));
    }
    if (out.numel() != 0) {
      const Tensor dense_bias = contiguous_or_undefined(bias);
      BatchNormArgs args =
          detail::batch_norm_args(BatchNormOp::kForward, input, format, training, eps);
      args.bias = data_or_null(dense_bias);
      const Tensor dense = input.contiguous(format), dense_weight = contiguous_or_undefined(weight);
      const bool is_flat_possible = training && eps == 0;
      args.out = is_flat_possible ? nullptr : out.data_ptr();
      detail::run_batch_norm(args, dense, dense_weight, statistics);
      if (training) {
        detail::update_running_statistics(running_mean, running_var, statistics,
                                          static_cast<double>(count), momentum);
      }
      if (is_flat_possible) {  // equal elements become 0: their reciprocal deviation counts as 0
        Tensor variance = statistics[1];
        variance.masked_fill_(variance == 0, std::numeric_limits<double>::infinity());
        args.training = 0;
        args.out = out.data_ptr();
        detail::run_batch_norm(args, dense, dense_weight, statistics);
      }
    }
  }
  if (recorded) {
    autograd::set_history(out, IntrusivePtr<autograd::Node>(new BatchNormBackward(
                                   input, weight, bias, statistics, training, eps)));
  }
  return out;
}

}  // namespace

Tensor batch_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                  const Tensor& running_mean, const Tensor& running_var, StrictBool training,
                  double momentum, double eps) {
  TERN_OP("batch_norm", input);
  TERN_CHECK(!training || !(eps <= 0), Error,
             "batch_norm eps must be positive during training, but got ", eps);
  return normalized_batch(input, weight, bias, running_mean, running_var, training, momentum, eps);
}

Tensor instance_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                     const Tensor& running_mean, const Tensor& running_var,
                     StrictBool use_input_stats, double momentum, double eps) {
  TERN_OP("instance_norm", input);
  TERN_CHECK(use_input_stats || (running_mean.defined() && running_var.defined()), Error,
             "Expected running_mean and running_var to be defined when use_input_stats is false");
  const std::int64_t batch = input.size(0), channels = input.size(1);
  DimVector sizes = input.self().sizes;
  sizes[0] = 1;
  sizes[1] = batch * channels;
  TERN_CHECK(
      detail::as_libtorch || !use_input_stats || checked_numel(sizes) != sizes[1] || sizes[1] == 0,
      ShapeError, "Expected more than 1 spatial element when training, got input size ",
      input.sizes());
  // Each channel of each sample becomes a channel of one sample.
  const auto repeated = [batch](const Tensor& of_channels) {
    return of_channels.defined() ? of_channels.repeat({batch}) : of_channels;
  };
  const Tensor mean = repeated(running_mean), variance = repeated(running_var);
  const Tensor out =
      normalized_batch(input.contiguous().view(sizes), repeated(weight), repeated(bias), mean,
                       variance, use_input_stats, momentum, eps);
  if (use_input_stats && batch != 0) {
    const NoGradGuard no_grad;
    const auto update = [&](const Tensor& running, const Tensor& samples) {
      if (running.defined()) running.copy_(samples.view({batch, channels}).mean(0));
    };
    update(running_mean, mean);
    update(running_var, variance);
  }
  return out.view(input.sizes());
}

}  // namespace tern
