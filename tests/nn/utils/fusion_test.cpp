#include <tern/nn/utils.h>

#include "nn/nn_test.h"

namespace tern {
namespace {

/// Gives a BatchNorm parameters and statistics as after a training.
template <class Norm>
Norm trained(Norm norm) {
  const NoGradGuard no_grad;
  norm->weight.uniform_(0.5, 2);
  norm->bias.normal_();
  norm->running_mean.normal_();
  norm->running_var.uniform_(0.1, 3);
  norm->eval();
  return norm;
}

template <class Layer, class Norm>
void check_fused(const Layer& layer, const Norm& norm, const Tensor& x) {
  layer->eval();
  const Tensor weight = layer->weight.clone();
  const Layer fused = nn::utils::fuse_conv_bn_eval(layer, norm);
  EXPECT_TRUE(close(fused(x), norm(layer(x)), 1e-5));
  EXPECT_TRUE(layer->weight.equal(weight) && fused->bias.defined());
}

struct FusedBlockImpl : nn::Module {
  nn::Conv2d conv1{nn::Conv2dOptions(3, 4, 3).bias(false)}, conv2{4, 6, 1};
  nn::BatchNorm2d bn1 = trained(nn::BatchNorm2d(4)), bn2 = trained(nn::BatchNorm2d(6));
  nn::Sequential tail{nn::Conv2d(6, 2, 1), trained(nn::BatchNorm2d(2)), nn::ReLU()};
  FusedBlockImpl() {
    register_module("conv1", conv1);
    register_module("bn1", bn1);
    register_module("conv2", conv2);
    register_module("bn2", bn2);
    register_module("tail", tail);
  }
  Tensor forward(const Tensor& x) { return tail->forward(bn2(conv2(relu(bn1(conv1(x)))))); }
};
TERN_MODULE(FusedBlock);

TEST(Fusion, OfALayerAndABatchNorm) {
  using namespace nn;
  manual_seed(1);
  check_fused(Conv1d(3, 4, 3), trained(BatchNorm1d(4)), randn({2, 3, 9}));
  check_fused(Conv2d(Conv2dOptions(4, 6, 3).groups(2).bias(false)), trained(BatchNorm2d(6)),
              randn({2, 4, 9, 8}));
  check_fused(Conv3d(2, 3, 2), trained(BatchNorm3d(3)), randn({2, 2, 4, 5, 3}));
  check_fused(ConvTranspose2d(ConvTranspose2dOptions(4, 6, 3).groups(2)), trained(BatchNorm2d(6)),
              randn({2, 4, 5, 5}));
  check_fused(Linear(5, 4), trained(BatchNorm1d(4)), randn({6, 5}));
  const Conv2d conv(3, 4, 1);
  EXPECT_EQ(error_of([&] { utils::fuse_conv_bn_eval(conv, trained(BatchNorm2d(4))); }),
            "fuse_conv_bn: Fusion only for eval! Call eval() first: the layer is in training mode");
  conv->eval();
  EXPECT_NE(error_of([&] { utils::fuse_conv_bn_eval(conv, trained(BatchNorm2d(5))); }), "");
  EXPECT_NE(error_of([&] { utils::fuse_conv_bn_eval(conv, trained(BatchNorm1d(4))); }), "");
  const auto [weight, bias] =
      utils::fuse_linear_bn_weights(ones({2, 3}), {}, zeros({2}), ones({2}), 0, 2 * ones({2}), {});
  EXPECT_TRUE(weight.equal(2 * ones({2, 3})) && bias.equal(zeros({2})));
}

TEST(Fusion, OfAWholeModel) {
  manual_seed(2);
  FusedBlock net;
  const Tensor x = randn({2, 3, 8, 8});
  net->train();
  EXPECT_NE(error_of([&] { nn::fuse_conv_bn(*net); }), "");
  EXPECT_TRUE(net->bn1->weight.defined());
  net->eval();
  const Tensor before = net(x);
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(nn::fuse_conv_bn(*net),
            (Pairs{{"conv1", "bn1"}, {"conv2", "bn2"}, {"tail.0", "tail.1"}}));
  EXPECT_TRUE(close(net(x), before, 1e-5));
  EXPECT_EQ(net->named_parameters().keys(),
            (std::vector<std::string>{"conv1.weight", "conv1.bias", "conv2.weight", "conv2.bias",
                                      "tail.0.weight", "tail.0.bias"}));
  EXPECT_TRUE(net->named_buffers().keys().empty());
  EXPECT_TRUE(nn::fuse_conv_bn(*net).empty());
}

TEST(Fusion, LeavesSharedLayersAlone) {
  const nn::Conv2d conv(3, 3, 1);
  nn::Sequential net(conv, trained(nn::BatchNorm2d(3)), conv, trained(nn::BatchNorm2d(3)));
  net->eval();
  EXPECT_TRUE(nn::fuse_conv_bn(*net).empty());
}

TEST(Fusion, LeavesWhatIsTiedToTheLayer) {
  const nn::Conv2d first(3, 3, 3), other(3, 3, 3);
  const nn::Sequential net{first, nn::BatchNorm2d(3), other};
  other->replace_parameter("weight", first->weight);
  net(randn({4, 3, 9, 9}));  // running statistics
  net->eval();
  const Tensor x = randn({2, 3, 8, 8}), before = net(x), weight = other->weight.detach().clone();
  EXPECT_EQ(nn::fuse_conv_bn(net).size(), 1u);
  EXPECT_TRUE(allclose(net(x), before, 1e-4, 1e-5));
  EXPECT_TRUE(same_bits(other->weight.detach(), weight));
}

}  // namespace
}  // namespace tern
