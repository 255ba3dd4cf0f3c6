#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <tern/core/base/visibility.h>
#include <tern/core/tensor/tensor.h>
#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/modules/padding.h>
#include <tern/nn/options/options_arg.h>

namespace tern {

namespace nn::init {
enum class NonlinearityType : std::uint8_t;
}

/// How interpolate() and grid_sample() compute elements between others; see
/// tern/core/ops/nn/resampling.h.
enum class InterpolationMode : std::uint8_t {
  Nearest,
  Linear,
  Bilinear,
  Bicubic,
  Trilinear,
  Area,
  NearestExact
};
/// Short names of the modes. That of Linear is the kLinear of nn::init, which interpolate() takes,
/// too.
constexpr InterpolationMode kNearest = InterpolationMode::Nearest;
constexpr InterpolationMode kBilinear = InterpolationMode::Bilinear;
constexpr InterpolationMode kBicubic = InterpolationMode::Bicubic;
constexpr InterpolationMode kTrilinear = InterpolationMode::Trilinear;
constexpr InterpolationMode kArea = InterpolationMode::Area;
constexpr InterpolationMode kNearestExact = InterpolationMode::NearestExact;

}  // namespace tern

namespace tern {

/// What lies around the input of grid_sample().
enum class GridPaddingMode : std::uint8_t { Zeros, Border, Reflection };
/// Short names of the modes. That of Zeros is the kZeros of convolutions, which grid_sample()
/// takes, too.
constexpr GridPaddingMode kBorder = GridPaddingMode::Border;
constexpr GridPaddingMode kReflection = GridPaddingMode::Reflection;

}  // namespace tern

namespace tern::nn {

/// A mode of interpolation as an option: one of kNearest, kLinear, kBilinear, kBicubic, kTrilinear,
/// kArea and kNearestExact.
class TERN_API UpsampleMode {
 public:
  /// Takes a mode.
  UpsampleMode(InterpolationMode mode) : mode_(mode) {}
  /// Takes kLinear. Throws Error for another nonlinearity.
  UpsampleMode(init::NonlinearityType mode);
  template <detail::ConstantOf<UpsampleMode> T>
  UpsampleMode(const T& /*mode*/) : UpsampleMode(T::value) {}
  /// Returns the mode.
  operator InterpolationMode() const { return mode_; }

 private:
  InterpolationMode mode_;
};

/// Options of Upsample. Either size or scale_factor is set.
struct UpsampleOptions {
  /// libtorch's name of the type of `mode`.
  using mode_t = UpsampleMode;
  /// The sizes of the result, one number for each dimension.
  TERN_ARG(std::optional<std::vector<std::int64_t>>, size) = std::nullopt;
  /// The sizes of the result divided by those of the input, one number for each dimension.
  TERN_ARG(std::optional<std::vector<double>>, scale_factor) = std::nullopt;
  /// The mode, but kArea.
  TERN_ARG(UpsampleMode, mode) = kNearest;
  /// Whether the outermost centers of input and result lie at the same place. Only in linear and
  /// cubic modes.
  TERN_ARG(std::optional<bool>, align_corners) = std::nullopt;
};

namespace functional {

/// Options of interpolate(). Either size or scale_factor is set.
struct InterpolateFuncOptions {
  /// libtorch's name of the type of `mode`.
  using mode_t = UpsampleMode;
  /// The sizes of the result, one number for each dimension.
  TERN_ARG(std::optional<std::vector<std::int64_t>>, size) = std::nullopt;
  /// The sizes of the result divided by those of the input, one number for each dimension.
  TERN_ARG(std::optional<std::vector<double>>, scale_factor) = std::nullopt;
  /// The mode.
  TERN_ARG(UpsampleMode, mode) = kNearest;
  /// Whether the outermost centers of input and result lie at the same place. Only in linear and
  /// cubic modes.
  TERN_ARG(std::optional<bool>, align_corners) = std::nullopt;
  /// Whether the scale is computed from the sizes again: then a scale_factor only says the sizes.
  TERN_ARG(std::optional<bool>, recompute_scale_factor) = std::nullopt;
  /// Whether the filter becomes wider where the image becomes smaller. Only in the modes kBilinear
  /// and kBicubic.
  TERN_ARG(bool, antialias) = false;
};

/// A padding mode of grid_sample() as an option: kZeros, kBorder or kReflection.
class TERN_API GridSamplePadding {
 public:
  /// Takes a mode.
  GridSamplePadding(GridPaddingMode mode) : mode_(mode) {}
  /// Takes kZeros. Throws Error for another mode.
  GridSamplePadding(PaddingMode mode);
  template <nn::detail::ConstantOf<GridSamplePadding> T>
  GridSamplePadding(const T& /*mode*/) : GridSamplePadding(T::value) {}
  /// Returns the mode.
  operator GridPaddingMode() const { return mode_; }

 private:
  GridPaddingMode mode_;
};

/// Options of grid_sample().
struct GridSampleFuncOptions {
  /// libtorch's name of the type of `mode`.
  using mode_t = InterpolationMode;
  /// libtorch's name of the type of `padding_mode`.
  using padding_mode_t = GridSamplePadding;
  /// The mode: kBilinear, kNearest or kBicubic.
  TERN_ARG(InterpolationMode, mode) = kBilinear;
  /// What lies around the input.
  TERN_ARG(GridSamplePadding, padding_mode) = GridPaddingMode::Zeros;
  /// Whether -1 and 1 are the centers of the outermost elements, not the borders around them. False
  /// by default.
  TERN_ARG(std::optional<bool>, align_corners) = std::nullopt;
};

/// Gives the last dimensions of a tensor other sizes; see tern/core/ops/nn/resampling.h for the
/// modes. kArea averages as adaptive_avg_pool2d() does.
///
/// Shape: [N, C, ...] -> [N, C, size], in one to three dimensions; kLinear in one, kBilinear and
/// kBicubic in two, kTrilinear in three
/// Throws: Error and ShapeError when the options do not fit, NotImplementedError for a mode that
/// the number of dimensions does not have.
///
/// Example:
///   F::interpolate(x, F::InterpolateFuncOptions().size({{8, 8}}).mode(kBilinear));
TERN_API Tensor interpolate(const Tensor& input, const InterpolateFuncOptions& options = {});

/// Reads the input at the points of a grid; see tern::grid_sampler(). Throws Error for another mode
/// than kBilinear, kNearest and kBicubic.
TERN_API Tensor grid_sample(const Tensor& input, const Tensor& grid,
                            const GridSampleFuncOptions& options = {});
/// Returns the points of a regular grid, moved by affine maps; see tern::affine_grid_generator().
TERN_API Tensor affine_grid(const Tensor& theta, IntArrayRef size,
                            StrictBool align_corners = false);

}  // namespace functional

/// Gives the last dimensions of a tensor other sizes; see nn::functional::interpolate().
///
/// Shape: [N, C, ...] -> [N, C, size], in one to three dimensions
///
/// Example:
///   nn::Upsample twice(nn::UpsampleOptions().scale_factor({{2}}).mode(kNearest));
class TERN_API UpsampleImpl : public Cloneable<UpsampleImpl> {
 public:
  /// Makes the module.
  explicit UpsampleImpl(UpsampleOptions options_ = {});
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  /// Returns the resampled tensor. Throws Error and ShapeError when the options do not fit the
  /// input.
  Tensor forward(const Tensor& input);

  /// The options given to the constructor.
  UpsampleOptions options;
};
TERN_MODULE(Upsample);

}  // namespace tern::nn
