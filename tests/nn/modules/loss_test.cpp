#include <functional>
#include <map>
#include <utility>

#include <tern/core/autograd/gradcheck.h>

#include "nn/nn_test.h"

// Losses with the options and inputs that golden/modules/losses.py gives them.

namespace tern {
namespace {

using Tensors = std::vector<Tensor>;
namespace F = nn::functional;

Tensor golden_loss(const std::string& name) {
  return testing::golden_tensor(testing::golden("modules/losses").at(name));
}

/// A loss, the names of its inputs, and how libtorch prints it.
struct Loss {
  std::vector<std::string> inputs;
  std::string prints;
  std::function<Tensor(Reduction, const Tensors&)> run;

  Tensors golden_inputs() const {
    Tensors all;
    for (const std::string& name : inputs) all.push_back(golden_loss(name));
    return all;
  }
};

template <class Holder, class Options, class... Names>
Loss loss(const Options& options, const std::string& prints, const Names&... names) {
  Options printed_options = options;
  EXPECT_EQ(printed(Holder(printed_options.reduction(kSum))), "tern::nn::" + prints);
  return {{names...}, prints, [options](Reduction reduction, const Tensors& in) {
            Options own = options;
            const Holder layer(own.reduction(reduction));
            return [&]<std::size_t... I>(std::index_sequence<I...>) { return layer(in[I]...); }
            (std::index_sequence_for<Names...>());
          }};
}

Tensor squared_distance(const Tensor& a, const Tensor& b) { return square(a - b).sum(1); }

std::map<std::string, Loss> losses() {
  using namespace nn;
  const Tensor w = golden_loss("weight");
  const auto by_distance = TripletMarginWithDistanceLossOptions().margin(2).swap(true);
  const std::string weight = printed(w);
  return {
      {"L1Loss", loss<L1Loss>(L1LossOptions(), "L1Loss()", "x", "y")},
      {"SmoothL1Loss",
       loss<SmoothL1Loss>(SmoothL1LossOptions().beta(0.5), "SmoothL1Loss", "x", "y")},
      {"HuberLoss", loss<HuberLoss>(HuberLossOptions().delta(0.75), "HuberLoss", "x", "y")},
      {"NLLLoss",
       loss<NLLLoss>(NLLLossOptions().weight(w).ignore_index(0), "NLLLoss()", "log p", "classes")},
      {"NLLLoss of images",
       loss<NLLLoss>(NLLLossOptions().weight(w), "NLLLoss()", "image", "image classes")},
      {"PoissonNLLLoss",
       loss<PoissonNLLLoss>(PoissonNLLLossOptions(), "PoissonNLLLoss()", "x", "counts")},
      {"PoissonNLLLoss of rates",
       loss<PoissonNLLLoss>(PoissonNLLLossOptions().log_input(false).full(true).eps(0.01),
                            "PoissonNLLLoss()", "q", "variances")},
      {"GaussianNLLLoss",
       loss<GaussianNLLLoss>(GaussianNLLLossOptions(), "GaussianNLLLoss()", "x", "y", "variances")},
      {"GaussianNLLLoss full", loss<GaussianNLLLoss>(GaussianNLLLossOptions().full(true).eps(0.5),
                                                     "GaussianNLLLoss()", "x", "y", "variance")},
      {"KLDivLoss", loss<KLDivLoss>(KLDivLossOptions(), "KLDivLoss()", "log p", "q")},
      {"KLDivLoss of logarithms",
       loss<KLDivLoss>(KLDivLossOptions().log_target(true), "KLDivLoss()", "log p", "x")},
      {"HingeEmbeddingLoss",
       loss<HingeEmbeddingLoss>(HingeEmbeddingLossOptions().margin(0.5),
                                "HingeEmbeddingLoss(margin=0.5)", "x", "signs")},
      {"SoftMarginLoss",
       loss<SoftMarginLoss>(SoftMarginLossOptions(), "SoftMarginLoss()", "x", "signs")},
      {"MultiMarginLoss", loss<MultiMarginLoss>(MultiMarginLossOptions().p(2).margin(0.5).weight(w),
                                                "MultiMarginLoss(p=2, margin=0.5, weight=" +
                                                    weight + ", reduction=kSum)",
                                                "x", "classes")},
      {"MultiLabelMarginLoss", loss<MultiLabelMarginLoss>(MultiLabelMarginLossOptions(),
                                                          "MultiLabelMarginLoss()", "x", "labels")},
      {"MultiLabelSoftMarginLoss",
       loss<MultiLabelSoftMarginLoss>(MultiLabelSoftMarginLossOptions().weight(w),
                                      "MultiLabelSoftMarginLoss()", "x", "hot")},
      {"CosineEmbeddingLoss",
       loss<CosineEmbeddingLoss>(CosineEmbeddingLossOptions().margin(-0.5),
                                 "CosineEmbeddingLoss(margin=-0.5)", "x", "y", "row signs")},
      {"MarginRankingLoss", loss<MarginRankingLoss>(MarginRankingLossOptions().margin(0.5),
                                                    "MarginRankingLoss()", "x", "y", "signs")},
      {"TripletMarginLoss",
       loss<TripletMarginLoss>(TripletMarginLossOptions().margin(2).p(3).eps(1e-4).swap(true),
                               "TripletMarginLoss(margin=2, p=3, eps=0.0001, swap=true)", "x", "y",
                               "z")},
      {"TripletMarginWithDistanceLoss",
       loss<TripletMarginWithDistanceLoss>(
           TripletMarginWithDistanceLossOptions(by_distance).distance_function(squared_distance),
           "TripletMarginWithDistanceLoss(margin=2, swap=true)", "x", "y", "z")},
      {"TripletMarginWithDistanceLoss by default",
       loss<TripletMarginWithDistanceLoss>(TripletMarginWithDistanceLossOptions(),
                                           "TripletMarginWithDistanceLoss(margin=1, swap=false)",
                                           "x", "y", "z")},
      {"CTCLoss", loss<CTCLoss>(CTCLossOptions(), "CTCLoss()", "logits", "padded", "input lengths",
                                "target lengths")},
      {"CTCLoss joined", loss<CTCLoss>(CTCLossOptions().zero_infinity(true), "CTCLoss()", "logits",
                                       "joined", "short lengths", "target lengths")},
  };
}

/// Returns the loss; CTC takes log-probabilities.
Tensor value(const Loss& loss, Reduction reduction, Tensors inputs) {
  if (loss.inputs[0] == "logits") inputs[0] = inputs[0].log_softmax(2);
  return loss.run(reduction, inputs);
}

TEST(Losses, AreThoseOfPyTorch) {
  const std::map<std::string, Reduction> reductions{
      {"none", kNone}, {"mean", kMean}, {"sum", kSum}};
  for (const auto& [name, loss] : losses()) {
    for (const auto& [reduction_name, reduction] : reductions) {
      const std::string entry = name + ' ' + reduction_name;
      SCOPED_TRACE(entry);
      Tensors inputs = loss.golden_inputs();
      const auto has_gradient = [&](std::size_t i) {
        return testing::golden("modules/losses").contains(entry + ' ' + loss.inputs[i]);
      };
      for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i].requires_grad_(has_gradient(i));
      const Tensor y = value(loss, reduction, inputs);
      EXPECT_TRUE(close(y, golden_loss(entry), 1e-12));
      (y * arange(1, y.numel() + 1, kDouble).view(y.sizes())).sum().backward();
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!has_gradient(i)) continue;
        EXPECT_TRUE(close(inputs[i].grad(), golden_loss(entry + ' ' + loss.inputs[i]), 1e-12));
      }
    }
  }
}

TEST(Losses, PassGradcheckOfBothOrders) {
  for (const auto& [name, loss] : losses()) {
    SCOPED_TRACE(name);
    Tensors inputs = loss.golden_inputs();
    for (Tensor& input : inputs) input = input.transpose(0, -1).contiguous().transpose(0, -1);
    // Targets that are constants, and variances below the bound, whose gradient ignores it.
    const bool is_constant = name == "SoftMarginLoss" || name == "GaussianNLLLoss full";
    for (std::size_t i = 0; i < inputs.size() - (is_constant ? 1 : 0); ++i) {
      inputs[i].requires_grad_(inputs[i].is_floating_point());
    }
    const auto call = [&, &checked = loss](const Tensors& in) {
      return Tensors{value(checked, kSum, in)};
    };
    EXPECT_TRUE(autograd::gradcheck(call, inputs));
    if (loss.inputs[0] == "logits") {  // as in PyTorch
      EXPECT_EQ(error_of<NotImplementedError>([&] { autograd::gradgradcheck(call, inputs); }),
                "derivative for aten::_ctc_loss_backward is not implemented");
    } else {
      EXPECT_TRUE(autograd::gradgradcheck(call, inputs));
    }
  }
}

TEST(Losses, ReduceToTheDivergenceOfABatch) {
  const Tensor x = golden_loss("log p"), q = golden_loss("q");
  EXPECT_TRUE(close(nn::KLDivLoss(kBatchMean)(x, q), golden_loss("KLDivLoss batchmean"), 1e-12));
  const Tensor logarithms =
      F::kl_div(x, golden_loss("x"), F::KLDivFuncOptions(kBatchMean).log_target(true));
  EXPECT_TRUE(close(logarithms, golden_loss("KLDivLoss of logarithms batchmean"), 1e-12));
  EXPECT_EQ(F::kl_div(x[0][0], q[0][0], kBatchMean).dim(), 0);
}

TEST(Losses, FunctionsHaveTheSameDefaultsAsModules) {
  const Tensor x = golden_loss("x"), y = golden_loss("y"), z = golden_loss("z"),
               signs = golden_loss("signs");
  const Tensor hot = golden_loss("hot"), classes = golden_loss("classes"),
               labels = golden_loss("labels");
  const Tensor log_p = golden_loss("log p"), q = golden_loss("q"), v = golden_loss("variances");
  const std::vector<std::pair<Tensor, Tensor>> pairs = {
      {F::l1_loss(x, y), nn::L1Loss()(x, y)},
      {F::smooth_l1_loss(x, y), nn::SmoothL1Loss()(x, y)},
      {F::smooth_l1_loss(x, y, kSum, 1), nn::SmoothL1Loss(kSum)(x, y)},
      {F::huber_loss(x, y), nn::HuberLoss()(x, y)},
      {F::nll_loss(log_p, classes), nn::NLLLoss()(log_p, classes)},
      {F::poisson_nll_loss(x, v), nn::PoissonNLLLoss()(x, v)},
      {F::gaussian_nll_loss(x, y, v), nn::GaussianNLLLoss()(x, y, v)},
      {F::gaussian_nll_loss(x, y, 0.5), nn::GaussianNLLLoss()(x, y, full({3, 4}, 0.5, kDouble))},
      {F::kl_div(log_p, q), nn::KLDivLoss()(log_p, q)},
      {F::hinge_embedding_loss(x, signs), nn::HingeEmbeddingLoss()(x, signs)},
      {F::soft_margin_loss(x, signs), nn::SoftMarginLoss()(x, signs)},
      {F::multi_margin_loss(x, classes), nn::MultiMarginLoss()(x, classes)},
      {F::multilabel_margin_loss(x, labels), nn::MultiLabelMarginLoss()(x, labels)},
      {F::multilabel_soft_margin_loss(x, hot), nn::MultiLabelSoftMarginLoss()(x, hot)},
      {F::cosine_embedding_loss(x, y, signs[0].slice(0, 0, 3)),
       nn::CosineEmbeddingLoss()(x, y, signs[0].slice(0, 0, 3))},
      {F::margin_ranking_loss(x, y, signs), nn::MarginRankingLoss()(x, y, signs)},
      {F::triplet_margin_loss(x, y, z), nn::TripletMarginLoss()(x, y, z)},
      {F::triplet_margin_with_distance_loss(x, y, z), F::triplet_margin_loss(x, y, z)},
      {F::ctc_loss(golden_loss("logits"), golden_loss("padded"), golden_loss("input lengths"),
                   golden_loss("target lengths")),
       nn::CTCLoss()(golden_loss("logits"), golden_loss("padded"), golden_loss("input lengths"),
                     golden_loss("target lengths"))},
  };
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    EXPECT_TRUE(close(pairs[i].first, pairs[i].second, 1e-14)) << "pair " << i;
    EXPECT_EQ(pairs[i].first.dim(), 0) << "pair " << i;
  }
}

TEST(Losses, TakeSamplesWithoutABatchAndBatchesWithoutSamples) {
  const Tensor x = golden_loss("x"), hot = golden_loss("hot"), none = zeros({0, 4}, kDouble);
  const auto unreduced = F::MultilabelSoftMarginLossFuncOptions().reduction(kNone);
  const Tensor rows = F::multilabel_soft_margin_loss(x, hot, unreduced);
  EXPECT_TRUE(close(F::multilabel_soft_margin_loss(x[1], hot[1], unreduced), rows[1], 1e-14));
  EXPECT_EQ(F::multilabel_soft_margin_loss(none, none, unreduced).sizes(), IntArrayRef({0}));
  EXPECT_EQ(F::gaussian_nll_loss(none, none, none, F::GaussianNLLLossFuncOptions().reduction(kSum))
                .item<double>(),
            0);
  const Tensor v = golden_loss("variances");
  EXPECT_TRUE(close(F::gaussian_nll_loss(x, hot, v.select(1, 0)),
                    F::gaussian_nll_loss(x, hot, v.narrow(1, 0, 1)), 1e-14));
  // PyTorch returns memory that it did not write.
  EXPECT_EQ(multilabel_margin_loss(none, none.to(kLong), kSum).item<double>(), 0);
  EXPECT_EQ(multi_margin_loss(none, none.select(1, 0).to(kLong), 1, 1, {}, kSum).item<double>(), 0);
  const Tensor logits = golden_loss("logits").log_softmax(2), targets = golden_loss("padded");
  const Tensor alone = ctc_loss(logits.select(1, 0), targets[0], tensor(6), tensor(3), 0, kNone);
  EXPECT_TRUE(close(alone, golden_loss("CTCLoss none")[0], 1e-12));
}

TEST(Losses, WeightsAreBuffers) {
  const Tensor w = golden_loss("weight"), x = golden_loss("x"), hot = golden_loss("hot");
  const nn::MultiMarginLoss margin(nn::MultiMarginLossOptions().weight(w));
  const nn::MultiLabelSoftMarginLoss soft(nn::MultiLabelSoftMarginLossOptions().weight(w));
  const nn::NLLLoss likelihood(nn::NLLLossOptions().weight(w));
  const auto expect_buffer = [&](const auto& layer, const Tensor& target) {
    EXPECT_EQ(layer->state_dict().keys(), std::vector<std::string>{"weight"});
    const Tensor here = layer(x, target);
    layer->to(Device(1));
    const Tensor there = layer(x.to(Device(1)), target.to(Device(1)));
    EXPECT_EQ(there.device(), Device(1));
    EXPECT_TRUE(close(there, here, 1e-12));
    EXPECT_FALSE(layer->weight.is_same(w));
  };
  expect_buffer(margin, golden_loss("classes"));
  expect_buffer(soft, hot);
  expect_buffer(likelihood, golden_loss("classes"));
}

TEST(Losses, RefuseWhatTheyCannotDo) {
  const Tensor x = ones({2, 3}), row = ones({3}), classes = tensor({0, 2});
  const auto expect = [](const std::string& text, const std::function<void()>& call) {
    EXPECT_NE(error_of(call).find(text), std::string::npos) << error_of(call);
  };
  expect("smooth_l1_loss: does not support negative values for beta, got -1",
         [&] { nn::SmoothL1Loss(nn::SmoothL1LossOptions().beta(-1))(x, x); });
  expect("expected beta not to be provided in 'options', but got 0.5",
         [&] { F::smooth_l1_loss(x, x, F::SmoothL1LossFuncOptions().beta(0.5), 1); });
  expect("huber_loss: does not support non-positive values for delta, got 0",
         [&] { nn::HuberLoss(nn::HuberLossOptions().delta(0))(x, x); });
  expect("only p == 1 and p == 2 supported, got 3",
         [&] { nn::MultiMarginLoss(nn::MultiMarginLossOptions().p(3))(x, classes); });
  expect("inconsistent weight size, expected 3 but got [2]",
         [&] { nn::MultiMarginLoss(nn::MultiMarginLossOptions().weight(ones({2})))(x, classes); });
  expect(
      "margin_ranking_loss: All input tensors should have same dimension but got sizes: input1: "
      "[2, 3], input2: [2, 3], target: [3]",
      [&] { nn::MarginRankingLoss()(x, x, row); });
  expect("margin must be greater than 0, got 0",
         [&] { nn::TripletMarginLoss(nn::TripletMarginLossOptions().margin(0))(x, x, x); });
  expect("margin must be greater than 0, got -1", [&] {
    F::triplet_margin_with_distance_loss(x, x, x,
                                         F::TripletMarginWithDistanceLossFuncOptions().margin(-1));
  });
  expect("anchor 2D, positive 1D, and negative 2D inputs",
         [&] { nn::TripletMarginWithDistanceLoss()(x, row, x); });
  expect("var has negative entry/entries", [&] { F::gaussian_nll_loss(x, x, -0.5); });
  expect("var is of incorrect size: got [2] for an input of [3, 3]", [&] {
    nn::GaussianNLLLoss()(ones({3, 3}), ones({3, 3}), ones({2}));
  });
  expect("var is of incorrect size", [&] { nn::GaussianNLLLoss()(x, x, ones({1, 1})); });
  const Tensor log_p = zeros({4, 2, 3}), lengths = tensor({4, 4});
  expect("input_lengths must be integral, got Float",
         [&] { nn::CTCLoss()(log_p, classes, ones({2}), lengths); });
  expect("blank must be in label range, got 3 with 3 classes",
         [&] { nn::CTCLoss(nn::CTCLossOptions().blank(3))(log_p, classes, lengths, lengths); });
  expect("Expected target_lengths to have value at least 0, but got value -1", [&] {
    nn::CTCLoss()(log_p, classes, lengths, tensor({-1, 3}));
  });
  expect("The function 'soft_margin_loss' is not differentiable with respect to argument 'target'",
         [&] {
           nn::SoftMarginLoss()(x, ones({2, 3}).requires_grad_());
         });
  EXPECT_FALSE((std::is_constructible_v<nn::L1LossOptions, bool>));
  EXPECT_FALSE((std::is_constructible_v<nn::KLDivLossOptions, bool>));
  EXPECT_FALSE((std::is_constructible_v<nn::MSELossOptions, BatchMean>));
}

TEST(SoftMarginLoss, HasAFiniteGradientWhereItsValueOverflows) {
  const Tensor x = tensor({-200.F, 100.F}).requires_grad_();
  soft_margin_loss(x, ones({2}), kSum).backward();  // NaN in PyTorch
  EXPECT_EQ(x.grad()[0].item<float>(), -1);
}

}  // namespace
}  // namespace tern
