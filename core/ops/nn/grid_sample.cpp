// Compiled for size.

#include <algorithm>

#include <tern/core/autograd/record.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/device_traits.h>
#include <tern/core/kernels/families/grid_sample.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/ops.h>

// grid_sampler and affine_grid_generator.

namespace tern {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;

namespace {

using kernels::GridMode;
using kernels::GridPadding;
using kernels::GridSampleArgs;

/// How a grid reads an input.
struct GridCall {
  GridMode mode;
  GridPadding padding;
  bool align_corners;

  /// Returns the arguments of the kernel without out and gradients. The tensors are contiguous.
  GridSampleArgs args(const Tensor& input, const Tensor& grid) const {
    GridSampleArgs args{};
    args.mode = mode;
    args.padding = padding;
    args.dtype = input.dtype();
    args.align_corners = align_corners;
    args.dims = static_cast<std::int32_t>(grid.size(-1));
    args.batch = input.size(0);
    args.channels = input.size(1);
    args.points = grid.numel() / std::max<std::int64_t>(args.batch * args.dims, 1);
    args.sizes[0] = args.dims == 2 ? 1 : input.size(2);
    args.sizes[1] = input.size(-2);
    args.sizes[2] = input.size(-1);
    args.in = input.data_ptr();
    args.grid = grid.data_ptr();
    return args;
  }
};

/// Returns the gradient of the input, or that of the grid, without history.
Tensor gradient_of_kernel(const GridCall& call, const Tensor& g, const Tensor& input,
                          const Tensor& grid, bool of_grid) {
  const NoGradGuard no_grad;
  if (!of_grid && kernels::traits_of(input.device()).adds_in_any_order) {
    detail::alert_not_deterministic(grid.size(-1) == 2 ? "grid_sampler_2d_backward_cuda"
                                                       : "grid_sampler_3d_backward_cuda");
  }
  const Tensor dense = input.contiguous(), points = grid.contiguous(), grad = g.contiguous();
  Tensor result = zeros(of_grid ? grid.sizes() : input.sizes(), input.options());
  if (grid.numel() == 0 || input.numel() == 0) return result;
  GridSampleArgs args = call.args(dense, points);
  args.grad = grad.data_ptr();
  (of_grid ? args.grad_grid : args.grad_in) = result.data_ptr();
  kernels::run("grid_sampler", result.device(), result.dtype(), args);
  return result;
}

/// Returns positions in elements, moved into the input as the padding says; see padded_position()
/// of the kernels for what is not a number.
Tensor moved_inside(const GridCall& call, const Tensor& at, std::int64_t size, bool is_volume) {
  if (call.padding == GridPadding::kZeros) {
    return is_volume ? where(isfinite(at.detach()), at, -100) : at;
  }
  Tensor x = at;
  if (call.padding == GridPadding::kReflection) {
    const double low = call.align_corners ? 0 : -0.5;
    const auto span = static_cast<double>(call.align_corners ? size - 1 : size);
    if (span == 0) return at * 0;
    const Tensor distance = (at - low).abs(), rest = distance.fmod(span);
    const Tensor is_even = distance.detach().div(span).floor().fmod(2).eq(0);
    x = where(is_even, rest, span - rest) + low;
  }
  return where(isnan(x.detach()), is_volume ? size - 1 : 0, x.clamp(0, size - 1));
}

/// The elements of one dimension that the points read: indices, -1 outside, and weights.
struct PointTaps {
  std::vector<Tensor> indices, weights;

  PointTaps(const GridCall& call, const Tensor& coordinates, std::int64_t size, bool is_volume) {
    const auto n = static_cast<double>(size);
    Tensor at =
        call.align_corners ? (coordinates + 1) * ((n - 1) / 2) : ((coordinates + 1) * n - 1) / 2;
    if (call.mode != GridMode::kBicubic) at = moved_inside(call, at, size, is_volume);
    if (call.mode == GridMode::kNearest) {
      add(at.detach().round(), ones_like(at.detach()), size);
      return;
    }
    const Tensor floor = at.detach().floor(), t = at - floor;
    if (call.mode == GridMode::kBilinear) {
      add(floor, 1 - t, size);
      add(floor + 1, t, size);
      return;
    }
    constexpr double a = -0.75;
    for (int k = 0; k < 4; ++k) {
      const bool is_near = k == 1 || k == 2;
      const Tensor x = (k > 1 ? 1 - t : t) + (is_near ? 0 : 1);
      add(moved_inside(call, floor + (k - 1), size, is_volume),
          is_near ? ((a + 2) * x - (a + 3)) * x * x + 1 : ((a * x - 5 * a) * x + 8 * a) * x - 4 * a,
          size);
    }
  }

 private:
  void add(const Tensor& at, const Tensor& weight, std::int64_t size) {
    const Tensor inside = at.ge(0).logical_and(at.lt(size));
    indices.push_back(where(inside, at, -1).to(kLong));
    weights.push_back(weight);
  }
};

/// Does what the kernel does with public ops, for derivatives of the gradient.
Tensor composed_grid_sample(const GridCall& call, const Tensor& input, const Tensor& grid) {
  const std::int64_t dims = grid.size(-1), batch = input.size(0), channels = input.size(1);
  const std::int64_t count = grid.numel() / std::max<std::int64_t>(batch * dims, 1);
  const Tensor points = grid.reshape({batch, count, dims}), flat = input.flatten(2);
  std::vector<PointTaps> taps;  // z, y, x
  for (std::int64_t d = 0; d < dims; ++d) {
    taps.emplace_back(call, points.select(-1, dims - 1 - d), input.size(2 + d), dims == 3);
  }
  const std::size_t each = taps[0].indices.size();
  Tensor sum = zeros({batch, channels, count}, input.options());
  std::size_t all = 1;
  for (std::int64_t d = 0; d < dims; ++d) all *= each;
  for (std::size_t k = 0; k < all; ++k) {
    Tensor at, weight, inside;
    std::size_t rest = k;
    for (std::size_t d = 0; d < taps.size(); ++d, rest /= each) {
      const Tensor& index = taps[d].indices[rest % each];
      const Tensor& w = taps[d].weights[rest % each];
      inside = d == 0 ? index.ge(0) : inside.logical_and(index.ge(0));
      at = d == 0 ? index : at * input.size(2 + static_cast<std::int64_t>(d)) + index;
      weight = d == 0 ? w : weight * w;
    }
    const Tensor position = where(inside, at, 0).unsqueeze(1).expand({batch, channels, count});
    sum = sum + flat.gather(2, position) * (weight * inside.to(weight.dtype())).unsqueeze(1);
  }
  std::vector<std::int64_t> shape = {batch, channels};
  for (std::int64_t d = 1; d <= dims; ++d) shape.push_back(grid.size(d));
  return sum.reshape(shape);
}

/// Returns the gradient of input or grid, which can be differentiated again.
Tensor gradient_of_grid_sample(const GridCall& call, const Tensor& g, const Tensor& input,
                               const Tensor& grid, bool of_grid) {
  if (!needs_grad(g, input, grid)) return gradient_of_kernel(call, g, input, grid, of_grid);
  const Tensor out = composed_grid_sample(call, input, grid);
  const Tensor& wanted = of_grid ? grid : input;
  if (!out.requires_grad()) return zeros_like(wanted);
  const Tensor result = autograd::grad({out}, {wanted}, {g}, /*retain_graph=*/true,
                                       /*create_graph=*/true, /*allow_unused=*/true)[0];
  return result.defined() ? result : zeros_like(wanted);
}

void check_grid(const Tensor& input, const Tensor& grid) {
  detail::check_same_device("wrapper_CUDA__grid_sampler", {&input, &grid}, {"input", "grid"});
  const IntArrayRef sizes = input.sizes();
  const auto given = [&](const char* what) {
    detail::raise<ShapeError>("expected ", what, ", but got input with sizes ", sizes,
                              " and grid with sizes ", grid.sizes());
  };
  if (input.dim() == 0 || grid.dim() == 0 || sizes[0] != grid.sizes()[0]) {
    given("grid and input to have same batch size");
  }
  if ((input.dim() != 4 && input.dim() != 5) || input.dim() != grid.dim()) {
    given("4D or 5D input and grid with same number of dimensions");
  }
  TERN_CHECK(grid.size(-1) == input.dim() - 2, ShapeError, "expected grid to have size ",
             input.dim() - 2, " in last dimension, but got grid with sizes ", grid.sizes());
  for (std::size_t d = 2; d < sizes.size(); ++d) {
    TERN_CHECK(sizes[d] > 0, ShapeError,
               "expected input to have non-empty spatial dimensions, but input has sizes ", sizes,
               " with dimension ", d, " being empty");
  }
  TERN_CHECK(input.is_floating_point(), NotImplementedError, '"',
             input.dim() == 4 ? "grid_sampler_2d_cpu_kernel_impl" : "grid_sampler3d_cpu",
             "\" not implemented for '", input.scalar_type(), '\'');
  TERN_CHECK(input.dtype() == grid.dtype(), DTypeError, "expected scalar type ",
             input.scalar_type(), " but found ", grid.scalar_type());
}

}  // namespace

Tensor grid_sampler(const Tensor& input, const Tensor& grid, StrictInt interpolation_mode,
                    StrictInt padding_mode, StrictBool align_corners) {
  TERN_OP("grid_sampler", input, grid);
  TERN_AUTOCAST(kFloat32, kWidest, tern::grid_sampler, input, grid, interpolation_mode,
                padding_mode, align_corners);
  const std::int64_t mode = interpolation_mode, padding = padding_mode;
  TERN_CHECK(mode >= 0 && mode <= 2, Error, "interpolation_mode must be 0, 1 or 2, but got ", mode);
  TERN_CHECK(padding >= 0 && padding <= 2, Error, "padding_mode must be 0, 1 or 2, but got ",
             padding);
  check_grid(input, grid);
  const GridCall call{static_cast<GridMode>(mode), static_cast<GridPadding>(padding),
                      align_corners};
  DimVector sizes = input.sizes();
  for (std::size_t d = 2; d < sizes.size(); ++d) sizes[d] = grid.sizes()[d - 1];
  Tensor out = detail::make_tensor(sizes, input.dtype(), input.device());
  if (out.numel() != 0) {
    const Tensor dense = input.detach().contiguous(), points = grid.detach().contiguous();
    GridSampleArgs args = call.args(dense, points);
    args.out = out.data_ptr();
    kernels::run("grid_sampler", out.device(), out.dtype(), args);
  }
  if (!needs_grad(input, grid)) return out;
  const auto rule = [call](bool of_grid) {
    return [call, of_grid](const Tensor& g, const Tensor& x, const Tensor& points) {
      return gradient_of_grid_sample(call, g, x, points, of_grid);
    };
  };
  return record(input.dim() == 4 ? "GridSampler2DBackward0" : "GridSampler3DBackward0", out,
                wrt(input, rule(false), input, grid), wrt(grid, rule(true), input, grid));
}

namespace {

/// Returns n positions from -1 to 1: of the outermost centers, or of the borders around them.
Tensor grid_line(std::int64_t n, bool align_corners, const TensorOptions& options) {
  const double end = align_corners ? 1 : 1 - 1 / static_cast<double>(n);
  return n == 1 ? zeros({1}, options) : linspace(-end, end, n, options);
}

}  // namespace

Tensor affine_grid_generator(const Tensor& theta, IntArrayRef size, StrictBool align_corners) {
  TERN_OP("affine_grid_generator", theta);
  TERN_AUTOCAST(kLower, kUnchanged, tern::affine_grid_generator, theta, size, align_corners);
  TERN_CHECK(theta.is_floating_point(), DTypeError,
             "Expected theta to have floating point type, but got ", theta.scalar_type());
  TERN_CHECK(size.size() == 4 || size.size() == 5, NotImplementedError,
             "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, "
             "respectively. Got size ",
             size);
  const auto dims = static_cast<std::int64_t>(size.size()) - 2;
  TERN_CHECK(theta.dim() == 3 && theta.size(1) == dims && theta.size(2) == dims + 1, ShapeError,
             "Expected a batch of ", dims, "D affine matrices of shape Nx", dims, 'x', dims + 1,
             " for size ", size, ". Got ", theta.sizes());
  for (const std::int64_t n : size) {
    TERN_CHECK(n > 0, ShapeError, "Expected non-zero, positive output size. Got ", size);
  }
  const std::int64_t batch = size[0];
  TERN_CHECK(theta.size(0) == batch, ShapeError, "Expected a batch of ", batch,
             " affine matrices for size ", size, ". Got ", theta.sizes());
  DimVector sizes{batch};
  for (const std::int64_t n : size.slice(2, size.size() - 2)) sizes.push_back(n);
  sizes.push_back(dims);
  static_cast<void>(checked_numel(sizes));
  Tensor base, out;
  {
    const NoGradGuard no_grad;
    const TensorOptions options = theta.options().requires_grad(false);
    std::vector<Tensor> lines;
    for (std::size_t d = 2; d < size.size(); ++d) {
      lines.push_back(grid_line(size[d], align_corners, options));
    }
    std::vector<Tensor> parts = meshgrid(lines, "ij");
    std::reverse(parts.begin(), parts.end());
    parts.push_back(ones_like(parts[0]));
    base = stack(parts, -1).reshape({1, -1, dims + 1}).expand({batch, -1, dims + 1});
    out = base.bmm(theta.transpose(1, 2));
    out.self().set_geometry(0, sizes, contiguous_strides(sizes));  // no view of another tensor
  }
  if (!needs_grad(theta)) return out;
  return record("AffineGridGeneratorBackward0", out,
                wrt(
                    theta,
                    [batch, dims](const Tensor& g, const Tensor& points) {
                      return g.reshape({batch, -1, dims}).transpose(1, 2).bmm(points);
                    },
                    base));
}

}  // namespace tern
