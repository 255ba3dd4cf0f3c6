#pragma once

#include <cstdint>
#include <optional>

#include <tern/core/distributed/process_group.h>
#include <tern/core/ops/nn/batch_norm.h>
#include <tern/core/tensor/tensor.h>
#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/options_arg.h>

// Batch normalisation (Ioffe and Szegedy, 2015) and instance normalisation (Ulyanov et al., 2016):
// (x - mean) / sqrt(var + eps) * weight + bias for each channel. A BatchNorm takes mean and
// variance over all samples, an InstanceNorm over each sample. In evaluation, modules with
// track_running_stats use the running statistics.
//
// Parameters: weight [C] (ones) and bias [C] (zeros), if affine
// Buffers: running_mean [C] (zeros), running_var [C] (ones) and num_batches_tracked (int64), if
// track_running_stats

namespace tern::nn {

/// Options of BatchNorm and InstanceNorm modules. With `kDefault`, affine and track_running_stats
/// are true by default.
template <bool kDefault>
struct TERN_API ChannelNormOptions {
  /// Sets num_features.
  ChannelNormOptions(std::int64_t num_features) : num_features_(num_features) {}
  template <class T>
  requires tern::detail::kIsBool<T> ChannelNormOptions(T)
  = delete;
  /// The number of channels.
  TERN_ARG(std::int64_t, num_features);
  /// A number added to the variance.
  TERN_ARG(double, eps) = 1e-5;
  /// The weight of a batch in the running statistics. nullopt: they are the plain average over all
  /// batches; an InstanceNorm does not update them.
  TERN_ARG(std::optional<double>, momentum) = 0.1;
  /// True: the module has weight and bias. Default: `true` for BatchNorm, `false` for InstanceNorm.
  TERN_ARG(bool, affine) = kDefault;
  /// False: an affine module has no bias.
  TERN_ARG(bool, bias) = true;
  /// True: the module has running statistics. False: every batch is normalised by its own
  /// statistics. Default: `true` for BatchNorm, `false` for InstanceNorm.
  TERN_ARG(bool, track_running_stats) = kDefault;
  /// The device of parameters and statistics; the default device unless given.
  TERN_ARG(std::optional<Device>, device);
  /// The dtype of parameters and statistics; the default dtype unless given.
  TERN_ARG(std::optional<ScalarType>, dtype);
};
/// Options of BatchNorm modules.
using BatchNormOptions = ChannelNormOptions<true>;
using BatchNorm1dOptions = BatchNormOptions;
using BatchNorm2dOptions = BatchNormOptions;
using BatchNorm3dOptions = BatchNormOptions;
/// Options of InstanceNorm modules.
using InstanceNormOptions = ChannelNormOptions<false>;
using InstanceNorm1dOptions = InstanceNormOptions;
using InstanceNorm2dOptions = InstanceNormOptions;
using InstanceNorm3dOptions = InstanceNormOptions;

namespace functional {

/// Options of nn::functional::batch_norm.
struct BatchNormFuncOptions {
  /// The factor of each channel, [C]; undefined means 1.
  TERN_ARG(Tensor, weight);
  /// The summand of each channel, [C]; undefined means 0.
  TERN_ARG(Tensor, bias);
  /// True: uses the batch's own statistics and updates the running statistics.
  TERN_ARG(bool, training) = false;
  /// The weight of the batch in the running statistics.
  TERN_ARG(double, momentum) = 0.1;
  /// A number added to the variance.
  TERN_ARG(double, eps) = 1e-5;
};

/// Options of nn::functional::instance_norm.
struct InstanceNormFuncOptions {
  /// The running mean, [C]; undefined: there is none.
  TERN_ARG(Tensor, running_mean);
  /// The running variance, [C]; undefined: there is none.
  TERN_ARG(Tensor, running_var);
  /// The factor of each channel, [C]; undefined means 1.
  TERN_ARG(Tensor, weight);
  /// The summand of each channel, [C]; undefined means 0.
  TERN_ARG(Tensor, bias);
  /// True: uses the statistics of each sample and updates the running statistics. False: uses the
  /// running statistics.
  TERN_ARG(bool, use_input_stats) = true;
  /// The weight of the batch in the running statistics.
  TERN_ARG(double, momentum) = 0.1;
  /// A number added to the variance.
  TERN_ARG(double, eps) = 1e-5;
};

/// Normalises each channel, dimension 1, over the batch: (x - mean) / sqrt(var + eps) * weight +
/// bias; see tern::batch_norm().
///
/// In training, mean and biased variance are those of the batch, and running_mean and running_var
/// (if defined) move by the share `momentum` towards the batch's mean and unbiased variance.
/// Otherwise running_mean and running_var are used.
///
/// Shape: input [N, C, ...], statistics, weight and bias [C]
/// Throws: ShapeError when the sizes do not fit, and in training when a channel has only one value.
TERN_API Tensor batch_norm(const Tensor& input, const Tensor& running_mean,
                           const Tensor& running_var, const BatchNormFuncOptions& options = {});
/// Normalises each channel of each sample; see tern::instance_norm().
inline Tensor instance_norm(const Tensor& input, const InstanceNormFuncOptions& options = {}) {
  return tern::instance_norm(input, options.weight(), options.bias(), options.running_mean(),
                             options.running_var(), options.use_input_stats(), options.momentum(),
                             options.eps());
}

}  // namespace functional

namespace detail {

/// What BatchNorm and InstanceNorm modules have in common.
template <class Derived, class Options>
class TERN_API ChannelNorm : public Cloneable<Derived> {
 public:
  /// Makes parameters and buffers. A bare number is num_features.
  explicit ChannelNorm(const Options& options_);

  void reset() override;
  /// Sets the running statistics to their initial values.
  void reset_running_stats();
  /// Sets parameters and running statistics to their initial values.
  void reset_parameters();
  /// Makes forward() return its input, and removes parameters and statistics: a layer before this
  /// one computes what they did. Used by fuse_conv_bn().
  void become_identity();
  /// Returns true after become_identity().
  bool is_identity() const { return is_identity_; }
  /// Makes a BatchNorm take mean and variance over the batches of all ranks in training. Used by
  /// convert_sync_batchnorm().
  void synchronize(const distributed::ProcessGroup& group) { group_ = group; }
  /// Returns the ranks of synchronize(); nullopt before it.
  const std::optional<distributed::ProcessGroup>& synchronized_group() const { return group_; }

  /// The options given to the constructor.
  Options options;
  /// The parameters; undefined unless affine.
  Tensor weight, bias;
  /// The buffers; undefined unless track_running_stats.
  Tensor running_mean, running_var, num_batches_tracked;

 protected:
  /// Registers nothing.
  ChannelNorm(const Options& options_, Unregistered) : options(options_) {}
  bool is_optional_in_state(const std::string& name) const override;

 private:
  bool is_identity_ = false;
  std::optional<distributed::ProcessGroup> group_;
};

}  // namespace detail

/// BatchNorm of vectors or sequences.
///
/// Shape: [N, C] or [N, C, L]; the result has the same shape
///
/// Example:
///   nn::BatchNorm1d bn(nn::BatchNorm1dOptions(64).momentum(0.01));
class TERN_API BatchNorm1dImpl : public detail::ChannelNorm<BatchNorm1dImpl, BatchNormOptions> {
 public:
  using ChannelNorm::ChannelNorm;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the normalised input. Throws ShapeError for another shape, and in training if a
  /// channel has only one value.
  Tensor forward(const Tensor& input);
};
TERN_MODULE(BatchNorm1d);

/// BatchNorm of images.
///
/// Shape: [N, C, H, W]; the result has the same shape
class TERN_API BatchNorm2dImpl : public detail::ChannelNorm<BatchNorm2dImpl, BatchNormOptions> {
 public:
  using ChannelNorm::ChannelNorm;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the normalised input. Throws ShapeError for another shape, and in training if a
  /// channel has only one value.
  Tensor forward(const Tensor& input);
};
TERN_MODULE(BatchNorm2d);

/// BatchNorm of volumes.
///
/// Shape: [N, C, D, H, W]; the result has the same shape
class TERN_API BatchNorm3dImpl : public detail::ChannelNorm<BatchNorm3dImpl, BatchNormOptions> {
 public:
  using ChannelNorm::ChannelNorm;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the normalised input. Throws ShapeError for another shape, and in training if a
  /// channel has only one value.
  Tensor forward(const Tensor& input);
};
TERN_MODULE(BatchNorm3d);

/// BatchNorm of inputs with any number of dimensions, whose mean and variance are those of the
/// batches of all ranks together; these may have different sizes, and be empty on some ranks. In
/// evaluation, and in a group of one rank, it is a BatchNorm. Gradients of weight and bias are this
/// rank's; DistributedDataParallel averages them.
///
/// In training every forward() and backward() communicates, so all ranks must make the same calls.
/// The layer has a group of its own: its calls do not mix with others.
///
/// Shape: [N, C, ...]; the result has the same shape
///
/// Example:
///   nn::SyncBatchNorm bn(nn::BatchNormOptions(64), group);
class TERN_API SyncBatchNormImpl : public detail::ChannelNorm<SyncBatchNormImpl, BatchNormOptions> {
 public:
  /// Makes parameters and buffers. A bare number is num_features. Without `group`, the ranks are
  /// those of distributed::init_process_group(). All ranks must make the layer.
  explicit SyncBatchNormImpl(const BatchNormOptions& options_,
                             std::optional<distributed::ProcessGroup> group = {});
  void pretty_print(std::ostream& stream) const override;
  /// Returns the normalised input. Throws ShapeError for another shape, and in training, on all
  /// ranks, if a channel has less than two values on all ranks together.
  Tensor forward(const Tensor& input);
};
TERN_MODULE(SyncBatchNorm);

/// InstanceNorm of sequences.
///
/// Shape: [N, C, L] or [C, L]; the result has the same shape
class TERN_API InstanceNorm1dImpl
    : public detail::ChannelNorm<InstanceNorm1dImpl, InstanceNormOptions> {
 public:
  using ChannelNorm::ChannelNorm;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the normalised input. Throws ShapeError for another shape, and if statistics of a
  /// channel of one value are needed.
  Tensor forward(const Tensor& input);
};
TERN_MODULE(InstanceNorm1d);

/// InstanceNorm of images.
///
/// Shape: [N, C, H, W] or [C, H, W]; the result has the same shape
class TERN_API InstanceNorm2dImpl
    : public detail::ChannelNorm<InstanceNorm2dImpl, InstanceNormOptions> {
 public:
  using ChannelNorm::ChannelNorm;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the normalised input. Throws ShapeError for another shape, and if statistics of a
  /// channel of one value are needed.
  Tensor forward(const Tensor& input);
};
TERN_MODULE(InstanceNorm2d);

/// InstanceNorm of volumes.
///
/// Shape: [N, C, D, H, W] or [C, D, H, W]; the result has the same shape
class TERN_API InstanceNorm3dImpl
    : public detail::ChannelNorm<InstanceNorm3dImpl, InstanceNormOptions> {
 public:
  using ChannelNorm::ChannelNorm;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the normalised input. Throws ShapeError for another shape, and if statistics of a
  /// channel of one value are needed.
  Tensor forward(const Tensor& input);
};
TERN_MODULE(InstanceNorm3d);

}  // namespace tern::nn
