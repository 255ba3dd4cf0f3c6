#include "ops/op_case.h"

namespace tern::testing {

std::vector<OpCase> copy_cases() {
  using In = const std::vector<Tensor>&;
  std::vector<OpCase> cases;
  cases.push_back({.name = "clone",
                   .node = "CloneBackward0",
                   .function = [](In in) { return in[0].clone(); },
                   .samples = unary_samples()});
  cases.push_back({.name = "to_dtype",
                   .node = "ToCopyBackward0",
                   .function = [](In in) { return in[0].to(kFloat, false, true).to(kDouble); },
                   .samples = {{Input{{3, 4}, -1e3, 1e3}}},
                   .dtypes = {kDouble}});
  // Its gradient is exact, but a float32 in the middle spoils the numeric one.
  cases.back().node.clear();
  cases.back().function = [](In in) { return in[0].detach().to(kFloat).to(kLong).to(kBool); };
  cases.push_back({.name = "copy",
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
                   .node = "FillBackward0",
                   .function = [](In in) { return (in[0] * 1).fill_(2.5); },
                   .samples = unary_samples(),
                   .in_place = [](In in) { return Tensor(in[0]).fill_(2.5); },
                   .twice_differentiable = false});
  cases.push_back({.name = "zeros_like",
                   .node = "",
                   .function = [](In in) { return zeros_like(in[0]); },
                   .samples = unary_samples()});
  cases.push_back({.name = "new_full",
                   .node = "",
                   .function =
                       [](In in) {
                         return in[0].new_full({2, 2}, 3);
                       },
                   .samples = unary_samples()});
  return cases;
}

}  // namespace tern::testing
