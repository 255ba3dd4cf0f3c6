#pragma once

#include <torch/torch.h>

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include "bench.h"

// The ops and layouts of every_op.

namespace every_op {

using torch::Tensor;
namespace F = torch::nn::functional;

struct Size {
  const char* name;
  std::int64_t rows, columns;
};
constexpr Size kSizes[] = {{"8 x 8", 8, 8}, {"128 x 784", 128, 784}, {"1024 x 1024", 1024, 1024}};

/// The dtype in the names of the following lines; empty for the first four dtypes, which are
/// measured in all layouts.
inline std::string dtype_name;

enum class Inputs { kOne, kSeveral, kOther };

/// The six other dtypes are measured in fewer layouts, and those of small tensors not at all: ops
/// with one input without transposed matrices, ops with several without strided ones, because their
/// loops over strides are the same.
inline bool is_measured(std::string_view layout, const Size& size, Inputs inputs) {
  if (dtype_name.empty() || layout == "contiguous" || layout == "fresh") return true;
  if (size.rows <= 8 || layout == "row" || layout == "column") return false;
  return !(inputs == Inputs::kOne && layout == "transposed") &&
         !(inputs == Inputs::kSeveral && layout == "strided");
}

/// A function without arguments. What measures it is compiled once, not for each of many functions,
/// for one more call by pointer.
class Call {
 public:
  template <class Fn>
  Call(const Fn& fn) : fn_(&fn), run_([](const void* run) { (*static_cast<const Fn*>(run))(); }) {}
  void operator()() const { run_(fn_); }

 private:
  const void* fn_;
  void (*run_)(const void*);
};

/// Returns false if the library has no such op in the dtype, and prints why.
inline bool is_supported(const std::string& name, const Call& fn) {
  try {
    fn();
    return true;
  } catch (const std::exception& error) {
    const std::string text = error.what();
    std::fprintf(stderr, "left out: %s: %s\n", name.c_str(),
                 text.substr(0, text.find('\n')).c_str());
    return false;
  }
}

inline void report(std::string_view op, std::string_view layout, const Size& size, const Call& fn,
                   Inputs inputs = Inputs::kOther) {
  if (!is_measured(layout, size, inputs)) return;
  const std::string name =
      std::string(op) + dtype_name + ", " + std::string(layout) + ", " + size.name;
  if (!dtype_name.empty() && !is_supported(name, fn)) return;
  // Shorter than in other benchmarks, because there are many lines.
  bench::report(name.c_str(), fn, {.turn_ns = 2e6, .turns = 5});
}

// A matrix of one size in several layouts. A strided matrix takes every other element of its rows.
struct Layouts {
  Tensor contiguous, transposed, strided;
};

template <class Make>
Layouts layouts(const Size& size, const Make& make) {
  return {make(size.rows, size.columns), make(size.columns, size.rows).t(),
          make(size.rows, 2 * size.columns).slice(1, 0, 2 * size.columns, 2)};
}

inline Tensor normal(std::int64_t rows, std::int64_t columns) {
  return torch::randn({rows, columns});
}
inline Tensor positive(std::int64_t rows, std::int64_t columns) {
  return torch::rand({rows, columns}) + 0.125;
}

// --- One input -----------------------------------------------------------------------------------

struct UnaryOp {
  const char* name;
  Tensor (*run)(const Tensor&);
};

const UnaryOp kAnyDomain[] = {
    {"neg", [](const Tensor& x) { return torch::neg(x); }},
    {"abs", [](const Tensor& x) { return torch::abs(x); }},
    {"sign", [](const Tensor& x) { return torch::sign(x); }},
    {"square", [](const Tensor& x) { return torch::square(x); }},
    {"floor", [](const Tensor& x) { return torch::floor(x); }},
    {"ceil", [](const Tensor& x) { return torch::ceil(x); }},
    {"round", [](const Tensor& x) { return torch::round(x); }},
    {"trunc", [](const Tensor& x) { return torch::trunc(x); }},
    {"relu", [](const Tensor& x) { return torch::relu(x); }},
    {"exp", [](const Tensor& x) { return torch::exp(x); }},
    {"expm1", [](const Tensor& x) { return torch::expm1(x); }},
    {"sin", [](const Tensor& x) { return torch::sin(x); }},
    {"cos", [](const Tensor& x) { return torch::cos(x); }},
    {"tanh", [](const Tensor& x) { return torch::tanh(x); }},
    {"sigmoid", [](const Tensor& x) { return torch::sigmoid(x); }},
    {"tan", [](const Tensor& x) { return torch::tan(x); }},
    {"atan", [](const Tensor& x) { return torch::atan(x); }},
    {"sinh", [](const Tensor& x) { return torch::sinh(x); }},
    {"cosh", [](const Tensor& x) { return torch::cosh(x); }},
    {"asinh", [](const Tensor& x) { return torch::asinh(x); }},
    {"exp2", [](const Tensor& x) { return torch::exp2(x); }},
    {"erf", [](const Tensor& x) { return torch::erf(x); }},
    {"erfc", [](const Tensor& x) { return torch::erfc(x); }},
    {"sinc", [](const Tensor& x) { return torch::sinc(x); }},
    {"lgamma", [](const Tensor& x) { return torch::lgamma(x); }},
    {"digamma", [](const Tensor& x) { return torch::digamma(x); }},
    {"frac", [](const Tensor& x) { return torch::frac(x); }},
    {"nan_to_num", [](const Tensor& x) { return torch::nan_to_num(x); }},
    {"silu", [](const Tensor& x) { return torch::silu(x); }},
    {"gelu", [](const Tensor& x) { return torch::gelu(x); }},
    {"mish", [](const Tensor& x) { return torch::mish(x); }},
    {"elu", [](const Tensor& x) { return torch::elu(x); }},
    {"hardswish", [](const Tensor& x) { return torch::hardswish(x); }},
    {"leaky_relu", [](const Tensor& x) { return torch::leaky_relu(x); }},
    {"reciprocal", [](const Tensor& x) { return torch::reciprocal(x); }},
    {"isnan", [](const Tensor& x) { return torch::isnan(x); }},
    {"isinf", [](const Tensor& x) { return torch::isinf(x); }},
    {"isfinite", [](const Tensor& x) { return torch::isfinite(x); }},
    {"logical_not", [](const Tensor& x) { return torch::logical_not(x); }},
    {"add a number", [](const Tensor& x) { return x + 2.5; }},
    {"mul by a number", [](const Tensor& x) { return x * 2.5; }},
    {"div by a number", [](const Tensor& x) { return x / 2.5; }},
    {"number minus", [](const Tensor& x) { return 1 - x; }},
    {"remainder by a number", [](const Tensor& x) { return torch::remainder(x, 0.7); }},
    {"pow 2", [](const Tensor& x) { return torch::pow(x, 2); }},
    {"pow 3", [](const Tensor& x) { return torch::pow(x, 3); }},
    {"compare with a number", [](const Tensor& x) { return x > 0.5; }},
    {"clamp", [](const Tensor& x) { return torch::clamp(x, -0.5, 0.5); }},
    {"clamp_min", [](const Tensor& x) { return torch::clamp_min(x, 0.5); }},
    {"clone", [](const Tensor& x) { return x.clone(); }},
    {"copy in rows", [](const Tensor& x) { return torch::empty(x.sizes()).copy_(x); }},
    {"to float64", [](const Tensor& x) { return x.to(torch::kDouble); }},
    {"to int64", [](const Tensor& x) { return x.to(torch::kLong); }},
    {"to bool", [](const Tensor& x) { return x.to(torch::kBool); }},
    {"sum", [](const Tensor& x) { return x.sum(); }},
    {"sum of columns", [](const Tensor& x) { return x.sum(0); }},
    {"sum of rows", [](const Tensor& x) { return x.sum(1); }},
    {"mean", [](const Tensor& x) { return x.mean(); }},
    {"mean of columns", [](const Tensor& x) { return x.mean(0); }},
    {"mean of rows", [](const Tensor& x) { return x.mean(1); }},
    {"prod", [](const Tensor& x) { return x.prod(); }},
    {"prod of rows", [](const Tensor& x) { return x.prod(1); }},
    {"var", [](const Tensor& x) { return x.var(); }},
    {"var of columns", [](const Tensor& x) { return x.var({0}, true); }},
    {"var of rows", [](const Tensor& x) { return x.var({1}, true); }},
    {"std of rows", [](const Tensor& x) { return x.std({1}, true); }},
    {"norm", [](const Tensor& x) { return x.norm(); }},
    {"norm of rows", [](const Tensor& x) { return x.norm(2, {1}); }},
    {"max", [](const Tensor& x) { return x.max(); }},
    {"max of columns", [](const Tensor& x) { return std::get<0>(x.max(0)); }},
    {"max of rows", [](const Tensor& x) { return std::get<0>(x.max(1)); }},
    {"amax of columns", [](const Tensor& x) { return x.amax({0}); }},
    {"amin of rows", [](const Tensor& x) { return x.amin({1}); }},
    {"argmax", [](const Tensor& x) { return x.argmax(); }},
    {"argmax of columns", [](const Tensor& x) { return x.argmax(0); }},
    {"argmin of rows", [](const Tensor& x) { return x.argmin(1); }},
    {"any of rows", [](const Tensor& x) { return x.any(1); }},
    {"all", [](const Tensor& x) { return x.all(); }},
    {"sort of rows", [](const Tensor& x) { return std::get<0>(x.sort(1)); }},
    {"sort of columns", [](const Tensor& x) { return std::get<0>(x.sort(0)); }},
    {"topk of rows", [](const Tensor& x) { return std::get<0>(x.topk(5, 1)); }},
    {"topk of columns", [](const Tensor& x) { return std::get<0>(x.topk(5, 0)); }},
    {"median", [](const Tensor& x) { return x.median(); }},
    {"median of rows", [](const Tensor& x) { return std::get<0>(x.median(1)); }},
    {"median of columns", [](const Tensor& x) { return std::get<0>(x.median(0)); }},
    {"unique", [](const Tensor& x) { return std::get<0>(torch::_unique2(x)); }},
    {"unique of rows", [](const Tensor& x) { return std::get<0>(torch::unique_dim(x, 0)); }},
    {"mode of rows", [](const Tensor& x) { return std::get<0>(x.mode(1)); }},
    {"quantile of rows", [](const Tensor& x) { return x.quantile(0.3, 1); }},
    {"logsumexp of rows", [](const Tensor& x) { return torch::logsumexp(x, {1}); }},
    {"logsumexp of columns", [](const Tensor& x) { return torch::logsumexp(x, {0}); }},
    {"nansum", [](const Tensor& x) { return x.nansum(); }},
    {"nansum of columns", [](const Tensor& x) { return x.nansum({0}); }},
    {"count_nonzero", [](const Tensor& x) { return torch::count_nonzero(x); }},
    {"aminmax", [](const Tensor& x) { return std::get<1>(x.aminmax()); }},
    {"var_mean of rows",
     [](const Tensor& x) { return std::get<1>(torch::var_mean(x, {1}, true)); }},
    {"norm 1 of rows", [](const Tensor& x) { return x.norm(1, {1}); }},
    {"norm 3 of columns", [](const Tensor& x) { return x.norm(3, {0}); }},
    {"cumsum of columns", [](const Tensor& x) { return torch::cumsum(x, 0); }},
    {"cumprod of rows", [](const Tensor& x) { return torch::cumprod(x, 1); }},
    {"cumprod of columns", [](const Tensor& x) { return torch::cumprod(x, 0); }},
    {"cummax of rows", [](const Tensor& x) { return std::get<1>(torch::cummax(x, 1)); }},
    {"cummax of columns", [](const Tensor& x) { return std::get<1>(torch::cummax(x, 0)); }},
    {"logcumsumexp of rows", [](const Tensor& x) { return torch::logcumsumexp(x, 1); }},
    {"logcumsumexp of columns", [](const Tensor& x) { return torch::logcumsumexp(x, 0); }},
    {"renorm", [](const Tensor& x) { return x.renorm(2, 0, 1); }},
    {"diff", [](const Tensor& x) { return x.diff(); }},
    {"trapezoid", [](const Tensor& x) { return torch::trapezoid(x, 0.5); }},
    {"cov", [](const Tensor& x) { return torch::cov(x); }},
    {"histc", [](const Tensor& x) { return x.histc(64, 0, 1); }},
    {"softmax of rows", [](const Tensor& x) { return torch::softmax(x, 1); }},
    {"softmax of columns", [](const Tensor& x) { return torch::softmax(x, 0); }},
    {"log_softmax of rows", [](const Tensor& x) { return torch::log_softmax(x, 1); }},
    {"log_softmax of columns", [](const Tensor& x) { return torch::log_softmax(x, 0); }},
    {"flip of rows", [](const Tensor& x) { return torch::flip(x, {1}); }},
    {"flip of columns", [](const Tensor& x) { return torch::flip(x, {0}); }},
    {"rot90", [](const Tensor& x) { return torch::rot90(x); }},
    {"roll", [](const Tensor& x) { return torch::roll(x, {3}); }},
    {"roll of both", [](const Tensor& x) { return torch::roll(x, {3, 3}, {0, 1}); }},
    {"repeat", [](const Tensor& x) { return x.repeat({2, 2}); }},
    {"repeat_interleave of rows", [](const Tensor& x) { return x.repeat_interleave(2, 0); }},
    {"repeat_interleave of columns", [](const Tensor& x) { return x.repeat_interleave(2, 1); }},
    {"constant_pad_nd", [](const Tensor& x) { return torch::constant_pad_nd(x, {1, 2, 1, 2}, 0); }},
    {"tril", [](const Tensor& x) { return torch::tril(x); }},
    {"triu", [](const Tensor& x) { return torch::triu(x, 1); }},
    {"trace", [](const Tensor& x) { return torch::trace(x); }},
    {"diag", [](const Tensor& x) { return torch::diag(x); }},
    {"diag_embed", [](const Tensor& x) { return torch::diag_embed(x.select(0, 1)); }},
};

const UnaryOp kPositive[] = {
    {"log", [](const Tensor& x) { return torch::log(x); }},
    {"log1p", [](const Tensor& x) { return torch::log1p(x); }},
    {"sqrt", [](const Tensor& x) { return torch::sqrt(x); }},
    {"log2", [](const Tensor& x) { return torch::log2(x); }},
    {"log10", [](const Tensor& x) { return torch::log10(x); }},
    {"asin", [](const Tensor& x) { return torch::asin(x); }},
    {"acos", [](const Tensor& x) { return torch::acos(x); }},
    {"acosh", [](const Tensor& x) { return torch::acosh(x); }},
    {"atanh", [](const Tensor& x) { return torch::atanh(x); }},
    {"erfinv", [](const Tensor& x) { return torch::erfinv(x); }},
    {"logit", [](const Tensor& x) { return torch::logit(x); }},
    {"rsqrt", [](const Tensor& x) { return torch::rsqrt(x); }},
    {"pow 0.5", [](const Tensor& x) { return torch::pow(x, 0.5); }},
    {"pow 2.5", [](const Tensor& x) { return torch::pow(x, 2.5); }},
    {"2.5 to the power", [](const Tensor& x) { return torch::pow(2.5, x); }},
};

inline void unary(const std::string& name, const UnaryOp& op, const Layouts& x, const Size& size) {
  report(
      name, "contiguous", size, [&] { op.run(x.contiguous); }, Inputs::kOne);
  report(
      name, "transposed", size, [&] { op.run(x.transposed); }, Inputs::kOne);
  report(
      name, "strided", size, [&] { op.run(x.strided); }, Inputs::kOne);
}

// --- Two and three inputs ------------------------------------------------------------------------

struct BinaryOp {
  const char* name;
  Tensor (*run)(const Tensor&, const Tensor&);
};

const BinaryOp kBinary[] = {
    {"add", [](const Tensor& x, const Tensor& y) { return x + y; }},
    {"sub", [](const Tensor& x, const Tensor& y) { return x - y; }},
    {"mul", [](const Tensor& x, const Tensor& y) { return x * y; }},
    {"div", [](const Tensor& x, const Tensor& y) { return x / y; }},
    {"add scaled", [](const Tensor& x, const Tensor& y) { return torch::add(x, y, 0.3); }},
    {"maximum", [](const Tensor& x, const Tensor& y) { return torch::maximum(x, y); }},
    {"minimum", [](const Tensor& x, const Tensor& y) { return torch::minimum(x, y); }},
    {"remainder", [](const Tensor& x, const Tensor& y) { return torch::remainder(x, y); }},
    {"div floor", [](const Tensor& x, const Tensor& y) { return torch::div(x, y, "floor"); }},
    {"div trunc", [](const Tensor& x, const Tensor& y) { return torch::div(x, y, "trunc"); }},
    {"fmod", [](const Tensor& x, const Tensor& y) { return torch::fmod(x, y); }},
    {"fmax", [](const Tensor& x, const Tensor& y) { return torch::fmax(x, y); }},
    {"fmin", [](const Tensor& x, const Tensor& y) { return torch::fmin(x, y); }},
    {"atan2", [](const Tensor& x, const Tensor& y) { return torch::atan2(x, y); }},
    {"hypot", [](const Tensor& x, const Tensor& y) { return torch::hypot(x, y); }},
    {"copysign", [](const Tensor& x, const Tensor& y) { return torch::copysign(x, y); }},
    {"heaviside", [](const Tensor& x, const Tensor& y) { return torch::heaviside(x, y); }},
    {"logaddexp", [](const Tensor& x, const Tensor& y) { return torch::logaddexp(x, y); }},
    {"logaddexp2", [](const Tensor& x, const Tensor& y) { return torch::logaddexp2(x, y); }},
    {"ldexp", [](const Tensor& x, const Tensor& y) { return torch::ldexp(x, y); }},
    {"eq", [](const Tensor& x, const Tensor& y) { return x == y; }},
    {"ne", [](const Tensor& x, const Tensor& y) { return x != y; }},
    {"lt", [](const Tensor& x, const Tensor& y) { return x < y; }},
    {"le", [](const Tensor& x, const Tensor& y) { return x <= y; }},
    {"gt", [](const Tensor& x, const Tensor& y) { return x > y; }},
    {"ge", [](const Tensor& x, const Tensor& y) { return x >= y; }},
    {"logical_and", [](const Tensor& x, const Tensor& y) { return torch::logical_and(x, y); }},
    {"isclose", [](const Tensor& x, const Tensor& y) { return torch::isclose(x, y); }},
    {"addcmul", [](const Tensor& x, const Tensor& y) { return torch::addcmul(x, x, y, 0.5); }},
    {"addcdiv", [](const Tensor& x, const Tensor& y) { return torch::addcdiv(x, x, y, 0.5); }},
    {"clamp with tensors", [](const Tensor& x, const Tensor& y) { return torch::clamp(x, y, x); }},
    {"add_", [](const Tensor& x, const Tensor& y) { return Tensor(x).add_(y, 1e-9); }},
    {"copy_", [](const Tensor& x, const Tensor& y) { return Tensor(x).copy_(y); }},
};

// These ops need operands of the same size.
const BinaryOp kSameSize[] = {
    {"lerp", [](const Tensor& x, const Tensor& y) { return torch::lerp(x, y, 0.3); }},
    {"lerp with a tensor", [](const Tensor& x, const Tensor& y) { return torch::lerp(x, y, y); }},
    {"dist", [](const Tensor& x, const Tensor& y) { return torch::dist(x, y); }},
    {"cosine_similarity",
     [](const Tensor& x, const Tensor& y) { return torch::cosine_similarity(x, y); }},
    {"pairwise_distance",
     [](const Tensor& x, const Tensor& y) { return torch::pairwise_distance(x, y); }},
    {"mse_loss", [](const Tensor& x, const Tensor& y) { return F::mse_loss(x, y); }},
    // clang-format off
    {"cat of rows", [](const Tensor& x, const Tensor& y) { return torch::cat({x, y}, 0); }},
    {"cat of columns", [](const Tensor& x, const Tensor& y) { return torch::cat({x, y}, 1); }},
    {"stack", [](const Tensor& x, const Tensor& y) { return torch::stack({x, y}); }},
    {"stack at the end", [](const Tensor& x, const Tensor& y) { return torch::stack({x, y}, 2); }},
    // clang-format on
};

const BinaryOp kPositiveBinary[] = {
    {"pow", [](const Tensor& x, const Tensor& y) { return torch::pow(x, y); }},
    {"xlogy", [](const Tensor& x, const Tensor& y) { return torch::xlogy(x, y); }},
};

// Both operands are in [0, 1].
const BinaryOp kProbabilities[] = {
    {"binary_cross_entropy",
     [](const Tensor& x, const Tensor& y) { return F::binary_cross_entropy(x, y); }},
    {"binary_cross_entropy_with_logits",
     [](const Tensor& x, const Tensor& y) { return F::binary_cross_entropy_with_logits(x, y); }},
};

inline void same_size(const std::string& name, const BinaryOp& op, const Layouts& x,
                      const Tensor& y, const Size& size) {
  report(
      name, "contiguous", size, [&] { op.run(x.contiguous, y); }, Inputs::kSeveral);
  report(
      name, "transposed", size, [&] { op.run(x.transposed, y); }, Inputs::kSeveral);
  report(
      name, "strided", size, [&] { op.run(x.strided, y); }, Inputs::kSeveral);
}

inline void binary(const std::string& name, const BinaryOp& op, const Layouts& x, const Tensor& y,
                   const Size& size) {
  same_size(name, op, x, y, size);
  const Tensor row = y.slice(0, 0, 1).contiguous(), column = y.slice(1, 0, 1).contiguous();
  report(name, "row", size, [&] { op.run(x.contiguous, row); });
  report(name, "column", size, [&] { op.run(x.contiguous, column); });
}

// --- The other six dtypes ------------------------------------------------------------------------

struct Dtype {
  torch::ScalarType dtype;
  const char* name;
};
constexpr Dtype kSixDtypes[] = {
    {torch::kHalf, "float16"}, {torch::kBFloat16, "bfloat16"}, {torch::kInt, "int32"},
    {torch::kShort, "int16"},  {torch::kChar, "int8"},         {torch::kByte, "uint8"},
};
constexpr Dtype kFourDtypes[] = {{torch::kFloat, "float32"},
                                 {torch::kDouble, "float64"},
                                 {torch::kLong, "int64"},
                                 {torch::kBool, "bool"}};

const UnaryOp kNumberOps[] = {
    {"add an integer", [](const Tensor& x) { return x + 2; }},
    {"mul by an integer", [](const Tensor& x) { return x * 3; }},
    {"compare with an integer", [](const Tensor& x) { return x > 3; }},
    {"remainder by an integer", [](const Tensor& x) { return torch::remainder(x, 7); }},
    {"clamp between integers", [](const Tensor& x) { return torch::clamp(x, 20, 60); }},
    {"bitwise_not", [](const Tensor& x) { return torch::bitwise_not(x); }},
    {"cumsum of rows", [](const Tensor& x) { return torch::cumsum(x, 1); }},
};

const BinaryOp kNumberBinary[] = {
    {"bitwise_and", [](const Tensor& x, const Tensor& y) { return torch::bitwise_and(x, y); }},
    {"bitwise_xor", [](const Tensor& x, const Tensor& y) { return torch::bitwise_xor(x, y); }},
    {"logical_xor", [](const Tensor& x, const Tensor& y) { return torch::logical_xor(x, y); }},
    {"add to itself", [](const Tensor& x, const Tensor& y) { return Tensor(x).add_(y); }},
};

/// On integers these ops return float32, so one of them is enough: exp.
inline bool is_for_floats(const std::string& op) {
  for (const char* name : {"expm1", "sin", "cos", "tanh", "sigmoid", "isnan", "isinf", "isfinite",
                           "ceil", "round", "trunc", "add a number", "mul by a number", "clamp",
                           "clamp_min", "remainder by a number"}) {
    if (op == name) return true;
  }
  return false;
}

}  // namespace every_op
