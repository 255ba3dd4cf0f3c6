#include <tern/core/autograd/grad_mode.h>
#include <tern/core/ops/pointwise.h>
#include <tern/core/ops/reduce.h>
#include <tern/nn/functional/batchnorm.h>

namespace tern::nn::functional {

namespace {

void check_channels(const Tensor& tensor, const char* name, std::int64_t channels) {
  if (!tensor.defined()) return;
  TERN_CHECK(tensor.numel() == channels, ShapeError, name, " should contain ", channels,
             " elements not ", tensor.numel());
}

void update_running(Tensor running, const Tensor& batch, double momentum) {
  if (!running.defined()) return;
  running.mul_(1 - momentum).add_(batch, momentum);
}

}  // namespace

Tensor batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var,
                  const BatchNormFuncOptions& options) {
  TERN_CHECK(input.dim() >= 2, ShapeError, "batch_norm: expected at least 2D input, got sizes ",
             input.sizes());
  const std::int64_t channels = input.size(1);
  check_channels(running_mean, "running_mean", channels);
  check_channels(running_var, "running_var", channels);
  check_channels(options.weight(), "weight", channels);
  check_channels(options.bias(), "bias", channels);

  DimVector others, broadcast;  // all dimensions but the channels; [1, C, 1, ..]
  for (std::int64_t dim = 0; dim < input.dim(); ++dim) {
    if (dim != 1) others.push_back(dim);
    broadcast.push_back(dim == 1 ? channels : 1);
  }
  const auto per_channel = [&](const Tensor& t) { return t.reshape(broadcast); };

  Tensor centered, variance;
  if (options.training()) {
    const std::int64_t count = channels == 0 ? 0 : input.numel() / channels;
    TERN_CHECK(count != 1, ShapeError,
               "Expected more than 1 value per channel when training, got input size ",
               input.sizes());
    const Tensor mean = input.mean(others);
    centered = input - per_channel(mean);
    variance = square(centered).mean(others);
    const NoGradGuard no_grad;
    update_running(running_mean, mean, options.momentum());
    const auto n = static_cast<double>(count);
    update_running(running_var, variance * (n / (n - 1)), options.momentum());
  } else {
    TERN_CHECK(running_mean.defined(), Error, "running_mean must be defined in evaluation mode");
    TERN_CHECK(running_var.defined(), Error, "running_var must be defined in evaluation mode");
    centered = input - per_channel(running_mean);
    variance = running_var;
  }
  Tensor scale = rsqrt(variance + options.eps());
  if (options.weight().defined()) scale = scale * options.weight();
  const Tensor result = centered * per_channel(scale);
  return options.bias().defined() ? result + per_channel(options.bias()) : result;
}

}  // namespace tern::nn::functional
