#include <tern/core/autograd/grad_mode.h>
#include <tern/core/ops/creation.h>
#include <tern/nn/detail/factory.h>
#include <tern/nn/detail/printing.h>
#include <tern/nn/functional/batch_norm.h>
#include <tern/nn/init.h>
#include <tern/nn/modules/batch_norm.h>

namespace tern::nn {

BatchNorm1dImpl::BatchNorm1dImpl(const BatchNorm1dOptions& options_) : options(options_) {
  BatchNorm1dImpl::reset();
}

void BatchNorm1dImpl::reset() {
  const TensorOptions like = detail::factory_options(options);
  const bool affine = options.affine(), tracked = options.track_running_stats();
  if (affine || tracked) {
    detail::check_size("nn::BatchNorm1d", "num_features", options.num_features());
  }
  const auto channels = [&](bool wanted) {
    return wanted ? empty({options.num_features()}, like) : Tensor();
  };
  bind_parameter("weight", weight, channels(affine));
  bind_parameter("bias", bias, channels(affine));
  bind_buffer("running_mean", running_mean, channels(tracked));
  bind_buffer("running_var", running_var, channels(tracked));
  bind_buffer("num_batches_tracked", num_batches_tracked,
              tracked ? zeros({}, like.dtype(kLong)) : Tensor());
  reset_parameters();
}

void BatchNorm1dImpl::reset_running_stats() {
  if (!options.track_running_stats()) return;
  running_mean.zero_();
  running_var.fill_(1);
  num_batches_tracked.zero_();
}

void BatchNorm1dImpl::reset_parameters() {
  reset_running_stats();
  if (!options.affine()) return;
  init::ones_(weight);
  init::zeros_(bias);
}

// Files of PyTorch before 0.4.1 lack num_batches_tracked.
bool BatchNorm1dImpl::is_optional_in_state(const std::string& name) const {
  return name == "num_batches_tracked";
}

void BatchNorm1dImpl::pretty_print(std::ostream& stream) const {
  stream << "tern::nn::BatchNorm1d(" << options.num_features() << ", eps=" << options.eps()
         << ", momentum=";
  if (options.momentum()) {
    stream << *options.momentum();
  } else {
    stream << "None";
  }
  stream << ", affine=" << detail::text_of_bool(options.affine())
         << ", track_running_stats=" << detail::text_of_bool(options.track_running_stats()) << ')';
}

Tensor BatchNorm1dImpl::forward(const Tensor& input) {
  TERN_CHECK(input.dim() == 2 || input.dim() == 3, ShapeError, "expected 2D or 3D input (got ",
             input.dim(), "D input)");
  const bool counts = is_training() && num_batches_tracked.defined();
  const double momentum = counts && !options.momentum()
                              ? 1 / (num_batches_tracked.item<double>() + 1)
                              : options.momentum().value_or(0.0);
  // Without running statistics, a batch is normalised by its own statistics even in evaluation.
  const bool training = is_training() || !running_mean.defined();
  Tensor out = functional::batch_norm(input, running_mean, running_var,
                                      functional::BatchNormFuncOptions()
                                          .weight(weight)
                                          .bias(bias)
                                          .training(training)
                                          .momentum(momentum)
                                          .eps(options.eps()));
  if (counts) {  // last: a rejected batch does not count
    const NoGradGuard no_grad;
    num_batches_tracked.add_(1);
  }
  return out;
}

}  // namespace tern::nn
