// Compiled for size.

#include <algorithm>

#include <tern/core/autograd/record.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/families/resampling.h>
#include <tern/core/ops/common/detail/memory_format.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/ops.h>

// Resampling of the last dimensions, one dimension after the other. It is linear: the gradient is
// the adjoint, whose gradient is resampling again.

namespace tern {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;

namespace {

using kernels::ResampleArgs;
using kernels::ResampleMode;

/// How the last `dims` dimensions are resampled.
struct Resampling {
  const char* node;
  ResampleMode mode;
  int dims;
  bool align_corners;
  double scales[3];  // 0 for none
  DimVector in_sizes, out_sizes;

  /// Returns true if nothing happens in this dimension.
  bool keeps(std::size_t d, double scale) const {
    return in_sizes[d] == out_sizes[d] && (scale == 0 || mode == ResampleMode::kLinear);
  }
};

/// Resamples dimension d, which is dimension `at` of the contiguous x.
Tensor resample_dim(const Resampling& r, const Tensor& x, std::size_t d, std::size_t at,
                    double scale, bool back) {
  DimVector sizes = x.sizes();
  ResampleArgs args{};
  args.mode = r.mode;
  args.dtype = x.dtype();
  args.backward = back;
  args.align_corners = r.align_corners;
  args.outer = args.inner = 1;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (i != at) (i < at ? args.outer : args.inner) *= sizes[i];
  }
  args.in_size = r.in_sizes[d];
  args.out_size = r.out_sizes[d];
  args.scale = scale;
  sizes[at] = back ? args.in_size : args.out_size;
  Tensor out = detail::make_tensor(sizes, x.dtype(), x.device());
  if (out.numel() == 0) return out;
  args.in = x.data_ptr();
  args.out = out.data_ptr();
  kernels::run("upsample", out.device(), out.dtype(), args);
  return out;
}

/// Returns a view of channels-last images as [N, .., C].
Tensor channels_behind(const Tensor& x) {
  return x.dim() == 4 ? x.permute({0, 2, 3, 1}) : x.permute({0, 2, 3, 4, 1});
}

/// Resamples without history, in the memory format of the input. Several dimensions of a narrow
/// dtype are computed in float32.
Tensor resample_all(const Resampling& r, const Tensor& input, bool back) {
  const bool is_byte = input.dtype() == kByte;
  const std::size_t first = r.in_sizes.size() - static_cast<std::size_t>(r.dims);
  const bool widens = is_byte || (r.dims > 1 && input.dtype() != kDouble);
  const MemoryFormat format = detail::image_format(input, r.dims);
  const bool is_row_major = format == MemoryFormat::Contiguous;
  Tensor x = input.detach().contiguous(format);
  if (!is_row_major) x = channels_behind(x);
  if (widens) x = x.to(kFloat);
  // The rows first, unless the image becomes lower: then the columns, which leaves less to do.
  const bool rows_first =
      is_byte || r.dims == 1 || (r.out_sizes[first] >= r.in_sizes[first]) != back;
  bool is_new = false;
  for (int i = 0; i < r.dims; ++i) {
    const int d = rows_first ? r.dims - 1 - i : i;
    const std::size_t dim = first + static_cast<std::size_t>(d);
    if (r.keeps(dim, r.scales[d])) continue;
    x = resample_dim(r, x, dim, is_row_major ? dim : dim - 1, r.scales[d], back);
    is_new = true;
    // PyTorch, too, rounds uint8 after each dimension.
    if (is_byte) x = (x + 0.5).floor_().clamp_(0, 255);
  }
  x = x.to(input.dtype());
  if (!is_new) x = x.clone();
  if (is_row_major) return x;
  x = r.dims == 2 ? x.permute({0, 3, 1, 2}) : x.permute({0, 4, 1, 2, 3});
  return detail::in_format(x, format);
}

Tensor resampled(const Resampling& r, const Tensor& input);

Tensor resampled_back(const Resampling& r, const Tensor& g) {
  Tensor out;
  {
    const NoGradGuard no_grad;
    out = resample_all(r, g, true);
  }
  if (!needs_grad(g)) return out;
  return record("UpsampleBackwardBackward0", out,
                wrt(g, [r](const Tensor& gg) { return resampled(r, gg); }));
}

Tensor resampled(const Resampling& r, const Tensor& input) {
  Tensor out;
  {
    const NoGradGuard no_grad;
    out = resample_all(r, input, false);
  }
  if (!needs_grad(input)) return out;
  return record(r.node, out, wrt(input, [r](const Tensor& g) { return resampled_back(r, g); }));
}

/// Returns sizes as "(H: 2, W: 3)".
std::string sizes_text(IntArrayRef sizes) {
  std::string text = "(";
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (d > 0) text += ", ";
    text += "DHW"[3 - sizes.size() + d];
    text += ": " + std::to_string(sizes[d]);
  }
  return text + ')';
}

using Scale = std::optional<double>;

Tensor resample_to(const char* kernel, const char* node, ResampleMode mode, bool takes_bytes,
                   const Tensor& input, IntArrayRef output_size, std::size_t dims,
                   bool align_corners, std::initializer_list<Scale> scales) {
  TERN_CHECK(output_size.size() == dims, ShapeError, "It is expected output_size equals to ", dims,
             ", but got size ", output_size.size());
  const IntArrayRef sizes = input.sizes();
  TERN_CHECK(sizes.size() == dims + 2, ShapeError, "It is expected input_size equals to ", dims + 2,
             ", but got size ", sizes.size());
  const IntArrayRef from = sizes.slice(2, dims);
  for (std::size_t d = 0; d < dims; ++d) {
    TERN_CHECK(from[d] > 0 && output_size[d] > 0, ShapeError,
               "Input and output sizes should be greater than 0, but got input ", sizes_text(from),
               dims == 1 ? " and output " : " output ", sizes_text(output_size));
    TERN_CHECK(from[d] < 0x7fffffff && output_size[d] < 0x7fffffff, NotImplementedError,
               "dimensions of 2^31 elements or more, got input ", sizes_text(from), " output ",
               sizes_text(output_size));
  }
  TERN_CHECK(sizes[1] != 0, ShapeError, "Non-empty ", dims + 2,
             "D data tensor expected but got a tensor with sizes ", sizes);
  TERN_CHECK(input.is_floating_point() || (takes_bytes && input.dtype() == kByte),
             NotImplementedError, '"', kernel, "\" not implemented for '", input.scalar_type(),
             '\'');
  Resampling r{node, mode, static_cast<int>(dims), align_corners, {}, sizes, sizes};
  for (std::size_t d = 0; d < dims; ++d) {
    r.out_sizes[2 + d] = output_size[d];
    const Scale scale = scales.begin()[d];
    r.scales[d] = scale && *scale > 0 ? *scale : 0;
  }
  static_cast<void>(checked_numel(r.out_sizes));
  return resampled(r, input);
}

constexpr const char* kNearestKernel = "compute_indices_weights_nearest";
constexpr const char* kNearest2d = "upsample_nearest2d_channels_last";
constexpr const char* kLinearKernel = "compute_indices_weights_linear";
constexpr const char* kAntialiasKernel = "compute_index_ranges_weights";

}  // namespace

Tensor upsample_nearest1d(const Tensor& input, IntArrayRef output_size, Scale scales) {
  TERN_OP("upsample_nearest1d", input);
  TERN_AUTOCAST(kUnchanged, kFloat32, tern::upsample_nearest1d, input, output_size, scales);
  return resample_to(kNearestKernel, "UpsampleNearest1DBackward0", ResampleMode::kNearest, true,
                     input, output_size, 1, false, {scales});
}
Tensor upsample_nearest2d(const Tensor& input, IntArrayRef output_size, Scale scales_h,
                          Scale scales_w) {
  TERN_OP("upsample_nearest2d", input);
  TERN_AUTOCAST(kUnchanged, kFloat32, tern::upsample_nearest2d, input, output_size, scales_h,
                scales_w);
  return resample_to(kNearest2d, "UpsampleNearest2DBackward0", ResampleMode::kNearest, true, input,
                     output_size, 2, false, {scales_h, scales_w});
}
Tensor upsample_nearest3d(const Tensor& input, IntArrayRef output_size, Scale scales_d,
                          Scale scales_h, Scale scales_w) {
  TERN_OP("upsample_nearest3d", input);
  TERN_AUTOCAST(kUnchanged, kFloat32, tern::upsample_nearest3d, input, output_size, scales_d,
                scales_h, scales_w);
  return resample_to(kNearestKernel, "UpsampleNearest3DBackward0", ResampleMode::kNearest, true,
                     input, output_size, 3, false, {scales_d, scales_h, scales_w});
}
Tensor _upsample_nearest_exact1d(const Tensor& input, IntArrayRef output_size, Scale scales) {
  TERN_OP("_upsample_nearest_exact1d", input);
  TERN_AUTOCAST(kUnchanged, kFloat32, tern::_upsample_nearest_exact1d, input, output_size, scales);
  return resample_to(kNearestKernel, "UpsampleNearestExact1DBackward0", ResampleMode::kNearestExact,
                     true, input, output_size, 1, false, {scales});
}
Tensor _upsample_nearest_exact2d(const Tensor& input, IntArrayRef output_size, Scale scales_h,
                                 Scale scales_w) {
  TERN_OP("_upsample_nearest_exact2d", input);
  TERN_AUTOCAST(kUnchanged, kFloat32, tern::_upsample_nearest_exact2d, input, output_size, scales_h,
                scales_w);
  return resample_to(kNearest2d, "UpsampleNearestExact2DBackward0", ResampleMode::kNearestExact,
                     true, input, output_size, 2, false, {scales_h, scales_w});
}
Tensor _upsample_nearest_exact3d(const Tensor& input, IntArrayRef output_size, Scale scales_d,
                                 Scale scales_h, Scale scales_w) {
  TERN_OP("_upsample_nearest_exact3d", input);
  TERN_AUTOCAST(kUnchanged, kFloat32, tern::_upsample_nearest_exact3d, input, output_size, scales_d,
                scales_h, scales_w);
  return resample_to(kNearestKernel, "UpsampleNearestExact3DBackward0", ResampleMode::kNearestExact,
                     true, input, output_size, 3, false, {scales_d, scales_h, scales_w});
}

Tensor upsample_linear1d(const Tensor& input, IntArrayRef output_size, StrictBool align_corners,
                         Scale scales) {
  TERN_OP("upsample_linear1d", input);
  TERN_AUTOCAST(kUnchanged, kFloat32, tern::upsample_linear1d, input, output_size, align_corners,
                scales);
  return resample_to(kLinearKernel, "UpsampleLinear1DBackward0", ResampleMode::kLinear, false,
                     input, output_size, 1, align_corners, {scales});
}
Tensor upsample_bilinear2d(const Tensor& input, IntArrayRef output_size, StrictBool align_corners,
                           Scale scales_h, Scale scales_w) {
  TERN_OP("upsample_bilinear2d", input);
  TERN_AUTOCAST(kUnchanged, kFloat32, tern::upsample_bilinear2d, input, output_size, align_corners,
                scales_h, scales_w);
  return resample_to("upsample_bilinear2d_channels_last", "UpsampleBilinear2DBackward0",
                     ResampleMode::kLinear, true, input, output_size, 2, align_corners,
                     {scales_h, scales_w});
}
Tensor upsample_trilinear3d(const Tensor& input, IntArrayRef output_size, StrictBool align_corners,
                            Scale scales_d, Scale scales_h, Scale scales_w) {
  TERN_OP("upsample_trilinear3d", input);
  TERN_AUTOCAST(kUnchanged, kFloat32, tern::upsample_trilinear3d, input, output_size, align_corners,
                scales_d, scales_h, scales_w);
  return resample_to(kLinearKernel, "UpsampleTrilinear3DBackward0", ResampleMode::kLinear, false,
                     input, output_size, 3, align_corners, {scales_d, scales_h, scales_w});
}
Tensor upsample_bicubic2d(const Tensor& input, IntArrayRef output_size, StrictBool align_corners,
                          Scale scales_h, Scale scales_w) {
  TERN_OP("upsample_bicubic2d", input);
  TERN_AUTOCAST(kUnchanged, kFloat32, tern::upsample_bicubic2d, input, output_size, align_corners,
                scales_h, scales_w);
  return resample_to("compute_indices_weights_cubic", "UpsampleBicubic2DBackward0",
                     ResampleMode::kCubic, true, input, output_size, 2, align_corners,
                     {scales_h, scales_w});
}
Tensor _upsample_bilinear2d_aa(const Tensor& input, IntArrayRef output_size,
                               StrictBool align_corners, Scale scales_h, Scale scales_w) {
  TERN_OP("_upsample_bilinear2d_aa", input);
  TERN_AUTOCAST(kUnchanged, kFloat32, tern::_upsample_bilinear2d_aa, input, output_size,
                align_corners, scales_h, scales_w);
  return resample_to(kAntialiasKernel, "UpsampleBilinear2DAaBackward0",
                     ResampleMode::kLinearAntialias, true, input, output_size, 2, align_corners,
                     {scales_h, scales_w});
}
Tensor _upsample_bicubic2d_aa(const Tensor& input, IntArrayRef output_size,
                              StrictBool align_corners, Scale scales_h, Scale scales_w) {
  TERN_OP("_upsample_bicubic2d_aa", input);
  TERN_AUTOCAST(kUnchanged, kFloat32, tern::_upsample_bicubic2d_aa, input, output_size,
                align_corners, scales_h, scales_w);
  return resample_to(kAntialiasKernel, "UpsampleBicubic2DAaBackward0",
                     ResampleMode::kCubicAntialias, true, input, output_size, 2, align_corners,
                     {scales_h, scales_w});
}

}  // namespace tern
