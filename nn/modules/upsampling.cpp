#include <tern/nn/modules/upsampling.h>

#include <cmath>
#include <string>
#include <utility>

#include <tern/core/base/array_ref.h>
#include <tern/core/base/detail/op_scope.h>
#include <tern/core/ops/nn/adaptive_pooling.h>
#include <tern/core/ops/nn/grid_sample.h>
#include <tern/core/ops/nn/resampling.h>
#include <tern/nn/detail/printing.h>
#include <tern/nn/init.h>

namespace tern::nn {

UpsampleMode::UpsampleMode(init::NonlinearityType mode) : mode_(InterpolationMode::Linear) {
  TERN_CHECK(mode == kLinear, Error,
             "the only nonlinearity that is a mode of interpolation is "
             "kLinear");
}

namespace functional {

namespace {

using Scale = std::optional<double>;

constexpr const char* kModeNames[] = {"nearest",   "linear", "bilinear",     "bicubic",
                                      "trilinear", "area",   "nearest-exact"};

const char* name_of(InterpolationMode mode) { return kModeNames[static_cast<int>(mode)]; }

/// The sizes of the result and the scales, which are empty where sizes are given.
struct OutputSizes {
  std::vector<std::int64_t> sizes;
  std::vector<Scale> scales;
};

OutputSizes output_sizes(const Tensor& input, const InterpolateFuncOptions& options) {
  const IntArrayRef spatial = input.sizes().slice(2, input.sizes().size() - 2);
  const std::size_t dims = spatial.size();
  TERN_CHECK(!options.size() || !options.scale_factor(), Error,
             "only one of size or scale_factor should be defined");
  TERN_CHECK(options.size() || options.scale_factor(), Error,
             "either size or scale_factor should be defined");
  OutputSizes result{{}, std::vector<Scale>(dims)};
  if (options.size()) {
    TERN_CHECK(!options.recompute_scale_factor().value_or(false), Error,
               "recompute_scale_factor is not meaningful with an explicit size.");
    result.sizes = *options.size();
    TERN_CHECK(result.sizes.size() == dims, ShapeError,
               "Input and output must have the same number of spatial dimensions, but got input "
               "with spatial dimensions of ",
               spatial, " and output size of ", IntArrayRef(*options.size()),
               ". Please provide input tensor in (N, C, d1, d2, ...,dK) format and output size in "
               "(o1, o2, ...,oK) format.");
    return result;
  }
  const std::vector<double>& factors = *options.scale_factor();
  TERN_CHECK(
      factors.size() == dims, ShapeError,
      "Input and scale_factor must have the same number of spatial dimensions, but got input "
      "with spatial dimensions of ",
      spatial, " and scale_factor of shape ", ArrayRef<double>(*options.scale_factor()),
      ". Please provide input tensor in (N, C, d1, d2, ...,dK) format and scale_factor in "
      "(s1, s2, ...,sK) format.");
  for (std::size_t d = 0; d < dims; ++d) {
    const double size = std::floor(static_cast<double>(spatial[d]) * factors[d]);
    constexpr double kMost = 0x7fffffff;
    TERN_CHECK(size >= -kMost && size <= kMost, ShapeError, "scale_factor ", factors[d],
               " of a dimension of ", spatial[d], " elements leads to no size");
    result.sizes.push_back(static_cast<std::int64_t>(size));
    if (!options.recompute_scale_factor().value_or(false)) result.scales[d] = factors[d];
  }
  return result;
}

/// Throws unless the mode exists for the dimensions of the input.
void check_mode(const Tensor& input, InterpolationMode mode, bool antialias,
                const std::optional<bool>& align_corners) {
  const std::int64_t dims = input.dim();
  TERN_CHECK(dims >= 3 && dims <= 5, NotImplementedError,
             "Input Error: Only 3D, 4D and 5D input Tensors supported (got ", dims,
             "D) for the modes: nearest | linear | bilinear | bicubic | trilinear | area | "
             "nearest-exact (got ",
             name_of(mode), ')');
  const bool interpolates = mode == InterpolationMode::Linear || mode == kBilinear ||
                            mode == kBicubic || mode == kTrilinear;
  TERN_CHECK(interpolates || !align_corners, Error,
             "align_corners option can only be set with the interpolating modes: linear | bilinear "
             "| bicubic | trilinear");
  TERN_CHECK(!antialias || ((mode == kBilinear || mode == kBicubic) && dims == 4), Error,
             "Anti-alias option is restricted to bilinear and bicubic modes and requires a 4-D "
             "tensor as input");
  const std::int64_t needed = mode == InterpolationMode::Linear ? 3 : mode == kTrilinear ? 5 : 4;
  TERN_CHECK(!interpolates || dims == needed, NotImplementedError, "Got ", dims, "D input, but ",
             name_of(mode), " mode needs ", needed, "D input");
}

}  // namespace

Tensor interpolate(const Tensor& input, const InterpolateFuncOptions& options) {
  const tern::detail::OpScope scope("interpolate");
  const InterpolationMode mode = options.mode();
  const bool antialias = options.antialias();
  check_mode(input, mode, antialias, options.align_corners());
  const OutputSizes out = output_sizes(input, options);
  const bool align = options.align_corners().value_or(false);
  const std::vector<std::int64_t>& n = out.sizes;
  const Scale a = out.scales[0], b = n.size() > 1 ? out.scales[1] : a;
  const Scale c = n.size() > 2 ? out.scales[2] : a;
  switch (mode) {
    case InterpolationMode::Nearest:
      if (n.size() == 1) return upsample_nearest1d(input, n, a);
      return n.size() == 2 ? upsample_nearest2d(input, n, a, b)
                           : upsample_nearest3d(input, n, a, b, c);
    case InterpolationMode::NearestExact:
      if (n.size() == 1) return _upsample_nearest_exact1d(input, n, a);
      return n.size() == 2 ? _upsample_nearest_exact2d(input, n, a, b)
                           : _upsample_nearest_exact3d(input, n, a, b, c);
    case InterpolationMode::Area:
      if (n.size() == 1) return tern::adaptive_avg_pool1d(input, n);
      return n.size() == 2 ? tern::adaptive_avg_pool2d(input, n)
                           : tern::adaptive_avg_pool3d(input, n);
    case InterpolationMode::Linear:
      return upsample_linear1d(input, n, align, a);
    case InterpolationMode::Bilinear:
      return antialias ? _upsample_bilinear2d_aa(input, n, align, a, b)
                       : upsample_bilinear2d(input, n, align, a, b);
    case InterpolationMode::Bicubic:
      return antialias ? _upsample_bicubic2d_aa(input, n, align, a, b)
                       : upsample_bicubic2d(input, n, align, a, b);
    default:
      return upsample_trilinear3d(input, n, align, a, b, c);
  }
}

GridSamplePadding::GridSamplePadding(PaddingMode mode) : mode_(GridPaddingMode::Zeros) {
  TERN_CHECK(mode == PaddingMode::Constant, Error,
             "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or "
             "'reflection'");
}

Tensor grid_sample(const Tensor& input, const Tensor& grid, const GridSampleFuncOptions& options) {
  const InterpolationMode mode = options.mode();
  TERN_CHECK(mode == kBilinear || mode == kNearest || mode == kBicubic, Error,
             "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', "
             "but got: '",
             name_of(mode), '\'');
  const GridPaddingMode padding = options.padding_mode();
  return grid_sampler(input, grid,
                      mode == kBilinear  ? 0
                      : mode == kNearest ? 1
                                         : 2,
                      static_cast<int>(padding), options.align_corners().value_or(false));
}

Tensor affine_grid(const Tensor& theta, IntArrayRef size, StrictBool align_corners) {
  return affine_grid_generator(theta, size, align_corners);
}

}  // namespace functional
}  // namespace tern::nn

namespace tern::nn {

UpsampleImpl::UpsampleImpl(UpsampleOptions options_) : options(std::move(options_)) {}

void UpsampleImpl::pretty_print(std::ostream& stream) const {
  constexpr const char* kNames[] = {"kNearest",   "kLinear", "kBilinear",    "kBicubic",
                                    "kTrilinear", "kArea",   "kNearestExact"};
  stream << "tern::nn::Upsample(";
  if (options.scale_factor()) {
    detail::print_to(stream, {"scale_factor=", ArrayRef<double>(*options.scale_factor())});
  } else if (options.size()) {
    detail::print_to(stream, {"size=", IntArrayRef(*options.size())});
  }
  const InterpolationMode mode = options.mode();
  stream << ", mode=" << kNames[static_cast<int>(mode)] << ')';
}

Tensor UpsampleImpl::forward(const Tensor& input) {
  return functional::interpolate(input, functional::InterpolateFuncOptions()
                                            .size(options.size())
                                            .scale_factor(options.scale_factor())
                                            .mode(options.mode())
                                            .align_corners(options.align_corners()));
}

}  // namespace tern::nn
