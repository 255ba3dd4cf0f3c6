#include "ops/op_case.h"

namespace tern::testing {

std::vector<OpCase> index_cases() {
  using In = const std::vector<Tensor>&;
  const auto index = [](std::vector<std::int64_t> sizes, std::vector<std::int64_t> values) {
    return Input{std::move(sizes), 0, 0, kLong, std::move(values)};
  };
  const Input three = index({3}, {2, 0, 2});
  const Input square = index({2, 2}, {1, 0, 1, 1});
  std::vector<OpCase> cases;
  const auto add = [&](const char* name, const char* node, OpFunction function,
                       const std::vector<Sample>& samples, std::vector<Rejection> rejections = {}) {
    cases.push_back({.name = name,
                     .node = node,
                     .function = std::move(function),
                     .samples = samples,
                     .rejections = std::move(rejections)});
  };
  add("cat", "CatBackward0",
      [](In in) {
        return cat({in[0], in[1]}, 0);
      },
      {{Input{{2, 3}}, Input{{1, 3}}}, {Input{{0, 3}}, Input{{2, 3}}}, {Input{{4}}, Input{{0}}}},
      {{{Input{{2, 3}}, Input{{2, 4}}},
        "Sizes of tensors must match except in dimension 0. Expected size 3 but got size 4 for "
        "tensor number 1 in the list."},
       {{Input{{2, 3}}, Input{{2}}}, "Tensors must have same number of dimensions: got 2 and 1"}});
  add("cat_last", "CatBackward0",
      [](In in) {
        return cat({in[0], in[1], in[0]}, -1);
      },
      {{Input{{2, 3}}, Input{{2, 1}}}, {Input{{2, 0}}, Input{{2, 2}}}});
  add("stack", "StackBackward0",
      [](In in) {
        return stack({in[0], in[1]}, 1);
      },
      {{Input{{2, 3}}, Input{{2, 3}}}, {Input{{2, 0}}, Input{{2, 0}}}},
      {{{Input{{2}}, Input{{3}}},
        "stack expects each tensor to be equal size, but got [2] at entry 0 and [3] at entry 1"}});
  add("index_select", "IndexSelectBackward0", [](In in) { return in[0].index_select(0, in[1]); },
      {{Input{{4, 3}}, three}, {Input{{3}}, three}, {Input{{3, 0}}, three}},
      {{{Input{{2, 2}}, three}, "index 2 is out of bounds for"},
       {{Input{{2, 2}}, Input{{2}}}, "Expected dtype int64 for index"}});
  add("index_select_last", "IndexSelectBackward0",
      [](In in) { return in[0].index_select(-1, in[1]); }, {{Input{{2, 4}}, three}});
  add("index_add", "IndexAddBackward0", [](In in) { return in[0].index_add(0, in[1], in[2]); },
      {{Input{{4, 2}}, three, Input{{3, 2}}}, {Input{{3}}, three, Input{{3}}}},
      {{{Input{{4, 2}}, three, Input{{2, 2}}}, "index_add(): expected source of sizes [3, 2]"}});
  add("gather", "GatherBackward0", [](In in) { return in[0].gather(1, in[1]); },
      {{Input{{2, 3}}, square}, {Input{{4, 2}}, square}},
      {{{Input{{2, 1}}, square}, "index 1 is out of bounds for"}});
  add("scatter_add", "ScatterAddBackward0",
      [](In in) { return in[0].scatter_add(1, in[1], in[2]); },
      {{Input{{2, 3}}, square, Input{{2, 2}}}, {Input{{3, 2}}, square, Input{{2, 4}}}},
      {{{Input{{2, 2, 2}}, square, Input{{2, 2}}}, "same number of dimensions"},
       {{Input{{1, 3}}, square, Input{{2, 2}}}, "Size does not match at dimension 0"},
       {{Input{{2, 3}}, square, Input{{1, 2}}}, "Size does not match at dimension 0"},
       {{Input{{2, 3}}, square, Input{{2, 1}}}, "Size does not match at dimension 1"}});
  return cases;
}

}  // namespace tern::testing
