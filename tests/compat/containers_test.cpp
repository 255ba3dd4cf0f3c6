#include <tern/compat/torch/torch.h>

#include <gtest/gtest.h>

#include "error_of.h"

// AnyModule, AnyValue and containers as programs for libtorch use them, with libtorch 2.15's texts.

namespace nn = torch::nn;
using tern::error_of;

namespace {

struct AdderImpl : nn::Module {
  explicit AdderImpl(int added_ = 1) : added(added_) {}
  int forward(int value) { return value + added; }
  int added;
};
TORCH_MODULE(Adder);

struct HalfImpl : nn::Module {
  float forward(int value) { return static_cast<float>(value) / 2; }
};
TORCH_MODULE(Half);

struct ScaleImpl : nn::Module {
  torch::Tensor forward(torch::Tensor x, int factor = 2, double offset = 3) {
    return x * factor + offset;
  }

 protected:
  FORWARD_HAS_DEFAULT_ARGS({1, nn::AnyValue(2)}, {2, nn::AnyValue(3.0)})
};
TORCH_MODULE(Scale);

TEST(TorchAnyModule, HoldsAndCallsAModule) {
  nn::AnyModule any(Adder(4));
  EXPECT_EQ(any.forward<int>(3), 7);
  EXPECT_EQ(any.any_forward(1).get<int>(), 5);
  EXPECT_EQ(any.get<Adder>()->added, 4);
  EXPECT_EQ(any.get<AdderImpl>().added, 4);
  EXPECT_EQ(any.ptr<AdderImpl>()->added, 4);
  EXPECT_TRUE(any.type_info() == typeid(AdderImpl));
  any = std::make_shared<AdderImpl>(9);
  const nn::AnyModule copy = any;
  EXPECT_EQ(copy.get<AdderImpl>().added, 9);
  EXPECT_EQ(nn::AnyModule(Scale()).forward(torch::ones({1})).item<float>(), 5);
  EXPECT_EQ(nn::AnyModule(Scale()).forward(torch::ones({1}), 4, 0.5).item<float>(), 4.5F);
}

TEST(TorchAnyModule, SaysWhatDoesNotFit) {
  nn::AnyModule empty, any(Adder(1)), linear(nn::Linear(1, 1));
  EXPECT_EQ(error_of([&] { empty.forward<int>(5); }),
            "Cannot call forward() on an empty AnyModule");
  EXPECT_EQ(error_of([&] { empty.ptr(); }), "Cannot call ptr() on an empty AnyModule");
  EXPECT_EQ(error_of([&] { any.forward<float>(1); }),
            "Attempted to cast AnyValue to float, but its actual type is int");
  EXPECT_EQ(error_of([&] { any.forward(1); }),
            "Attempted to cast AnyValue to at::Tensor, but its actual type is int");
  const std::string count = error_of([&] { any.forward<int>(); });
  EXPECT_NE(count.find("forward() method expects 1 argument(s), but received 0. If "),
            std::string::npos);
  EXPECT_NE(count.find("a corresponding `FORWARD_HAS_DEFAULT_ARGS` macro."), std::string::npos);
  EXPECT_EQ(error_of([&] { linear.forward(2); })
                .find("Expected argument #0 to be of type at::Tensor, but received value of type "
                      "int"),
            0u);
  EXPECT_EQ(error_of([&] { linear.get<nn::ReLUImpl>(); })
                .find("Attempted to cast module of type torch::nn::LinearImpl to type "
                      "torch::nn::ReLUImpl"),
            0u);
}

TEST(TorchAnyValue, NamesTypesAsInLibtorch) {
  nn::AnyValue number(5), tensors(std::vector<torch::Tensor>{torch::ones({1})});
  EXPECT_EQ(*number.try_get<int>(), 5);
  EXPECT_EQ(nn::AnyValue("text").get<const char*>(), std::string("text"));
  EXPECT_EQ(error_of([&] { number.get<torch::Tensor>(); }),
            "Attempted to cast AnyValue to at::Tensor, but its actual type is int");
  EXPECT_EQ(error_of([&] { tensors.get<int>(); }),
            "Attempted to cast AnyValue to int, but its actual type is "
            "std::vector<at::Tensor, std::allocator<at::Tensor> >");
}

TEST(TorchSequential, RunsWhatItHolds) {
  nn::Sequential net({{"one", Adder(1)}, {"two", std::make_shared<AdderImpl>(2)}});
  net->push_back("half", Half());
  EXPECT_EQ(net->forward<float>(4), 3.5F);
  EXPECT_EQ(net->named_children().keys(), (std::vector<std::string>{"one", "two", "half"}));
  EXPECT_EQ(net->at<AdderImpl>(1).added, 2);
  EXPECT_EQ(net->ptr<AdderImpl>(0)->added, 1);
  EXPECT_EQ(error_of([&] {
              net->forward<int>(4);
            }).find("The type of the return value is float, but you asked for type int"),
            0u);
  nn::Sequential more;
  more->extend(*net);
  EXPECT_EQ(more->size(), 3u);
  nn::Sequential recurrent(nn::LSTM(2, 3));
  const auto [output, state] =
      recurrent->forward<std::tuple<torch::Tensor, std::tuple<torch::Tensor, torch::Tensor>>>(
          torch::ones({4, 1, 2}));
  EXPECT_EQ(output.sizes(), torch::IntArrayRef({4, 1, 3}));
}

TEST(TorchContainers, NameTheirModules) {
  nn::ModuleDict dict(torch::OrderedDict<std::string, std::shared_ptr<nn::Module>>{
      {"linear", nn::Linear(1, 2).ptr()}, {"relu", nn::ReLU().ptr()}});
  EXPECT_EQ(dict["relu"]->name(), "torch::nn::ReLUImpl");
  EXPECT_EQ(error_of([&] {
              dict->at<nn::ReLUImpl>("linear");
            }).find("Unable to cast module[linear] to torch::nn::ReLUImpl"),
            0u);
  nn::ModuleList list(nn::Linear(1, 2), nn::ReLU());
  EXPECT_EQ(error_of([&] {
              list->at<nn::ReLUImpl>(0);
            }).find("Unable to cast module[0] to torch::nn::ReLUImpl"),
            0u);
  for (const std::shared_ptr<nn::Module>& module : *list) {
    EXPECT_EQ(module->name().find("torch::nn::"), 0u);
  }
}

}  // namespace
