#include "ops/op_case.h"

namespace tern::testing {

std::vector<OpCase> select_cases() {
  using In = const std::vector<Tensor>&;
  const Input mask{{2, 3}, 0, 1, kBool, {1, 0, 0, 1, 1, 0}};
  const Input row_mask{{3}, 0, 1, kBool, {0, 1, 0}};
  std::vector<OpCase> cases;
#define TERN_COMPARISON(op_name, symbol)                                 \
  cases.push_back({.name = #op_name,                                     \
                   .node = "",                                           \
                   .function = [](In in) { return in[0] symbol in[1]; }, \
                   .samples = binary_samples()});                        \
  cases.push_back({.name = #op_name "_number",                           \
                   .node = "",                                           \
                   .function = [](In in) { return in[0] symbol 0.5; },   \
                   .samples = unary_samples()});
  TERN_COMPARISON(eq, ==)
  TERN_COMPARISON(ne, !=)
  TERN_COMPARISON(lt, <)
  TERN_COMPARISON(le, <=)
  TERN_COMPARISON(gt, >)
  TERN_COMPARISON(ge, >=)
#undef TERN_COMPARISON
  const auto logical = [&](const char* name, OpFunction function) {
    cases.push_back({.name = name, .node = "", .function = function, .samples = binary_samples()});
  };
  logical("logical_and", [](In in) { return logical_and(in[0] > 0, in[1] > 0); });
  logical("logical_or", [](In in) { return logical_or(in[0] > 0, in[1]); });
  logical("logical_xor", [](In in) { return logical_xor(in[0] > 0, in[1] > 0); });
  cases.push_back({.name = "logical_not",
                   .node = "",
                   .function = [](In in) { return logical_not(in[0] > 0); },
                   .samples = unary_samples()});
  const Input integers{{2, 3}, -9, 9, kLong}, row{{3}, -9, 9, kLong};
  const std::vector<Sample> pairs = {{integers, integers},
                                     {integers, row},
                                     {row, Input{{2, 1}, -9, 9, kLong}},
                                     {Input{{}, -9, 9, kLong}, integers},
                                     {mask, row_mask},
                                     {row_mask, integers},
                                     {Input{{0, 3}, -9, 9, kLong}, row}};
  const auto bitwise = [&](const std::string& name, OpFunction function, OpFunction in_place) {
    const auto refusal = [&](const char* device) {
      return '"' + name + '_' + device + "\" not implemented for 'Float'";
    };
    cases.push_back({.name = name,
                     .node = "",
                     .function = function,
                     .samples = pairs,
                     .in_place = in_place,
                     .rejections = {{{Input{{2}}, Input{{2}}}, refusal("cpu"), refusal("cuda")},
                                    {{integers, Input{{}}}, refusal("cpu"), refusal("cuda")},
                                    {{row, Input{{4}, 0, 9, kLong}},
                                     "The size of tensor a (3) must match the size of tensor b "
                                     "(4)"}}});
  };
  bitwise(
      "bitwise_and", [](In in) { return in[0] & in[1]; },
      [](In in) { return Tensor(in[0]) &= in[1]; });
  bitwise(
      "bitwise_or", [](In in) { return in[0] | in[1]; },
      [](In in) { return Tensor(in[0]) |= in[1]; });
  bitwise(
      "bitwise_xor", [](In in) { return in[0] ^ in[1]; },
      [](In in) { return Tensor(in[0]) ^= in[1]; });
  cases.push_back({.name = "bitwise_not",
                   .node = "",
                   .function = [](In in) { return ~in[0]; },
                   .samples = {{integers}, {mask}, {Input{{}, -9, 9, kLong}}},
                   .in_place = [](In in) { return Tensor(in[0]).bitwise_not_(); },
                   .rejections = {{{Input{{2}}},
                                   "\"bitwise_not_cpu\" not implemented for 'Float'",
                                   "\"bitwise_not_cuda\" not implemented for 'Float'"}}});
  const auto unary = [&](const char* name, OpFunction function) {
    cases.push_back({.name = name, .node = "", .function = function, .samples = unary_samples()});
  };
  // Elements in [0, 1) are divided by 0.
  unary("isfinite", [](In in) { return isfinite(in[0] / floor(in[0])); });
  unary("isinf", [](In in) { return isinf(in[0] / floor(in[0])); });
  unary("isnan", [](In in) { return isnan(floor(in[0]) / floor(in[0])); });
  cases.push_back({.name = "isclose",
                   .node = "",
                   .function = [](In in) { return isclose(in[0], in[1], 0.25, 0.125); },
                   .samples = binary_samples()});
  cases.push_back({.name = "clamp",
                   .node = "ClampBackward1",
                   .function = [](In in) { return in[0].clamp(-0.7, 0.9); },
                   .samples = unary_samples(),
                   .in_place = [](In in) { return Tensor(in[0]).clamp_(-0.7, 0.9); },
                   .twice_differentiable = false});
  cases.push_back({.name = "clamp_min",
                   .node = "ClampMinBackward0",
                   .function = [](In in) { return in[0].clamp_min(-0.5); },
                   .samples = unary_samples(),
                   .in_place = [](In in) { return Tensor(in[0]).clamp_min_(-0.5); },
                   .twice_differentiable = false});
  cases.push_back({.name = "clamp_max",
                   .node = "ClampMaxBackward0",
                   .function = [](In in) { return in[0].clamp_max(0.5); },
                   .samples = unary_samples(),
                   .in_place = [](In in) { return Tensor(in[0]).clamp_max_(0.5); },
                   .twice_differentiable = false});
  cases.push_back({.name = "where",
                   .node = "WhereBackward0",
                   .function = [](In in) { return where(in[0], in[1], in[2]); },
                   .samples = {{mask, Input{{2, 3}}, Input{{2, 3}}},
                               {row_mask, Input{{2, 3}}, Input{{2, 1}}},
                               {row_mask, Input{{}}, Input{{3}}},
                               {Input{{0, 3}, 0, 1, kBool}, Input{{0, 3}}, Input{{3}}}},
                   .rejections = {{{Input{{2}}, Input{{2}}, Input{{2}}},
                                   "where expected condition to be a boolean tensor"}}});
  cases.push_back({.name = "where_number",
                   .node = "WhereBackward0",
                   .function = [](In in) { return where(in[0], 2, in[1]); },
                   .samples = {{mask, Input{{2, 3}}}, {row_mask, Input{{2, 3}}}}});
  cases.push_back(
      {.name = "masked_fill",
       .node = "MaskedFillBackward0",
       .function = [](In in) { return in[0].masked_fill(in[1], 3); },
       .samples = {{Input{{2, 3}}, mask}, {Input{{2, 3}}, row_mask}},
       .in_place = [](In in) { return Tensor(in[0]).masked_fill_(in[1], 3); },
       .rejections = {{{Input{{2}}, Input{{2}}}, "masked_fill_ only supports boolean masks"}}});
  return cases;
}

}  // namespace tern::testing
