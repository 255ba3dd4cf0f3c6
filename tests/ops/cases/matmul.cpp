#include "ops/op_case.h"

namespace tern::testing {

std::vector<OpCase> matmul_cases() {
  using In = const std::vector<Tensor>&;
  const auto pair = [](std::vector<std::int64_t> a, std::vector<std::int64_t> b) {
    return Sample{Input{std::move(a)}, Input{std::move(b)}};
  };
  std::vector<OpCase> cases;
  const auto add = [&](const char* name, const char* node, OpFunction function,
                       const std::vector<Sample>& samples, std::vector<Rejection> rejections = {}) {
    cases.push_back({.name = name,
                     .node = node,
                     .function = std::move(function),
                     .samples = samples,
                     .rejections = std::move(rejections)});
  };
  add("mm", "MmBackward0", [](In in) { return in[0].mm(in[1]); },
      {pair({3, 4}, {4, 2}), pair({1, 1}, {1, 1}), pair({0, 4}, {4, 2}), pair({3, 0}, {0, 2}),
       pair({17, 9}, {9, 33})},
      {{pair({2, 3}, {4, 5}), "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"},
       {pair({3}, {3, 2}), "mm: self must be a matrix, got 1-D tensor"},
       {{Input{{2, 2}}, Input{{2, 2}, 0, 9, kLong}},
        "mm: expected m1 and m2 to have the same dtype, but got: Float != Long"}});
  add("bmm", "BmmBackward0", [](In in) { return in[0].bmm(in[1]); },
      {pair({2, 3, 4}, {2, 4, 5}), pair({0, 3, 4}, {0, 4, 5}), pair({2, 3, 0}, {2, 0, 2})},
      {{pair({2, 3, 4}, {2, 5, 5}),
        "Expected size for first two dimensions of batch2 tensor to be: [2, 4] but got: [2, 5]."}});
  add("matmul_batched", "UnsafeViewBackward0", [](In in) { return in[0].matmul(in[1]); },
      {pair({2, 1, 3, 4}, {3, 4, 2}), pair({2, 3, 4}, {4, 2}), pair({3, 4}, {2, 4, 5})},
      {{pair({2, 3}, {2, 4, 5}), "matmul: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"},
       {pair({}, {2}), "both arguments to matmul need to be at least 1D"}});
  cases.back().op = "matmul";
  add("mv", "MvBackward0", [](In in) { return in[0].matmul(in[1]); },
      {pair({3, 4}, {4}), pair({2, 3, 4}, {4}), pair({0, 2}, {2})});
  add("vm", "SqueezeBackward4", [](In in) { return in[0].matmul(in[1]); },
      {pair({4}, {4, 3}), pair({4}, {2, 4, 3})});
  cases.back().op = "matmul";
  add("dot", "DotBackward0", [](In in) { return in[0].dot(in[1]); },
      {pair({5}, {5}), pair({0}, {0})},
      {{pair({2}, {3}), "inconsistent tensor size, expected tensor [2] and src [3]"}});
  add("addmm", "AddmmBackward0", [](In in) { return addmm(in[0], in[1], in[2], 0.5, 2); },
      {{Input{{3, 2}}, Input{{3, 4}}, Input{{4, 2}}}, {Input{{2}}, Input{{3, 4}}, Input{{4, 2}}}},
      {{{Input{{2}}, Input{{2, 3}}, Input{{4, 5}}},
        "addmm: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"}});
  add("linear", "AddmmBackward0", [](In in) { return linear(in[0], in[1], in[2]); },
      {{Input{{3, 4}}, Input{{2, 4}}, Input{{2}}},
       {Input{{0, 4}}, Input{{2, 4}}, Input{{2}}},
       {Input{{3, 0}}, Input{{2, 0}}, Input{{2}}}},
      {{{Input{{3, 5}}, Input{{2, 4}}, Input{{2}}},
        "mat1 and mat2 shapes cannot be multiplied (3x5 and 4x2)"},
       {{Input{{3, 4}}, Input{{2, 4}}, Input{{3}}}, "The expanded size of the tensor (2)"}});
  add("linear_no_bias", "MmBackward0", [](In in) { return linear(in[0], in[1]); },
      {pair({3, 4}, {2, 4})});
  add("linear_batched", "UnsafeViewBackward0", [](In in) { return linear(in[0], in[1], in[2]); },
      {{Input{{2, 3, 4}}, Input{{5, 4}}, Input{{5}}}, {Input{{4}}, Input{{5, 4}}, Input{{5}}}});
  return cases;
}

}  // namespace tern::testing
