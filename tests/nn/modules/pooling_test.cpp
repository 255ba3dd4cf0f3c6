#include <functional>

#include <tern/core/autograd/gradcheck.h>

#include "nn/nn_test.h"

namespace tern {
namespace {

/// A pooling layer with the options that golden/modules/pooling.py gives it, and how libtorch
/// prints it.
struct Pool {
  std::string name;
  std::shared_ptr<nn::Module> module;
  std::function<Tensor(const Tensor&)> forward;
  std::function<std::tuple<Tensor, Tensor>(const Tensor&)> forward_with_indices;
  std::string prints;
};

template <class Holder>
Pool pool(const std::string& name, const Holder& holder, const std::string& options) {
  const std::string type = name.substr(0, name.find(' '));
  Pool result{name,
              holder.ptr(),
              [holder](const Tensor& x) { return holder(x); },
              {},
              "tern::nn::" + type + '(' + options + ')'};
  if constexpr (requires { holder->forward_with_indices(Tensor()); }) {
    result.forward_with_indices = [holder](const Tensor& x) {
      return holder->forward_with_indices(x);
    };
  }
  return result;
}

std::vector<Pool> pools() {
  using namespace nn;
  using Sizes = std::vector<std::int64_t>;
  return {
      pool("MaxPool1d", MaxPool1d(MaxPool1dOptions(3).stride(2).padding(1)),
           "kernel_size=3, stride=2, padding=1, dilation=1, ceil_mode=false"),
      pool("MaxPool2d",
           MaxPool2d(
               MaxPool2dOptions({2, 3}).stride({1, 2}).padding({1, 0}).dilation({2, 1}).ceil_mode(
                   true)),
           "kernel_size=[2, 3], stride=[1, 2], padding=[1, 0], dilation=[2, 1], ceil_mode=true"),
      pool("MaxPool3d", MaxPool3d(2),
           "kernel_size=[2, 2, 2], stride=[2, 2, 2], padding=[0, 0, 0], dilation=[1, 1, 1], "
           "ceil_mode=false"),
      pool("AvgPool1d", AvgPool1d(AvgPool1dOptions(3).stride(2).padding(1).ceil_mode(true)),
           "kernel_size=3, stride=2, padding=1"),
      pool("AvgPool2d",
           AvgPool2d(
               AvgPool2dOptions({3, 2}).stride(2).padding({1, 0}).ceil_mode(true).count_include_pad(
                   false)),
           "kernel_size=[3, 2], stride=[2, 2], padding=[1, 0]"),
      pool("AvgPool3d", AvgPool3d(AvgPool3dOptions(2).stride({1, 2, 1}).divisor_override(3)),
           "kernel_size=[2, 2, 2], stride=[1, 2, 1], padding=[0, 0, 0]"),
      pool("AdaptiveMaxPool1d", AdaptiveMaxPool1d(3), "output_size=3"),
      pool("AdaptiveMaxPool2d", AdaptiveMaxPool2d(AdaptiveMaxPool2dOptions({std::nullopt, 2})),
           "output_size=[None, 2]"),
      pool("AdaptiveMaxPool3d", AdaptiveMaxPool3d(AdaptiveMaxPool3dOptions({2, 1, 3})),
           "output_size=[2, 1, 3]"),
      pool("AdaptiveAvgPool1d", AdaptiveAvgPool1d(4), "output_size=4"),
      pool("AdaptiveAvgPool2d", AdaptiveAvgPool2d(AdaptiveAvgPool2dOptions({2, std::nullopt})),
           "output_size=[2, None]"),
      pool("AdaptiveAvgPool3d", AdaptiveAvgPool3d(Sizes{2, 2, 2}), "output_size=[2, 2, 2]"),
      pool("LPPool1d", LPPool1d(LPPool1dOptions(2, 3).stride(2)),
           "norm_type=2, kernel_size=3, stride=2, ceil_mode=false"),
      pool("LPPool2d", LPPool2d(LPPool2dOptions(1.5, {2, 3}).stride(1)),
           "norm_type=1.5, kernel_size=[2, 3], stride=[1, 1], ceil_mode=false"),
      pool("LPPool3d", LPPool3d(LPPool3dOptions(3, 2).ceil_mode(true)),
           "norm_type=3, kernel_size=[2, 2, 2], stride=[2, 2, 2], ceil_mode=true"),
      pool("LPPool2d infinite", LPPool2d(std::numeric_limits<double>::infinity(), 2),
           "norm_type=inf, kernel_size=[2, 2], stride=[2, 2], ceil_mode=false"),
      pool(
          "FractionalMaxPool2d",
          FractionalMaxPool2d(FractionalMaxPool2dOptions(2).output_size(ExpandingArray<2>({3, 2}))),
          ""),
      pool("FractionalMaxPool2d ratio",
           FractionalMaxPool2d(
               FractionalMaxPool2dOptions(3).output_ratio(ExpandingArray<2, double>({0.5, 0.6}))),
           ""),
      pool("FractionalMaxPool3d",
           FractionalMaxPool3d(
               FractionalMaxPool3dOptions({1, 2, 2}).output_size(ExpandingArray<3>(2))),
           ""),
  };
}

Tensor golden_pool(const std::string& name) {
  return testing::golden_tensor(testing::golden("modules/pooling").at(name));
}

TEST(Pooling, IsThatOfPyTorch) {
  for (const Pool& layer : pools()) {
    SCOPED_TRACE(layer.name);
    const Tensor x = parameter_of(golden_pool(layer.name + " input"));
    manual_seed(3);
    const Tensor y = layer.forward(x);
    EXPECT_TRUE(close(y, golden_pool(layer.name), 1e-14));
    (y * arange(y.numel(), kDouble).view(y.sizes())).sum().backward();
    EXPECT_TRUE(close(x.grad(), golden_pool(layer.name + " gradient"), 1e-13));
    EXPECT_EQ(printed(*layer.module), layer.prints);
    EXPECT_EQ(printed(*layer.module->clone()), layer.prints);
    EXPECT_TRUE(layer.module->state_dict().empty());
    if (!layer.forward_with_indices || layer.name[0] == 'F') continue;
    const auto [values, indices] = layer.forward_with_indices(x);
    EXPECT_TRUE(values.equal(y));
    EXPECT_TRUE(indices.equal(golden_pool(layer.name + " indices")));
  }
}

TEST(Pooling, PassesGradcheckOfBothOrders) {
  for (const Pool& layer : pools()) {
    SCOPED_TRACE(layer.name);
    const auto call = [&](const std::vector<Tensor>& in) {
      manual_seed(3);
      return std::vector<Tensor>{layer.forward(in[0])};
    };
    const Tensor x = parameter_of(golden_pool(layer.name + " input"));
    EXPECT_TRUE(autograd::gradcheck(call, {x}));
    EXPECT_TRUE(autograd::gradgradcheck(call, {x}));
  }
}

TEST(Pooling, TakesStridedTensorsOtherDevicesAndDtypes) {
  for (const Pool& layer : pools()) {
    SCOPED_TRACE(layer.name);
    if (layer.name[0] == 'F') continue;  // draws in another dtype, other numbers
    const Tensor x = golden_pool(layer.name + " input"), y = golden_pool(layer.name);
    const Tensor strided = x.transpose(0, -1).contiguous().transpose(0, -1);
    EXPECT_TRUE(close(layer.forward(strided), y, 1e-14));
    const Tensor there = layer.forward(x.to("cuda:1"));
    EXPECT_EQ(there.device(), Device("cuda:1"));
    EXPECT_TRUE(close(there, y, 1e-14));
    EXPECT_TRUE(close(layer.forward(x.to(kBFloat16)).to(kDouble), y, 5e-2));
  }
}

TEST(Pooling, UnpoolingIsThatOfPyTorch) {
  using Sizes = std::vector<std::int64_t>;
  const auto expect = [](const std::string& name, auto layer, const std::string& prints,
                         const std::optional<Sizes>& output_size) {
    SCOPED_TRACE(name);
    const Tensor x = parameter_of(golden_pool(name + " input"));
    const Tensor indices = golden_pool(name + " indices");
    const Tensor y = layer(x, indices, output_size);
    EXPECT_TRUE(close(y, golden_pool(name), 0));
    (y * arange(y.numel(), kDouble).view(y.sizes())).sum().backward();
    EXPECT_TRUE(close(x.grad(), golden_pool(name + " gradient"), 0));
    EXPECT_EQ(printed(*layer), prints);
    if (!output_size) {
      EXPECT_TRUE(layer(x, indices).equal(y));
      nn::AnyModule any(layer);
      EXPECT_TRUE(any.forward<Tensor>(x, indices).equal(y));
    }
  };
  expect("MaxUnpool1d", nn::MaxUnpool1d(2),
         "tern::nn::MaxUnpool1d(kernel_size=2, stride=2, padding=0)", std::nullopt);
  expect("MaxUnpool2d", nn::MaxUnpool2d(nn::MaxUnpool2dOptions({3, 2}).stride(2)),
         "tern::nn::MaxUnpool2d(kernel_size=[3, 2], stride=[2, 2], padding=[0, 0])",
         Sizes{1, 2, 6, 5});
  expect("MaxUnpool3d", nn::MaxUnpool3d(2),
         "tern::nn::MaxUnpool3d(kernel_size=[2, 2, 2], stride=[2, 2, 2], padding=[0, 0, 0])",
         Sizes{2, 4, 5});
}

TEST(Pooling, ToNothing) {
  const Tensor x = ones({2, 3, 4, 5}, kDouble).requires_grad_();
  const Tensor average = adaptive_avg_pool2d(x, {0, 3});
  EXPECT_EQ(average.sizes(), IntArrayRef({2, 3, 0, 3}));
  const auto [largest, indices] = adaptive_max_pool2d(x, 0);
  EXPECT_EQ(indices.sizes(), IntArrayRef({2, 3, 0, 0}));
  (average.sum() + largest.sum()).backward();
  EXPECT_TRUE(x.grad().equal(zeros({2, 3, 4, 5}, kDouble)));
  EXPECT_EQ(adaptive_avg_pool2d(ones({2, 0, 4, 4}), 2).sizes(), IntArrayRef({2, 0, 2, 2}));
}

TEST(Pooling, KeepsTheSamplesOfTheOptions) {
  const Tensor samples = rand({1, 2, 2});
  nn::FractionalMaxPool2d layer(
      nn::FractionalMaxPool2dOptions(2).output_size(ExpandingArray<2>(2))._random_samples(samples));
  EXPECT_EQ(layer->state_dict().size(), 1U);
  const Tensor x = rand({1, 2, 5, 5});
  EXPECT_TRUE(layer(x).equal(layer(x)));
  EXPECT_TRUE(layer(x).equal(std::get<0>(fractional_max_pool2d(x, 2, 2, samples))));
}

TEST(Pooling, SaysWhatDoesNotFit) {
  namespace F = nn::functional;
  const Tensor x = ones({2, 3, 8, 6});
  const auto expect = [](const std::string& text, const std::function<void()>& call) {
    EXPECT_EQ(error_of(call).substr(0, text.size()), text);
  };
  const std::string max2 = "max_pool2d: ", max1 = "max_pool1d: ";
  expect(max2 + "stride should not be zero, but got dH: 0 dW: 0", [&] { max_pool2d(x, 2, 0); });
  expect(max2 +
             "pad should be at most half of effective kernel size, but got pad=2, kernel_size=2 "
             "and dilation=1",
         [&] { max_pool2d(x, 2, 2, 2); });
  expect(max2 + "pad must be non-negative, but got pad: -1", [&] { max_pool2d(x, 2, 2, -1); });
  expect(max2 + "dilation should be greater than zero, but got dilationH: 0 dilationW: 0",
         [&] { max_pool2d(x, 2, 2, 0, 0); });
  expect(max2 + "kernel size should be greater than zero, but got kH: 0 kW: 2", [&] {
    max_pool2d(x, {0, 2}, 1);
  });
  expect(max2 + "kernel_size must either be a single int, or a tuple of two ints (got 3)", [&] {
    max_pool2d(x, {2, 2, 2});
  });
  expect(max2 + "stride must either be omitted, a single int, or a tuple of two ints (got 3)", [&] {
    max_pool2d(x, 2, {1, 1, 1});
  });
  expect(max2 +
             "pad should be smaller than or equal to half of kernel size, but got padH: 2 "
             "padW: 2 kH: 2 kW: 2",
         [&] { max_pool2d(x, 2, 1, 2, 3); });
  expect(max2 + "kernel_size: integer out of range: 4611686018427387904",
         [&] { max_pool2d(x, std::int64_t{1} << 62); });
  expect(max2 +
             "window 0 of dimension -1 has no element of the input: size 2, padding 1, "
             "dilation 3",
         [] {
           max_pool2d(ones({1, 2, 2}), {1, 2}, 1, {0, 1}, {1, 3});
         });
  expect(max1 + "stride must be greater than zero, but got 0", [&] { max_pool1d(x[0], 3, 0); });
  expect(max1 + "kernel_size must be greater than zero, but got 0", [&] { max_pool1d(x[0], 0); });
  expect(
      max1 + "padding should be at most half of kernel size, but got padding=2 and kernel_size=2",
      [&] { max_pool1d(x[0], 2, 2, 2); });
  expect(max1 + "padding must be non-negative, but got -1", [&] { max_pool1d(x[0], 2, 2, -1); });
  expect(max1 + "dilation must be greater than zero, but got 0",
         [&] { max_pool1d(x[0], 2, 2, 0, 0); });
  expect(
      max1 + "kernel_size must be an int, list of ints or tuple of ints of size 1 but got size 2",
      [&] {
        max_pool1d(x[0], {2, 2});
      });
  expect("avg_pool2d: divisor must be not zero", [&] { avg_pool2d(x, 2, 2, 0, false, true, 0); });
  expect("avg_pool3d: kernel size should be greater than zero, but got kT: 2 kH: 0 kW: 2", [&] {
    avg_pool3d(x, {2, 0, 2}, 1);
  });
  expect(
      "adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but "
      "received {-1, 2}",
      [&] {
        adaptive_avg_pool2d(x, {-1, 2});
      });
  expect("adaptive_max_pool2d: Trying to create tensor with negative dimension -1: [2, 3, -1, -1]",
         [&] { adaptive_max_pool2d(x, -1); });
  expect("fractional_max_pool2d: pool height 2 too large relative to input height 8", [&] {
    fractional_max_pool2d(x, 2, 8, rand({2, 3, 2}));
  });
  const auto at_ratio = [&](double ratio) {
    F::fractional_max_pool2d(
        x, F::FractionalMaxPool2dFuncOptions(2).output_ratio(ExpandingArray<2, double>(ratio)));
  };
  expect("fractional_max_pool2d: output_ratio must be between 0 and 1 (got [nan, nan])",
         [&] { at_ratio(NAN); });
  expect("fractional_max_pool2d: output_ratio must be between 0 and 1 (got [1e+30, 1e+30])",
         [&] { at_ratio(1e30); });
  expect("fractional_max_pool2d: output_ratio must be between 0 and 1 (got [-0.5, -0.5])",
         [&] { at_ratio(-0.5); });
  expect("lp_pool2d: norm_type must be a non-zero value, but got 0",
         [&] { nn::LPPool2d(0, 2)(x); });
  expect("nn::FractionalMaxPool2d requires specifying either an output size, or a pooling ratio",
         [] { nn::FractionalMaxPool2d(2); });
  expect("nn::FractionalMaxPool3d: kernel_size must be greater than 0, but got [2, 0, 2]", [] {
    nn::FractionalMaxPool3d(
        nn::FractionalMaxPool3dOptions({2, 0, 2}).output_size(ExpandingArray<3>(2)));
  });
  expect("nn::FractionalMaxPool2d: only one of output_size and output_ratio may be specified", [] {
    nn::FractionalMaxPool2d(nn::FractionalMaxPool2dOptions(2)
                                .output_size(ExpandingArray<2>(2))
                                .output_ratio(ExpandingArray<2, double>(0.5)));
  });
  expect("nn::FractionalMaxPool2d: output_ratio must be between 0 and 1 (got [0.5, 1.5])", [] {
    nn::FractionalMaxPool2d(
        nn::FractionalMaxPool2dOptions(2).output_ratio(ExpandingArray<2, double>({0.5, 1.5})));
  });
  const auto [y, indices] = max_pool2d_with_indices(x, 2);
  nn::MaxUnpool2d unpool(2);
  expect("max_unpool2d: invalid output_size \"[10, 8]\" (dim 0 must be between 6 and 10)", [&] {
    unpool(y, indices, std::vector<std::int64_t>{10, 8});
  });
  expect(
      "max_unpool2d: output_size must contain non-negative spatial dimensions, but got "
      "output_size=[-4, 4]",
      [&, &y = y, &indices = indices] {
        max_unpool2d(y, indices, {-4, 4});
      });
  constexpr std::int64_t kHalf = std::int64_t{1} << 32, kMost = std::int64_t{1} << 62;
  expect(
      "max_unpool2d: Trying to create tensor with too many elements: [2, 3, 4294967296, "
      "4294967296]",
      [&, &y = y, &indices = indices] {
        max_unpool2d(y, indices, {kHalf, kHalf});
      });
  expect(
      "max_unpooling: no output size for dimension 0 of 4 elements with kernel_size [2, 2], "
      "stride [4611686018427387904, 4611686018427387904] and padding [0, 0]",
      [&, &y = y, &indices = indices] {
        F::max_unpool2d(y, indices, F::MaxUnpool2dFuncOptions(2).stride(kMost));
      });
  expect(
      "max_unpool2d: output_size should be a sequence containing 2 or 4 elements, but it has a "
      "length of '3'",
      [&] {
        unpool(y, indices, std::vector<std::int64_t>{1, 8, 6});
      });
  EXPECT_FALSE((std::is_constructible_v<nn::MaxPool2dOptions, bool>));
  EXPECT_FALSE((std::is_constructible_v<nn::AdaptiveAvgPool2dOptions, bool>));
  EXPECT_FALSE((std::is_constructible_v<nn::LPPool2dOptions, bool, int>));
}

TEST(Pooling, HasFunctions) {
  namespace F = nn::functional;
  const Tensor x = rand({2, 3, 8, 6});
  const Tensor y = F::max_pool2d(x, F::MaxPool2dFuncOptions(3).stride(2));
  EXPECT_TRUE(y.equal(max_pool2d(x, 3, 2)));
  const auto [values, indices] = F::max_pool2d_with_indices(x, F::MaxPool2dFuncOptions(2));
  const Tensor back = F::max_unpool2d(values, indices, F::MaxUnpool2dFuncOptions(2));
  EXPECT_TRUE(max_pool2d(back, 2).equal(values));
  EXPECT_TRUE(F::avg_pool2d(x, F::AvgPool2dFuncOptions(2)).equal(avg_pool2d(x, 2)));
  EXPECT_TRUE(F::adaptive_avg_pool2d(x, F::AdaptiveAvgPool2dFuncOptions(1))
                  .allclose(x.mean({-1, -2}, true)));
  EXPECT_TRUE(F::lp_pool2d(x, F::LPPool2dFuncOptions(1, 2)).allclose(avg_pool2d(x, 2) * 4));
  EXPECT_TRUE(F::adaptive_max_pool2d(x, F::AdaptiveMaxPool2dFuncOptions(1))
                  .flatten()
                  .equal(x.amax({-1, -2}).flatten()));
}

}  // namespace
}  // namespace tern
