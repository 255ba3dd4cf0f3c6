#include "ops/op_case.h"

namespace tern::testing {
namespace {

/// The second piece. Tests of errors also cut tensors that give one piece only.
Tensor second(const std::vector<Tensor>& pieces) {
  return pieces.size() > 1 ? pieces[1] : pieces[0];
}

}  // namespace

std::vector<OpCase> view_cases() {
  using In = const std::vector<Tensor>&;
  const std::vector<Sample> matrix = {{Input{{3, 4}}}, {Input{{6, 2}}}};
  const std::vector<Sample> with_empty = {{Input{{3, 4}}}, {Input{{3, 0}}}, {Input{{2, 3, 4}}}};
  std::vector<OpCase> cases;
  const auto add = [&](const char* name, const char* node, OpFunction function,
                       const std::vector<Sample>& samples, std::vector<Rejection> rejections = {}) {
    cases.push_back({.name = name,
                     .node = node,
                     .function = std::move(function),
                     .samples = samples,
                     .rejections = std::move(rejections)});
  };
  add("view", "ViewBackward0",
      [](In in) {
        return in[0].contiguous().view({2, -1});
      },
      matrix, {{{Input{{3}}}, "shape '[2, -1]' is invalid for input of size 3"}});
  add("reshape", "ViewBackward0", [](In in) { return in[0].reshape({-1}); },
      {{Input{{3, 4}}}, {Input{{}}}, {Input{{2, 3, 4}}}, {Input{{0, 2}}}});
  add("reshape_copies", "UnsafeViewBackward0", [](In in) { return in[0].t().reshape({-1}); },
      {{Input{{3, 4}}}});
  add("flatten", "ViewBackward0", [](In in) { return in[0].flatten(1); },
      {{Input{{2, 3, 4}}}, {Input{{2, 1, 4}}}, {Input{{2, 0, 4}}}});
  add(
      "transpose", "TransposeBackward0", [](In in) { return in[0].transpose(0, -1); }, with_empty);
  add("t", "TBackward0", [](In in) { return in[0].t(); }, matrix,
      {{{Input{{2, 2, 2}}}, "t() expects a tensor with <= 2 dimensions, but self is 3D"}});
  add("mT", "TransposeBackward0", [](In in) { return in[0].mT(); },
      {{Input{{3, 4}}}, {Input{{2, 3, 4}}}, {Input{{3, 0}}}},
      {{{Input{{3}}}, "tensor.mT is only supported on matrices or batches of matrices. Got 1-D"}});
  add("permute", "PermuteBackward0",
      [](In in) {
        return in[0].permute({2, 0, 1});
      },
      {{Input{{2, 3, 4}}}, {Input{{2, 0, 4}}}});
  add(
      "view_as", "ViewBackward0",
      [](In in) {
        return in[0].contiguous().view_as(in[0].new_empty({2, 6}));
      },
      matrix);
  add(
      "reshape_as", "ViewBackward0",
      [](In in) {
        return in[0].reshape_as(in[0].new_empty({2, 6}));
      },
      matrix);
  add("expand_as", "ExpandBackward0",
      [](In in) {
        return in[0].expand_as(in[0].new_empty({2, 4, 3}));
      },
      {{Input{{4, 1}}}, {Input{{1, 1, 3}}}, {Input{{}}}});
  add("select", "SelectBackward0", [](In in) { return in[0].select(1, -1); }, matrix,
      {{{Input{{2, 0}}}, "select(): index -1 out of range for tensor of size [2, 0]"}});
  add("subscript", "SelectBackward0", [](In in) { return in[0][1]; },
      {{Input{{3, 4}}}, {Input{{2}}}, {Input{{2, 0}}}},
      {{{Input{{}}}, "select() cannot be applied to a 0-dim tensor."}});
  cases.back().op = "select";
  add(
      "slice", "SliceBackward0", [](In in) { return in[0].slice(0, 1, 100, 2); }, with_empty);
  add("narrow", "SliceBackward0", [](In in) { return in[0].narrow(1, 1, 2); },
      {{Input{{3, 4}}}, {Input{{2, 3, 4}}}},
      {{{Input{{2, 2}}}, "start (1) + length (2) exceeds dimension size (2)."}});
  add("expand", "ExpandBackward0",
      [](In in) {
        return in[0].expand({2, -1, 3});
      },
      {{Input{{2, 1}}}, {Input{{4, 3}}}, {Input{{1, 1, 1}}}, {Input{{0, 3}}}},
      {{{Input{{2, 2}}}, "The expanded size of the tensor (3) must match the existing size (2)"}});
  add("squeeze", "SqueezeBackward0", [](In in) { return in[0].squeeze(); },
      {{Input{{3, 1, 2, 1}}}, {Input{{1}}}, {Input{{0, 1}}}});
  add("squeeze_dim", "SqueezeBackward1", [](In in) { return in[0].squeeze(1); },
      {{Input{{3, 1, 2}}}, {Input{{3, 2}}}});
  add("unsqueeze", "UnsqueezeBackward0", [](In in) { return in[0].unsqueeze(-1); },
      {{Input{{3, 2}}}, {Input{{}}}, {Input{{0, 2}}}});
  add("as_strided", "AsStridedBackward0",
      [](In in) {
        return in[0].contiguous().as_strided({2, 2}, {1, 2}, 1);
      },
      {{Input{{2, 3}}}, {Input{{7}}}}, {{{Input{{2}}}, "are out of bounds for storage of size"}});
  add("as_strided_overlapping", "AsStridedBackward0",
      [](In in) {
        return in[0].contiguous().as_strided({3, 2}, {1, 1});
      },
      {{Input{{5}}}});
  add("split", "SplitBackward0", [](In in) { return second(in[0].split(2)); },
      {{Input{{5}}}, {Input{{3, 2}}}});
  add("chunk", "SplitBackward0", [](In in) { return second(in[0].chunk(3)); },
      {{Input{{5}}}, {Input{{4, 2}}}});
  add(
      "unbind", "UnbindBackward0", [](In in) { return second(in[0].unbind(1)); }, matrix);
  add("sum_to_size", "ViewBackward0",
      [](In in) {
        return in[0].sum_to_size({3, 1});
      },
      {{Input{{2, 3, 4}}}, {Input{{3, 2}}}}, {{{Input{{2, 2}}}, "is not expandable to size"}});
  return cases;
}

}  // namespace tern::testing
