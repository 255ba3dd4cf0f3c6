#include <tern/backends/sim/kernels/formulas.h>

#include <cmath>

#include <tern/backends/sim/kernels/number.h>
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

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

double binary_cross_entropy(double x, double target) {
  const double log_x = greater_of(std::log(x), -100.0);
  const double log_rest = greater_of(std::log1p(-x), -100.0);
  return -(target * log_x + (1 - target) * log_rest);
}

double binary_cross_entropy_backward(double x, double target, double grad) {
  return grad * (x - target) / greater_of(x * (1 - x), 1e-12);
}

double binary_cross_entropy_with_logits(double x, double target) {
  return (1 - target) * x + std::log1p(std::exp(-std::abs(x))) + greater_of(-x, 0.0);
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
    case ElementwiseOp::exp:
      return std::exp(a);
    case ElementwiseOp::expm1:
      return std::expm1(a);
    case ElementwiseOp::log:
      return std::log(a);
    case ElementwiseOp::log1p:
      return std::log1p(a);
    case ElementwiseOp::sqrt:
      return std::sqrt(a);
    case ElementwiseOp::rsqrt:
      return 1 / std::sqrt(a);
    case ElementwiseOp::reciprocal:
      return 1 / a;
    case ElementwiseOp::sin:
      return std::sin(a);
    case ElementwiseOp::cos:
      return std::cos(a);
    case ElementwiseOp::tanh:
      return std::tanh(a);
    case ElementwiseOp::sigmoid:
      return sigmoid(a);
    case ElementwiseOp::div:
      return a / b;
    case ElementwiseOp::pow:
      return std::pow(a, b);
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
    case ElementwiseOp::pow:
      return integer_power(a, b);
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
