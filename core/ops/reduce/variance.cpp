// Compiled for size.

#include <cmath>
#include <tuple>
#include <utility>

#include <tern/core/autograd/record.h>
#include <tern/core/kernels/math/math_dtype.h>
#include <tern/core/ops/common/detail/finite.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/linalg/detail/product.h>
#include <tern/core/ops/ops.h>
#include <tern/core/ops/reduce/detail/reduce.h>

// Variances and standard deviations.

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using detail::reduced_count;
using detail::restore_dims;
using detail::run_reduce;
using kernels::math_dtype;
using kernels::ReduceOp;

// What the ops have in common.
struct SpreadCall {
  const char* node;
  bool is_std;
  IntArrayRef dim;
  double correction;
  bool keepdim;
};

// The elements of `self` minus their mean, and their count minus the correction.
struct Deviations {
  Tensor each;
  Tensor mean;  // with reduced dimensions of size 1
  double degrees_of_freedom;

  // Returns the divisor of the sum of their squares.
  double divisor() const { return degrees_of_freedom < 0 ? 0 : degrees_of_freedom; }
};

Deviations deviations(const Tensor& self, IntArrayRef dim, double correction) {
  Tensor middle = mean(self, dim, true);
  const auto count = static_cast<double>(reduced_count(self, dim));
  // There is no variance of no elements.
  return {self - middle, middle, count == 0 ? std::nan("") : count - correction};
}

// Returns the deviations for a gradient. Sums elements of float32 in float64 if their mean is not
// finite.
Deviations recorded_deviations(const Tensor& self, IntArrayRef dim, double correction) {
  Deviations plain = deviations(self, dim, correction);
  if (self.dtype() != kFloat || detail::looks_finite(plain.mean)) return plain;
  // The sum may have left the range of float32.
  plain.mean = mean(self.to(kDouble), dim, true).to(kFloat);
  plain.each = self - plain.mean;
  return plain;
}

Tensor record_var(const SpreadCall& call, const Tensor& out, const Tensor& self) {
  return record(call.node, out,
                wrt(
                    self,
                    [dims = DimVector(call.dim), correction = call.correction,
                     keepdim = call.keepdim](const Tensor& g, const Tensor& x) {
                      const Deviations from_mean = recorded_deviations(x, dims, correction);
                      return restore_dims(g, dims, x.dim(), keepdim) *
                             (2 / from_mean.degrees_of_freedom) * from_mean.each;
                    },
                    self));
}

Tensor record_std(const SpreadCall& call, const Tensor& out, const Tensor& self) {
  return record(call.node, out,
                wrt(
                    self,
                    [dims = DimVector(call.dim), correction = call.correction,
                     keepdim = call.keepdim](const Tensor& g, const Tensor& x, const Tensor& y) {
                      const Deviations from_mean = recorded_deviations(x, dims, correction);
                      const auto back = [&](const Tensor& t) {
                        return restore_dims(t, dims, x.dim(), keepdim);
                      };
                      const Tensor flat = back(y) == 0;
                      // Divides first, because the squares may leave the range.
                      const Tensor share = from_mean.each / masked_fill(back(y), flat, 1);
                      return masked_fill(back(g) / from_mean.degrees_of_freedom * share, flat, 0);
                    },
                    self, out));
}

Tensor record_mean(const SpreadCall& call, const Tensor& out, const Tensor& self) {
  const double share = 1 / static_cast<double>(reduced_count(self, call.dim));
  return record(call.node, out,
                wrt(self, [dims = DimVector(call.dim), shape = self.self().sizes, share,
                           keepdim = call.keepdim](const Tensor& g) {
                  const auto ndim = static_cast<std::int64_t>(shape.size());
                  return restore_dims(g * share, dims, ndim, keepdim).expand(shape);
                }));
}

std::tuple<Tensor, Tensor> plain_spread_and_mean(const SpreadCall& call, const Tensor& self) {
  Deviations from_mean = deviations(self, call.dim, call.correction);
  Tensor spread;
  const ScalarType dtype = from_mean.each.dtype();
  const double factor = 1 / from_mean.divisor();
  if (!call.is_std) {
    // Moved, so that square() reuses the memory.
    const Tensor squares = square(std::move(from_mean.each));
    spread = run_reduce({"var", ReduceOp::kSum, dtype, factor, call.keepdim}, squares, call.dim);
  } else if (dtype == kDouble) {
    // norm() scales numbers whose squares leave the range of float64.
    spread = norm(from_mean.each, 2, call.dim, call.keepdim) * std::sqrt(factor);
  } else {
    spread = run_reduce({"std", ReduceOp::kNorm, dtype, std::sqrt(factor), call.keepdim},
                        from_mean.each, call.dim);
  }
  Tensor middle = detail::with_sizes(from_mean.mean, spread.sizes());
  return {std::move(spread), std::move(middle)};
}

// Returns the variance, or the standard deviation, and the mean; without gradients.
std::tuple<Tensor, Tensor> spread_and_mean(const SpreadCall& call, const Tensor& self) {
  const NoGradGuard no_grad;
  const Tensor wide = self.to(math_dtype(self.dtype()));
  auto [spread, middle] = plain_spread_and_mean(call, wide);
  const auto has_value = [&] {
    return static_cast<double>(reduced_count(self, call.dim)) > call.correction;
  };
  if (!detail::looks_finite(spread) && has_value()) {  // a sum may have left the range
    if (wide.dtype() == kFloat) {
      std::tie(spread, middle) = plain_spread_and_mean(call, wide.to(kDouble));
    } else {
      constexpr double kScale = 0x1p600;  // the squares of the largest quotients are finite
      auto [scaled, scaled_middle] = plain_spread_and_mean(call, wide / kScale);
      scaled.mul_(kScale);
      if (!call.is_std) scaled.mul_(kScale);
      // The squares of other results vanish in this scale.
      const Tensor is_right = isfinite(spread);
      spread = where(is_right, spread, scaled);
      middle = where(is_right, middle, scaled_middle.mul_(kScale));
    }
  }
  return {spread.to(self.dtype()), middle.to(self.dtype())};
}

Tensor record_spread(const SpreadCall& call, const Tensor& out, const Tensor& self) {
  return call.is_std ? record_std(call, out, self) : record_var(call, out, self);
}

Tensor spread_of(const SpreadCall& call, const Tensor& self) {
  TERN_CHECK(self.is_floating_point(), DTypeError,
             "std and var only support floating point and complex dtypes, got ",
             self.scalar_type());
  Tensor out = std::get<0>(spread_and_mean(call, self));
  return needs_grad(self) ? record_spread(call, out, self) : out;
}

using TwoTensors = std::tuple<Tensor, Tensor>;

TwoTensors both_of(const SpreadCall& call, const Tensor& self) {
  TERN_CHECK(self.is_floating_point(), DTypeError,
             "only support floating point and complex dtypes, got ", self.scalar_type());
  auto [spread, middle] = spread_and_mean(call, self);
  if (!needs_grad(self)) return {spread, middle};
  return {record_spread(call, spread, self), record_mean(call, middle, self)};
}

}  // namespace

// Defines the three forms of an op: TERN_SPREAD(result, name, function that computes it, name of
// the gradient, whether it is a standard deviation).
#define TERN_SPREAD(Result, name, compute, node, is_std)                                          \
  Result name(const Tensor& self) {                                                               \
    TERN_OP(#name, self);                                                                         \
    return compute({node, is_std, {}, 1, false}, self);                                           \
  }                                                                                               \
  Result name(const Tensor& self, IntArrayRef dim, StrictBool unbiased, StrictBool keepdim) {     \
    TERN_OP(#name, self);                                                                         \
    return compute({node, is_std, dim, unbiased ? 1. : 0., keepdim}, self);                       \
  }                                                                                               \
  Result name(const Tensor& self, IntArrayRef dim, StrictNumber correction, StrictBool keepdim) { \
    TERN_OP(#name, self);                                                                         \
    return compute({node, is_std, dim, correction, keepdim}, self);                               \
  }
TERN_SPREAD(Tensor, var, spread_of, "VarBackward0", false)
TERN_SPREAD(Tensor, std, spread_of, "StdBackward0", true)
TERN_SPREAD(TwoTensors, var_mean, both_of, "VarMeanBackward0", false)
TERN_SPREAD(TwoTensors, std_mean, both_of, "StdMeanBackward0", true)
#undef TERN_SPREAD

}  // namespace tern
