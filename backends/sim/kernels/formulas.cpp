#include <tern/backends/sim/kernels/formulas.h>

#include <cmath>
#include <numeric>
#include <optional>

#include <tern/backends/sim/kernels/losses.h>
#include <tern/backends/sim/kernels/number.h>
#include <tern/backends/sim/kernels/special.h>
#include <tern/core/kernels/families/elementwise.h>

namespace tern::sim {
namespace {

using kernels::ElementwiseOp;

// NaN wins over any number, whichever operand it is.
double greater_of(double a, double b) { return std::isnan(a) || a > b ? a : b; }
double smaller_of(double a, double b) { return std::isnan(a) || a < b ? a : b; }
std::int64_t greater_of(std::int64_t a, std::int64_t b) { return a > b ? a : b; }
std::int64_t smaller_of(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

// Returns the remainder with the sign of the divisor.
double floor_remainder(double a, double b) {
  const double rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

std::int64_t floor_remainder(std::int64_t a, std::int64_t b) {
  if (b == 0 || b == -1) return 0;  // x86 would trap
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

// Returns the quotient of a and b rounded towards zero, which wraps around for -1.
std::int64_t truncated_quotient(std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  return b == -1 ? times(a, -1) : a / b;
}

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = truncated_quotient(a, b);
  return floor_remainder(a, b) != (b == 0 || b == -1 ? 0 : a % b) ? quotient - 1 : quotient;
}

// Returns the quotient as Python computes it: the rest is subtracted before the division.
double floor_quotient(double a, double b) {
  if (b == 0) return a / b;
  const double rest = std::fmod(a, b);
  const bool rounds_down = rest != 0 && (rest < 0) != (b < 0);
  const double quotient = std::nearbyint((a - rest) / b) - (rounds_down ? 1 : 0);
  return quotient == 0 ? std::copysign(0.0, a / b) : quotient;
}

double log2_of_sum(double a, double b) {
  if (a == b) return a + 1;
  return greater_of(a, b) + std::log1p(std::exp2(-std::abs(a - b))) / std::log(2.0);
}

std::uint64_t magnitude(std::int64_t a) {
  const auto bits = static_cast<std::uint64_t>(a);
  return a < 0 ? 0 - bits : bits;
}

// The magnitude is taken by the caller, after the product wrapped around in the dtype.
std::int64_t least_common_multiple(std::int64_t a, std::int64_t b) {
  const std::uint64_t divisor = std::gcd(magnitude(a), magnitude(b));
  return divisor == 0 ? 0 : static_cast<std::int64_t>(magnitude(a) / divisor * magnitude(b));
}

std::int64_t shifted_left(std::int64_t a, std::int64_t b) {
  if (b < 0 || b >= 64) return 0;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << b);
}

std::int64_t integer_power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) {
    if (base == 1) return 1;
    if (base == -1) return exponent % 2 == 0 ? 1 : -1;
    return 0;
  }
  std::int64_t result = 1;
  for (; exponent > 0; exponent /= 2, base = times(base, base)) {
    if (exponent % 2 == 1) result = times(result, base);
  }
  return result;
}

// Computes the ops whose formulas are the same for double and int64.
template <class T>
T common(ElementwiseOp op, T a, T b, T c, T scale) {
  switch (op) {
    case ElementwiseOp::neg:
      return times(a, T(-1));
    case ElementwiseOp::abs:
      return a < 0 ? times(a, T(-1)) : a;
    case ElementwiseOp::sign:
      return T((a > 0) - (a < 0));
    case ElementwiseOp::square:
      return times(a, a);
    case ElementwiseOp::relu:
      return a < 0 ? T(0) : a;
    case ElementwiseOp::logical_not:
      return T(a == 0);
    case ElementwiseOp::add:
      return plus(a, times(scale, b));
    case ElementwiseOp::sub:
      return plus(a, times(T(-1), times(scale, b)));
    case ElementwiseOp::mul:
      return times(a, b);
    case ElementwiseOp::maximum:
      return greater_of(a, b);
    case ElementwiseOp::minimum:
      return smaller_of(a, b);
    case ElementwiseOp::remainder:
      return floor_remainder(a, b);
    case ElementwiseOp::div_floor:
      return floor_quotient(a, b);
    case ElementwiseOp::heaviside:
      return a == 0 ? b : T(a > 0);
    case ElementwiseOp::eq:
      return T(a == b);
    case ElementwiseOp::ne:
      return T(a != b);
    case ElementwiseOp::lt:
      return T(a < b);
    case ElementwiseOp::le:
      return T(a <= b);
    case ElementwiseOp::gt:
      return T(a > b);
    case ElementwiseOp::ge:
      return T(a >= b);
    case ElementwiseOp::logical_and:
      return T(a != 0 && b != 0);
    case ElementwiseOp::logical_or:
      return T(a != 0 || b != 0);
    case ElementwiseOp::logical_xor:
      return T((a != 0) != (b != 0));
    case ElementwiseOp::relu_backward:
      return b <= 0 ? T(0) : a;
    case ElementwiseOp::where_op:
      return a != 0 ? b : c;
    case ElementwiseOp::threshold:
      return a <= b ? c : a;
    case ElementwiseOp::clamp:
      return smaller_of(greater_of(a, b), c);
    case ElementwiseOp::addcmul:
      return plus(a, times(scale, times(b, c)));
    default:
      return a;  // floor and similar ops do not change integers
  }
}

}  // namespace

double formula(ElementwiseOp op, double a, double b, double c, double scale) {
  if (const std::optional<double> value = reference(op, a, b)) return *value;
  switch (op) {
    case ElementwiseOp::abs:
      return std::abs(a);
    case ElementwiseOp::floor:
      return std::floor(a);
    case ElementwiseOp::ceil:
      return std::ceil(a);
    case ElementwiseOp::round:
      return std::nearbyint(a);  // half to even
    case ElementwiseOp::trunc:
      return std::trunc(a);
    case ElementwiseOp::isnan:
      return std::isnan(a);
    case ElementwiseOp::isinf:
      return std::isinf(a);
    case ElementwiseOp::erfcx:
      return scaled_error_function(a);
    case ElementwiseOp::log_ndtr:
      return log_of_normal(a);
    case ElementwiseOp::ndtri:
      return quantile_of_normal(a);
    case ElementwiseOp::i0e:
      return static_cast<double>(bessel_i(0, a, /*scaled=*/true));
    case ElementwiseOp::i1:
      return static_cast<double>(bessel_i(1, a));
    case ElementwiseOp::i1e:
      return static_cast<double>(bessel_i(1, a, /*scaled=*/true));
    case ElementwiseOp::entr:
      return a > 0 ? -a * std::log(a) : a < 0 ? -std::numeric_limits<double>::infinity() : a;
    case ElementwiseOp::polygamma:
      return polygamma(scale, a);
    case ElementwiseOp::logit:
      return logit(scale < 0 ? a : a < scale ? scale : a > 1 - scale ? 1 - scale : a);
    case ElementwiseOp::frac:
      return a - std::trunc(a);
    case ElementwiseOp::round_decimals:
      return scale < 0 ? std::nearbyint(a / -scale) * -scale : std::nearbyint(a * scale) / scale;
    case ElementwiseOp::frexp_mantissa:
      return frexp(a).mantissa;
    case ElementwiseOp::frexp_exponent:
      return frexp(a).exponent;
    case ElementwiseOp::signbit:
      return std::signbit(a);
    case ElementwiseOp::nan_to_num:
      return std::isnan(a) ? b : std::isfinite(a) ? a : a > 0 ? c : scale;
    case ElementwiseOp::hardsigmoid:
      return smaller_of(greater_of(a + 3, 0.0), 6.0) / 6;
    case ElementwiseOp::hardswish:
      return a * smaller_of(greater_of(a + 3, 0.0), 6.0) / 6;
    case ElementwiseOp::hardshrink:
      return std::abs(a) <= scale ? 0 : a;
    case ElementwiseOp::softshrink:
      return a > scale ? a - scale : a < -scale ? a + scale : a * 0;
    case ElementwiseOp::leaky_relu:
      return a > 0 ? a : a * scale;
    case ElementwiseOp::prelu:
      return a > 0 ? a : a * b;
    case ElementwiseOp::elu:
      return a > 0 ? a * c : std::expm1(a * scale) * b;
    case ElementwiseOp::silu:
      return a / (1 + std::exp(-a));
    case ElementwiseOp::mish:
      return a * std::tanh(a > 30 ? a : std::log1p(std::exp(a)));
    case ElementwiseOp::gelu:
      return a / 2 * std::erfc(-a * std::sqrt(0.5));
    case ElementwiseOp::gelu_tanh:
      return a / 2 *
             (1 + std::tanh(std::sqrt(8 / std::atan(1.0)) / 4 * (a + 0.044715 * a * a * a)));
    case ElementwiseOp::leaky_relu_backward:
      return b > 0 ? a : a * scale;
    case ElementwiseOp::hardsigmoid_backward:
      return b > -3 && b < 3 ? a * (1.0F / 6.0F) : 0;
    case ElementwiseOp::hardswish_backward:
      return b <= -3 ? 0 : b < 3 ? a * (b / 3 + 0.5) : a;
    case ElementwiseOp::silu_backward:
      return a / (1 + std::exp(-b)) * (1 + b / (1 + std::exp(b)));
    case ElementwiseOp::gelu_backward:
      return a * (std::erfc(-b * std::sqrt(0.5)) / 2 +
                  b * std::exp(-b * b / 2) / std::sqrt(8 * std::atan(1.0)));
    case ElementwiseOp::gelu_tanh_backward: {
      const double factor = std::sqrt(8 / std::atan(1.0)) / 4, cubes = 0.044715 * b * b * b;
      const double t = std::tanh(factor * (b + cubes));
      return a / 2 * (1 + t + (1 - t * t) * factor * (b + 3 * cubes));
    }
    case ElementwiseOp::log_sigmoid:
      return smaller_of(a, 0.0) - std::log1p(std::exp(-std::abs(a)));
    case ElementwiseOp::pow:
      return std::pow(a, b);
    case ElementwiseOp::fmod:
      return std::fmod(a, b);
    case ElementwiseOp::div_trunc:
      return std::trunc(a / b);
    case ElementwiseOp::fmax:
      return std::isnan(b) || a >= b ? a : b;
    case ElementwiseOp::fmin:
      return std::isnan(b) || a <= b ? a : b;
    case ElementwiseOp::logaddexp:
      return log_of_sum(a, b);
    case ElementwiseOp::logaddexp2:
      return log2_of_sum(a, b);
    case ElementwiseOp::xlogy:
      return a == 0 && !std::isnan(b) ? 0 : a * std::log(b);
    case ElementwiseOp::xlog1py:
      return a == 0 && !std::isnan(b) ? 0 : a * std::log1p(b);
    case ElementwiseOp::addcdiv:
      return a + scale * b / c;
    case ElementwiseOp::lerp_tensor:
      return std::abs(c) < 0.5 ? std::fma(c, b - a, a) : std::fma(c - 1, b - a, b);
    case ElementwiseOp::sigmoid_backward:
      return a * (1 - b) * b;
    case ElementwiseOp::tanh_backward:
      return a * (1 - b * b);
    case ElementwiseOp::lerp:
      return std::abs(scale) < 0.5 ? std::fma(scale, b - a, a) : std::fma(scale - 1, b - a, b);
    // A scaled sum rounds once.
    case ElementwiseOp::add:
      return std::fma(scale, b, a);
    case ElementwiseOp::sub:
      return std::fma(-scale, b, a);
    case ElementwiseOp::addcmul:
      return std::fma(scale * b, c, a);
    case ElementwiseOp::bce:
      return binary_cross_entropy(a, b);
    case ElementwiseOp::bce_backward:
      return binary_cross_entropy_backward(a, b, c);
    case ElementwiseOp::bce_logits:
      return binary_cross_entropy_with_logits(a, b);
    case ElementwiseOp::huber:
      return huber(a, b, scale);
    case ElementwiseOp::smooth_l1:
      return smooth_l1(a, b, scale);
    case ElementwiseOp::huber_backward:
      return huber_backward(a, b, c, scale);
    default:
      return common(op, a, b, c, scale);
  }
}

std::int64_t formula(ElementwiseOp op, std::int64_t a, std::int64_t b, std::int64_t c,
                     std::int64_t scale) {
  switch (op) {
    case ElementwiseOp::isnan:
    case ElementwiseOp::isinf:
      return 0;
    case ElementwiseOp::signbit:
      return a < 0;
    case ElementwiseOp::pow:
      return integer_power(a, b);
    case ElementwiseOp::fmod:
      return b == 0 || b == -1 ? 0 : a % b;
    case ElementwiseOp::div_trunc:
      return truncated_quotient(a, b);
    case ElementwiseOp::gcd:
      return static_cast<std::int64_t>(std::gcd(magnitude(a), magnitude(b)));
    case ElementwiseOp::lcm:
      return least_common_multiple(a, b);
    case ElementwiseOp::bitwise_left_shift:
      return shifted_left(a, b);
    case ElementwiseOp::bitwise_right_shift:
      return a >> (b < 0 || b >= 64 ? 63 : b);
    case ElementwiseOp::bitwise_not:
      return -1 - a;
    case ElementwiseOp::bitwise_and:
      return a & b;
    case ElementwiseOp::bitwise_or:
      return a | b;
    case ElementwiseOp::bitwise_xor:
      return a ^ b;
    default:
      return common(op, a, b, c, scale);
  }
}

}  // namespace tern::sim
