#pragma once

#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <tern/nn/module/any_value.h>
#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/pooling.h>

// Layers that reduce windows of the last dimensions to one element each; see
// tern/core/ops/nn/pooling.h.

namespace tern::nn {

namespace detail {

/// What the pooling layers have in common. A layer is made from the arguments of its options.
template <class Derived, class Options>
class TERN_API PoolLayer : public Cloneable<Derived> {
 public:
  /// Makes the module.
  explicit PoolLayer(const Options& options_) : options(options_) {}
  template <class... Args>
  requires std::is_constructible_v<Options, const Args&...>
  explicit PoolLayer(const Args&... args) : options(args...) {}
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  /// Returns the reduced windows. Throws ShapeError where the numbers do not fit the input.
  Tensor forward(const Tensor& input);

  /// The options given to the constructor.
  Options options;
};

/// A pooling layer that also knows the positions of its results.
template <class Derived, class Options>
class TERN_API IndexedPoolLayer : public PoolLayer<Derived, Options> {
 public:
  using PoolLayer<Derived, Options>::PoolLayer;
  /// Returns the results of forward() and their positions in the channel, for a MaxUnpool layer.
  std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input);
};

/// What the MaxUnpool layers have in common.
template <class Derived, class Options>
class TERN_API UnpoolLayer : public Cloneable<Derived> {
 public:
  /// Makes the module.
  explicit UnpoolLayer(const Options& options_) : options(options_) {}
  template <class... Args>
  requires std::is_constructible_v<Options, const Args&...>
  explicit UnpoolLayer(const Args&... args) : options(args...) {}
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  /// Returns zeros with the elements of the input at the positions `indices`. Throws Error for an
  /// output_size that does not fit.
  Tensor forward(const Tensor& input, const Tensor& indices,
                 const std::optional<std::vector<std::int64_t>>& output_size = std::nullopt);

  /// The options given to the constructor.
  Options options;

 protected:
  // TERN_FORWARD_HAS_DEFAULT_ARGS with the values in the source: each program would compile them.
  friend struct ForwardDefaults;
  static std::vector<std::pair<unsigned, AnyValue>> forward_defaults();
};

}  // namespace detail

/// Returns the largest element of each window; see tern::max_pool1d().
///
/// Shape: [N, C, L] -> [N, C, windows...], or both without N
class TERN_API MaxPool1dImpl : public detail::IndexedPoolLayer<MaxPool1dImpl, MaxPool1dOptions> {
 public:
  using IndexedPoolLayer::IndexedPoolLayer;
};
TERN_MODULE(MaxPool1d);

/// Returns the largest element of each window; see tern::max_pool2d().
///
/// Shape: [N, C, H, W] -> [N, C, windows...], or both without N
///
/// Example:
///   nn::MaxPool2d pool(nn::MaxPool2dOptions(3).stride(2).padding(1));
class TERN_API MaxPool2dImpl : public detail::IndexedPoolLayer<MaxPool2dImpl, MaxPool2dOptions> {
 public:
  using IndexedPoolLayer::IndexedPoolLayer;
};
TERN_MODULE(MaxPool2d);

/// Returns the largest element of each window; see tern::max_pool3d().
///
/// Shape: [N, C, D, H, W] -> [N, C, windows...], or both without N
class TERN_API MaxPool3dImpl : public detail::IndexedPoolLayer<MaxPool3dImpl, MaxPool3dOptions> {
 public:
  using IndexedPoolLayer::IndexedPoolLayer;
};
TERN_MODULE(MaxPool3d);

/// Returns the average of each window; see tern::avg_pool1d().
///
/// Shape: [N, C, L] -> [N, C, windows...], or both without N
class TERN_API AvgPool1dImpl : public detail::PoolLayer<AvgPool1dImpl, AvgPool1dOptions> {
 public:
  using PoolLayer::PoolLayer;
};
TERN_MODULE(AvgPool1d);

/// Returns the average of each window; see tern::avg_pool2d().
///
/// Shape: [N, C, H, W] -> [N, C, windows...], or both without N
class TERN_API AvgPool2dImpl : public detail::PoolLayer<AvgPool2dImpl, AvgPool2dOptions> {
 public:
  using PoolLayer::PoolLayer;
};
TERN_MODULE(AvgPool2d);

/// Returns the average of each window; see tern::avg_pool3d().
///
/// Shape: [N, C, D, H, W] -> [N, C, windows...], or both without N
class TERN_API AvgPool3dImpl : public detail::PoolLayer<AvgPool3dImpl, AvgPool3dOptions> {
 public:
  using PoolLayer::PoolLayer;
};
TERN_MODULE(AvgPool3d);

/// Returns the largest elements of windows that divide the input evenly; see
/// tern::adaptive_max_pool1d().
///
/// Shape: [N, C, L] -> [N, C, output_size], or both without N
class TERN_API AdaptiveMaxPool1dImpl
    : public detail::IndexedPoolLayer<AdaptiveMaxPool1dImpl, AdaptiveMaxPool1dOptions> {
 public:
  using IndexedPoolLayer::IndexedPoolLayer;
};
TERN_MODULE(AdaptiveMaxPool1d);

/// Returns the largest elements of windows that divide the input evenly; see
/// tern::adaptive_max_pool2d().
///
/// Shape: [N, C, H, W] -> [N, C, output_size], or both without N
class TERN_API AdaptiveMaxPool2dImpl
    : public detail::IndexedPoolLayer<AdaptiveMaxPool2dImpl, AdaptiveMaxPool2dOptions> {
 public:
  using IndexedPoolLayer::IndexedPoolLayer;
};
TERN_MODULE(AdaptiveMaxPool2d);

/// Returns the largest elements of windows that divide the input evenly; see
/// tern::adaptive_max_pool3d().
///
/// Shape: [N, C, D, H, W] -> [N, C, output_size], or both without N
class TERN_API AdaptiveMaxPool3dImpl
    : public detail::IndexedPoolLayer<AdaptiveMaxPool3dImpl, AdaptiveMaxPool3dOptions> {
 public:
  using IndexedPoolLayer::IndexedPoolLayer;
};
TERN_MODULE(AdaptiveMaxPool3d);

/// Returns the averages of windows that divide the input evenly; see
/// tern::adaptive_avg_pool1d().
///
/// Shape: [N, C, L] -> [N, C, output_size], or both without N
class TERN_API AdaptiveAvgPool1dImpl
    : public detail::PoolLayer<AdaptiveAvgPool1dImpl, AdaptiveAvgPool1dOptions> {
 public:
  using PoolLayer::PoolLayer;
};
TERN_MODULE(AdaptiveAvgPool1d);

/// Returns the averages of windows that divide the input evenly; see
/// tern::adaptive_avg_pool2d().
///
/// Shape: [N, C, H, W] -> [N, C, output_size], or both without N
class TERN_API AdaptiveAvgPool2dImpl
    : public detail::PoolLayer<AdaptiveAvgPool2dImpl, AdaptiveAvgPool2dOptions> {
 public:
  using PoolLayer::PoolLayer;
};
TERN_MODULE(AdaptiveAvgPool2d);

/// Returns the averages of windows that divide the input evenly; see
/// tern::adaptive_avg_pool3d().
///
/// Shape: [N, C, D, H, W] -> [N, C, output_size], or both without N
class TERN_API AdaptiveAvgPool3dImpl
    : public detail::PoolLayer<AdaptiveAvgPool3dImpl, AdaptiveAvgPool3dOptions> {
 public:
  using PoolLayer::PoolLayer;
};
TERN_MODULE(AdaptiveAvgPool3d);

/// Returns the p-norm of each window, with p = norm_type.
///
/// Shape: [N, C, L] -> [N, C, windows...], or both without N
class TERN_API LPPool1dImpl : public detail::PoolLayer<LPPool1dImpl, LPPool1dOptions> {
 public:
  using PoolLayer::PoolLayer;
};
TERN_MODULE(LPPool1d);

/// Returns the p-norm of each window, with p = norm_type.
///
/// Shape: [N, C, H, W] -> [N, C, windows...], or both without N
class TERN_API LPPool2dImpl : public detail::PoolLayer<LPPool2dImpl, LPPool2dOptions> {
 public:
  using PoolLayer::PoolLayer;
};
TERN_MODULE(LPPool2d);

/// Returns the p-norm of each window, with p = norm_type.
///
/// Shape: [N, C, D, H, W] -> [N, C, windows...], or both without N
class TERN_API LPPool3dImpl : public detail::PoolLayer<LPPool3dImpl, LPPool3dOptions> {
 public:
  using PoolLayer::PoolLayer;
};
TERN_MODULE(LPPool3d);

/// Returns the largest elements of windows at random distances; see
/// tern::fractional_max_pool2d(). Throws Error unless either output_size or output_ratio is set.
///
/// Shape: [N, C, H, W] -> [N, C, output_size], or both without N
class TERN_API FractionalMaxPool2dImpl : public Cloneable<FractionalMaxPool2dImpl> {
 public:
  /// Makes the module.
  FractionalMaxPool2dImpl(ExpandingArray<2> kernel_size);
  explicit FractionalMaxPool2dImpl(const FractionalMaxPool2dOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the largest elements. Draws random numbers unless the options have some.
  Tensor forward(const Tensor& input);
  /// Returns the results of forward() and their positions in the channel, for a MaxUnpool layer.
  std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input);

  /// The options given to the constructor.
  FractionalMaxPool2dOptions options;
  /// The random numbers of the options, a buffer; undefined without them.
  Tensor _random_samples;
};
TERN_MODULE(FractionalMaxPool2d);

/// Returns the largest elements of windows at random distances; see
/// tern::fractional_max_pool3d(). Throws Error unless either output_size or output_ratio is set.
///
/// Shape: [N, C, D, H, W] -> [N, C, output_size], or both without N
class TERN_API FractionalMaxPool3dImpl : public Cloneable<FractionalMaxPool3dImpl> {
 public:
  /// Makes the module.
  FractionalMaxPool3dImpl(ExpandingArray<3> kernel_size);
  explicit FractionalMaxPool3dImpl(const FractionalMaxPool3dOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the largest elements. Draws random numbers unless the options have some.
  Tensor forward(const Tensor& input);
  /// Returns the results of forward() and their positions in the channel, for a MaxUnpool layer.
  std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input);

  /// The options given to the constructor.
  FractionalMaxPool3dOptions options;
  /// The random numbers of the options, a buffer; undefined without them.
  Tensor _random_samples;
};
TERN_MODULE(FractionalMaxPool3d);

/// Reverses MaxPool1d: sets the elements back to their positions, among zeros.
///
/// Shape: [N, C, l] -> [N, C, L], or both without N
class TERN_API MaxUnpool1dImpl : public detail::UnpoolLayer<MaxUnpool1dImpl, MaxUnpool1dOptions> {
 public:
  using UnpoolLayer::UnpoolLayer;
};
TERN_MODULE(MaxUnpool1d);

/// Reverses MaxPool2d: sets the elements back to their positions, among zeros.
///
/// Shape: [N, C, h, w] -> [N, C, H, W], or both without N
///
/// Example:
///   auto [y, indices] = pool->forward_with_indices(x);  // nn::MaxPool2d pool(2)
///   nn::MaxUnpool2d(2)(y, indices).sizes();             // those of x
class TERN_API MaxUnpool2dImpl : public detail::UnpoolLayer<MaxUnpool2dImpl, MaxUnpool2dOptions> {
 public:
  using UnpoolLayer::UnpoolLayer;
};
TERN_MODULE(MaxUnpool2d);

/// Reverses MaxPool3d: sets the elements back to their positions, among zeros.
///
/// Shape: [N, C, d, h, w] -> [N, C, D, H, W], or both without N
class TERN_API MaxUnpool3dImpl : public detail::UnpoolLayer<MaxUnpool3dImpl, MaxUnpool3dOptions> {
 public:
  using UnpoolLayer::UnpoolLayer;
};
TERN_MODULE(MaxUnpool3d);

}  // namespace tern::nn
