#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <tern/backends/sim/kernels/kernels.h>
#include <tern/backends/sim/kernels/number.h>

namespace tern::sim {
namespace {

/// One element of a dimension: its index, -1 outside, the weight, and the weight's derivative by
/// the coordinate.
struct GridElement {
  std::int64_t index;
  double weight, slope;
};

/// Returns a coordinate of the grid in elements, and the derivative.
std::pair<double, double> unnormalized(const GridSampleArgs& args, double x, std::int64_t size) {
  const auto n = static_cast<double>(size);
  if (args.align_corners != 0) return {(x + 1) * (n - 1) / 2, (n - 1) / 2};
  return {(x + 1) * n / 2 - 0.5, n / 2};
}

/// Returns the position that is read for the position x, which may lie outside of the input, and
/// the derivative of that position by x. As in PyTorch, a NaN that is moved inside becomes the last
/// element of a volume and the first element of an image.
std::pair<double, double> moved_inside(const GridSampleArgs& args, double x, std::int64_t size) {
  double slope = 1;
  const bool is_volume = args.dims == 3;
  if (args.padding == GridPadding::kZeros) {
    const double outside = -100;  // PyTorch's number for a volume
    return {is_volume && !std::isfinite(x) ? outside : x, slope};
  }
  const auto last = static_cast<double>(size - 1);
  if (args.padding == GridPadding::kReflection) {
    const double low = args.align_corners != 0 ? 0 : -0.5, high = last - low;
    if (low == high) return {0, 0};
    // A triangle wave.
    const double period = 2 * (high - low);
    double at = std::fmod(std::abs(x - low), period);
    slope = x < low ? -1 : 1;
    if (at >= high - low) {
      at = period - at;
      slope = -slope;
    }
    x = low + at;
  }
  if (std::isnan(x)) return {is_volume ? last : 0, 0};
  if (x <= 0) return {0, 0};
  if (x >= last) return {last, 0};
  return {x, slope};
}

std::int64_t index_of(double x, std::int64_t size) {
  return x >= 0 && x < static_cast<double>(size) ? static_cast<std::int64_t>(x) : -1;
}

double cubic_weight(double x) {
  const double a = -0.75, y = std::abs(x);
  if (y < 1) return (a + 2) * y * y * y - (a + 3) * y * y + 1;
  return !(y >= 2) ? a * y * y * y - 5 * a * y * y + 8 * a * y - 4 * a : 0;
}
double cubic_slope(double x) {
  const double a = -0.75, y = std::abs(x), sign = x < 0 ? -1 : 1;
  if (y < 1) return sign * (3 * (a + 2) * y * y - 2 * (a + 3) * y);
  return !(y >= 2) ? sign * (3 * a * y * y - 10 * a * y + 8 * a) : 0;
}

std::vector<GridElement> elements_at(const GridSampleArgs& args, double x, std::int64_t size) {
  auto [at, step] = unnormalized(args, x, size);
  if (args.mode == GridMode::kBicubic) {
    std::vector<GridElement> elements;
    const double low = std::floor(at);
    for (int k = -1; k < 3; ++k) {
      const double place = moved_inside(args, low + k, size).first, distance = at - low - k;
      elements.push_back(
          {index_of(place, size), cubic_weight(distance), cubic_slope(distance) * step});
    }
    return elements;
  }
  const auto [inside, slope] = moved_inside(args, at, size);
  step *= slope;
  if (args.mode == GridMode::kNearest) {
    return {{index_of(std::nearbyint(inside), size), 1, 0}};
  }
  const double low = std::floor(inside), part = inside - low;
  return {{index_of(low, size), 1 - part, -step}, {index_of(low + 1, size), part, step}};
}

template <class T>
void apply(const GridSampleArgs& args) {
  const auto in = static_cast<const T*>(args.in), grid = static_cast<const T*>(args.grid);
  const auto grad = static_cast<const T*>(args.grad);
  const std::int64_t plane = args.sizes[0] * args.sizes[1] * args.sizes[2];
  std::vector<double> grad_in(static_cast<std::size_t>(args.batch * args.channels * plane));
  for (std::int64_t i = 0; i < args.batch * args.points; ++i) {
    const std::int64_t batch = i / args.points, point = i % args.points;
    std::vector<GridElement> dims[3] = {{{0, 1, 0}}, {}, {}};  // z, y, x
    for (int d = 0; d < args.dims; ++d) {
      dims[2 - d] = elements_at(args, grid[i * args.dims + d], args.sizes[2 - d]);
    }
    double slopes[3] = {};
    for (std::int64_t c = 0; c < args.channels; ++c) {
      const std::int64_t image = batch * args.channels + c;
      double sum = 0;
      for (const GridElement& z : dims[0]) {
        for (const GridElement& y : dims[1]) {
          for (const GridElement& x : dims[2]) {
            const bool inside = z.index >= 0 && y.index >= 0 && x.index >= 0;
            const std::int64_t at =
                image * plane + (z.index * args.sizes[1] + y.index) * args.sizes[2] + x.index;
            const double value = inside ? double{in[at]} : 0;
            sum += z.weight * y.weight * x.weight * value;
            if (grad == nullptr) continue;
            const double g = grad[image * args.points + point];
            if (inside) {
              grad_in[static_cast<std::size_t>(at)] += g * z.weight * y.weight * x.weight;
              // All slopes of kNearest are 0, but the value may be infinite.
              if (args.mode == GridMode::kNearest) continue;
              slopes[0] += g * value * z.weight * y.weight * x.slope;
              slopes[1] += g * value * z.weight * y.slope * x.weight;
              slopes[2] += g * value * z.slope * y.weight * x.weight;
            }
          }
        }
      }
      if (grad == nullptr) {
        static_cast<T*>(args.out)[image * args.points + point] = narrow<T>(sum);
      }
    }
    if (args.grad_grid == nullptr) continue;
    for (int d = 0; d < args.dims; ++d) {
      static_cast<T*>(args.grad_grid)[i * args.dims + d] = narrow<T>(slopes[d]);
    }
  }
  if (args.grad_in == nullptr) return;
  for (std::size_t i = 0; i < grad_in.size(); ++i) {
    static_cast<T*>(args.grad_in)[i] = narrow<T>(grad_in[i]);
  }
}

bool supports(const GridSampleArgs& args) { return is_floating_point(args.dtype); }

void grid_sample(const GridSampleArgs& args, KernelContext&) {
  visit_floating_dtype(args.dtype, [&](auto tag) { apply<typename decltype(tag)::type>(args); });
}

}  // namespace

void register_grid_sample(OracleTable& table) { set<GridSampleArgs, supports, grid_sample>(table); }

}  // namespace tern::sim
