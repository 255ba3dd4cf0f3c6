#pragma once

#include <cstdint>
#include <optional>

#include <tern/core/base/visibility.h>
#include <tern/nn/options/options_arg.h>
#include <tern/nn/options/padding.h>
#include <tern/nn/options/upsampling.h>

namespace tern {

/// What lies around the input of grid_sample().
enum class GridPaddingMode : std::uint8_t { Zeros, Border, Reflection };
/// Short names of the modes. That of Zeros is the kZeros of convolutions, which grid_sample()
/// takes, too.
constexpr GridPaddingMode kBorder = GridPaddingMode::Border;
constexpr GridPaddingMode kReflection = GridPaddingMode::Reflection;

namespace nn::functional {

/// A padding mode of grid_sample() as an option: kZeros, kBorder or kReflection.
class TERN_API GridSamplePadding {
 public:
  /// Takes a mode.
  GridSamplePadding(GridPaddingMode mode) : mode_(mode) {}
  /// Takes kZeros. Throws Error for another mode.
  GridSamplePadding(PaddingMode mode);
  /// Returns the mode.
  operator GridPaddingMode() const { return mode_; }

 private:
  GridPaddingMode mode_;
};

/// Options of grid_sample().
struct GridSampleFuncOptions {
  /// The mode: kBilinear, kNearest or kBicubic.
  TERN_ARG(InterpolationMode, mode) = kBilinear;
  /// What lies around the input.
  TERN_ARG(GridSamplePadding, padding_mode) = GridPaddingMode::Zeros;
  /// Whether -1 and 1 are the centers of the outermost elements, not the borders around them. False
  /// by default.
  TERN_ARG(std::optional<bool>, align_corners) = std::nullopt;
};

}  // namespace nn::functional
}  // namespace tern
