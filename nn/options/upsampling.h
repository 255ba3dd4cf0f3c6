#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <tern/core/base/visibility.h>
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

namespace nn {

/// A mode of interpolation as an option: one of kNearest, kLinear, kBilinear, kBicubic, kTrilinear,
/// kArea and kNearestExact.
class TERN_API UpsampleMode {
 public:
  /// Takes a mode.
  UpsampleMode(InterpolationMode mode) : mode_(mode) {}
  /// Takes kLinear. Throws Error for another nonlinearity.
  UpsampleMode(init::NonlinearityType mode);
  /// Returns the mode.
  operator InterpolationMode() const { return mode_; }

 private:
  InterpolationMode mode_;
};

/// Options of Upsample. Either size or scale_factor is set.
struct UpsampleOptions {
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

}  // namespace functional
}  // namespace nn
}  // namespace tern
