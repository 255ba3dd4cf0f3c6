#include <functional>

#include <tern/core/autograd/gradcheck.h>

#include "nn/nn_test.h"

namespace tern {
namespace {

/// A layer that moves elements, with the options that golden/modules/rearranging.py gives it, and
/// how libtorch prints it.
struct Mover {
  std::string name;
  std::shared_ptr<nn::Module> module;
  std::function<Tensor(const Tensor&)> forward;
  std::string prints;
};

template <class Holder>
Mover mover(const std::string& name, const Holder& holder, const std::string& options) {
  const std::string type = name.substr(0, name.find(' '));
  return {name, holder.ptr(), [holder](const Tensor& x) { return holder(x); },
          "tern::nn::" + type + '(' + options + ')'};
}

std::vector<Mover> movers() {
  using namespace nn;
  return {
      mover("ConstantPad1d", ConstantPad1d(ConstantPad1dOptions({1, 2}, 3.5)),
            "padding=[1, 2], value=3.5"),
      mover("ConstantPad2d", ConstantPad2d(1, -2), "padding=[1, 1, 1, 1], value=-2"),
      mover("ConstantPad3d", ConstantPad3d(ConstantPad3dOptions({1, 0, -1, 1, 0, 1}, 0.5)),
            "padding=[1, 0, -1, 1, 0, 1], value=0.5"),
      mover("ZeroPad1d", ZeroPad1d(2), "padding=[2, 2]"),
      mover("ZeroPad2d", ZeroPad2d(ZeroPad2dOptions({1, -1, 2, 0})), "padding=[1, -1, 2, 0]"),
      mover("ZeroPad3d", ZeroPad3d(1), "padding=[1, 1, 1, 1, 1, 1]"),
      mover("ReflectionPad1d", ReflectionPad1d(ReflectionPad1dOptions({2, 1})), "padding=[2, 1]"),
      mover("ReflectionPad2d", ReflectionPad2d(ReflectionPad2dOptions({1, 2, 3, 0})),
            "padding=[1, 2, 3, 0]"),
      mover("ReflectionPad3d", ReflectionPad3d(1), "padding=[1, 1, 1, 1, 1, 1]"),
      mover("ReplicationPad1d", ReplicationPad1d(ReplicationPad1dOptions({3, 1})),
            "padding=[3, 1]"),
      mover("ReplicationPad2d", ReplicationPad2d(ReplicationPad2dOptions({1, 2, -1, 3})),
            "padding=[1, 2, -1, 3]"),
      mover("ReplicationPad3d", ReplicationPad3d(ReplicationPad3dOptions({1, 2, 0, 1, 2, 0})),
            "padding=[1, 2, 0, 1, 2, 0]"),
      mover("CircularPad1d", CircularPad1d(CircularPad1dOptions({3, 1})), "padding=[3, 1]"),
      mover("CircularPad2d", CircularPad2d(CircularPad2dOptions({1, 2, 2, 0})),
            "padding=[1, 2, 2, 0]"),
      mover("CircularPad3d", CircularPad3d(CircularPad3dOptions({1, 0, 0, 1, 2, -1})),
            "padding=[1, 0, 0, 1, 2, -1]"),
      mover("PixelShuffle", PixelShuffle(2), "upscale_factor=2"),
      mover("PixelUnshuffle", PixelUnshuffle(3), "downscale_factor=3"),
      mover("ChannelShuffle", ChannelShuffle(2), "groups=2"),
      mover("Flatten", Flatten(FlattenOptions().start_dim(1).end_dim(2)), "start_dim=1, end_dim=2"),
      mover("Unflatten", Unflatten(UnflattenOptions(1, {2, 3})), "dim=1, unflattened_size={2, 3}"),
      mover("Fold", Fold(FoldOptions({3, 4}, {2, 3}).stride({1, 2}).padding({0, 1})),
            "output_size=[3, 4], kernel_size=[2, 3], dilation=[1, 1], padding=[0, 1], "
            "stride=[1, 2]"),
      mover("Fold of one", Fold(FoldOptions(3, 2).dilation(2).padding(1)),
            "output_size=[3, 3], kernel_size=[2, 2], dilation=[2, 2], padding=[1, 1], "
            "stride=[1, 1]"),
      mover("Unfold", Unfold(UnfoldOptions({2, 3}).dilation({1, 2}).padding(1).stride(2)),
            "kernel_size=[2, 3], dilation=[1, 2], padding=[1, 1], stride=[2, 2]"),
      mover("Unfold of one", Unfold(2),
            "kernel_size=[2, 2], dilation=[1, 1], padding=[0, 0], stride=[1, 1]"),
  };
}

Tensor golden_move(const std::string& name) {
  return testing::golden_tensor(testing::golden("modules/rearranging").at(name));
}

TEST(Rearranging, IsThatOfPyTorch) {
  for (const Mover& layer : movers()) {
    SCOPED_TRACE(layer.name);
    const Tensor x = parameter_of(golden_move(layer.name + " input"));
    const Tensor y = layer.forward(x);
    EXPECT_TRUE(close(y, golden_move(layer.name), 1e-14));
    (y * arange(y.numel(), kDouble).view(y.sizes())).sum().backward();
    EXPECT_TRUE(close(x.grad(), golden_move(layer.name + " gradient"), 1e-14));
    EXPECT_EQ(printed(*layer.module), layer.prints);
    EXPECT_EQ(printed(*layer.module->clone()), layer.prints);
    EXPECT_TRUE(layer.module->state_dict().empty());
  }
}

TEST(Rearranging, PassesGradcheckOfBothOrders) {
  for (const Mover& layer : movers()) {
    SCOPED_TRACE(layer.name);
    const auto call = [&](const std::vector<Tensor>& in) {
      return std::vector<Tensor>{layer.forward(in[0])};
    };
    const Tensor x = parameter_of(golden_move(layer.name + " input"));
    EXPECT_TRUE(autograd::gradcheck(call, {x}));
    EXPECT_TRUE(autograd::gradgradcheck(call, {x}));
  }
}

TEST(Rearranging, TakesStridedTensorsOtherDevicesAndDtypes) {
  for (const Mover& layer : movers()) {
    SCOPED_TRACE(layer.name);
    const Tensor x = golden_move(layer.name + " input"), y = golden_move(layer.name);
    const Tensor strided = x.transpose(0, -1).contiguous().transpose(0, -1);
    EXPECT_TRUE(close(layer.forward(strided), y, 1e-14));
    const Tensor there = layer.forward(x.to("cuda:1"));
    EXPECT_EQ(there.device(), Device("cuda:1"));
    EXPECT_TRUE(close(there, y, 1e-14));
    EXPECT_TRUE(close(layer.forward(x.to(kBFloat16)).to(kDouble), y, 2e-2));
  }
}

TEST(Rearranging, TakesBatchesWithoutElements) {
  for (const Mover& layer : movers()) {
    SCOPED_TRACE(layer.name);
    auto sizes = golden_move(layer.name + " input").sizes().vec();
    const bool is_one = layer.name.find("of one") != std::string::npos;
    // These take a batch of inputs without a batch dimension.
    if (is_one || layer.name == "ReplicationPad1d" || layer.name == "ReflectionPad3d" ||
        layer.name == "CircularPad1d") {
      sizes.insert(sizes.begin(), 1);
    }
    sizes[0] = 0;
    const Tensor x = zeros(sizes, kDouble).requires_grad_();
    const Tensor y = layer.forward(x);
    if (layer.name != "ZeroPad1d" && layer.name != "ZeroPad3d" && layer.name != "ConstantPad2d") {
      EXPECT_EQ(y.numel(), 0);  // these three pad dimension 0
    }
    y.sum().backward();
    EXPECT_EQ(x.grad().sizes(), x.sizes());
  }
}

TEST(Rearranging, SaysWhatDoesNotFit) {
  const auto expect = [](const std::function<void()>& call, const std::string& text) {
    EXPECT_EQ(error_of<ShapeError>(call).substr(0, text.size()), text);
  };
  const Tensor x = ones({2, 3, 4});
  expect([&] { nn::ReflectionPad1d(4)(x); },
         "pad: Argument #4: Padding size should be less than the corresponding input dimension, "
         "but got: padding (4, 4) at dimension 2 of input [2, 3, 4]\n");
  expect([&] { nn::CircularPad1d(1)(x.unsqueeze(0)); }, "expected 2D or 3D input (got 4D input)\n");
  expect([&] { nn::CircularPad3d(1)(x); }, "expected 4D or 5D input (got 3D input)\n");
  expect([&] { nn::CircularPad1d(5)(x); },
         "pad: Padding value causes wrapping around more than once. Got padding (5, 5) at "
         "dimension 2 of input [2, 3, 4]\n");
  expect([&] { nn::ConstantPad3d(1, 2)(x[0]); },
         "pad: Padding length should be less than or equal to two times the input dimension but "
         "got padding length 6 and input of dimension 2\n");
  expect([&] { nn::ReplicationPad1d(-2)(x); },
         "pad: input (W: 4) is too small. Calculated output W: 0\n");
  EXPECT_NE(error_of<NotImplementedError>([&] {
              nn::ReflectionPad3d(1)(x);
            }).find("Padding size 6 is not supported for 3D input tensor."),
            std::string::npos);
  EXPECT_EQ(error_of<NotImplementedError>([&] {
              pad(x > 0, {1, 1}, "reflect");
            }),
            "pad: \"reflection_pad1d\" not implemented for 'Bool'");
  EXPECT_EQ(error_of<NotImplementedError>([&] {
              pad(x, {1, 1}, "mirror");
            }),
            "pad: Unrecognised padding mode mirror");
  EXPECT_EQ(error_of([&] {
              pad(x, {1, 1}, "reflect", 3);
            }),
            "pad: Padding mode \"reflect\" doesn't take in value argument");
  expect([&] { pad(x, {1}); }, "pad: Padding length must be divisible by 2");
  expect([] { nn::UnfoldOptions({1, 2, 3}); }, "Expected 2 values, but instead got 3");
  expect([&] { nn::Unfold(5)(x); },
         "im2col: Given input with spatial size (3, 4), kernel_size=(5, 5), dilation=(1, 1), "
         "padding=(0, 0), calculated shape of the array of sliding blocks as (-1, 0), but its "
         "components must be at least one.\n");
  using Unfold = nn::UnfoldOptions;
  expect([&] { nn::Unfold{Unfold(0)}(x); },
         "im2col: kernel size should be greater than zero, but got kernel_height: 0 kernel_width: "
         "0\n");
  expect([&] { nn::Unfold{Unfold(1).stride(0)}(x); },
         "im2col: stride should be greater than zero, but got stride_height: 0 stride_width: 0\n");
  expect([&] { nn::Unfold{Unfold(1).dilation(0)}(x); },
         "im2col: dilation should be greater than zero, but got dilation_height: 0 "
         "dilation_width: 0\n");
  expect([&] { nn::Unfold{Unfold(1).padding(-1)}(x); },
         "im2col: padding should be non-negative, but got pad_height: -1 pad_width: -1\n");
  expect(
      [&] {
        nn::Fold(3, 2)(ones({8, 5}));
      },
      "col2im: Given output_size=(3, 3), kernel_size=(2, 2)");
  expect(
      [&] {
        nn::Unflatten(1, std::vector<std::int64_t>{2, 2})(x);
      },
      "unflatten: Provided sizes [2, 2] don't multiply up to the size of dim 1 (3)");
  expect([&] { nn::PixelShuffle(2)(x); }, "pixel_shuffle: ");
  EXPECT_FALSE((std::is_constructible_v<nn::ZeroPad2dOptions, bool>));
  EXPECT_FALSE((std::is_constructible_v<nn::ConstantPad1dOptions, int, bool>));
  EXPECT_FALSE((std::is_constructible_v<nn::PixelShuffleOptions, bool>));
  EXPECT_FALSE((std::is_constructible_v<nn::UnfoldOptions, bool>));
}

TEST(Rearranging, HasFunctions) {
  namespace F = nn::functional;
  const Tensor x = golden_move("ReplicationPad2d input");
  const auto replicate = F::PadFuncOptions({1, 2, -1, 3}).mode(kReplicate);
  EXPECT_TRUE(F::pad(x, replicate).equal(golden_move("ReplicationPad2d")));
  EXPECT_TRUE(
      F::pad(x[0], F::PadFuncOptions({1, 1}).mode(kReflect)).equal(pad(x[0], {1, 1}, "reflect")));
  EXPECT_TRUE(
      F::pad(x[0], F::PadFuncOptions({1, 1}).mode(kCircular)).equal(pad(x[0], {1, 1}, "circular")));
  EXPECT_TRUE(F::pad(x, F::PadFuncOptions({1, 1}).value(4)).equal(constant_pad_nd(x, {1, 1}, 4)));
  const Tensor blocks = golden_move("Unfold of one");
  EXPECT_TRUE(F::unfold(golden_move("Unfold of one input"), F::UnfoldFuncOptions(2)).equal(blocks));
  EXPECT_EQ(F::fold(blocks, F::FoldFuncOptions(3, 2)).sizes(), IntArrayRef({2, 3, 3}));
  const Tensor pixels = golden_move("PixelShuffle input");
  const Tensor shuffled = F::pixel_shuffle(pixels, F::PixelShuffleFuncOptions(2));
  EXPECT_TRUE(F::pixel_unshuffle(shuffled, F::PixelUnshuffleFuncOptions(2)).equal(pixels));
  EXPECT_TRUE(F::channel_shuffle(golden_move("ChannelShuffle input"), 2)
                  .equal(golden_move("ChannelShuffle")));
}

}  // namespace
}  // namespace tern
