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

TEST(TorchModule, CastsIntegersToo) {
  nn::BatchNorm1d norm(2);
  norm->to(torch::kDouble);
  EXPECT_EQ(norm->num_batches_tracked.scalar_type(), torch::kDouble);
}

TEST(TorchPrinting, LeavesBoolsSpelledOut) {
  std::ostringstream out;
  out << nn::ReLU() << true << nn::Linear(1, 1) << true;
  EXPECT_EQ(out.str(),
            "torch::nn::ReLU()1torch::nn::Linear(in_features=1, out_features=1, bias=true)true");
}

TEST(TorchHardtanh, ChecksItsOptionsInTheModuleAlone) {
  const auto options = nn::HardtanhOptions().min_val(1).max_val(0);
  EXPECT_EQ(error_of([&] { nn::Hardtanh module(options); }),
            "Hardtanh: max_val must be greater than min_val, got max_val=0 and min_val=1");
  const torch::Tensor x = torch::ones({1});
  EXPECT_EQ(nn::functional::hardtanh(x, options).item<float>(), 0);
}

TEST(TorchOrderedDict, NamesAMissingKeyAlone) {
  const torch::OrderedDict<std::string, int> dict = {{"x", 1}};
  EXPECT_EQ(error_of([&] { dict["zebra"]; }), "Key 'zebra' is not defined");
}

// The functions of modules, with the options as arguments.
TEST(TorchFunctionalDetail, ComputesAsTheFunctionsWithOptions) {
  namespace F = nn::functional;
  const torch::Tensor x = torch::arange(32, torch::kFloat).view({1, 2, 4, 4}).sub(7).div(10);
  const torch::Tensor w = torch::linspace(-1, 1, 36).view({2, 2, 3, 3});
  const torch::Tensor y = torch::zeros_like(x);
  const auto same = [](const torch::Tensor& a, const torch::Tensor& b) {
    EXPECT_TRUE(a.equal(b)) << a << b;
  };
  same(F::detail::conv2d(x, w, {}, 1, torch::kSame, 1, 1),
       F::conv2d(x, w, F::Conv2dFuncOptions().padding(1)));
  same(F::detail::conv_transpose2d(x, w, {}, 2, 1, 1, 1, 1),
       F::conv_transpose2d(x, w,
                           F::ConvTranspose2dFuncOptions().stride(2).padding(1).output_padding(1)));
  same(F::detail::max_pool2d(x, 2, 1, 0, 1, false),
       F::max_pool2d(x, F::MaxPool2dFuncOptions(2).stride(1)));
  same(F::detail::avg_pool2d(x, 2, 2, 1, false, false, std::nullopt),
       F::avg_pool2d(x, F::AvgPool2dFuncOptions(2).padding(1).count_include_pad(false)));
  same(F::detail::adaptive_avg_pool2d(x, {2, 3}), F::adaptive_avg_pool2d(x, {{2, 3}}));
  same(F::detail::leaky_relu(x, 0.1, false), torch::leaky_relu(x, 0.1));
  same(F::detail::dropout(x, 0.5, /*training=*/false, false), x);
  same(F::detail::batch_norm(x, {}, {}, {}, {}, true, std::nullopt, 1e-5),
       F::batch_norm(x, {}, {}, F::BatchNormFuncOptions().training(true)));
  same(F::detail::layer_norm(x, {4, 4}, {}, {}, 1e-5), torch::layer_norm(x, {4, 4}));
  same(F::detail::pad(x, {1, 2}, torch::kConstant, 3), torch::constant_pad_nd(x, {1, 2}, 3));
  same(F::detail::interpolate(x, std::vector<int64_t>{2, 2}, std::nullopt, torch::kNearest,
                              std::nullopt, std::nullopt, false),
       F::interpolate(x, F::InterpolateFuncOptions().size(std::vector<int64_t>{2, 2})));
  same(F::detail::mse_loss(x, y, torch::kSum), x.square().sum());
  same(F::detail::huber_loss(x, y, torch::kMean, 0.5),
       F::huber_loss(x, y, F::HuberLossFuncOptions().delta(0.5)));
  const torch::Tensor target = torch::tensor({0, 3});
  same(F::detail::cross_entropy(x[0][0].slice(0, 0, 2), target, {}, -100, torch::kMean, 0),
       F::cross_entropy(x[0][0].slice(0, 0, 2), target));
}

}  // namespace
