#pragma once

#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <tern/core/tensor/tensor.h>
#include <tern/nn/module/any_value.h>
#include <tern/nn/module/cloneable.h>
#include <tern/nn/module/pool_layer.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/expanding_array.h>
#include <tern/nn/options/options_arg.h>

// Pooling to a given size, pooling over random windows, and the inverse of max pooling; see
// tern/core/ops/nn/adaptive_pooling.h.

namespace tern::nn {

/// Options of AdaptiveMaxPool modules.
template <class OutputSize>
struct TERN_API AdaptiveMaxPoolOptions {
  /// Sets output_size.
  AdaptiveMaxPoolOptions(OutputSize output_size) : output_size_(output_size) {}
  /// The sizes of the result; std::nullopt keeps that of the input.
  TERN_ARG(OutputSize, output_size);
};
/// Options of the modules of one, two and three dimensions.
using AdaptiveMaxPool1dOptions = AdaptiveMaxPoolOptions<ExpandingArray<1>>;
using AdaptiveMaxPool2dOptions = AdaptiveMaxPoolOptions<ExpandingArrayWithOptionalElem<2>>;
using AdaptiveMaxPool3dOptions = AdaptiveMaxPoolOptions<ExpandingArrayWithOptionalElem<3>>;

/// Options of AdaptiveAvgPool modules.
template <class OutputSize>
struct TERN_API AdaptiveAvgPoolOptions {
  /// Sets output_size.
  AdaptiveAvgPoolOptions(OutputSize output_size) : output_size_(output_size) {}
  /// The sizes of the result; std::nullopt keeps that of the input.
  TERN_ARG(OutputSize, output_size);
};
/// Options of the modules of one, two and three dimensions.
using AdaptiveAvgPool1dOptions = AdaptiveAvgPoolOptions<ExpandingArray<1>>;
using AdaptiveAvgPool2dOptions = AdaptiveAvgPoolOptions<ExpandingArrayWithOptionalElem<2>>;
using AdaptiveAvgPool3dOptions = AdaptiveAvgPoolOptions<ExpandingArrayWithOptionalElem<3>>;

/// Options of FractionalMaxPool modules of D dimensions. Either output_size or output_ratio is set.
template <std::size_t D>
struct TERN_API FractionalMaxPoolOptions {
  /// Sets kernel_size.
  FractionalMaxPoolOptions(ExpandingArray<D> kernel_size) : kernel_size_(kernel_size) {}
  /// The size of a window.
  TERN_ARG(ExpandingArray<D>, kernel_size);
  /// The sizes of the result.
  TERN_ARG(std::optional<ExpandingArray<D>>, output_size) = std::nullopt;
  /// D numbers between 0 and 1.
  using ExpandingArrayDouble = ExpandingArray<D, double>;
  /// The sizes of the result as parts of those of the input.
  TERN_ARG(std::optional<ExpandingArrayDouble>, output_ratio) = std::nullopt;
  /// The random numbers [N, C, D] that shift the windows. Undefined: each call draws others.
  TERN_ARG(Tensor, _random_samples);
};
/// Options of the modules of two and three dimensions.
using FractionalMaxPool2dOptions = FractionalMaxPoolOptions<2>;
using FractionalMaxPool3dOptions = FractionalMaxPoolOptions<3>;

/// Options of MaxUnpool modules of D dimensions: those of the pooling that they reverse.
template <std::size_t D>
struct TERN_API MaxUnpoolOptions {
  /// Sets kernel_size and, as its default, stride.
  MaxUnpoolOptions(ExpandingArray<D> kernel_size)
      : kernel_size_(kernel_size), stride_(kernel_size) {}
  /// The size of a window.
  TERN_ARG(ExpandingArray<D>, kernel_size);
  /// The distance of neighbouring windows.
  TERN_ARG(ExpandingArray<D>, stride);
  /// The padding on both sides.
  TERN_ARG(ExpandingArray<D>, padding) = 0;
};
/// Options of the modules of one, two and three dimensions.
using MaxUnpool1dOptions = MaxUnpoolOptions<1>;
using MaxUnpool2dOptions = MaxUnpoolOptions<2>;
using MaxUnpool3dOptions = MaxUnpoolOptions<3>;

namespace functional {

/// Options of the functions; the same as those of the layers.
using AdaptiveMaxPool1dFuncOptions = AdaptiveMaxPool1dOptions;
using AdaptiveMaxPool2dFuncOptions = AdaptiveMaxPool2dOptions;
using AdaptiveMaxPool3dFuncOptions = AdaptiveMaxPool3dOptions;
using AdaptiveAvgPool1dFuncOptions = AdaptiveAvgPool1dOptions;
using AdaptiveAvgPool2dFuncOptions = AdaptiveAvgPool2dOptions;
using AdaptiveAvgPool3dFuncOptions = AdaptiveAvgPool3dOptions;
using FractionalMaxPool2dFuncOptions = FractionalMaxPool2dOptions;
using FractionalMaxPool3dFuncOptions = FractionalMaxPool3dOptions;

/// Options of max_unpool1d() to max_unpool3d().
template <std::size_t D>
struct TERN_API MaxUnpoolFuncOptions {
  /// Sets kernel_size and, as its default, stride.
  MaxUnpoolFuncOptions(ExpandingArray<D> kernel_size)
      : kernel_size_(kernel_size), stride_(kernel_size) {}
  /// The size of a window.
  TERN_ARG(ExpandingArray<D>, kernel_size);
  /// The distance of neighbouring windows.
  TERN_ARG(ExpandingArray<D>, stride);
  /// The padding on both sides.
  TERN_ARG(ExpandingArray<D>, padding) = 0;
  /// The sizes of the result, if several fit: those of the last D dimensions, or of all.
  TERN_ARG(std::optional<std::vector<std::int64_t>>, output_size) = std::nullopt;
};
/// Options of the functions of one, two and three dimensions.
using MaxUnpool1dFuncOptions = MaxUnpoolFuncOptions<1>;
using MaxUnpool2dFuncOptions = MaxUnpoolFuncOptions<2>;
using MaxUnpool3dFuncOptions = MaxUnpoolFuncOptions<3>;

/// Returns the largest elements of windows that divide the input evenly; see
/// tern::adaptive_max_pool1d().
TERN_API Tensor adaptive_max_pool1d(const Tensor& input,
                                    const AdaptiveMaxPool1dFuncOptions& options);
/// Does the same in two dimensions.
TERN_API Tensor adaptive_max_pool2d(const Tensor& input,
                                    const AdaptiveMaxPool2dFuncOptions& options);
/// Does the same in three dimensions.
TERN_API Tensor adaptive_max_pool3d(const Tensor& input,
                                    const AdaptiveMaxPool3dFuncOptions& options);
/// Does the same and returns the positions of these elements.
TERN_API std::tuple<Tensor, Tensor> adaptive_max_pool1d_with_indices(
    const Tensor& input, const AdaptiveMaxPool1dFuncOptions& options);
/// Does the same in two dimensions.
TERN_API std::tuple<Tensor, Tensor> adaptive_max_pool2d_with_indices(
    const Tensor& input, const AdaptiveMaxPool2dFuncOptions& options);
/// Does the same in three dimensions.
TERN_API std::tuple<Tensor, Tensor> adaptive_max_pool3d_with_indices(
    const Tensor& input, const AdaptiveMaxPool3dFuncOptions& options);
/// Returns the averages of windows that divide the input evenly; see tern::adaptive_avg_pool1d().
TERN_API Tensor adaptive_avg_pool1d(const Tensor& input,
                                    const AdaptiveAvgPool1dFuncOptions& options);
/// Does the same in two dimensions.
TERN_API Tensor adaptive_avg_pool2d(const Tensor& input,
                                    const AdaptiveAvgPool2dFuncOptions& options);
/// Does the same in three dimensions.
TERN_API Tensor adaptive_avg_pool3d(const Tensor& input,
                                    const AdaptiveAvgPool3dFuncOptions& options);
/// Returns the largest elements of windows at random distances; see tern::fractional_max_pool2d().
/// Draws the samples unless the options have some. Throws Error unless output_size or output_ratio
/// is set.
TERN_API Tensor fractional_max_pool2d(const Tensor& input,
                                      const FractionalMaxPool2dFuncOptions& options);
/// Does the same in three dimensions.
TERN_API Tensor fractional_max_pool3d(const Tensor& input,
                                      const FractionalMaxPool3dFuncOptions& options);
/// Does the same and returns the positions of these elements.
TERN_API std::tuple<Tensor, Tensor> fractional_max_pool2d_with_indices(
    const Tensor& input, const FractionalMaxPool2dFuncOptions& options);
/// Does the same in three dimensions.
TERN_API std::tuple<Tensor, Tensor> fractional_max_pool3d_with_indices(
    const Tensor& input, const FractionalMaxPool3dFuncOptions& options);
/// Returns zeros with the elements of the input at the positions `indices`, which a max pooling
/// with the same options returned; see tern::max_unpool2d(). Throws Error for an output_size that
/// such a pooling does not lead to.
TERN_API Tensor max_unpool1d(const Tensor& input, const Tensor& indices,
                             const MaxUnpool1dFuncOptions& options);
/// Does the same in two dimensions.
TERN_API Tensor max_unpool2d(const Tensor& input, const Tensor& indices,
                             const MaxUnpool2dFuncOptions& options);
/// Does the same in three dimensions.
TERN_API Tensor max_unpool3d(const Tensor& input, const Tensor& indices,
                             const MaxUnpool3dFuncOptions& options);

}  // namespace functional

namespace detail {

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
