#include <algorithm>
#include <cmath>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/create/creation.h>
#include <tern/core/ops/create/random_integers.h>
#include <tern/core/ops/elementwise/arithmetic.h>
#include <tern/core/ops/elementwise/comparison.h>
#include <tern/core/ops/elementwise/division.h>
#include <tern/core/ops/elementwise/power.h>
#include <tern/core/ops/elementwise/select.h>
#include <tern/core/ops/linalg/factor.h>
#include <tern/core/ops/shape/diagonal.h>
#include <tern/nn/init.h>
#include <tern/nn/module/lazy_tensor.h>

namespace tern::nn::init {

double calculate_gain(NonlinearityType nonlinearity, double param) {
  switch (nonlinearity) {
    case kTanh:
      return 5.0 / 3.0;
    case kReLU:
      return std::sqrt(2.0);
    case kLeakyReLU:
      return std::sqrt(2.0 / (1 + param * param));
    case kSELU:
      return 0.75;
    default:
      return 1.0;
  }
}

std::tuple<std::int64_t, std::int64_t> _calculate_fan_in_and_fan_out(const Tensor& tensor) {
  TERN_CHECK(
      tensor.dim() >= 2, ShapeError,
      "Fan in and fan out cannot be computed for tensor with fewer than 2 dimensions, got sizes ",
      tensor.sizes());
  std::int64_t receptive_field = 1;
  for (std::int64_t dim = 2; dim < tensor.dim(); ++dim) receptive_field *= tensor.size(dim);
  return {tensor.size(1) * receptive_field, tensor.size(0) * receptive_field};
}

Tensor constant_(Tensor tensor, const Scalar& value) {
  TERN_OP("constant_", tensor);
  nn::detail::check_not_lazy(tensor, "nn::init::constant_");
  const NoGradGuard no_grad;
  tensor.fill_(value);
  return tensor;
}
Tensor ones_(Tensor tensor) { return constant_(std::move(tensor), 1); }
Tensor zeros_(Tensor tensor) { return constant_(std::move(tensor), 0); }

Tensor eye_(Tensor matrix) {
  TERN_OP("eye_", matrix);
  nn::detail::check_not_lazy(matrix, "nn::init::eye_");
  TERN_CHECK(matrix.dim() == 2, ShapeError,
             "Only tensors with 2 dimensions are supported, got sizes ", matrix.sizes());
  const NoGradGuard no_grad;
  matrix.copy_(eye(matrix.size(0), matrix.size(1)));
  return matrix;
}

Tensor dirac_(Tensor tensor, StrictInt groups) {
  TERN_OP("dirac_", tensor);
  nn::detail::check_not_lazy(tensor, "nn::init::dirac_");
  TERN_CHECK(tensor.dim() >= 3 && tensor.dim() <= 5, ShapeError,
             "Only tensors with 3, 4, or 5 dimensions are supported, got sizes ", tensor.sizes());
  TERN_CHECK(groups > 0 && tensor.size(0) % groups == 0, ShapeError,
             "dim 0 must be divisible by groups, got ", tensor.size(0), " and ", groups);
  const NoGradGuard no_grad;
  tensor.zero_();
  Tensor centre = tensor;  // centre of each filter: [out, in]
  for (std::int64_t dim = tensor.dim() - 1; dim >= 2; --dim) {
    centre = centre.select(dim, tensor.size(dim) / 2);
  }
  const std::int64_t rows = tensor.size(0) / groups;
  for (std::int64_t group = 0; group < groups; ++group) {
    centre.narrow(0, group * rows, rows).copy_(eye(rows, tensor.size(1)));
  }
  return tensor;
}

Tensor uniform_(Tensor tensor, double low, double high) {
  TERN_OP("uniform_", tensor);
  nn::detail::check_not_lazy(tensor, "nn::init::uniform_");
  const NoGradGuard no_grad;
  tensor.uniform_(low, high);
  return tensor;
}

Tensor normal_(Tensor tensor, double mean, double std) {
  TERN_OP("normal_", tensor);
  nn::detail::check_not_lazy(tensor, "nn::init::normal_");
  const NoGradGuard no_grad;
  tensor.normal_(mean, std);
  return tensor;
}

namespace {

double normal_probability_below(double x) { return (1 + std::erf(x / std::sqrt(2.0))) / 2; }

/// Replaces the numbers outside [low, high] by those of further draws of the whole tensor.
void redraw_outside(Tensor& tensor, double mean, double std, double low, double high) {
  // The bounds as the tensor's dtype has them.
  const double least = full({}, low, TensorOptions(tensor.dtype())).item<double>();
  const double most = full({}, high, TensorOptions(tensor.dtype())).item<double>();
  for (;;) {
    const Tensor outside = logical_or(tensor<least, tensor> most);
    if (!outside.any().item<bool>()) return;
    tensor.copy_(where(outside, empty_like(tensor).normal_(mean, std), tensor));
  }
}

/// Draws from [low, high) and accepts a number with a probability proportional to its density,
/// which is rare for normal numbers far from their mean.
void draw_and_accept(Tensor& tensor, double mean, double std, double low, double high) {
  const double mode = std::clamp(mean, low, high);
  const double log_peak = -0.5 * std::pow((mode - mean) / std, 2);
  Tensor rejected;  // undefined for all
  do {
    const Tensor drawn = empty_like(tensor).uniform_(low, high);
    tensor.copy_(rejected.defined() ? where(rejected, drawn, tensor) : drawn);
    const Tensor log_density = drawn.sub(mean).div_(std).square_().mul_(-0.5).sub_(log_peak);
    const Tensor fails = empty_like(tensor).uniform_().log_() > log_density;
    rejected = rejected.defined() ? logical_and(rejected, fails) : fails;
  } while (rejected.any().item<bool>());
}

}  // namespace

Tensor trunc_normal_(Tensor tensor, double mean, double std, double a, double b) {
  TERN_OP("trunc_normal_", tensor);
  nn::detail::check_not_lazy(tensor, "nn::init::trunc_normal_");
  TERN_CHECK(std > 0, Error, "expects std > 0.0, but found std ", std);
  TERN_CHECK(a <= b, Error, "expects a <= b, but found a=", a, " > b=", b);
  if (tensor.numel() == 0 || tensor.is_meta()) return tensor;
  const NoGradGuard no_grad;
  const double share =
      normal_probability_below((b - mean) / std) - normal_probability_below((a - mean) / std);
  if (share <= 0.3) {
    draw_and_accept(tensor, mean, std, a, b);
  } else {
    tensor.normal_(mean, std);
    redraw_outside(tensor, mean, std, a, b);
  }
  return tensor;
}

Tensor orthogonal_(Tensor tensor, double gain) {
  TERN_OP("orthogonal_", tensor);
  nn::detail::check_not_lazy(tensor, "nn::init::orthogonal_");
  TERN_CHECK(tensor.dim() >= 2, ShapeError,
             "Only tensors with 2 or more dimensions are supported, got sizes ", tensor.sizes());
  if (tensor.numel() == 0 || tensor.is_meta()) return tensor;
  const NoGradGuard no_grad;
  const std::int64_t rows = tensor.size(0), columns = tensor.numel() / rows;
  Tensor drawn = tensor.new_empty({rows, columns}).normal_();
  const bool is_wide = rows < columns;
  Tensor q, r;
  std::tie(q, r) = linalg_qr(is_wide ? drawn.t() : drawn);
  // With the signs of the diagonal, all orthogonal matrices are equally likely (Mezzadri, 2006).
  const Tensor signed_q = q * r.diagonal().sign();
  return tensor.copy_((is_wide ? signed_q.t() : signed_q).reshape(tensor.sizes())).mul_(gain);
}

Tensor sparse_(Tensor tensor, double sparsity, double std) {
  TERN_OP("sparse_", tensor);
  nn::detail::check_not_lazy(tensor, "nn::init::sparse_");
  TERN_CHECK(tensor.dim() == 2, ShapeError,
             "Only tensors with 2 dimensions are supported, got sizes ", tensor.sizes());
  const NoGradGuard no_grad;
  tensor.normal_(0, std);
  const std::int64_t rows = tensor.size(0);
  const auto share = static_cast<std::int64_t>(std::ceil(sparsity * static_cast<double>(rows)));
  const std::int64_t zeros = std::min(share, rows);
  for (std::int64_t column = 0; column < tensor.size(1); ++column) {
    const std::vector<std::int64_t> order = randperm(rows).to_vector<std::int64_t>();
    for (std::int64_t i = 0; i < zeros; ++i) {
      tensor.select(1, column).select(0, order[static_cast<std::size_t>(i)]).zero_();
    }
  }
  return tensor;
}

namespace {

// The order of these operations determines the last bit of float64 results.
double xavier_std(const Tensor& tensor, double gain) {
  const auto [fan_in, fan_out] = _calculate_fan_in_and_fan_out(tensor);
  return gain * std::sqrt(2.0 / static_cast<double>(fan_in + fan_out));
}

double kaiming_std(const Tensor& tensor, double a, FanModeType mode,
                   NonlinearityType nonlinearity) {
  const auto [fan_in, fan_out] = _calculate_fan_in_and_fan_out(tensor);
  const std::int64_t fan = mode == kFanIn ? fan_in : fan_out;
  return calculate_gain(nonlinearity, a) / std::sqrt(static_cast<double>(fan));
}

}  // namespace

Tensor xavier_uniform_(Tensor tensor, double gain) {
  TERN_OP("xavier_uniform_", tensor);
  nn::detail::check_not_lazy(tensor, "nn::init::xavier_uniform_");
  const double bound = std::sqrt(3.0) * xavier_std(tensor, gain);
  return uniform_(std::move(tensor), -bound, bound);
}

Tensor xavier_normal_(Tensor tensor, double gain) {
  TERN_OP("xavier_normal_", tensor);
  nn::detail::check_not_lazy(tensor, "nn::init::xavier_normal_");
  const double std = xavier_std(tensor, gain);
  return normal_(std::move(tensor), 0, std);
}

Tensor kaiming_uniform_(Tensor tensor, double a, FanModeType mode, NonlinearityType nonlinearity) {
  TERN_OP("kaiming_uniform_", tensor);
  nn::detail::check_not_lazy(tensor, "nn::init::kaiming_uniform_");
  if (tensor.numel() == 0) return tensor;
  const double bound = std::sqrt(3.0) * kaiming_std(tensor, a, mode, nonlinearity);
  return uniform_(std::move(tensor), -bound, bound);
}

Tensor kaiming_normal_(Tensor tensor, double a, FanModeType mode, NonlinearityType nonlinearity) {
  TERN_OP("kaiming_normal_", tensor);
  nn::detail::check_not_lazy(tensor, "nn::init::kaiming_normal_");
  if (tensor.numel() == 0) return tensor;
  const double std = kaiming_std(tensor, a, mode, nonlinearity);
  return normal_(std::move(tensor), 0, std);
}

}  // namespace tern::nn::init
