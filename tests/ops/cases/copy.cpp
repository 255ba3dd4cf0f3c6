#include "ops/op_case.h"

namespace tern::testing {

std::vector<OpCase> copy_cases() {
  using In = const std::vector<Tensor>&;
  std::vector<OpCase> cases;
  cases.push_back({.name = "clone",
                   .node = "CloneBackward0",
                   .function = [](In in) { return in[0].clone(); },
                   .samples = unary_samples()});
  cases.push_back({.name = "contiguous",
                   .node = "CloneBackward0",
                   .function = [](In in) { return in[0].t().contiguous(); },
                   .samples = {{Input{{3, 4}}}, {Input{{2, 5}}}}});
  cases.push_back({.name = "to",
                   .node = "ToCopyBackward0",
                   .function = [](In in) { return in[0].to(in[0].dtype(), false, true); },
                   .samples = unary_samples()});
  cases.push_back({.name = "toType",
                   .node = "",
                   .function = [](In in) { return in[0].toType(kLong); },
                   .samples = unary_samples(-1e3, 1e3)});
  cases.push_back({.name = "type",
                   .node = "",
                   .function = [](In in) { return in[0].type(kLong); },
                   .samples = unary_samples(-1e3, 1e3)});
  cases.push_back({.name = "type_as",
                   .node = "",
                   .function = [](In in) { return in[0].type_as(in[0].isnan()); },
                   .samples = unary_samples()});
  cases.push_back({.name = "to_dtype",
                   .node = "ToCopyBackward0",
                   .function = [](In in) { return in[0].to(kFloat, false, true).to(kDouble); },
                   .samples = {{Input{{3, 4}, -1e3, 1e3}}},
                   .dtypes = {kDouble}});
  // The gradient is exact, but an intermediate float32 makes the numeric gradient inexact.
  cases.back().node.clear();
  cases.back().function = [](In in) { return in[0].detach().to(kFloat).to(kLong).to(kBool); };
  cases.push_back({.name = "copy",
                   .op = "copy_",
                   .node = "CopyBackwards",
                   .function = [](In in) { return (in[0] * 1).copy_(in[1]); },
                   .samples = {{Input{{2, 3}}, Input{{2, 3}}},
                               {Input{{2, 3}}, Input{{3}}},
                               {Input{{}}, Input{{}}},
                               {Input{{0, 2}}, Input{{2}}}},
                   .in_place = [](In in) { return Tensor(in[0]).copy_(in[1]); },
                   .rejections = {{{Input{{2}}, Input{{3}}},
                                   "The size of tensor a (2) must match the size of tensor b (3) "
                                   "at non-singleton dimension 0"}},
                   .mixes_devices = true});
  cases.push_back({.name = "fill",
                   .op = "fill_",
                   .node = "FillBackward2",
                   .function = [](In in) { return (in[0] * 1).fill_(2.5); },
                   .samples = unary_samples(),
                   .in_place = [](In in) { return Tensor(in[0]).fill_(2.5); },
                   .twice_differentiable = false});
  cases.push_back({.name = "zero",
                   .op = "zero_",
                   .node = "ZeroBackward0",
                   .function = [](In in) { return (in[0] * 1).zero_(); },
                   .samples = unary_samples(),
                   .in_place = [](In in) { return Tensor(in[0]).zero_(); },
                   .twice_differentiable = false});
  const auto factory = [&](const char* name, OpFunction function) {
    cases.push_back({.name = name, .node = "", .function = function, .samples = unary_samples()});
  };
  factory("zeros_like", [](In in) { return zeros_like(in[0]); });
  factory("ones_like", [](In in) { return ones_like(in[0]); });
  factory("full_like", [](In in) { return full_like(in[0], -2.5); });
  factory("new_zeros", [](In in) { return in[0].new_zeros({2, 3}); });
  factory("new_ones", [](In in) { return in[0].new_ones({2, 0}); });
  factory("new_empty_strided", [](In in) {
    return in[0].new_empty_strided({2, 3}, {1, 4}).fill_(1);
  });
  factory("new_full", [](In in) { return in[0].new_full({2, 2}, 3); });
  factory("new_tensor", [](In in) { return in[0].new_tensor({{1, 2}, {3, 4}}); });
  return cases;
}

}  // namespace tern::testing
