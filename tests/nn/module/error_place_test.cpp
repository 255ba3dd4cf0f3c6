#include <new>

#include "nn/nn_test.h"

// An error inside a module's forward names the innermost module, by its path from the outermost
// running module.

namespace tern {
namespace {

struct EncoderLayerImpl : nn::Module {
  Tensor forward(const Tensor& x) { return linear1(x); }
  nn::Linear linear1 = register_module("linear1", nn::Linear(3, 3));
};
TERN_MODULE(EncoderLayer);

struct EncoderNetImpl : nn::Module {
  EncoderNetImpl() {
    layers = register_module("layers", nn::Sequential());
    for (int i = 0; i < 4; ++i) layers->push_back(EncoderLayer());
  }
  Tensor forward(const Tensor& x) { return layers(x); }
  nn::Sequential layers{nullptr};
};
TERN_MODULE(EncoderNet);

struct OutermostImpl : nn::Module {
  Tensor forward(const Tensor& x) { return encoder(x); }
  EncoderNet encoder = register_module("encoder", EncoderNet());
};
TERN_MODULE(Outermost);

TEST(ErrorPlace, IsThePathOfTheInnermostModule) {
  const Outermost net;
  EXPECT_EQ(error_of<ShapeError>([&] {
              net(ones({2, 4}));
            }),
            "linear: mat1 and mat2 shapes cannot be multiplied (2x4 and 3x3); the last size of the "
            "input should be 3\n"
            "  in module 'encoder.layers.0.linear1' (Linear)");
  net->encoder->layers->at<EncoderLayerImpl>(3).linear1->to(kDouble);
  EXPECT_NE(error_of<DTypeError>([&] {
              net(ones({2, 3}));
            }).find("\n  in module 'encoder.layers.3.linear1' (Linear)"),
            std::string::npos);
  // The path begins at the outermost running module.
  EXPECT_NE(error_of([&] {
              net->encoder->layers(ones({2, 4}));
            }).find("in module '0.linear1' (Linear)"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              net->encoder->forward(ones({2, 4}));
            }).find("in module '0.linear1' (Linear)"),
            std::string::npos);
}

TEST(ErrorPlace, IsTheModuleItselfAtTheTop) {
  const nn::Linear fc(3, 3);
  const std::string text = error_of<ShapeError>([&] { fc(ones({2, 4})); });
  EXPECT_TRUE(text.ends_with("\n  in module Linear")) << text;
  EXPECT_EQ(error_of([&] { fc->forward(ones({2, 4})); }).find("in module"), std::string::npos);
}

TEST(ErrorPlace, LeavesWhatAProgramThrowsAsItIs) {
  struct ThrowsImpl : nn::Module {
    Tensor forward(const Tensor& x) {
      if (x.numel() == 0) throw std::bad_alloc();
      TERN_CHECK(x.numel() == 1, FileError, "two files");
      throw FileError("no file");
    }
  };
  const nn::ModuleHolder<ThrowsImpl> net;
  EXPECT_THROW(net(ones({0})), std::bad_alloc);
  EXPECT_EQ(error_of<FileError>([&] { net(ones({1})); }), "no file");
  EXPECT_EQ(error_of<FileError>([&] { net(ones({2})); }), "two files\n  in module Throws");
  EXPECT_EQ(detail::running_module_text(), "");
}

// A module that rethrows an error adds no second module name to the text.
TEST(ErrorPlace, IsGivenOnce) {
  struct PassesOnImpl : nn::Module {
    Tensor forward(const Tensor& x) {
      try {
        return fc(x);
      } catch (const Error& error) {
        detail::raise<Error>("passed on: ", error.what());
      }
    }
    nn::Linear fc = register_module("fc", nn::Linear(3, 3));
  };
  const nn::ModuleHolder<PassesOnImpl> net;
  EXPECT_EQ(error_of([&] {
              net(ones({2, 4}));
            }),
            "passed on: linear: mat1 and mat2 shapes cannot be multiplied (2x4 and 3x3); the last "
            "size of the input should be 3\n"
            "  in module 'fc' (Linear)");
}

// In backward, the failing op is the outermost op.
TEST(ErrorPlace, NamesTheOpOfAHook) {
  const nn::Linear fc(3, 3);
  const Tensor y = fc(ones({2, 3}));
  y.register_hook([](const Tensor& g) { return g + ones({5}); });
  const std::string text = error_of<ShapeError>([&] { y.sum().backward(); });
  EXPECT_EQ(text.find("add: The size of tensor a (3) must match the size of tensor b (5)"), 0u)
      << text;
  EXPECT_EQ(text.find("in module"), std::string::npos) << text;
}

TEST(ErrorPlace, MixedDevicesNameBothInTheOrderOfTheArguments) {
  const nn::Linear fc(3, 3), no_bias(nn::LinearOptions(3, 3).bias(false));
  const auto text_of = [&](const nn::Linear& layer, Device home, Device away) {
    layer->to(home);
    return error_of<DeviceError>([&] { layer(ones({2, 3}, away)); });
  };
  const std::string begin =
      "linear: Expected all tensors to be on the same device, but found at least two devices, ";
  const std::string end =
      "! (when checking argument for argument mat1 in method wrapper_CUDA_addmm)\n"
      "  in module Linear";
  EXPECT_EQ(text_of(fc, "cuda:0", "cpu"), begin + "cpu and cuda:0" + end);
  EXPECT_EQ(text_of(fc, "cpu", "cuda:0"), begin + "cuda:0 and cpu" + end);
  EXPECT_EQ(text_of(fc, "cuda:0", "cuda:1"), begin + "cuda:1 and cuda:0" + end);
  const std::string two =
      "! (when checking argument for argument mat2 in method wrapper_CUDA_mm)\n  in module Linear";
  EXPECT_EQ(text_of(no_bias, "cuda:0", "cpu"), begin + "cpu and cuda:0" + two);
  EXPECT_EQ(text_of(no_bias, "cpu", "cuda:0"), begin + "cuda:0 and cpu" + two);
}

TEST(ErrorPlace, MixedDevicesBlameTheArgumentThatDiffers) {
  const Device gpu("cuda:1");
  const Tensor matrix = ones({3, 3}), row = ones({3});
  const auto blamed = [&](bool input, bool weight, bool bias) {
    const auto on = [&](const Tensor& tensor, bool there) {
      return there ? tensor.to(gpu) : tensor;
    };
    const std::string text = error_of<DeviceError>(
        [&] { linear(on(matrix, input), on(matrix, weight), on(row, bias)); });
    const std::size_t at = text.find("for argument ") + 13;
    return text.substr(at, text.find(" in method") - at);
  };
  EXPECT_EQ(blamed(true, false, false), "mat1");
  EXPECT_EQ(blamed(false, true, true), "mat1");
  EXPECT_EQ(blamed(false, true, false), "mat2");
  EXPECT_EQ(blamed(true, false, true), "mat2");
  EXPECT_EQ(blamed(false, false, true), "self");
  EXPECT_EQ(blamed(true, true, false), "self");
  EXPECT_EQ(error_of([&] { mse_loss(row, row.to(gpu)); }),
            "mse_loss: Expected all tensors to be on the same device, but found at least two "
            "devices, cpu and cuda:1!");
  EXPECT_EQ(error_of([&] { row.to(gpu) + row; }),
            "add: Expected all tensors to be on the same device, but found at least two devices, "
            "cuda:1 and cpu!");
}

TEST(ErrorPlace, HintsAtRegisterBufferOnlyInsideModulesOfUsers) {
  struct ForgetfulImpl : nn::Module {
    Tensor forward(const Tensor& x) { return x + offset; }
    Tensor offset = ones({2});
  };
  const nn::ModuleHolder<ForgetfulImpl> net;
  const Tensor x = ones({2}, Device("cuda:1"));
  EXPECT_NE(error_of([&] { net(x); }).find("register_buffer"), std::string::npos);
  EXPECT_EQ(error_of([&] { x + ones({2}); }).find("register_buffer"), std::string::npos);
  EXPECT_EQ(error_of([&] { nn::Linear(2, 2)(x); }).find("register_buffer"), std::string::npos);
}

// The result of a kernel must not be written to memory of another device.
TEST(ErrorPlace, InPlaceOpsRefuseNumbersOfAGpu) {
  Tensor here = ones({});
  const Tensor there = ones({}, Device("cuda:1"));
  EXPECT_NE(error_of<DeviceError>([&] { here.add_(there); }).find("cpu and cuda:1!"),
            std::string::npos);
  EXPECT_EQ(here.item<float>(), 1);
}

}  // namespace
}  // namespace tern
