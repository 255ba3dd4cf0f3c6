#include <tern/nn/optim/optim.h>
#include <tern/nn/utils.h>

#include "nn/nn_test.h"

namespace tern {
namespace {

std::vector<std::string> trainable(const nn::Module& module) {
  std::vector<std::string> names;
  for (const auto& [name, parameter] : module.named_parameters()) {
    if (parameter.requires_grad()) names.push_back(name);
  }
  return names;
}

TEST(Freeze, MatchesNames) {
  using Names = std::vector<std::string>;
  const SmallNet net;
  const Names all = net->named_parameters().keys();
  const auto left_after = [&](const char* pattern) {
    nn::utils::unfreeze(*net);
    const std::size_t frozen = nn::utils::freeze(*net, pattern);
    EXPECT_EQ(frozen + trainable(*net).size(), all.size()) << pattern;
    return trainable(*net);
  };
  EXPECT_EQ(left_after("fc1.*"),
            (Names{"scale", "norm.weight", "norm.bias", "fc2.weight", "fc2.bias"}));
  EXPECT_EQ(left_after("fc?.weight"),
            (Names{"scale", "fc1.bias", "norm.weight", "norm.bias", "fc2.bias"}));
  EXPECT_EQ(left_after("*b*s"), (Names{"scale", "fc1.weight", "norm.weight", "fc2.weight"}));
  EXPECT_EQ(left_after("*s*e*"), (Names{"fc1.weight", "fc1.bias", "norm.weight", "norm.bias",
                                        "fc2.weight", "fc2.bias"}));
  EXPECT_EQ(left_after("scale").size(), 6u);
  EXPECT_TRUE(left_after("**").empty());
  EXPECT_EQ(nn::utils::unfreeze(*net, "norm.*"), 2u);
  EXPECT_EQ(trainable(*net), (Names{"norm.weight", "norm.bias"}));
}

TEST(Freeze, TakesHolders) {
  const SmallNet net;
  EXPECT_EQ(nn::utils::freeze(net, "fc1.*"), 2u);
  EXPECT_EQ(nn::utils::count_parameters(net, true), nn::utils::count_parameters(*net, true));
  EXPECT_EQ(nn::utils::unfreeze(net), 7u);
  EXPECT_EQ(nn::utils::count_parameters(net), nn::utils::count_parameters(net, true));
  net->eval();
  EXPECT_EQ(nn::utils::fuse_conv_bn(net).size(), 1u);
}

TEST(Freeze, StopsTraining) {
  const SmallNet net;
  optim::SGD optimizer(net->parameters(), 0.1);
  net(rand({4, 3})).sum().backward();
  nn::utils::freeze(*net, "fc1.*");
  const Tensor frozen = net->fc1->weight.detach().clone();
  const Tensor other = net->fc2->weight.detach().clone();
  optimizer.step();  // with the gradients of before
  net(rand({4, 3})).sum().backward();
  optimizer.step();
  EXPECT_TRUE(net->fc1->weight.equal(frozen));
  EXPECT_FALSE(net->fc2->weight.equal(other));
}

TEST(Freeze, SaysWhatMatchesNothing) {
  const SmallNet net;
  for (const char* pattern : {"fc3.*", "", "fc1", "fc1.weight?", "Fc1.*", "*.fc1.*"}) {
    EXPECT_EQ(error_of([&] { nn::utils::freeze(*net, pattern); }),
              "freeze: no parameter of " + net->name() + " has a name that matches '" +
                  std::string(pattern) + "'");
  }
  EXPECT_EQ(trainable(*net).size(), net->parameters().size());
  EXPECT_NE(error_of([&] { nn::utils::unfreeze(*net, "z"); }).find("unfreeze: no parameter of"),
            std::string::npos);
}

TEST(CountParameters, CountsTiedOnesOnce) {
  const SmallNet net;
  EXPECT_EQ(nn::utils::count_parameters(*net), (3 * 4 + 4) + 2 * 4 + (4 * 2 + 2) + 2);
  nn::utils::freeze(*net, "norm.*");
  EXPECT_EQ(nn::utils::count_parameters(*net, /*trainable_only=*/true), 16 + 10 + 2);
  const nn::Linear tied(4, 4);
  tied->replace_parameter("bias", tied->weight);
  EXPECT_EQ(nn::utils::count_parameters(*tied), 16);
  EXPECT_EQ(nn::utils::count_parameters(nn::Module()), 0);
}

}  // namespace
}  // namespace tern
