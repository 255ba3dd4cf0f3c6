#include <map>

#include "ops/op_case.h"

namespace tern::testing {

// Every row of unary.def, on numbers where the op is smooth.
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
#define TERN_UNARY(op_name, grad_name, keep, gradient, summary)                        \
  add({.name = #op_name,                                                               \
       .node = grad_name,                                                              \
       .function = [](const std::vector<Tensor>& in) { return tern::op_name(in[0]); }, \
       .samples = {},                                                                  \
       .in_place = [](const std::vector<Tensor>& in) { return Tensor(in[0]).op_name##_(); }});
#include <tern/core/ops/unary.def>
#undef TERN_UNARY
  return cases;
}

}  // namespace tern::testing
