#include <tern/compat/torch/torch.h>

#include <array>
#include <sstream>

#include <gtest/gtest.h>

#include "printed.h"

// Code as programs for libtorch have it. The printed texts and the numbers are libtorch 2.15's.

namespace nn = torch::nn;
namespace F = torch::nn::functional;

using tern::printed;

namespace {

struct NetImpl : nn::Module {
  NetImpl(int64_t in, int64_t hidden)
      : fc1(register_module("fc1", nn::Linear(in, hidden))),
        drop(register_module("drop", nn::Dropout(0.25))),
        fc2(register_module("fc2", nn::Linear(nn::LinearOptions(hidden, 1).bias(false)))) {
    gain = register_parameter("gain", torch::ones({1}));
    register_buffer("count", torch::zeros({1}, torch::kLong));
  }
  torch::Tensor forward(torch::Tensor x) {
    x = torch::relu(fc1->forward(x));
    x = torch::dropout(x, 0.25, is_training());
    return fc2(drop(x)) * gain;
  }
  nn::Linear fc1;
  nn::Dropout drop;
  nn::Linear fc2;
  torch::Tensor gain;
};
TORCH_MODULE(Net);

struct ScaleOptions {
  ScaleOptions(double factor) : factor_(factor) {}
  TORCH_ARG(double, factor);
  TORCH_ARG(torch::optional<torch::Device>, device) = torch::nullopt;
};

class ScaleImpl : public nn::Cloneable<ScaleImpl> {
 public:
  explicit ScaleImpl(const ScaleOptions& options_) : options(options_) { reset(); }
  void reset() override { offset = register_parameter("offset", torch::zeros({})); }
  torch::Tensor forward(const torch::Tensor& x, double extra = 0) {
    return x * options.factor() + offset + extra;
  }
  ScaleOptions options;
  torch::Tensor offset;

 protected:
  FORWARD_HAS_DEFAULT_ARGS({1, nn::AnyValue(0.0)})
};
TORCH_MODULE_IMPL(ScaleModule, ScaleImpl);

TEST(TorchPrograms, DefineAndTrainModules) {
  torch::manual_seed(1);
  Net net(3, 8);
  torch::optim::SGD optimizer(net->parameters(), torch::optim::SGDOptions(0.05).momentum(0.9));
  auto x = torch::randn({32, 3});
  auto y = x.sum(1, true);
  for (int i = 0; i < 50; ++i) {
    optimizer.zero_grad();
    auto loss = F::mse_loss(net(x), y);
    loss.backward();
    optimizer.step();
    if (i == 0) {
      EXPECT_NEAR(loss.item<float>(), 3.57508, 1e-4);
    }
  }
  net->eval();
  torch::NoGradGuard no_grad;
  EXPECT_NEAR((net(x) - y).abs().mean().item<double>(), 0.361663, 1e-4);
  EXPECT_EQ(net->named_parameters().keys(),
            (std::vector<std::string>{"gain", "fc1.weight", "fc1.bias", "fc2.weight"}));
}

TEST(TorchPrograms, UseOptionsContainersAndDefaultArguments) {
  ScaleModule scale(ScaleOptions(2).device(torch::Device("cpu")));
  EXPECT_EQ(scale(torch::ones({1}), 0.5).item<float>(), 2.5f);
  nn::Sequential net(nn::Linear(2, 3), nn::Functional(torch::sigmoid), scale);
  EXPECT_EQ(net->forward(torch::zeros({4, 2})).sizes(), torch::IntArrayRef({4, 3}));
  auto copy = std::dynamic_pointer_cast<ScaleImpl>(scale->clone());
  EXPECT_FALSE(copy->offset.is_same(scale->offset));
  nn::LayerNorm norm(nn::LayerNormOptions({2, 2}).elementwise_affine(false).eps(2e-5));
  const auto x = torch::rand({3, 2, 2});
  EXPECT_TRUE(torch::equal(norm(x), F::layer_norm(x, F::LayerNormFuncOptions({2, 2}).eps(2e-5))));
  EXPECT_EQ(printed(norm), "torch::nn::LayerNorm([2, 2], eps=2e-05, elementwise_affine=false)");
  EXPECT_EQ(nn::LayerNorm(std::vector<int64_t>{4})->weight.sizes(), torch::IntArrayRef({4}));
  torch::OrderedDict<std::string, torch::Tensor> dict;
  dict.insert("a", torch::ones({1}));
  EXPECT_EQ(dict["a"].item<float>(), 1);
  torch::optim::Adam adam(net->parameters(), 1e-3);
  static_cast<torch::optim::AdamOptions&>(adam.param_groups()[0].options()).lr(0.5);
  EXPECT_EQ(adam.param_groups()[0].options().get_lr(), 0.5);
  torch::optim::StepLR scheduler(adam, /*step_size=*/1, /*gamma=*/0.5);
  scheduler.step();  // counts from here
  EXPECT_EQ(adam.param_groups()[0].options().get_lr(), 0.5);
  scheduler.step();
  EXPECT_EQ(adam.param_groups()[0].options().get_lr(), 0.25);
  using Plateau = torch::optim::ReduceLROnPlateauScheduler;
  Plateau plateau(adam, Plateau::SchedulerMode::min, 0.5F, /*patience=*/0, 1e-4,
                  Plateau::ThresholdMode::rel);
  for (int epoch = 0; epoch < 2; ++epoch) plateau.step(1.0F);
  EXPECT_EQ(adam.param_groups()[0].options().get_lr(), 0.125);
  torch::optim::Adagrad adagrad(net->parameters(),
                                torch::optim::AdagradOptions(1e-2).lr_decay(0.1));
  torch::optim::RMSprop rmsprop(net->parameters(), 1e-2);
  const auto w = torch::full({2}, 3.0, torch::requires_grad());
  torch::optim::LBFGS lbfgs({w}, torch::optim::LBFGSOptions(1).line_search_fn("strong_wolfe"));
  const auto closure = [&] {
    lbfgs.zero_grad();
    const auto loss = (w * w).sum();
    loss.backward();
    return loss;
  };
  EXPECT_EQ(lbfgs.step(closure).item<float>(), 18);
  EXPECT_LT(closure().item<float>(), 1e-6);
  const at::Tensor tensor = torch::zeros({2}, torch::TensorOptions().dtype(torch::kFloat64));
  const c10::optional<int> nothing = c10::nullopt;
  EXPECT_FALSE(nothing);
  EXPECT_EQ(torch::str("n = ", tensor.numel()), "n = 2");
}

TEST(TorchPrograms, FindTheirNamesAfterUsingNamespace) {
  using namespace torch;
  nn::Linear linear(2, 1);
  Tensor x = ones({1, 2}, requires_grad());
  linear(x).sum().backward();
  EXPECT_EQ(autograd::grad({(x * x).sum()}, {x})[0].numel(), 2);
  const autograd::variable_list list{x};
  const autograd::Variable variable = x;
  EXPECT_FALSE(torch::cuda::is_available() && !variable.defined());
}

TEST(TorchPrograms, AssignToWhatAnExpressionReturns) {
  torch::Tensor a = torch::zeros({2, 3});
  a[0] = torch::ones({3});
  a[1][2] = 5;
  a.select(1, 1) = -1.5;
  a.slice(1, 0, 1) = torch::full({2, 1}, 7);
  torch::Tensor row = a[1];
  row = torch::ones({3});  // binds the name anew
  EXPECT_TRUE(torch::equal(a, torch::tensor({{7.0, -1.5, 1.0}, {7.0, -1.5, 5.0}})));
}

TEST(TorchPrograms, KnowAllDtypes) {
  nn::Linear net(2, 2);
  net->to(torch::kHalf);
  EXPECT_EQ(net->weight.scalar_type(), at::ScalarType::Half);
  EXPECT_EQ(net->weight.detach().data_ptr<at::Half>()[0], net->weight[0][0].item<c10::Half>());
  EXPECT_EQ(torch::ones({1}, torch::kBFloat16).item<at::BFloat16>(), 1);
  const at::Tensor bytes = torch::tensor({1, 2}, torch::kUInt8);
  EXPECT_EQ(bytes.data_ptr<uint8_t>()[1], 2);
  EXPECT_EQ(bytes.to(torch::kInt32).data_ptr<int>()[1], 2);
  EXPECT_EQ(torch::promote_types(torch::kChar, torch::kByte), torch::kShort);
  std::ostringstream out;
  out << torch::tensor({1.5, 2.5}, torch::kF16);
  EXPECT_EQ(out.str(), " 1.5000\n 2.5000\n[ CPUHalfType{2} ]");
}

TEST(TorchPrograms, CheckWithTheirMacros) {
  const auto text_of = [](const auto& fn) -> std::string {
    try {
      fn();
    } catch (const c10::Error& error) {
      return error.what_without_backtrace();
    }
    return "nothing was thrown";
  };
  EXPECT_EQ(text_of([] { TORCH_CHECK(1 == 2, "one ", 1, " two"); }), "one 1 two");
  EXPECT_EQ(text_of([] { TORCH_CHECK(1 == 2); }), "Expected 1 == 2 to be true, but got false.");
  EXPECT_EQ(text_of([] { AT_ASSERT(1 == 2, "x"); }), "x");
  EXPECT_EQ(text_of([] { AT_ERROR("bad ", 3); }), "bad 3");
  EXPECT_EQ(text_of([] { TORCH_CHECK(1 == 1, "fine"); }), "nothing was thrown");
  EXPECT_THROW(TORCH_CHECK_INDEX(false, "far"), torch::IndexError);
}

TEST(TorchPrinting, WritesTensorsAsLibtorch) {
  using torch::tensor;
  EXPECT_EQ(printed(tensor(0.1f)), "0.10000000149011612\n[ CPUFloatType{} ]");
  EXPECT_EQ(printed(tensor(1e10, torch::kDouble)), "10000000000\n[ CPUDoubleType{} ]");
  EXPECT_EQ(printed(tensor(1e16, torch::kDouble)), "1e+16\n[ CPUDoubleType{} ]");
  EXPECT_EQ(printed(tensor(true)), "1\n[ CPUBoolType{} ]");
  EXPECT_EQ(printed(tensor({1.0, 2.5, -3.25})), " 1.0000\n 2.5000\n-3.2500\n[ CPUFloatType{3} ]");
  EXPECT_EQ(printed(tensor({1, 2, 30})), "  1\n  2\n 30\n[ CPULongType{3} ]");
  EXPECT_EQ(printed(tensor({0.0001, 1.0, 100.0})),
            " 1.0000e-04\n 1.0000e+00\n 1.0000e+02\n[ CPUFloatType{3} ]");
  EXPECT_EQ(printed(tensor({1e-8, 1e-7})), "1e-07 *\n 0.1000\n 1.0000\n[ CPUFloatType{2} ]");
  EXPECT_EQ(printed(tensor({1234567.0, 1.0})), "1.23457e+06\n       1\n[ CPUFloatType{2} ]");
  EXPECT_EQ(printed(tensor({123456.5, 1.25})), " 1.2346e+05\n 1.2500e+00\n[ CPUFloatType{2} ]");
  const double inf = INFINITY;
  EXPECT_EQ(printed(tensor({std::nan(""), 1.0, inf, -inf})),
            "nan\n 1\ninf\n-inf\n[ CPUFloatType{4} ]");
  EXPECT_EQ(printed(tensor({std::nan(""), 1.5, 1000.25})),
            "       nan\n    1.5000\n 1000.2500\n[ CPUFloatType{3} ]");
  EXPECT_EQ(printed(torch::ones({2, 0, 3})), "[ CPUFloatType{2,0,3} ]");
  EXPECT_EQ(printed(torch::Tensor()), "[ Tensor (undefined) ]");
}

TEST(TorchPrinting, CutsMatricesIntoColumns) {
  EXPECT_EQ(printed(torch::arange(24).view({2, 3, 4})),
            "(1,.,.) = \n"
            "  0   1   2   3\n"
            "   4   5   6   7\n"
            "   8   9  10  11\n"
            "\n"
            "(2,.,.) = \n"
            " 12  13  14  15\n"
            "  16  17  18  19\n"
            "  20  21  22  23\n"
            "[ CPULongType{2,3,4} ]");
  EXPECT_EQ(printed(torch::arange(24).view({2, 12}).to(torch::kDouble) * 1e-9),
            "Columns 1 to 101e-08 *\n"
            " 0.0000  0.1000  0.2000  0.3000  0.4000  0.5000  0.6000  0.7000  0.8000  0.9000\n"
            "  1.2000  1.3000  1.4000  1.5000  1.6000  1.7000  1.8000  1.9000  2.0000  2.1000\n"
            "\n"
            "Columns 11 to 121e-08 *\n"
            " 1.0000  1.1000\n"
            "  2.2000  2.3000\n"
            "[ CPUDoubleType{2,12} ]");
  std::ostringstream out;
  torch::print(out, torch::arange(30).view({2, 15}), 40);
  EXPECT_EQ(out.str(),
            "Columns 1 to 10  0   1   2   3   4   5   6   7   8   9\n"
            " 15  16  17  18  19  20  21  22  23  24\n"
            "\n"
            "Columns 11 to 15 10  11  12  13  14\n"
            " 25  26  27  28  29\n"
            "[ CPULongType{2,15} ]");
}

TEST(TorchPrinting, IndentsTheFirstRowOfScaledAndCutMatrices) {
  EXPECT_EQ(printed(torch::arange(4).view({1, 2, 2}).to(torch::kDouble) * 1e-9),
            "(1,.,.) = \n"
            "1e-09 *\n"
            "  0.0000  1.0000\n"
            "   2.0000  3.0000\n"
            "[ CPUDoubleType{1,2,2} ]");
  std::ostringstream out;
  torch::print(out, torch::arange(4).view({1, 2, 2}), 4);
  EXPECT_EQ(out.str(),
            "(1,.,.) = \n"
            "Columns 1 to 1  0\n"
            "  2\n"
            "\n"
            "Columns 2 to 2  1\n"
            "  3\n"
            "[ CPULongType{1,2,2} ]");
}

TEST(TorchContext, HoldsThePrecisionOfProducts) {
  EXPECT_EQ(at::globalContext().float32MatmulPrecision(), at::Float32MatmulPrecision::HIGHEST);
  at::globalContext().setFloat32MatmulPrecision("medium");
  EXPECT_EQ(at::globalContext().float32MatmulPrecision(), at::Float32MatmulPrecision::MEDIUM);
  EXPECT_THROW(at::globalContext().setFloat32MatmulPrecision("low"), c10::Error);
  at::globalContext().setFloat32MatmulPrecision("highest");
}

TEST(TorchContext, AsksForDeterministicAlgorithms) {
  at::Context& context = at::globalContext();
  EXPECT_FALSE(context.deterministicAlgorithms());
  context.setDeterministicAlgorithms(true, /*warn_only=*/true);
  EXPECT_TRUE(context.deterministicAlgorithms() && context.deterministicAlgorithmsWarnOnly());
  EXPECT_TRUE(torch::are_deterministic_algorithms_enabled());
  context.setDeterministicAlgorithms(true, false);
  EXPECT_TRUE(context.deterministicAlgorithms() && !context.deterministicAlgorithmsWarnOnly());
  context.setDeterministicAlgorithms(false, false);
  EXPECT_FALSE(context.deterministicAlgorithms());
}

TEST(TorchContext, HoldsTheSettingsOfCudnn) {
  at::Context& context = at::globalContext();
  const auto settings = [&] {
    return std::array{context.userEnabledCuDNN(), context.benchmarkCuDNN(),
                      context.deterministicCuDNN(), context.allowTF32CuDNN()};
  };
  const auto before = settings();
  EXPECT_TRUE(before[0] && !before[1] && !before[2]);
  context.setUserEnabledCuDNN(false);
  context.setBenchmarkCuDNN(true);
  EXPECT_EQ(settings(), (std::array{false, true, false, before[3]}));
  context.setDeterministicCuDNN(true);
  context.setAllowTF32CuDNN(!before[3]);
  EXPECT_EQ(settings(), (std::array{false, true, true, !before[3]}));
  torch::backends::cudnn.enabled = true;
  torch::backends::cudnn.benchmark = torch::backends::cudnn.deterministic = false;
  torch::backends::cudnn.allow_tf32 = before[3];
  EXPECT_EQ(settings(), before);
}

TEST(TorchPrinting, WritesModulesAsLibtorch) {
  nn::Sequential net(nn::Linear(2, 3), nn::ReLU(), nn::Functional(torch::sigmoid));
  EXPECT_EQ(printed(net),
            "torch::nn::Sequential(\n"
            "  (0): torch::nn::Linear(in_features=2, out_features=3, bias=true)\n"
            "  (1): torch::nn::ReLU()\n"
            "  (2): torch::nn::Functional()\n"
            ")");
}

// The custom functions of PyTorch's tutorial on the C++ frontend, in the same style.
class LinearFunction : public torch::autograd::Function<LinearFunction> {
 public:
  static torch::Tensor forward(torch::autograd::AutogradContext* context, torch::Tensor input,
                               torch::Tensor weight, torch::Tensor bias = torch::Tensor()) {
    context->save_for_backward({input, weight, bias});
    auto output = input.mm(weight.t());
    if (bias.defined()) output += bias.unsqueeze(0).expand_as(output);
    return output;
  }
  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                               torch::autograd::tensor_list gradients) {
    const auto saved = context->get_saved_variables();
    const auto gradient = gradients[0];
    torch::Tensor of_bias;
    if (saved[2].defined()) of_bias = gradient.sum(0);
    return {gradient.mm(saved[1]), gradient.t().mm(saved[0]), of_bias};
  }
};

class MulConstant : public torch::autograd::Function<MulConstant> {
 public:
  static torch::autograd::Variable forward(torch::autograd::AutogradContext* context,
                                           torch::autograd::Variable tensor, double constant) {
    context->saved_data["constant"] = constant;
    return tensor * constant;
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    return {gradients[0] * context->saved_data["constant"].toDouble(), torch::Tensor()};
  }
};

TEST(TorchFunction, TutorialsRun) {
  auto x = torch::randn({2, 3}).requires_grad_(), weight = torch::randn({4, 3}).requires_grad_();
  auto bias = torch::randn({4}).requires_grad_();
  LinearFunction::apply(x, weight, bias).sum().backward();
  EXPECT_TRUE(bias.grad().equal(torch::full({4}, 2.f)));
  EXPECT_TRUE(torch::allclose(x.grad(), weight.sum(0).expand({2, 3})));
  LinearFunction::apply(x, weight).sum().backward();
  auto y = torch::randn({1}).requires_grad_();
  MulConstant::apply(y, 5.5).backward();
  EXPECT_EQ(y.grad().item<float>(), 5.5f);
  c10::InferenceMode guard;
  EXPECT_FALSE(MulConstant::apply(y, 5.5).requires_grad());
}

TEST(TorchPrograms, PassCudnnEnabled) {
  const auto x = torch::randn({4, 3, 2});
  EXPECT_TRUE(torch::batch_norm(x, {}, {}, {}, {}, true, 0.1, 1e-5, false)
                  .equal(torch::batch_norm(x, {}, {}, {}, {}, true, 0.1, 1e-5)));
  EXPECT_TRUE(at::instance_norm(x, {}, {}, {}, {}, true, 0.1, 1e-5, true)
                  .equal(torch::instance_norm(x, {}, {}, {}, {}, true, 0.1, 1e-5)));
  EXPECT_TRUE(torch::layer_norm(x, {2}, {}, {}, 1e-5, false).equal(torch::layer_norm(x, {2})));
  EXPECT_TRUE(torch::group_norm(x, 3, {}, {}, 1e-5, false).equal(torch::group_norm(x, 3)));
}

}  // namespace
