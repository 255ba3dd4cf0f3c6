#include <tern/compat/torch/torch.h>

#include <gtest/gtest.h>

#include "error_of.h"
#include "printed.h"

// Modules as programs for libtorch see them. The texts and the orders are libtorch 2.15's.

namespace nn = torch::nn;
using tern::error_of;
using tern::printed;

namespace {

using Names = std::vector<std::string>;

struct PairImpl : nn::Cloneable<PairImpl> {
  PairImpl() { reset(); }
  void reset() override {
    first = register_module("first", nn::Linear(2, 3));
    second = register_module("second", nn::Linear(3, 2));
  }
  torch::Tensor forward(const torch::Tensor& x) { return second(first(x)); }
  nn::Linear first{nullptr}, second{nullptr};
};
TORCH_MODULE(Pair);

TEST(TorchModule, VisitsParentsFirst) {
  Pair pair;
  nn::Sequential net(nn::Linear(1, 1), pair, nn::ReLU());
  const Names order = {"top", "top.0", "top.1", "top.1.first", "top.1.second", "top.2"};
  Names visited;
  net->apply([&](const std::string& name, nn::Module&) { visited.push_back(name); }, "top");
  EXPECT_EQ(visited, order);
  visited.clear();
  net->apply(
      [&](const std::string& name, const std::shared_ptr<nn::Module>&) { visited.push_back(name); },
      std::string("top"));
  EXPECT_EQ(visited, order);
  visited.clear();
  const nn::Module::ConstModuleApplyFunction collect = [&](const nn::Module& module) {
    visited.push_back(module.name());
  };
  std::as_const(*pair).apply(collect);
  EXPECT_EQ(visited[0], pair->name());
  EXPECT_EQ(visited[1], "torch::nn::LinearImpl");
  EXPECT_EQ(net->named_modules("top").keys(), order);
}

struct SharedImpl : nn::Module {
  SharedImpl() {
    nn::Linear linear(2, 2);
    a = register_module("a", linear);
    b = register_module("b", linear);
    tied = register_parameter("tied", linear->weight);
  }
  nn::Linear a{nullptr}, b{nullptr};
  torch::Tensor tied;
};
TORCH_MODULE(Shared);

TEST(TorchModule, ListsWhatIsSharedTwice) {
  Shared net;
  EXPECT_EQ(net->named_parameters().keys(),
            (Names{"tied", "a.weight", "a.bias", "b.weight", "b.bias"}));
  EXPECT_EQ(net->parameters().size(), 5u);
  EXPECT_EQ(net->parameters(/*recurse=*/false).size(), 1u);
  EXPECT_EQ(net->named_modules().keys(), (Names{"", "a", "b"}));
  EXPECT_EQ(net->modules(/*include_self=*/false).size(), 2u);
  EXPECT_EQ(net->children().size(), 2u);
  int visits = 0;
  net->apply([&](nn::Module&) { ++visits; });
  EXPECT_EQ(visits, 3);
}

TEST(TorchModule, StepsASharedParameterOnce) {
  Shared net;
  torch::optim::SGD optimizer(net->parameters(), 0.5);
  EXPECT_EQ(optimizer.size(), 2u);
  const auto before = net->tied.detach().clone();
  net->a(torch::ones({1, 2})).sum().backward();
  optimizer.step();
  EXPECT_TRUE(net->tied.equal(before - 0.5));
}

struct CountingImpl : nn::Module {
  void zero_grad(bool set_to_none) override {
    ++zeroed;
    nn::Module::zero_grad(set_to_none);
  }
  bool is_training() const noexcept override { return false; }
  int zeroed = 0;
};
TORCH_MODULE(Counting);

TEST(TorchModule, CallsWhatSubmodulesOverride) {
  Counting counting;
  nn::ModuleList list(nn::Linear(2, 1), counting);
  auto& linear = list->at<nn::LinearImpl>(0);
  linear.forward(torch::ones({1, 2})).sum().backward();
  list->zero_grad(/*set_to_none=*/false);
  EXPECT_EQ(counting->zeroed, 1);
  EXPECT_EQ(linear.weight.grad().sum().item<float>(), 0);
  list->zero_grad();
  EXPECT_FALSE(linear.weight.grad().defined());
  const nn::Module& module = *counting;
  EXPECT_FALSE(module.is_training());
}

TEST(TorchModule, IsNamedAsInLibtorch) {
  EXPECT_EQ(nn::Conv2d(1, 1, 1)->name(), "torch::nn::Conv2dImpl");
  EXPECT_EQ(nn::Module().name(), "torch::nn::Module");
  struct Plain : nn::Module {};
  const std::string text = error_of([] { nn::Module().clone(); });
  EXPECT_EQ(text,
            "clone() has not been implemented for torch::nn::Module. Subclass "
            "torch::nn::Cloneable<torch::nn::Module> instead of torch::nn::Module to inherit the "
            "ability to clone.");
  EXPECT_EQ(error_of([] { SharedImpl().modules(); }).find("It looks like you attempted"), 0u);
}

TEST(TorchModule, IsReachedThroughItsHolder) {
  nn::Linear linear(3, 2), empty = nullptr;
  nn::Linear::Impl* const module = linear.get();
  EXPECT_EQ(module, linear.ptr().get());
  EXPECT_EQ(error_of([&] { empty->reset(); }).find("Accessing empty ModuleHolder"), 0u);
  nn::Functional relu(torch::relu);
  EXPECT_EQ((*relu)(torch::tensor({-1., 2.})).sum().item<float>(), 2);
}

TEST(TorchPrinting, WritesParametersOnLinesOfTheirOwn) {
  nn::ParameterDict dict;
  dict->insert("gain", torch::ones({2}));
  EXPECT_EQ(printed(dict),
            "torch::nn::ParameterDict(\n(gain): Parameter containing: [Float of size [2]]\n)");
  const nn::ParameterList list(torch::ones({2}, torch::kDouble), torch::ones({}, torch::kInt));
  EXPECT_EQ(printed(list),
            "torch::nn::ParameterList(\n(0): Parameter containing: [Double of size [2]]\n"
            "(1): Parameter containing: [Int of size []]\n)");
  const nn::ModuleList nested(list);
  EXPECT_EQ(printed(nested),
            "torch::nn::ModuleList(\n"
            "  (0): torch::nn::ParameterList(\n(0): Parameter containing: [Double of size [2]]\n"
            "(1): Parameter containing: [Int of size []]\n)\n)");
}

TEST(TorchPrinting, WritesAttention) {
  EXPECT_EQ(printed(nn::MultiheadAttention(4, 2)).find("torch::nn::MultiheadAttention(\n"), 0u);
}

}  // namespace
