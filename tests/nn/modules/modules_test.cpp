#include <tern/core/autograd/grad_mode.h>
#include <tern/core/autograd/gradcheck.h>
#include <tern/core/autograd/node.h>

#include "nn/nn_test.h"

namespace tern {
namespace {

/// Checks the gradients of a module in float64, including those of its parameters.
template <class Holder>
void check_gradients(const Holder& net, const std::vector<std::int64_t>& sizes) {
  net->to(kDouble);
  std::vector<Tensor> inputs{randn(sizes, kDouble).requires_grad_()};
  for (const Tensor& parameter : net->parameters()) inputs.push_back(parameter);
  EXPECT_TRUE(autograd::gradcheck(
      [&](const std::vector<Tensor>& in) { return std::vector<Tensor>{net(in[0])}; }, inputs));
}

TEST(Linear, IsPyTorchsOfTheSameSeed) {
  manual_seed(3);
  const nn::Linear net(5, 3);
  EXPECT_TRUE(same_bits(net->weight, golden_tensor("linear_weight")));
  EXPECT_TRUE(same_bits(net->bias, golden_tensor("linear_bias")));
  manual_seed(3);
  const nn::Linear wide(nn::LinearOptions(5, 3).dtype(kDouble));
  EXPECT_TRUE(same_bits(wide->weight, golden_tensor("linear_weight_double")));
  EXPECT_TRUE(same_bits(wide->bias, golden_tensor("linear_bias_double")));
  manual_seed(0);
  EXPECT_TRUE(close(nn::Linear(2, 2)(tensor({0.1f, 0.2f})), tensor({-0.1970f, 0.0273f}), 1e-4));
}

TEST(Linear, HasTheGradFnOfPython) {
  const nn::Linear net(3, 2), plain(nn::LinearOptions(3, 2).bias(false));
  EXPECT_EQ(net(rand({2, 3})).grad_fn()->name(), "AddmmBackward0");
  EXPECT_EQ(plain(rand({2, 3})).grad_fn()->name(), "MmBackward0");
  EXPECT_EQ(net(rand({4, 2, 3})).grad_fn()->name(), "UnsafeViewBackward0");
  EXPECT_EQ(plain(rand({4, 2, 3})).grad_fn()->name(), "UnsafeViewBackward0");
  EXPECT_EQ(net(rand({3})).grad_fn()->name(), "UnsafeViewBackward0");
  EXPECT_EQ(plain(rand({3})).grad_fn()->name(), "SqueezeBackward4");
  EXPECT_EQ(rand({2, 2, 3}).matmul(rand({3, 2}).requires_grad_()).grad_fn()->name(),
            "UnsafeViewBackward0");
  EXPECT_FALSE(net(rand({3})).is_view());
  check_gradients(nn::Linear(3, 2), {3});
  check_gradients(nn::Linear(3, 2), {2, 2, 3});
}

TEST(Linear, MapsTheLastDimension) {
  const nn::Linear net(3, 2);
  const Tensor x = randn({4, 5, 3});
  EXPECT_TRUE(close(net(x), x.matmul(net->weight.t()) + net->bias));
  EXPECT_TRUE(close(nn::functional::linear(x, net->weight), x.matmul(net->weight.t())));
  check_gradients(nn::Linear(3, 2), {4, 3});
  EXPECT_EQ(nn::Linear(nn::LinearOptions(2, 1).device("cuda:1"))->weight.device(),
            Device("cuda:1"));
  EXPECT_EQ(nn::Linear(0, 2)(ones({1, 0})).sizes(), IntArrayRef({1, 2}));
  EXPECT_EQ(printed(nn::Linear(nn::LinearOptions(3, 4).bias(false))),
            "tern::nn::Linear(in_features=3, out_features=4, bias=false)");
  EXPECT_NE(error_of<ShapeError>([&] {
              net(ones({2, 4}));
            }).find("mat1 and mat2 shapes cannot be multiplied (2x4 and 3x2)"),
            std::string::npos);
}

TEST(Modules, NameANegativeSize) {
  EXPECT_EQ(error_of<ShapeError>([] { nn::Linear(-1, 3); }),
            "nn::Linear: the size in_features must not be negative, got -1");
  EXPECT_EQ(error_of<ShapeError>([] { nn::Linear(1, -3); }),
            "nn::Linear: the size out_features must not be negative, got -3");
  EXPECT_EQ(error_of<ShapeError>([] { nn::BatchNorm1d(-2); }),
            "nn::BatchNorm1d: the size num_features must not be negative, got -2");
  EXPECT_EQ(error_of<ShapeError>([] { nn::LayerNorm(-2); }),
            "nn::LayerNorm: the size normalized_shape must not be negative, got -2");
}

TEST(Identity, ReturnsItsInput) {
  const Tensor x = ones({2});
  EXPECT_TRUE(nn::Identity()(x).is_same(x));
  EXPECT_TRUE(nn::Identity(3, "ignored")(x).is_same(x));
  EXPECT_EQ(printed(nn::Identity()), "tern::nn::Identity()");
}

TEST(Flatten, KeepsTheFirstDimension) {
  EXPECT_EQ(nn::Flatten()(ones({2, 3, 4})).sizes(), IntArrayRef({2, 12}));
  const nn::Flatten all(nn::FlattenOptions().start_dim(0).end_dim(1));
  EXPECT_EQ(all(ones({2, 3, 4})).sizes(), IntArrayRef({6, 4}));
  EXPECT_EQ(printed(all), "tern::nn::Flatten(start_dim=0, end_dim=1)");
}

TEST(BatchNorm1d, NormalisesAndTracks) {
  const nn::BatchNorm1d net(3);
  {
    const NoGradGuard no_grad;
    net->weight.copy_(tensor({0.5f, 1.f, -2.f}));
    net->bias.copy_(tensor({0.f, 0.25f, 1.f}));
  }
  const Tensor x = golden_tensor("batch");
  const Tensor x3 = golden_tensor("batch_3d");
  EXPECT_TRUE(close(net(x), golden_tensor("norm_train")));
  EXPECT_TRUE(close(net(x3), golden_tensor("norm_train_3d")));
  EXPECT_TRUE(close(net->running_mean, golden_tensor("norm_running_mean")));
  EXPECT_TRUE(close(net->running_var, golden_tensor("norm_running_var")));
  EXPECT_EQ(net->num_batches_tracked.item<int>(), 2);
  net->eval();
  EXPECT_TRUE(close(net(x), golden_tensor("norm_eval")));
  EXPECT_EQ(net->num_batches_tracked.item<int>(), 2);
  net->reset_parameters();
  EXPECT_TRUE(same_bits(net->running_var, ones({3})));
  EXPECT_TRUE(same_bits(net->weight, ones({3})));
}

TEST(BatchNorm1d, HasOptions) {
  const Tensor x = golden_tensor("batch");
  const nn::BatchNorm1d average(nn::BatchNorm1dOptions(3).momentum(std::nullopt));
  average(x);
  average(golden_tensor("batch_3d"));
  EXPECT_TRUE(close(average->running_mean, golden_tensor("norm_average_mean")));
  EXPECT_TRUE(close(average->running_var, golden_tensor("norm_average_var")));
  EXPECT_EQ(printed(average),
            "tern::nn::BatchNorm1d(3, eps=1e-05, momentum=None, affine=true, "
            "track_running_stats=true)");

  const nn::BatchNorm1d bare(nn::BatchNorm1dOptions(3).affine(false).track_running_stats(false));
  EXPECT_TRUE(bare->state_dict().empty());
  const Tensor trained = bare(x);
  bare->eval();
  EXPECT_TRUE(same_bits(bare(x), trained));
  const nn::BatchNorm1d wide(nn::BatchNorm1dOptions(3).dtype(kDouble).device("cuda:1"));
  EXPECT_EQ(wide->running_var.dtype(), kDouble);
  EXPECT_EQ(wide->num_batches_tracked.dtype(), kLong);
  EXPECT_EQ(wide->num_batches_tracked.device(), Device("cuda:1"));
}

TEST(BatchNorm1d, HasGradients) {
  check_gradients(nn::BatchNorm1d(3), {4, 3});
  check_gradients(nn::BatchNorm1d(2), {3, 2, 4});
  const nn::BatchNorm1d net(3);
  net->eval();
  check_gradients(net, {4, 3});
}

TEST(BatchNorm1d, SaysWhatDoesNotFit) {
  const nn::BatchNorm1d net(3);
  EXPECT_EQ(error_of([&] {
              net(ones({1, 2, 3, 4}));
            }),
            "expected 2D or 3D input (got 4D input)\n  in module BatchNorm1d");
  EXPECT_EQ(error_of([&] {
              net(ones({1, 3}));
            }),
            "batch_norm: Expected more than 1 value per channel when training, got input size [1, "
            "3]\n  in module BatchNorm1d");
  EXPECT_EQ(error_of([&] {
              net(ones({2, 4}));
            }),
            "batch_norm: running_mean should contain 4 elements not 3\n  in module BatchNorm1d");
  EXPECT_EQ(error_of([] {
              nn::functional::batch_norm(ones({2, 4}), {}, {});
            }),
            "batch_norm: running_mean must be defined in evaluation mode");
}

TEST(LayerNorm, NormalisesTheLastDimensions) {
  const nn::LayerNorm net(3);
  EXPECT_EQ(net->state_dict().keys(), (std::vector<std::string>{"weight", "bias"}));
  EXPECT_TRUE(same_bits(net->weight, ones({3})));
  EXPECT_TRUE(same_bits(net->bias, zeros({3})));
  {
    const NoGradGuard no_grad;
    net->weight.copy_(tensor({0.5f, 1.f, -2.f}));
    net->bias.copy_(tensor({0.f, 0.25f, 1.f}));
  }
  const Tensor x = golden_tensor("batch");
  EXPECT_TRUE(close(net(x), golden_tensor("layer_norm")));
  const nn::LayerNorm copy = net.clone();
  EXPECT_TRUE(same_bits(copy(x), net(x)));
  net->reset_parameters();
  EXPECT_TRUE(same_bits(net->weight, ones({3})));
  EXPECT_TRUE(same_bits(net->bias, zeros({3})));
  namespace F = nn::functional;
  EXPECT_TRUE(same_bits(
      copy(x),
      F::layer_norm(x, F::LayerNormFuncOptions({3}).weight(copy->weight).bias(copy->bias))));
  check_gradients(copy, {2, 4, 3});
}

TEST(LayerNorm, HasOptions) {
  const nn::LayerNorm wide(nn::LayerNormOptions({3, 5}).eps(0.1).bias(false));
  EXPECT_FALSE(wide->bias.defined());
  EXPECT_TRUE(close(wide(golden_tensor("batch_3d")), golden_tensor("layer_norm_wide")));
  EXPECT_EQ(printed(nn::LayerNorm(5)),
            "tern::nn::LayerNorm([5], eps=1e-05, elementwise_affine=true)");
  EXPECT_EQ(printed(wide),
            "tern::nn::LayerNorm([3, 5], eps=0.1, elementwise_affine=true, bias=false)");
  const nn::LayerNorm bare(nn::LayerNormOptions(4).elementwise_affine(false));
  EXPECT_TRUE(bare->state_dict().empty());
  EXPECT_EQ(bare(ones({2, 4})).sizes(), IntArrayRef({2, 4}));
  const nn::LayerNorm there(nn::LayerNormOptions(4).dtype(kDouble).device("cuda:1"));
  EXPECT_EQ(there->weight.dtype(), kDouble);
  EXPECT_EQ(there->bias.device(), Device("cuda:1"));
  EXPECT_EQ(
      error_of<ShapeError>([&] {
        bare(ones({2, 3}));
      }),
      "layer_norm: Given normalized_shape=[4], expected input with shape [*, 4], but got input "
      "of size[2, 3]\n  in module LayerNorm");
  EXPECT_NE(error_of<DeviceError>([&] {
              there(ones({2, 4}, kDouble));
            }).find("Expected all tensors to be on the same device"),
            std::string::npos);
}

TEST(Losses, MatchPyTorch) {
  const Tensor p = golden_tensor("probabilities");
  const Tensor t = golden_tensor("targets");
  const Tensor w = golden_tensor("weights");
  const Tensor logits = golden_tensor("logits");
  const Tensor classes = tensor({1, 0, 3, -100, 2});
  EXPECT_TRUE(close(nn::MSELoss()(p, t), golden_tensor("mse")));
  EXPECT_TRUE(close(nn::MSELoss(kSum)(p, t), golden_tensor("mse_sum")));
  EXPECT_TRUE(close(nn::BCELoss()(p, t), golden_tensor("bce")));
  EXPECT_TRUE(
      close(nn::BCELoss(nn::BCELossOptions().weight(w))(p, t), golden_tensor("bce_weighted")));
  EXPECT_TRUE(close(nn::BCEWithLogitsLoss()(p, t), golden_tensor("bce_logits")));
  EXPECT_TRUE(close(nn::BCEWithLogitsLoss(nn::BCEWithLogitsLossOptions().pos_weight(w))(p, t),
                    golden_tensor("bce_logits_pos")));
  EXPECT_TRUE(close(nn::CrossEntropyLoss()(logits, classes), golden_tensor("cross_entropy")));
  const nn::CrossEntropyLoss weighted(nn::CrossEntropyLossOptions().weight(w).label_smoothing(0.1));
  EXPECT_TRUE(close(weighted(logits, classes), golden_tensor("cross_entropy_weighted")));
  EXPECT_EQ(weighted->state_dict().keys(), std::vector<std::string>{"weight"});
  EXPECT_FALSE(weighted->weight.is_same(w));
  EXPECT_TRUE(same_bits(weighted.clone()->weight, w));

  namespace F = nn::functional;
  EXPECT_TRUE(
      close(F::binary_cross_entropy(p, t, F::BinaryCrossEntropyFuncOptions().reduction(kSum)) / 12,
            golden_tensor("bce")));
  EXPECT_TRUE(close(F::mse_loss(p, t, kSum), golden_tensor("mse_sum")));
  EXPECT_TRUE(close(F::cross_entropy(logits, classes), golden_tensor("cross_entropy")));
  EXPECT_EQ(F::mse_loss(p, t, F::MSELossFuncOptions(kNone)).sizes(), IntArrayRef({3, 4}));
  EXPECT_EQ(printed(nn::MSELoss()) + printed(nn::BCELoss()) + printed(nn::BCEWithLogitsLoss()) +
                printed(nn::CrossEntropyLoss()),
            "tern::nn::MSELoss()tern::nn::BCELoss()tern::nn::BCEWithLogitsLoss()"
            "tern::nn::CrossEntropyLoss()");
}

}  // namespace
}  // namespace tern
