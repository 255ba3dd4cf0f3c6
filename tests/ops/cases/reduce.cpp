#include "ops/op_case.h"

namespace tern::testing {

std::vector<OpCase> reduce_cases() {
  using In = const std::vector<Tensor>&;
  const std::vector<Sample> all = unary_samples();
  const std::vector<Sample> matrices = {
      {Input{{3, 4}}}, {Input{{5, 1}}}, {Input{{2, 3, 4}}}, {Input{{37, 19}}}};
  std::vector<Sample> with_empty = matrices;
  with_empty.push_back({Input{{3, 0}}});
  with_empty.push_back({Input{{0, 3}}});
  const std::vector<Sample> not_empty = {
      {Input{{3, 4}}}, {Input{{}}}, {Input{{1}}}, {Input{{2, 3, 2}}}};
  const std::vector<Sample> positive = {{Input{{3, 4}, 0.5, 2}}, {Input{{2, 3, 2}, 0.5, 2}}};
  std::vector<OpCase> cases;
  const auto add = [&](const char* name, const char* node, OpFunction function,
                       const std::vector<Sample>& samples, std::vector<Rejection> rejections = {}) {
    cases.push_back({.name = name,
                     .node = node,
                     .function = std::move(function),
                     .samples = samples,
                     .rejections = std::move(rejections)});
  };
  add(
      "sum", "SumBackward0", [](In in) { return in[0].sum(); }, all);
  add("sum_dim", "SumBackward1", [](In in) { return in[0].sum(1); }, with_empty,
      {{{Input{{2}}}, "Dimension out of range (expected to be in range of [-1, 0], but got 1)"}});
  add(
      "sum_first", "SumBackward1", [](In in) { return in[0].sum(0); }, with_empty);
  add("sum_keepdim", "SumBackward1",
      [](In in) {
        return in[0].sum({-1, 0}, true);
      },
      matrices, {{{Input{{2}}}, "dim 0 appears multiple times in the list of dims"}});
  add("mean", "MeanBackward0", [](In in) { return in[0].mean(); }, not_empty,
      {{{Input{{2}, 0, 9, kLong}}, "could not infer output dtype"}});
  add(
      "mean_dim", "MeanBackward1", [](In in) { return in[0].mean(0); }, matrices);
  add(
      "prod", "ProdBackward0", [](In in) { return in[0].prod(); }, not_empty);
  add("prod_dim", "ProdBackward1", [](In in) { return in[0].prod(1); },
      {{Input{{3, 4}}}, {Input{{2, 3, 2}}}, {Input{{2, 1}}}});
  add("var", "VarBackward0", [](In in) { return in[0].var(); }, {{Input{{3, 4}}}, {Input{{5}}}});
  add(
      "var_dim", "VarBackward0", [](In in) { return in[0].var(1, false, true); }, matrices);
  add("std", "StdBackward0", [](In in) { return in[0].std(0); },
      {{Input{{3, 4}}}, {Input{{5, 2}}}});
  add(
      "norm", "LinalgVectorNormBackward0", [](In in) { return in[0].norm(); }, not_empty);
  add(
      "norm_one", "LinalgVectorNormBackward0", [](In in) { return in[0].norm(1, 0); }, positive);
  add(
      "norm_three", "LinalgVectorNormBackward0", [](In in) { return in[0].norm(3, 1); }, positive);
  add("amax", "AmaxBackward0", [](In in) { return in[0].amax(1); }, matrices,
      {{{Input{{2, 0}}}, "amax(): Expected reduction dim 1 to have non-zero size."}});
  add(
      "amin", "AminBackward0", [](In in) { return in[0].amin(0, true); }, matrices);
  add("max", "MaxBackward1", [](In in) { return in[0].max(); }, not_empty,
      {{{Input{{0}}}, "max(): Expected reduction dim to be specified for input.numel() == 0."}});
  add(
      "min", "MinBackward1", [](In in) { return in[0].min(); }, not_empty);
  add(
      "max_dim", "MaxBackward0", [](In in) { return std::get<0>(in[0].max(1)); }, matrices);
  add(
      "min_dim", "MinBackward0", [](In in) { return std::get<0>(in[0].min(0, true)); }, matrices);
  add(
      "argmax", "", [](In in) { return in[0].argmax(); }, not_empty);
  add(
      "argmax_dim", "", [](In in) { return in[0].argmax(1, true); }, matrices);
  add(
      "argmin", "", [](In in) { return in[0].argmin(); }, not_empty);
  add(
      "argmin_dim", "", [](In in) { return in[0].argmin(0); }, matrices);
  add(
      "all", "", [](In in) { return (in[0] > -1).all(); }, all);
  add(
      "all_dim", "", [](In in) { return (in[0] > -1).all(1); }, with_empty);
  add(
      "any", "", [](In in) { return (in[0] > 1).any(); }, all);
  add(
      "any_dim", "", [](In in) { return (in[0] > 1).any(0, true); }, with_empty);
  add(
      "softmax", "SoftmaxBackward0", [](In in) { return in[0].softmax(-1); }, with_empty);
  add(
      "softmax_first", "SoftmaxBackward0", [](In in) { return in[0].softmax(0); }, all);
  add("log_softmax", "LogSoftmaxBackward0", [](In in) { return in[0].log_softmax(1); }, with_empty,
      {{{Input{{2, 2}, 0, 9, kLong}}, "not implemented for 'Long'"}});
  return cases;
}

}  // namespace tern::testing
