#include <tern/core/autograd/gradcheck.h>

#include "nn/nn_test.h"

namespace tern {
namespace {

Tensor golden_adaptive(const std::string& name) {
  return testing::golden_tensor(testing::golden("modules/adaptive").at(name));
}

nn::AdaptiveLogSoftmaxWithLossOptions golden_options() {
  return nn::AdaptiveLogSoftmaxWithLossOptions(8, 12, {3, 7}).div_value(2).head_bias(true);
}

nn::AdaptiveLogSoftmaxWithLoss golden_layer() {
  manual_seed(3);
  nn::AdaptiveLogSoftmaxWithLoss layer(golden_options());
  return layer;
}

TEST(AdaptiveLogSoftmax, DrawsTheParametersOfPyTorch) {
  const auto layer = golden_layer();
  std::vector<std::string> names;
  for (const auto& [name, parameter] : layer->named_parameters()) {
    names.push_back(name);
    EXPECT_TRUE(same_bits(parameter, golden_adaptive(name))) << name;
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"head.weight", "head.bias", "tail.0.0.weight",
                                      "tail.0.1.weight", "tail.1.0.weight", "tail.1.1.weight"}));
  EXPECT_EQ(layer->shortlist_size, 3);
  EXPECT_EQ(layer->n_clusters, 2);
  EXPECT_EQ(layer->head_size, 5);
  EXPECT_EQ(layer->cutoffs, (std::vector<std::int64_t>{3, 7, 12}));
  manual_seed(3);
  layer->reset_parameters();
  EXPECT_TRUE(same_bits(layer->head->weight, golden_adaptive("head.weight")));
  EXPECT_TRUE(same_bits(layer->parameters().back(), golden_adaptive("tail.1.1.weight")));
}

TEST(AdaptiveLogSoftmax, ComputesWhatPyTorchDoes) {
  const auto layer = golden_layer();
  layer->to(kDouble);
  const Tensor x = parameter_of(golden_adaptive("features")), words = golden_adaptive("words");
  const nn::ASMoutput out = layer(x, words);
  EXPECT_TRUE(close(out.output, golden_adaptive("output"), 1e-12));
  EXPECT_TRUE(close(out.loss, golden_adaptive("loss"), 1e-12));
  out.loss.backward();
  EXPECT_TRUE(close(x.grad(), golden_adaptive("gradient features"), 1e-12));
  for (const auto& [name, parameter] : layer->named_parameters()) {
    EXPECT_TRUE(close(parameter.grad(), golden_adaptive("gradient " + name), 1e-12)) << name;
  }
  EXPECT_TRUE(close(layer->log_prob(x), golden_adaptive("log_prob"), 1e-12));
  EXPECT_TRUE(layer->predict(x).equal(golden_adaptive("predict")));
  EXPECT_TRUE(layer->predict(x).equal(layer->log_prob(x).argmax(1)));

  const nn::ASMoutput one = layer(x[1], words[1]);
  EXPECT_TRUE(close(one.output, out.output[1], 1e-12));
  EXPECT_TRUE(close(one.loss, -out.output[1], 1e-12));
  EXPECT_EQ(layer(x.narrow(0, 0, 0), words.narrow(0, 0, 0)).output.sizes(), IntArrayRef({0}));
  const Tensor strided = x.detach().t().contiguous().t();
  EXPECT_TRUE(close(layer(strided, words).output, out.output, 1e-12));
}

TEST(AdaptiveLogSoftmax, PassesGradcheckOfBothOrders) {
  const auto layer = golden_layer();
  layer->to(kDouble);
  std::vector<Tensor> inputs = layer->parameters();
  inputs.push_back(parameter_of(golden_adaptive("features")));
  const auto call = [&](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{layer(in.back(), golden_adaptive("words")).loss};
  };
  EXPECT_TRUE(autograd::gradcheck(call, inputs));
  EXPECT_TRUE(autograd::gradgradcheck(call, inputs));
}

TEST(AdaptiveLogSoftmax, PrintsItsLayers) {
  const nn::AdaptiveLogSoftmaxWithLoss layer(8, 10, std::vector<std::int64_t>{2, 5});
  EXPECT_EQ(printed(layer),
            "tern::nn::AdaptiveLogSoftmaxWithLoss(\n"
            "  (head): tern::nn::Linear(in_features=8, out_features=4, bias=false)\n"
            "  (tail): tern::nn::ModuleList(\n"
            "    (0): tern::nn::Sequential(\n"
            "      (0): tern::nn::Linear(in_features=8, out_features=2, bias=false)\n"
            "      (1): tern::nn::Linear(in_features=2, out_features=3, bias=false)\n"
            "    )\n"
            "    (1): tern::nn::Sequential(\n"
            "      (0): tern::nn::Linear(in_features=8, out_features=0, bias=false)\n"
            "      (1): tern::nn::Linear(in_features=0, out_features=5, bias=false)\n"
            "    )\n"
            "  )\n"
            ")");
}

TEST(AdaptiveLogSoftmax, ClonesAndMovesToDevices) {
  const auto layer = golden_layer();
  const Device there(1);
  const auto copy =
      std::dynamic_pointer_cast<nn::AdaptiveLogSoftmaxWithLossImpl>(layer->clone(there));
  const Tensor x = golden_adaptive("features").to(kFloat), words = golden_adaptive("words");
  const nn::ASMoutput out = copy->forward(x.to(there), words.to(there));
  EXPECT_EQ(out.output.device(), there);
  EXPECT_TRUE(close(out.output, layer(x, words).output, 1e-5));
  EXPECT_TRUE(copy->predict(x.to(there)).cpu().equal(layer->predict(x)));
  auto options = golden_options();
  const nn::AdaptiveLogSoftmaxWithLoss made(options.device(there).dtype(kDouble));
  for (const Tensor& parameter : made->parameters()) {
    EXPECT_EQ(parameter.device(), there);
    EXPECT_EQ(parameter.dtype(), kDouble);
  }
}

TEST(AdaptiveLogSoftmax, RefusesWhatItCannotDo) {
  using Cutoffs = std::vector<std::int64_t>;
  const auto expect = [](const std::string& text, const std::function<void()>& call) {
    EXPECT_NE(error_of(call).find(text), std::string::npos) << error_of(call);
  };
  expect("nn::AdaptiveLogSoftmaxWithLoss: cutoffs should be a sequence of length larger than 0",
         [] { nn::AdaptiveLogSoftmaxWithLoss(8, 10, Cutoffs{}); });
  for (const Cutoffs& cutoffs : {Cutoffs{5, 2}, Cutoffs{10}, Cutoffs{0, 2}, Cutoffs{2, 2}}) {
    expect(
        "nn::AdaptiveLogSoftmaxWithLoss: cutoffs should be a sequence of unique, positive integers "
        "sorted in an increasing "
        "order, where each value is between 1 and n_classes-1, got ",
        [&] { nn::AdaptiveLogSoftmaxWithLoss(8, 10, cutoffs); });
  }
  using Options = nn::AdaptiveLogSoftmaxWithLossOptions;
  const std::string module = "nn::AdaptiveLogSoftmaxWithLoss: ";
  expect(module + "the size in_features must not be negative, got -8",
         [] { nn::AdaptiveLogSoftmaxWithLoss(-8, 10, Cutoffs{2}); });
  expect(module + "div_value must be positive, got 0",
         [] { nn::AdaptiveLogSoftmaxWithLoss(Options(8, 10, {2}).div_value(0)); });
  expect(module + "div_value 1e-300 gives cluster 1 a projection of size 8e+300",
         [] { nn::AdaptiveLogSoftmaxWithLoss(Options(8, 10, {2}).div_value(1e-300)); });
  const auto layer = golden_layer();
  const Tensor x = ones({3, 8});
  expect("Target values should be in [0, 11], but values in range [0, 12] were found.", [&] {
    layer(x, tensor({0, 3, 12}));
  });
  expect("Input and target should have the same size in the batch dimension", [&] {
    layer(x, tensor({0, 3}));
  });
  expect("0D target tensor expects 1D input tensors, but found inputs with size [3, 8]",
         [&] { layer(x, tensor(1)); });
  expect("1D target tensor expects 2D input tensors, but found inputs with size [8]",
         [&] { layer(x[0], tensor({0})); });
  expect("0D or 1D target tensor expected, multi-target not supported", [&] {
    layer(x, tensor({{0}, {1}, {2}}));
  });
}

}  // namespace
}  // namespace tern
