#include "ops/op_case.h"

namespace tern::testing {

std::vector<OpCase> arithmetic_cases() {
  using In = const std::vector<Tensor>&;
  std::vector<OpCase> cases;
  const std::vector<Rejection> mismatch = {
      {{Input{{3}}, Input{{4}}}, "The size of tensor a (3) must match the size of tensor b (4)"}};
  const auto integer = [](std::vector<std::int64_t> sizes) { return Input{sizes, -9, 9, kLong}; };
  const auto with_integers = [&](std::vector<Sample> samples) {
    samples.push_back({Input{{2, 3}, 0.5, 2}, integer({3})});
    return samples;
  };

  cases.push_back({.name = "add",
                   .node = "AddBackward0",
                   .function = [](In in) { return in[0].add(in[1], 2); },
                   .samples = with_integers(binary_samples()),
                   .in_place = [](In in) { return Tensor(in[0]).add_(in[1], 2); },
                   .rejections = mismatch});
  cases.push_back({.name = "add_number",
                   .node = "AddBackward0",
                   .function = [](In in) { return in[0] + 1.5; },
                   .samples = unary_samples(),
                   .in_place = [](In in) { return Tensor(in[0]).add_(1.5); }});
  cases.push_back({.name = "sub",
                   .node = "SubBackward0",
                   .function = [](In in) { return in[0].sub(in[1], 0.5); },
                   .samples = with_integers(binary_samples()),
                   .in_place = [](In in) { return Tensor(in[0]).sub_(in[1], 0.5); },
                   .rejections = mismatch});
  cases.push_back({.name = "number_minus",
                   .op = "rsub",
                   .node = "RsubBackward1",
                   .function = [](In in) { return 1 - in[0]; },
                   .samples = unary_samples()});
  cases.push_back({.name = "sub_number",
                   .node = "SubBackward0",
                   .function = [](In in) { return in[0] - 2; },
                   .samples = unary_samples(),
                   .in_place = [](In in) { return Tensor(in[0]).sub_(2); }});
  cases.push_back({.name = "mul",
                   .node = "MulBackward0",
                   .function = [](In in) { return in[0] * in[1]; },
                   .samples = with_integers(binary_samples()),
                   .in_place = [](In in) { return Tensor(in[0]).mul_(in[1]); },
                   .rejections = mismatch});
  cases.push_back({.name = "mul_number",
                   .node = "MulBackward0",
                   .function = [](In in) { return 2.5 * in[0]; },
                   .samples = unary_samples(),
                   .in_place = [](In in) { return Tensor(in[0]).mul_(2.5); }});
  cases.push_back({.name = "div",
                   .node = "DivBackward0",
                   .function = [](In in) { return in[0] / in[1]; },
                   .samples = binary_samples(0.5, 2),
                   .in_place = [](In in) { return Tensor(in[0]).div_(in[1]); },
                   .rejections = mismatch});
  cases.push_back({.name = "div_number",
                   .node = "DivBackward0",
                   .function = [](In in) { return in[0] / 3; },
                   .samples = unary_samples(),
                   .in_place = [](In in) { return Tensor(in[0]).div_(3); }});
  cases.push_back({.name = "remainder",
                   .node = "RemainderBackward1",
                   .function = [](In in) { return in[0] % in[1]; },
                   .samples = binary_samples(0.7, 2)});
  cases.push_back({.name = "remainder_number",
                   .node = "RemainderBackward0",
                   .function = [](In in) { return in[0] % 0.75; },
                   .samples = unary_samples()});
  cases.push_back({.name = "pow_square",
                   .node = "PowBackward0",
                   .function = [](In in) { return in[0].pow(2); },
                   .samples = unary_samples(),
                   .in_place = [](In in) { return Tensor(in[0]).pow_(2); }});
  cases.push_back({.name = "pow_number",
                   .node = "PowBackward0",
                   .function = [](In in) { return in[0].pow(2.5); },
                   .samples = unary_samples(0.2, 2),
                   .in_place = [](In in) { return Tensor(in[0]).pow_(2.5); }});
  cases.push_back({.name = "pow_zero",
                   .node = "PowBackward0",
                   .function = [](In in) { return in[0].pow(0); },
                   .samples = unary_samples(),
                   .twice_differentiable = false});
  cases.push_back({.name = "pow",
                   .node = "PowBackward1",
                   .function = [](In in) { return in[0].pow(in[1]); },
                   .samples = binary_samples(0.3, 2),
                   .rejections = mismatch});
  cases.push_back({.name = "number_pow",
                   .op = "pow",
                   .node = "PowBackward2",
                   .function = [](In in) { return pow(2.5, in[0]); },
                   .samples = unary_samples()});
  cases.push_back({.name = "maximum",
                   .node = "MaximumBackward0",
                   .function = [](In in) { return maximum(in[0], in[1]); },
                   .samples = binary_samples(),
                   .rejections = mismatch});
  cases.push_back({.name = "minimum",
                   .node = "MinimumBackward0",
                   .function = [](In in) { return minimum(in[0], in[1]); },
                   .samples = binary_samples(),
                   .rejections = mismatch});
  cases.push_back({.name = "addcmul",
                   .node = "AddcmulBackward0",
                   .function = [](In in) { return in[0].addcmul(in[1], in[2], 0.5); },
                   .samples = {{Input{{2, 3}}, Input{{2, 3}}, Input{{2, 3}}},
                               {Input{{2, 3}}, Input{{3}}, Input{{2, 1}}},
                               {Input{{}}, Input{{}}, Input{{}}},
                               {Input{{0, 2}}, Input{{0, 2}}, Input{{2}}}},
                   .in_place = [](In in) { return Tensor(in[0]).addcmul_(in[1], in[2], 0.5); }});
  cases.push_back({.name = "lerp",
                   .node = "LerpBackward0",
                   .function = [](In in) { return in[0].lerp(in[1], 0.25); },
                   .samples = binary_samples(),
                   .in_place = [](In in) { return Tensor(in[0]).lerp_(in[1], 0.25); }});
  return cases;
}

}  // namespace tern::testing
