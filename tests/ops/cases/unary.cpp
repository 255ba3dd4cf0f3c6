#include <map>

#include "ops/op_case.h"

namespace tern::testing {

// Every op of unary.h, on numbers where the op is smooth.
std::vector<OpCase> unary_cases() {
  const std::map<std::string, std::pair<double, double>> domains = {{"log", {0.1, 3}},
                                                                    {"log1p", {-0.5, 3}},
                                                                    {"sqrt", {0.1, 3}},
                                                                    {"rsqrt", {0.1, 3}},
                                                                    {"reciprocal", {0.2, 2}}};
  // The derivative is 0 everywhere: there is nothing to differentiate twice.
  const auto is_flat = [](const std::string& name) {
    return name == "sign" || name == "floor" || name == "ceil" || name == "round" ||
           name == "trunc";
  };
  std::vector<OpCase> cases;
  const auto add = [&](OpCase op) {
    const auto domain = domains.find(op.name);
    op.samples = domain == domains.end()
                     ? unary_samples()
                     : unary_samples(domain->second.first, domain->second.second);
    op.twice_differentiable = !is_flat(op.name);
    cases.push_back(std::move(op));
  };
#define TERN_UNARY(op_name, grad_name)                                                 \
  add({.name = #op_name,                                                               \
       .node = grad_name,                                                              \
       .function = [](const std::vector<Tensor>& in) { return tern::op_name(in[0]); }, \
       .samples = {},                                                                  \
       .in_place = [](const std::vector<Tensor>& in) { return Tensor(in[0]).op_name##_(); }});
  TERN_UNARY(neg, "NegBackward0")
  TERN_UNARY(abs, "AbsBackward0")
  TERN_UNARY(sign, "SignBackward0")
  TERN_UNARY(square, "PowBackward0")
  TERN_UNARY(floor, "FloorBackward0")
  TERN_UNARY(ceil, "CeilBackward0")
  TERN_UNARY(round, "RoundBackward0")
  TERN_UNARY(trunc, "TruncBackward0")
  TERN_UNARY(relu, "ReluBackward0")
  TERN_UNARY(exp, "ExpBackward0")
  TERN_UNARY(expm1, "Expm1Backward0")
  TERN_UNARY(log, "LogBackward0")
  TERN_UNARY(log1p, "Log1PBackward0")
  TERN_UNARY(sqrt, "SqrtBackward0")
  TERN_UNARY(rsqrt, "RsqrtBackward0")
  TERN_UNARY(reciprocal, "ReciprocalBackward0")
  TERN_UNARY(sin, "SinBackward0")
  TERN_UNARY(cos, "CosBackward0")
  TERN_UNARY(tanh, "TanhBackward0")
  TERN_UNARY(sigmoid, "SigmoidBackward0")
#undef TERN_UNARY
  return cases;
}

}  // namespace tern::testing
