#pragma once

// Upsampling to sizes or by factors.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include <tern/compat/names/at.h>
#include <tern/core/base/visibility.h>

namespace tern::compat {

/// Returns the sizes of images after upsampling: `sizes`, or each size times its factor.
TERN_API std::vector<std::int64_t> upsampled_sizes(const Tensor& input,
                                                   const OptionalIntArrayRef& sizes,
                                                   const std::optional<ArrayRef<double>>& factors);
/// Returns factor `i` if there are factors.
TERN_API std::optional<double> scale_at(const std::optional<ArrayRef<double>>& factors,
                                        std::size_t i);

/// Satisfied by a list of factors that may be absent, but not by one factor that may be.
template <class T>
concept ScaleFactors = std::is_convertible_v<const T&, std::optional<ArrayRef<double>>> &&
    !std::is_convertible_v<const T&, std::optional<double>>;

}  // namespace tern::compat

namespace at {
namespace compat = ::tern::compat;

// Sizes or factors; see compat::upsampled_sizes().
template <compat::ScaleFactors Factors>
Tensor upsample_nearest1d(const Tensor& input, OptionalIntArrayRef output_size,
                          const Factors& scale_factors) {
  return ::tern::upsample_nearest1d(input,
                                    compat::upsampled_sizes(input, output_size, scale_factors),
                                    compat::scale_at(scale_factors, 0));
}
template <compat::ScaleFactors Factors>
Tensor upsample_nearest2d(const Tensor& input, OptionalIntArrayRef output_size,
                          const Factors& scale_factors) {
  return ::tern::upsample_nearest2d(
      input, compat::upsampled_sizes(input, output_size, scale_factors),
      compat::scale_at(scale_factors, 0), compat::scale_at(scale_factors, 1));
}
template <compat::ScaleFactors Factors>
Tensor upsample_nearest3d(const Tensor& input, OptionalIntArrayRef output_size,
                          const Factors& scale_factors) {
  return ::tern::upsample_nearest3d(
      input, compat::upsampled_sizes(input, output_size, scale_factors),
      compat::scale_at(scale_factors, 0), compat::scale_at(scale_factors, 1),
      compat::scale_at(scale_factors, 2));
}
template <compat::ScaleFactors Factors>
Tensor upsample_linear1d(const Tensor& input, OptionalIntArrayRef output_size, bool align_corners,
                         const Factors& scale_factors) {
  return ::tern::upsample_linear1d(input,
                                   compat::upsampled_sizes(input, output_size, scale_factors),
                                   align_corners, compat::scale_at(scale_factors, 0));
}
template <compat::ScaleFactors Factors>
Tensor upsample_bilinear2d(const Tensor& input, OptionalIntArrayRef output_size, bool align_corners,
                           const Factors& scale_factors) {
  return ::tern::upsample_bilinear2d(
      input, compat::upsampled_sizes(input, output_size, scale_factors), align_corners,
      compat::scale_at(scale_factors, 0), compat::scale_at(scale_factors, 1));
}
template <compat::ScaleFactors Factors>
Tensor upsample_trilinear3d(const Tensor& input, OptionalIntArrayRef output_size,
                            bool align_corners, const Factors& scale_factors) {
  return ::tern::upsample_trilinear3d(
      input, compat::upsampled_sizes(input, output_size, scale_factors), align_corners,
      compat::scale_at(scale_factors, 0), compat::scale_at(scale_factors, 1),
      compat::scale_at(scale_factors, 2));
}
template <compat::ScaleFactors Factors>
Tensor upsample_bicubic2d(const Tensor& input, OptionalIntArrayRef output_size, bool align_corners,
                          const Factors& scale_factors) {
  return ::tern::upsample_bicubic2d(
      input, compat::upsampled_sizes(input, output_size, scale_factors), align_corners,
      compat::scale_at(scale_factors, 0), compat::scale_at(scale_factors, 1));
}

}  // namespace at
