#pragma once

#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/batch_norm.h>

// Batch normalisation (Ioffe and Szegedy, 2015) and instance normalisation (Ulyanov et al., 2016):
// (x - mean) / sqrt(var + eps) * weight + bias for each channel. A BatchNorm takes mean and
// variance over all samples, an InstanceNorm over each sample. In evaluation, modules with
// track_running_stats use the running statistics.
//
// Parameters: weight [C] (ones) and bias [C] (zeros), if affine
// Buffers: running_mean [C] (zeros), running_var [C] (ones) and num_batches_tracked (int64), if
// track_running_stats

namespace tern::nn {

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
