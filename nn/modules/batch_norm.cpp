#include <tern/core/autograd/grad_mode.h>
#include <tern/core/base/detail/libtorch.h>
#include <tern/core/base/detail/op_scope.h>
#include <tern/core/distributed/distributed.h>
#include <tern/core/ops/create/creation.h>
#include <tern/core/ops/nn/detail/batch_norm.h>
#include <tern/nn/detail/factory.h>
#include <tern/nn/detail/printing.h>
#include <tern/nn/init.h>
#include <tern/nn/modules/batch_norm.h>
#include <tern/nn/parallel/detail/sync_batch_norm.h>

namespace tern::nn {

Tensor functional::batch_norm(const Tensor& input, const Tensor& running_mean,
                              const Tensor& running_var, const BatchNormFuncOptions& options) {
  if (tern::detail::as_libtorch && options.training()) {
    const tern::detail::OpScope scope("batch_norm");
    tern::detail::check_batch_norm_sizes(input);
  }
  return tern::batch_norm(input, options.weight(), options.bias(), running_mean, running_var,
                          options.training(), options.momentum(), options.eps());
}

namespace {

template <class Norm>
const char* const kName = nullptr;
template <>
const char* const kName<BatchNorm1dImpl> = "nn::BatchNorm1d";
template <>
const char* const kName<BatchNorm2dImpl> = "nn::BatchNorm2d";
template <>
const char* const kName<BatchNorm3dImpl> = "nn::BatchNorm3d";
template <>
const char* const kName<SyncBatchNormImpl> = "nn::SyncBatchNorm";
template <>
const char* const kName<InstanceNorm1dImpl> = "nn::InstanceNorm1d";
template <>
const char* const kName<InstanceNorm2dImpl> = "nn::InstanceNorm2d";
template <>
const char* const kName<InstanceNorm3dImpl> = "nn::InstanceNorm3d";

/// The number of dimensions of an input may be one of these two.
struct InputDims {
  std::int64_t least, most;
};

void check_dims(const Tensor& input, InputDims dims) {
  const bool is_one = dims.least == dims.most;
  TERN_CHECK(input.dim() >= dims.least && input.dim() <= dims.most, ShapeError, "expected ",
             is_one ? "" : std::to_string(dims.least) + "D or ", dims.most, "D input (got ",
             input.dim(), "D input)");
}

/// Returns true if statistics of the input are needed: in training, and in evaluation if there are
/// no running ones.
template <class Norm>
bool uses_input(const Norm& norm) {
  return norm.is_training() || !norm.running_mean.defined();
}

template <class Norm>
Tensor batch_norm(Norm& norm, const Tensor& input, InputDims dims) {
  check_dims(input, dims);
  if (norm.is_identity()) return input;
  const auto& options = norm.options;
  const bool counts = norm.is_training() && norm.num_batches_tracked.defined();
  const double momentum = counts && !options.momentum()
                              ? 1 / (norm.num_batches_tracked.template item<double>() + 1)
                              : options.momentum().value_or(0.0);
  const auto& group = norm.synchronized_group();
  Tensor out =
      group && group->size() > 1 && norm.is_training()
          ? detail::sync_batch_norm(*group, input, norm.weight, norm.bias, norm.running_mean,
                                    norm.running_var, momentum, options.eps())
          : functional::batch_norm(input, norm.running_mean, norm.running_var,
                                   functional::BatchNormFuncOptions()
                                       .weight(norm.weight)
                                       .bias(norm.bias)
                                       .training(uses_input(norm))
                                       .momentum(momentum)
                                       .eps(options.eps()));
  if (counts) {  // last: a rejected batch does not count
    const NoGradGuard no_grad;
    norm.num_batches_tracked.add_(1);
  }
  return out;
}

template <class Norm>
Tensor instance_norm(const Norm& norm, const Tensor& input, InputDims dims) {
  check_dims(input, dims);
  if (norm.is_identity()) return input;
  const auto& options = norm.options;
  const bool is_batch = input.dim() == dims.most;
  const std::int64_t channel_dim = is_batch ? 1 : 0;
  TERN_CHECK(!options.affine() || input.size(channel_dim) == options.num_features(), ShapeError,
             "expected input's size at dim=", channel_dim, " to match num_features (",
             options.num_features(), "), but got: ", input.size(channel_dim), ".");
  const Tensor out = functional::instance_norm(is_batch ? input : input.unsqueeze(0),
                                               functional::InstanceNormFuncOptions()
                                                   .running_mean(norm.running_mean)
                                                   .running_var(norm.running_var)
                                                   .weight(norm.weight)
                                                   .bias(norm.bias)
                                                   .use_input_stats(uses_input(norm))
                                                   .momentum(options.momentum().value_or(0.0))
                                                   .eps(options.eps()));
  return is_batch ? out : out.squeeze(0);
}

template <class Norm>
void print_norm(std::ostream& stream, const char* name, const Norm& norm) {
  const auto& options = norm.options;
  if (norm.synchronized_group()) name = "SyncBatchNorm";
  detail::print_to(stream, {"tern::nn::", name, '(', options.num_features(),
                            ", eps=", options.eps(), ", momentum="});
  if (options.momentum()) {
    detail::print_to(stream, {*options.momentum()});
  } else {
    stream << "None";
  }
  stream << ", affine=" << detail::text_of_bool(options.affine());
  if (!options.bias()) stream << ", bias=false";
  stream << ", track_running_stats=" << detail::text_of_bool(options.track_running_stats()) << ')';
}

}  // namespace

namespace detail {

template <class Derived, class Options>
ChannelNorm<Derived, Options>::ChannelNorm(const Options& options_) : options(options_) {
  ChannelNorm::reset();
}

template <class Derived, class Options>
void ChannelNorm<Derived, Options>::reset() {
  const TensorOptions like = factory_options(options);
  const bool affine = options.affine(), tracked = options.track_running_stats();
  if (affine || tracked) {
    check_size(kName<Derived>, "num_features", options.num_features());
  }
  const auto channels = [&](bool wanted) {
    return wanted ? empty({options.num_features()}, like) : Tensor();
  };
  this->bind_parameter("weight", weight, channels(affine));
  this->bind_parameter("bias", bias, channels(affine && options.bias()));
  this->bind_buffer("running_mean", running_mean, channels(tracked));
  this->bind_buffer("running_var", running_var, channels(tracked));
  this->bind_buffer("num_batches_tracked", num_batches_tracked,
                    tracked ? zeros({}, like.dtype(kLong)) : Tensor());
  reset_parameters();
}

template <class Derived, class Options>
void ChannelNorm<Derived, Options>::reset_running_stats() {
  if (!options.track_running_stats()) return;
  running_mean.zero_();
  running_var.fill_(1);
  num_batches_tracked.zero_();
}

template <class Derived, class Options>
void ChannelNorm<Derived, Options>::reset_parameters() {
  reset_running_stats();
  if (weight.defined()) init::ones_(weight);
  if (bias.defined()) init::zeros_(bias);
}

template <class Derived, class Options>
void ChannelNorm<Derived, Options>::become_identity() {
  for (const char* name : {"weight", "bias"}) this->replace_parameter(name, Tensor());
  for (const char* name : {"running_mean", "running_var", "num_batches_tracked"}) {
    this->replace_buffer(name, Tensor());
  }
  options.affine(false).track_running_stats(false);
  is_identity_ = true;
}

// Files of PyTorch before 0.4.1 lack num_batches_tracked.
template <class Derived, class Options>
bool ChannelNorm<Derived, Options>::is_optional_in_state(const std::string& name) const {
  return name == "num_batches_tracked";
}

}  // namespace detail

template class detail::ChannelNorm<BatchNorm1dImpl, BatchNormOptions>;
void BatchNorm1dImpl::pretty_print(std::ostream& stream) const {
  print_norm(stream, "BatchNorm1d", *this);
}
Tensor BatchNorm1dImpl::forward(const Tensor& input) { return batch_norm(*this, input, {2, 3}); }

template class detail::ChannelNorm<BatchNorm2dImpl, BatchNormOptions>;
void BatchNorm2dImpl::pretty_print(std::ostream& stream) const {
  print_norm(stream, "BatchNorm2d", *this);
}
Tensor BatchNorm2dImpl::forward(const Tensor& input) { return batch_norm(*this, input, {4, 4}); }

template class detail::ChannelNorm<BatchNorm3dImpl, BatchNormOptions>;
void BatchNorm3dImpl::pretty_print(std::ostream& stream) const {
  print_norm(stream, "BatchNorm3d", *this);
}
Tensor BatchNorm3dImpl::forward(const Tensor& input) { return batch_norm(*this, input, {5, 5}); }

template class detail::ChannelNorm<SyncBatchNormImpl, BatchNormOptions>;
SyncBatchNormImpl::SyncBatchNormImpl(const BatchNormOptions& options_,
                                     std::optional<distributed::ProcessGroup> group)
    : ChannelNorm(options_) {
  if (!group) group = distributed::init_process_group();
  synchronize(group->split(0));
}
void SyncBatchNormImpl::pretty_print(std::ostream& stream) const {
  print_norm(stream, "SyncBatchNorm", *this);
}
Tensor SyncBatchNormImpl::forward(const Tensor& input) {
  TERN_CHECK(input.dim() >= 2, ShapeError, "expected at least 2D input (got ", input.dim(),
             "D input)");
  return batch_norm(*this, input, {2, input.dim()});
}

template class detail::ChannelNorm<InstanceNorm1dImpl, InstanceNormOptions>;
void InstanceNorm1dImpl::pretty_print(std::ostream& stream) const {
  print_norm(stream, "InstanceNorm1d", *this);
}
Tensor InstanceNorm1dImpl::forward(const Tensor& input) {
  return instance_norm(*this, input, {2, 3});
}

template class detail::ChannelNorm<InstanceNorm2dImpl, InstanceNormOptions>;
void InstanceNorm2dImpl::pretty_print(std::ostream& stream) const {
  print_norm(stream, "InstanceNorm2d", *this);
}
Tensor InstanceNorm2dImpl::forward(const Tensor& input) {
  return instance_norm(*this, input, {3, 4});
}

template class detail::ChannelNorm<InstanceNorm3dImpl, InstanceNormOptions>;
void InstanceNorm3dImpl::pretty_print(std::ostream& stream) const {
  print_norm(stream, "InstanceNorm3d", *this);
}
Tensor InstanceNorm3dImpl::forward(const Tensor& input) {
  return instance_norm(*this, input, {4, 5});
}

}  // namespace tern::nn
