#include "ops/op_case.h"

namespace tern::testing {

std::vector<OpCase> loss_cases() {
  using In = const std::vector<Tensor>&;
  const auto classes = [](std::vector<std::int64_t> sizes, std::vector<std::int64_t> values) {
    return Input{std::move(sizes), 0, 0, kLong, std::move(values)};
  };
  const auto probabilities = [](std::vector<std::int64_t> sizes) {
    return Input{std::move(sizes), 0.1, 0.9};
  };
  const Input target = classes({3}, {1, 0, 3});
  Input weight{{4}, 0.5, 2};
  weight.requires_grad = false;  // weights are constants
  std::vector<OpCase> cases;
  const auto add = [&](const char* name, const char* node, OpFunction function,
                       const std::vector<Sample>& samples, std::vector<Rejection> rejections = {}) {
    cases.push_back({.name = name,
                     .node = node,
                     .function = std::move(function),
                     .samples = samples,
                     .rejections = std::move(rejections)});
  };
  add("mse_loss", "MseLossBackward0", [](In in) { return mse_loss(in[0], in[1]); },
      {{Input{{3, 2}}, Input{{3, 2}}}, {Input{{}}, Input{{}}}});
  add("bce", "BinaryCrossEntropyBackward0",
      [](In in) { return binary_cross_entropy(in[0], in[1], {}, Reduction::Sum); },
      {{probabilities({3, 4}), probabilities({3, 4})},
       {probabilities({}), probabilities({})},
       {probabilities({0, 2}), probabilities({0, 2})}},
      {{{Input{{2}, 2, 3}, probabilities({2})},
        "all elements of input should be between 0 and 1",
        ""},
       {{probabilities({2}), probabilities({3})},
        "Using a target size ([3]) that is different to the input size ([2])"}});
  cases.back().op = "binary_cross_entropy";
  add("bce_weight", "BinaryCrossEntropyBackward0",
      [](In in) { return binary_cross_entropy(in[0], in[1], in[2].detach(), Reduction::None); },
      {{probabilities({3, 4}), probabilities({3, 4}), weight}});
  cases.back().op = "binary_cross_entropy";
  add("bce_logits", "BinaryCrossEntropyWithLogitsBackward0",
      [](In in) { return binary_cross_entropy_with_logits(in[0], in[1]); },
      {{Input{{3, 4}, -4, 4}, probabilities({3, 4})}},
      {{{Input{{2}}, probabilities({3})},
        "Target size ([3]) must be the same as input size ([2])"}});
  cases.back().op = "binary_cross_entropy_with_logits";
  add("bce_logits_pos_weight", "BinaryCrossEntropyWithLogitsBackward0",
      [](In in) {
        return binary_cross_entropy_with_logits(in[0], in[1], {}, in[2].detach(), Reduction::Sum);
      },
      {{Input{{3, 4}, -4, 4}, probabilities({3, 4}), weight}});
  cases.back().op = "binary_cross_entropy_with_logits";
  add("nll_loss", "NllLossBackward0", [](In in) { return nll_loss(in[0], in[1]); },
      {{Input{{3, 4}}, target}, {Input{{4}}, classes({}, {2})}},
      {{{Input{{3, 3}}, target},
        "Target 3 is out of bounds.",
        "gather(): index 3 is out of bounds"},
       {{Input{{2, 4}}, target}, "Expected input batch_size (2) to match target batch_size (3)."},
       {{Input{{3, 4}}, Input{{3}}}, "expected target dtype to be Long or Byte, but got Float"}});
  cases.back().numbers_join = false;
  add("nll_loss_weight", "NllLossBackward0",
      [](In in) { return nll_loss(in[0], in[1], in[2].detach(), Reduction::Mean, 0); },
      {{Input{{3, 4}}, target, weight}});
  add("cross_entropy", "NllLossBackward0", [](In in) { return cross_entropy_loss(in[0], in[1]); },
      {{Input{{3, 4}}, target}, {Input{{1, 4, 2}}, classes({1, 2}, {3, 0})}});
  cases.back().op = "cross_entropy_loss";
  add("cross_entropy_smooth", "AddBackward0",
      [](In in) { return cross_entropy_loss(in[0], in[1], {}, Reduction::Mean, -100, 0.2); },
      {{Input{{3, 4}}, target}},
      {{{Input{{3, 3}}, target},
        "Target 3 is out of bounds.",
        "gather(): index 3 is out of bounds"}});
  cases.back().op = "cross_entropy_loss";
  add("cross_entropy_probabilities", "DivBackward1",
      [](In in) { return cross_entropy_loss(in[0], in[1]); },
      {{Input{{3, 4}}, probabilities({3, 4})}});
  cases.back().op = "cross_entropy_loss";
  return cases;
}

}  // namespace tern::testing
