#include <functional>
#include <map>

#include <tern/core/autograd/gradcheck.h>

#include "nn/nn_test.h"

namespace tern {
namespace {

/// A layer with the options that golden/modules/activations.py gives it, and how libtorch prints
/// it.
struct Layer {
  std::shared_ptr<nn::Module> module;
  std::function<Tensor(const Tensor&)> forward;
  std::string prints;
};

template <class Holder>
Layer layer(const Holder& holder, const std::string& prints) {
  return {holder.ptr(), [holder](const Tensor& x) { return holder(x); }, "tern::nn::" + prints};
}

std::map<std::string, Layer> layers() {
  using namespace nn;
  return {
      {"ReLU", layer(ReLU(), "ReLU()")},
      {"ReLU6", layer(ReLU6(), "ReLU6()")},
      {"LeakyReLU", layer(LeakyReLU(0.2), "LeakyReLU(negative_slope=0.2)")},
      {"ELU", layer(ELU(ELUOptions().alpha(1.5)), "ELU(alpha=1.5)")},
      {"SELU", layer(SELU(), "SELU()")},
      {"CELU", layer(CELU(0.5), "CELU(alpha=0.5)")},
      {"GELU", layer(GELU(), "GELU()")},
      {"GELU tanh", layer(GELU(GELUOptions().approximate("tanh")), "GELU(approximate=tanh)")},
      {"SiLU", layer(SiLU(), "SiLU()")},
      {"Mish", layer(Mish(), "Mish()")},
      {"Sigmoid", layer(Sigmoid(), "Sigmoid()")},
      {"LogSigmoid", layer(LogSigmoid(), "LogSigmoid()")},
      {"Hardsigmoid", layer(Hardsigmoid(), "Hardsigmoid()")},
      {"Hardswish", layer(Hardswish(), "Hardswish()")},
      {"Tanh", layer(Tanh(), "Tanh()")},
      {"Tanhshrink", layer(Tanhshrink(), "Tanhshrink()")},
      {"Hardtanh", layer(Hardtanh(HardtanhOptions().min_val(-2).max_val(3)),
                         "Hardtanh(min_val=-2, max_val=3)")},
      {"Hardshrink", layer(Hardshrink(1.5), "Hardshrink(1.5)")},
      {"Softshrink", layer(Softshrink(1.5), "Softshrink(1.5)")},
      {"Softplus",
       layer(Softplus(SoftplusOptions(2).threshold(3)), "Softplus(beta=2, threshold=3)")},
      {"Softsign", layer(Softsign(), "Softsign()")},
      {"Threshold", layer(Threshold(0.5, -7), "Threshold(threshold=0.5, value=-7)")},
      {"GLU", layer(GLU(1), "GLU(dim=1)")},
      {"Softmax", layer(Softmax(1), "Softmax(dim=1)")},
      {"Softmin", layer(Softmin(-1), "Softmin(dim=-1)")},
      {"LogSoftmax", layer(LogSoftmax(0), "LogSoftmax(dim=0)")},
      {"Softmax2d", layer(Softmax2d(), "Softmax2d()")},
      {"RReLU", layer(RReLU(RReLUOptions().lower(0.1).upper(0.5)), "RReLU(lower=0.1, upper=0.5)")},
      {"PReLU", layer(PReLU(PReLUOptions(4).dtype(kDouble)), "PReLU(num_parameters=4)")},
  };
}

Tensor golden(const std::string& name) {
  return testing::golden_tensor(testing::golden("modules/activations").at(name));
}

TEST(Activations, AreThoseOfPyTorch) {
  const Tensor input = golden("input");
  for (const auto& [name, layer] : layers()) {
    SCOPED_TRACE(name);
    const Tensor x = parameter_of(input);
    manual_seed(11);
    const Tensor y = layer.forward(x);
    EXPECT_TRUE(y.allclose(golden(name), 1e-12, 1e-14));
    (y * arange(y.numel(), kDouble).view(y.sizes())).sum().backward();
    EXPECT_TRUE(x.grad().allclose(golden(name + " gradient"), 1e-12, 1e-13));
    EXPECT_EQ(printed(*layer.module), layer.prints);
  }
}

TEST(Activations, PassGradcheckOfBothOrders) {
  for (const auto& [name, layer] : layers()) {
    SCOPED_TRACE(name);
    layer.module->eval();  // RReLU draws nothing
    manual_seed(2);
    std::vector<Tensor> inputs{(randn({2, 4, 3}, kDouble) * 2).requires_grad_()};
    for (const Tensor& parameter : layer.module->parameters()) inputs.push_back(parameter);
    const auto call = [&](const std::vector<Tensor>& in) {
      return std::vector<Tensor>{layer.forward(in[0])};
    };
    EXPECT_TRUE(autograd::gradcheck(call, inputs));
    EXPECT_TRUE(autograd::gradgradcheck(call, inputs));
  }
}

TEST(Activations, TakeTensorsWithoutElementsAndStridedOnes) {
  const Tensor x = randn({3, 4, 2}, kDouble).transpose(0, 2);
  for (const auto& [name, layer] : layers()) {
    SCOPED_TRACE(name);
    layer.module->eval();
    EXPECT_TRUE(layer.forward(x).equal(layer.forward(x.contiguous())));
    EXPECT_EQ(layer.forward(zeros({0, 4, 3}, kDouble)).size(0), 0);
  }
}

TEST(Activations, WorkInPlaceIfAsked) {
  using namespace nn;
  const Tensor x = golden("input");
  const auto expect_in_place = [&x](const auto& plain, const auto& in_place, const char* prints) {
    plain->eval();
    in_place->eval();
    Tensor changed = x.clone();
    EXPECT_TRUE(in_place(changed).is_same(changed)) << prints;
    EXPECT_TRUE(changed.equal(plain(x))) << prints;
    EXPECT_EQ(printed(in_place), std::string("tern::nn::") + prints);
  };
  expect_in_place(ReLU(), ReLU(true), "ReLU(inplace=true)");
  expect_in_place(ReLU6(), ReLU6(true), "ReLU6(inplace=true)");
  expect_in_place(SELU(), SELU(true), "SELU(inplace=true)");
  expect_in_place(SiLU(), SiLU(true), "SiLU(inplace=true)");
  expect_in_place(Mish(), Mish(true), "Mish(inplace=true)");
  expect_in_place(Hardsigmoid(), Hardsigmoid(true), "Hardsigmoid(inplace=true)");
  expect_in_place(Hardswish(), Hardswish(true), "Hardswish(inplace=true)");
  expect_in_place(ELU(), ELU(ELUOptions().inplace(true)), "ELU(alpha=1, inplace=true)");
  expect_in_place(CELU(), CELU(CELUOptions().inplace(true)), "CELU(alpha=1, inplace=true)");
  expect_in_place(LeakyReLU(), LeakyReLU(LeakyReLUOptions().inplace(true)),
                  "LeakyReLU(negative_slope=0.01, inplace=true)");
  expect_in_place(Hardtanh(), Hardtanh(HardtanhOptions().inplace(true)),
                  "Hardtanh(min_val=-1, max_val=1, inplace=true)");
  expect_in_place(Threshold(1, 2), Threshold(ThresholdOptions(1, 2).inplace(true)),
                  "Threshold(threshold=1, value=2, inplace=true)");
  expect_in_place(RReLU(), RReLU(RReLUOptions().inplace(true)),
                  "RReLU(lower=0.125, upper=0.333333, inplace=true)");
}

TEST(Activations, RefuseWhatTheyCannotDo) {
  const Tensor x = ones({2, 3});
  EXPECT_EQ(error_of<ShapeError>([&] { nn::Softmax2d()(x); }),
            "Softmax2d requires a 3D or 4D tensor as input, got 2D\n  in module Softmax2d");
  EXPECT_NE(error_of([&] { nn::PReLU(2)(x); }).find("parameter numbers = 2 and channel size = 3"),
            std::string::npos);
  EXPECT_EQ(error_of<ShapeError>([] { nn::PReLU(-2); }),
            "nn::PReLU: the size num_parameters must not be negative, got -2");
  EXPECT_NE(error_of([&] { nn::GLU()(x); }).find("must be even"), std::string::npos);
  EXPECT_NE(error_of([&] { nn::Softshrink(-1)(x); }).find("-1"), std::string::npos);
  EXPECT_FALSE((std::is_constructible_v<nn::ELUOptions, bool>));
  EXPECT_FALSE((std::is_constructible_v<nn::SoftmaxOptions, bool>));
}

TEST(Activations, ConvertFirstIfAsked) {
  namespace F = nn::functional;
  const Tensor x = arange(6, kLong).view({2, 3});
  const Tensor y = F::softmax(x, F::SoftmaxFuncOptions(1).dtype(kDouble));
  EXPECT_TRUE(y.equal(x.to(kDouble).softmax(1)));
  EXPECT_TRUE(
      F::softmin(x, F::SoftminFuncOptions(1).dtype(kDouble)).equal((-x).to(kDouble).softmax(1)));
}

TEST(PReLU, SavesAndClonesItsSlopes) {
  const nn::PReLU layer(nn::PReLUOptions(3).init(0.5));
  EXPECT_TRUE(layer->state_dict()["weight"].tensor().equal(full({3}, 0.5)));
  const auto copy = std::dynamic_pointer_cast<nn::PReLUImpl>(layer->clone());
  EXPECT_TRUE(copy->weight.equal(layer->weight));
  EXPECT_FALSE(copy->weight.is_same(layer->weight));
}

}  // namespace
}  // namespace tern
