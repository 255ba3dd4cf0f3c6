#include <functional>

#include "nn/nn_test.h"

namespace tern {
namespace {

using nn::Conv1dOptions;
using nn::Conv2dOptions;
using nn::Conv3dOptions;
using nn::ConvTranspose1dOptions;
using nn::ConvTranspose2dOptions;
using nn::ConvTranspose3dOptions;

const nlohmann::json& conv_numbers() { return testing::golden("modules/conv"); }
Tensor conv_number(const std::string& name) {
  return testing::golden_tensor(conv_numbers().at(name));
}

/// Makes a module from seed 3 and compares its parameters, its result and all gradients with those
/// that golden/modules/conv.py recorded.
template <class Make, class Call>
void check_conv(const std::string& name, const Make& make, const Call& call) {
  SCOPED_TRACE(name);
  manual_seed(3);
  const auto layer = make();
  const auto shape = conv_numbers().at(name + " shape").get<std::vector<std::int64_t>>();
  const std::int64_t count = zeros(shape).numel();
  const Tensor x = parameter_of((((arange(count) % 11).to(kFloat) - 4.5) / 4).view(shape));
  const Tensor out = call(layer, x);
  EXPECT_TRUE(close(out, conv_number(name), 1e-5));
  const Tensor factors = (arange(out.numel()) % 5).to(kFloat) - 1.5;
  (out * factors.view(out.sizes())).sum().backward();
  EXPECT_TRUE(close(x.grad(), conv_number(name + " input.grad"), 1e-5));
  EXPECT_EQ(layer->state_dict().keys(),
            conv_numbers().at(name + " keys").template get<std::vector<std::string>>());
  for (const auto& item : layer->named_parameters()) {
    EXPECT_TRUE(same_bits(item.value(), conv_number(name + ' ' + item.key()))) << item.key();
    EXPECT_TRUE(close(item.value().grad(), conv_number(name + ' ' + item.key() + ".grad"), 1e-5))
        << item.key();
  }
}

template <class Make>
void check_conv(const std::string& name, const Make& make) {
  check_conv(name, make, [](const auto& layer, const Tensor& x) { return layer(x); });
}

TEST(Conv, IsThatOfPyTorch) {
  using namespace nn;
  check_conv("Conv1d", [] { return Conv1d(2, 4, 3); });
  check_conv("Conv1d options", [] {
    return Conv1d(Conv1dOptions(4, 6, 3).stride(2).padding(2).dilation(2).groups(2).bias(false));
  });
  check_conv("Conv1d reflect",
             [] { return Conv1d(Conv1dOptions(2, 3, 3).padding(2).padding_mode(kReflect)); });
  check_conv("Conv2d", [] { return Conv2d(Conv2dOptions(3, 4, {2, 3}).padding(1)); });
  check_conv("Conv2d depthwise",
             [] { return Conv2d(Conv2dOptions(4, 4, 3).padding(1).groups(4)); });
  check_conv("Conv2d same", [] {
    return Conv2d(Conv2dOptions(2, 3, {2, 4}).padding(kSame).dilation({1, 2}));
  });
  check_conv("Conv2d reflect", [] {
    return Conv2d(Conv2dOptions(2, 3, 3).padding({1, 2}).padding_mode(kReflect));
  });
  check_conv("Conv2d same replicate", [] {
    return Conv2d(Conv2dOptions(2, 3, {2, 3}).padding("same").padding_mode(kReplicate));
  });
  check_conv("Conv2d circular", [] {
    return Conv2d(Conv2dOptions(2, 3, 3).padding(1).stride(2).padding_mode(kCircular));
  });
  check_conv("Conv3d", [] {
    return Conv3d(Conv3dOptions(2, 4, 2).stride({1, 2, 1}).padding({0, 1, 1}).groups(2));
  });
}

TEST(ConvTranspose, IsThatOfPyTorch) {
  using namespace nn;
  check_conv("ConvTranspose1d", [] {
    return ConvTranspose1d(ConvTranspose1dOptions(2, 4, 3).stride(2).output_padding(1).groups(2));
  });
  check_conv("ConvTranspose2d",
             [] { return ConvTranspose2d(ConvTranspose2dOptions(3, 2, 3).stride(2).padding(1)); });
  check_conv(
      "ConvTranspose2d size",
      [] { return ConvTranspose2d(ConvTranspose2dOptions(2, 2, 3).stride(2).padding(1)); },
      [](const ConvTranspose2d& layer, const Tensor& x) {
        const Tensor whole = layer->forward(x, IntArrayRef({1, 2, 6, 3}));
        EXPECT_EQ(whole.sizes(), IntArrayRef({1, 2, 6, 3}));
        return layer->forward(x, IntArrayRef({6, 3}));
      });
  check_conv("ConvTranspose3d", [] {
    return ConvTranspose3d(ConvTranspose3dOptions(2, 2, 2).dilation({2, 1, 1}).bias(false));
  });
}

TEST(LazyConv, BecomesWhatPyTorchMakes) {
  using namespace nn;
  check_conv("LazyConv2d",
             [] { return LazyConv2d(LazyConv2dOptions(LazyConv2dOptions(4, 3).stride(2))); });
  check_conv("LazyConvTranspose1d", [] {
    return LazyConvTranspose1d(
        LazyConvTranspose1dOptions(LazyConvTranspose1dOptions(3, 2).groups(3)));
  });
}

TEST(LazyConv, IsUninitializedBefore) {
  const nn::LazyConv2d conv(8, 3);
  EXPECT_TRUE(conv->has_uninitialized_params());
  EXPECT_EQ(printed(conv), "tern::nn::LazyConv2d(0, 8, kernel_size=[3, 3], stride=[1, 1])");
  const auto copy = std::dynamic_pointer_cast<nn::LazyConv2dImpl>(conv->clone());
  EXPECT_TRUE(copy->has_uninitialized_params());
  EXPECT_EQ(error_of([&] {
              conv(ones({4, 6}));
            }),
            "Expected 3D (unbatched) or 4D (batched) input to LazyConv2d, but got input of size: "
            "[4, 6]\n  in module LazyConv2d");
  conv(ones({4, 6, 6}));
  EXPECT_EQ(printed(conv), "tern::nn::Conv2d(4, 8, kernel_size=[3, 3], stride=[1, 1])");
  EXPECT_EQ(conv->weight.sizes(), IntArrayRef({8, 4, 3, 3}));
  nn::LazyConv2d other(8, 3);
  other->load_state_dict(conv->state_dict());
  EXPECT_TRUE(same_bits(other(ones({1, 4, 6, 6})), conv(ones({1, 4, 6, 6}))));
  const nn::LazyConv3d groups(
      nn::LazyConv3dOptions(nn::LazyConv3dOptions(6, 1).groups(3).bias(false)));
  EXPECT_EQ(error_of([&] {
              groups(ones({4, 2, 2, 2}));
            }),
            "nn::LazyConv3d: in_channels must be divisible by groups, got 4 and 3\n  in module "
            "LazyConv3d");
  EXPECT_TRUE(groups->has_uninitialized_params());
}

TEST(Conv, Prints) {
  EXPECT_EQ(printed(nn::Conv1d(4, 5, 6)), "tern::nn::Conv1d(4, 5, kernel_size=6, stride=1)");
  EXPECT_EQ(printed(nn::Conv2d(Conv2dOptions(4, 6, {3, 5})
                                   .stride(2)
                                   .padding(1)
                                   .dilation(2)
                                   .groups(2)
                                   .bias(false)
                                   .padding_mode(kReflect))),
            "tern::nn::Conv2d(4, 6, kernel_size=[3, 5], stride=[2, 2], padding=[1, 1], "
            "dilation=[2, 2], groups=2, bias=false, padding_mode=kReflect)");
  EXPECT_EQ(printed(nn::Conv2d(Conv2dOptions(4, 6, 3).padding(kSame))),
            "tern::nn::Conv2d(4, 6, kernel_size=[3, 3], stride=[1, 1], padding='same')");
  EXPECT_EQ(printed(nn::ConvTranspose2d(
                ConvTranspose2dOptions(4, 6, 3).stride(2).padding(1).output_padding(1))),
            "tern::nn::ConvTranspose2d(4, 6, kernel_size=[3, 3], stride=[2, 2], padding=[1, 1], "
            "output_padding=[1, 1])");
}

TEST(Conv, RefusesOptionsThatDoNotFit) {
  EXPECT_EQ(error_of([] { nn::Conv2d(Conv2dOptions(4, 8, 3).groups(3)); }),
            "nn::Conv2d: in_channels must be divisible by groups, got 4 and 3");
  EXPECT_EQ(error_of([] { nn::Conv2d(Conv2dOptions(4, 7, 3).groups(2)); }),
            "nn::Conv2d: out_channels must be divisible by groups, got 7 and 2");
  EXPECT_EQ(error_of([] { nn::Conv1d(Conv1dOptions(4, 7, 3).groups(0)); }),
            "nn::Conv1d: groups must be a positive integer, got 0");
  EXPECT_EQ(error_of([] { nn::Conv3d(-1, 7, 3); }),
            "nn::Conv3d: the numbers of channels must not be negative, got -1 and 7");
  EXPECT_EQ(
      error_of([] { nn::Conv2d(Conv2dOptions(4, 8, 3).padding(kSame).stride(2)); }),
      "nn::Conv2d: padding='same' is not supported for strided convolutions, got stride [2, 2]");
  EXPECT_EQ(error_of([] { nn::Conv2d(Conv2dOptions(4, 8, 3).padding("abc")); }),
            "nn::Conv: Invalid padding string 'abc', should be one of {'same', 'valid'}");
  EXPECT_EQ(
      error_of([] { nn::ConvTranspose2d(ConvTranspose2dOptions(4, 8, 3).padding_mode(kReflect)); }),
      "nn::ConvTranspose2d: Only \"zeros\" padding mode is supported for ConvTranspose2d");
  nn::ConvTranspose2d up(ConvTranspose2dOptions(4, 8, 3).stride(2));
  EXPECT_EQ(
      error_of([&] {
        up->forward(ones({2, 4, 6, 6}), IntArrayRef({15, 14}));
      }),
      "requested an output size of [15, 14], but size 15 is not in the valid range from 13 to "
      "14 (for an input of [2, 4, 6, 6])");
  EXPECT_EQ(error_of([&] {
              up->forward(ones({2, 4, 6, 6}), IntArrayRef({15}));
            }),
            "nn::ConvTranspose2d: for 4D input, output_size must have 2 or 4 elements (got 1)");
}

TEST(Conv, RunsInASequentialAndIsCloned) {
  nn::Sequential net{nn::Conv2d(Conv2dOptions(1, 4, 3).padding(1)), nn::ReLU(),
                     nn::ConvTranspose2d(ConvTranspose2dOptions(4, 1, 2).stride(2))};
  const Tensor x = randn({2, 1, 5, 5});
  const Tensor y = net(x);
  EXPECT_EQ(y.sizes(), IntArrayRef({2, 1, 10, 10}));
  const auto copy = std::dynamic_pointer_cast<nn::SequentialImpl>(net->clone());
  EXPECT_TRUE(same_bits(copy->forward(x), y));
  net->to(kDouble);
  EXPECT_EQ(net(x.to(kDouble)).dtype(), kDouble);
}

TEST(ConvFunctional, TakesWhatTheModulesTake) {
  namespace F = nn::functional;
  const Tensor x = randn({2, 4, 6, 6}), w = randn({3, 2, 3, 3}).repeat({2, 1, 1, 1}),
               b = randn({6});
  const Tensor want = conv2d(x, w, b, 2, {1, 0}, 1, 2);
  EXPECT_TRUE(same_bits(
      F::conv2d(x, w, F::Conv2dFuncOptions().bias(b).stride(2).padding({1, 0}).groups(2)), want));
  EXPECT_TRUE(same_bits(F::conv2d(x, w, F::Conv2dFuncOptions().padding(kSame).groups(2)),
                        conv2d(x, w, {}, 1, 1, 1, 2)));
  EXPECT_TRUE(same_bits(F::conv2d(x, w, F::Conv2dFuncOptions().padding(kValid).groups(2)),
                        conv2d(x, w, {}, 1, 0, 1, 2)));
  EXPECT_TRUE(
      same_bits(F::conv_transpose2d(x, randn({4, 3, 2, 2}).fill_(0.5),
                                    F::ConvTranspose2dFuncOptions().stride(2).output_padding(1)),
                conv_transpose2d(x, full({4, 3, 2, 2}, 0.5), {}, 2, 0, 1)));
}

TEST(ConvTranspose, TakesAnOutputSizeAsANumber) {
  const nn::ConvTranspose1d net(nn::ConvTranspose1dOptions(1, 1, 3).stride(2));
  EXPECT_EQ(net(ones({1, 1, 4}), 10).sizes(), IntArrayRef({1, 1, 10}));
  EXPECT_EQ(net->forward(ones({1, 1, 4}), {10}).sizes(), IntArrayRef({1, 1, 10}));
}

}  // namespace
}  // namespace tern
