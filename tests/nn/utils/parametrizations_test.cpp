#include <tern/core/autograd/gradcheck.h>
#include <tern/nn/optim/optim.h>

#include "nn/nn_test.h"

namespace tern {
namespace {

namespace parametrize = nn::utils::parametrize;
using nn::utils::parametrizations::spectral_norm;
using nn::utils::parametrizations::SpectralNormOptions;
using nn::utils::parametrizations::weight_norm;

const nlohmann::json& numbers() { return testing::golden("nn/parametrizations"); }
Tensor number_of(const std::string& name) { return testing::golden_tensor(numbers().at(name)); }
std::vector<std::string> keys_of(const std::string& name) {
  return numbers().at(name).get<std::vector<std::string>>();
}

/// Compares a layer with what parametrizations.py recorded.
template <class Holder>
void compare(const std::string& name, const Holder& layer, int calls = 1) {
  SCOPED_TRACE(name);
  EXPECT_EQ(layer->state_dict().keys(), keys_of(name + " keys"));
  EXPECT_EQ(layer->named_parameters().keys(), keys_of(name + " parameters"));
  for (const auto& [key, value] : layer->state_dict()) {
    EXPECT_TRUE(close(value.tensor(), number_of(name + ' ' + key))) << key;
  }
  const Tensor x = parameter_of(number_of(name + " input"));
  Tensor out;
  for (int i = 0; i < calls; ++i) out = layer(x);
  EXPECT_TRUE(close(out, number_of(name), 1e-5));
  (out * arange(out.numel()).view(out.sizes())).sum().backward();
  EXPECT_TRUE(close(x.grad(), number_of(name + " gradient"), 1e-5));
  for (const auto& [key, parameter] : layer->named_parameters()) {
    EXPECT_TRUE(close(parameter.grad(), number_of(name + ' ' + key + " gradient"), 2e-5)) << key;
  }
  layer->eval();
  EXPECT_TRUE(close(layer(x), number_of(name + " eval"), 1e-5));
  parametrize::remove_parametrizations(*layer, "weight");
  EXPECT_EQ(layer->state_dict().keys(), keys_of(name + " removed keys"));
  EXPECT_TRUE(close(layer->weight, number_of(name + " removed"), 1e-5));
  EXPECT_FALSE(layer->needs_call_scope());
  EXPECT_TRUE(close(layer->forward(x), number_of(name + " eval"), 1e-5));
}

nn::Linear linear_of(ScalarType dtype = kFloat, bool bias = true) {
  manual_seed(3);
  return nn::Linear(nn::LinearOptions(5, 3).bias(bias).dtype(dtype));
}

TEST(Parametrizations, ComputeWhatPyTorchComputes) {
  compare("weight_norm", weight_norm(linear_of()));
  compare("weight_norm whole", weight_norm(linear_of(), "weight", std::nullopt));
  compare("weight_norm double", weight_norm(linear_of(kDouble, false), "weight", 1));
  compare("spectral_norm", spectral_norm(linear_of()), 2);
  compare("spectral_norm long",
          spectral_norm(linear_of(kDouble), "weight",
                        SpectralNormOptions().n_power_iterations(3).eps(1e-6).dim(1)));
  manual_seed(3);
  compare("spectral_norm vector", spectral_norm(nn::LayerNorm(4)));
  compare("both", spectral_norm(weight_norm(linear_of())));
}

TEST(Parametrizations, HaveGradientsOfBothOrders) {
  const nn::Linear normed = weight_norm(linear_of(kDouble)),
                   whole = weight_norm(linear_of(kDouble), "weight", std::nullopt);
  const nn::Linear spectral = spectral_norm(linear_of(kDouble));
  spectral->eval();  // in training every call moves the singular vectors
  for (const nn::Linear& layer : {normed, whole, spectral}) {
    const auto run = [&](const std::vector<Tensor>& inputs) {
      return std::vector<Tensor>{layer(inputs[0]).tanh()};
    };
    std::vector<Tensor> inputs = {randn({2, 5}, kDouble).requires_grad_()};
    for (const Tensor& parameter : layer->parameters()) inputs.push_back(parameter);
    EXPECT_TRUE(autograd::gradcheck(run, inputs));
    EXPECT_TRUE(autograd::gradgradcheck(run, inputs));
  }
}

TEST(Parametrizations, ReplaceTheMemberDuringCallsAlone) {
  const nn::Linear layer = weight_norm(linear_of());
  EXPECT_TRUE(parametrize::is_parametrized(*layer));
  EXPECT_TRUE(parametrize::is_parametrized(*layer, "weight"));
  EXPECT_FALSE(parametrize::is_parametrized(*layer, "bias"));
  EXPECT_FALSE(parametrize::is_parametrized(*linear_of()));
  EXPECT_FALSE(layer->weight.defined());
  EXPECT_TRUE(
      close(parametrize::parametrization_list(*layer, "weight")->forward(), linear_of()->weight));
  const Tensor x = ones({1, 5});
  const Tensor expected = linear_of()(x);
  EXPECT_TRUE(close(layer(x), expected));
  EXPECT_TRUE(close(nn::Sequential(layer)(x), expected));
  EXPECT_TRUE(close(nn::AnyModule(layer).forward(x), expected));
  EXPECT_FALSE(layer->weight.defined());
  EXPECT_NE(error_of([&] { layer->forward(x); }), "");  // not through the holder
  EXPECT_NE(error_of([&] { layer(ones({1, 4})); }), "");
  EXPECT_FALSE(layer->weight.defined());  // also after an error
  layer->weight = ones({3, 5});
  EXPECT_NE(error_of([&] { layer(x); }).find("is parametrized and cannot be assigned"),
            std::string::npos);
  layer->weight = Tensor();
  parametrize::parametrization_list(*layer, "weight")->right_inverse(ones({3, 5}));
  EXPECT_TRUE(close(layer(x), linear(x, ones({3, 5}), layer->bias)));
  EXPECT_EQ(printed(layer),
            "tern::nn::Linear(in_features=5, out_features=3, bias=true)(\n"
            "  (parametrizations): tern::nn::ModuleDict(\n"
            "    (weight): tern::nn::utils::parametrize::ParametrizationList(\n"
            "      (0): _WeightNorm()\n"
            "    )\n"
            "  )\n"
            ")");
}

/// A module whose reset() makes plain layers; one of them is normalised later.
struct TwoLayersImpl : nn::Cloneable<TwoLayersImpl> {
  TwoLayersImpl() { TwoLayersImpl::reset(); }
  void reset() override {
    first = register_module("first", nn::Linear(3, 4));
    second = register_module("second", nn::Linear(4, 2));
  }
  Tensor forward(const Tensor& x) { return second(first(x).tanh()); }
  nn::Linear first{nullptr}, second{nullptr};
};
TERN_MODULE(TwoLayers);

void normalise(const TwoLayers& net) {
  weight_norm(*net->first);
  spectral_norm(*net->second);
}

TEST(Parametrizations, AreClonedWithTheModule) {
  manual_seed(4);
  const TwoLayers net;
  normalise(net);
  const Tensor x = randn({2, 3});
  net(x);
  net->eval();
  const TwoLayers copy = net.clone();
  EXPECT_EQ(copy->state_dict().keys(), net->state_dict().keys());
  EXPECT_TRUE(same_bits(copy(x), net(x)));
  EXPECT_FALSE(copy->first->weight.defined());
  {
    const NoGradGuard no_grad;
    for (Tensor& parameter : copy->parameters()) parameter.add_(1);
  }
  EXPECT_FALSE(close(copy(x), net(x)));
  const nn::Linear single = net->first.clone();
  EXPECT_TRUE(same_bits(single(x), net->first(x)));
  // Of a module that has its parametrization from reset(), or lost one again.
  parametrize::remove_parametrizations(*net->first, "weight");
  const TwoLayers later = net.clone();
  EXPECT_EQ(later->state_dict().keys(), net->state_dict().keys());
  EXPECT_TRUE(same_bits(later(x), net(x)));
  const nn::Sequential list{weight_norm(nn::Linear(3, 3)), nn::ReLU()};
  EXPECT_TRUE(same_bits(list.clone()(x), list(x)));
}

TEST(Parametrizations, MoveAndLoad) {
  manual_seed(5);
  TwoLayers net, other;
  normalise(net);
  normalise(other);
  const Tensor x = randn({2, 3});
  net->eval();
  other->eval();
  const Tensor expected = net(x);
  other->load_state_dict(net->state_dict());
  EXPECT_TRUE(same_bits(other(x), expected));
  EXPECT_NE(error_of([&] { TwoLayers()->load_state_dict(net->state_dict()); })
                .find("Missing key(s) in state_dict: \"first.weight\", \"second.weight\". \n\t"
                      "Unexpected key(s) in state_dict: "
                      "\"first.parametrizations.weight.original0\""),
            std::string::npos);
  net.to("cuda:0");
  EXPECT_TRUE(close(net(x.cuda()), expected));
  const TwoLayers copy = net.clone(Device("cpu"));
  EXPECT_TRUE(close(copy(x), expected));
  net.to(kCPU, kDouble);
  EXPECT_TRUE(close(net(x.to(kDouble)).to(kFloat), expected));
}

TEST(Parametrizations, Train) {
  manual_seed(6);
  const TwoLayers net;
  optim::SGD before(net->second->parameters(), 0.1);  // spectral_norm keeps the parameter
  normalise(net);
  optim::SGD optimizer(net->parameters(), 0.1);
  const Tensor x = randn({8, 3}), target = randn({8, 2});
  float first = 0, last = 0;
  for (int step = 0; step < 30; ++step) {
    optimizer.zero_grad();
    const Tensor loss = mse_loss(net(x), target);
    loss.backward();
    optimizer.step();
    last = loss.item<float>();
    if (step == 0) first = last;
  }
  EXPECT_LT(last, first);
  const Tensor original =
      parametrize::parametrization_list(*net->second, "weight")->originals()[0].clone();
  before.step();
  EXPECT_FALSE(same_bits(parametrize::parametrization_list(*net->second, "weight")->originals()[0],
                         original));
}

TEST(Parametrizations, KeepTiedOriginals) {
  const nn::Linear a(3, 3), b(3, 3);
  b->replace_parameter("weight", a->weight);
  spectral_norm(*a);
  const Tensor original = parametrize::parametrization_list(*a, "weight")->originals()[0];
  EXPECT_TRUE(original.is_same(b->weight));
  parametrize::remove_parametrizations(*a, "weight", /*leave_parametrized=*/false);
  EXPECT_TRUE(a->weight.is_same(b->weight));
}

struct SymmetricImpl : nn::Cloneable<SymmetricImpl> {
  void reset() override {}
  Tensor forward(const Tensor& x) { return x.triu() + x.triu(1).t(); }
  Tensor right_inverse(const Tensor& x) { return x.triu(); }
};
TERN_MODULE(Symmetric);

TEST(Parametrizations, MayBeTheUsersOwn) {
  const nn::Linear layer(3, 3);
  const Tensor weight = layer->weight;
  parametrize::register_parametrization(*layer, "weight", Symmetric());
  parametrize::register_parametrization(*layer, "bias", [](const Tensor& x) { return x * 2; });
  const Tensor value = parametrize::parametrization_list(*layer, "weight")->forward();
  EXPECT_TRUE(same_bits(value, value.t().contiguous()));
  EXPECT_TRUE(weight.is_same(parametrize::parametrization_list(*layer, "weight")->originals()[0]));
  layer(ones({1, 3})).sum().backward();
  EXPECT_TRUE(weight.grad().defined());
  parametrize::remove_parametrizations(*layer, "bias", false);
  EXPECT_TRUE(parametrize::is_parametrized(*layer));
  parametrize::remove_parametrizations(*layer, "weight");
  EXPECT_TRUE(weight.is_same(layer->weight));
  EXPECT_FALSE(parametrize::is_parametrized(*layer));
  EXPECT_EQ(layer->named_parameters().keys(), (std::vector<std::string>{"bias", "weight"}));
}

/// A parametrization whose right_inverse returns a tensor that somebody else has.
struct KeepingImpl : nn::Cloneable<KeepingImpl> {
  void reset() override {}
  Tensor forward(const Tensor& x) { return x; }
  Tensor right_inverse(const Tensor& x) { return kept.defined() ? kept : x; }
  Tensor kept;
};
TERN_MODULE(Keeping);

TEST(Parametrizations, ShareNoMemoryWithTheirInputs) {
  const nn::Linear layer(3, 3);
  Keeping keeping;
  keeping->kept = ones({3, 3});
  parametrize::register_parametrization(*layer, "weight", keeping);
  const auto list = parametrize::parametrization_list(*layer, "weight");
  EXPECT_TRUE(same_bits(list->forward(), ones({3, 3})));
  keeping->kept.fill_(5);
  EXPECT_TRUE(same_bits(list->forward(), ones({3, 3})));
  keeping->kept = Tensor();
  const Tensor value = full({3, 3}, 2.0);
  list->right_inverse(value);
  EXPECT_FALSE(list->originals()[0].is_alias_of(value));
  value.fill_(5);
  EXPECT_TRUE(same_bits(list->forward(), full({3, 3}, 2.0)));
  const Tensor computed = list->forward().detach();  // the memory that forward() returns
  parametrize::remove_parametrizations(*layer, "weight");
  EXPECT_FALSE(layer->weight.is_alias_of(computed));
  weight_norm(layer);
  parametrize::parametrization_list(*layer, "weight")->right_inverse(value);
  value.zero_();
  EXPECT_TRUE(
      close(parametrize::parametrization_list(*layer, "weight")->forward(), full({3, 3}, 5.0)));
}

TEST(Parametrizations, SayWhatIsWrong) {
  const nn::Linear layer(3, 2);
  EXPECT_EQ(
      error_of([&] { weight_norm(layer, "wieght"); }),
      "weight_norm: Module 'tern::nn::Linear(in_features=3, out_features=2, bias=true)' does not "
      "have a parameter, a buffer, or a parametrized element with name 'wieght'");
  EXPECT_EQ(
      error_of([&] { spectral_norm(nn::Linear(nn::LinearOptions(3, 2).bias(false)), "bias"); }),
      "spectral_norm: Module 'tern::nn::LinearImpl' has no parameter or buffer with name 'bias'");
  EXPECT_EQ(error_of([&] { weight_norm(layer, "weight", 2); }),
            "weight_norm: Dimension out of range (expected to be in range of [-2, 1] but got 2)");
  EXPECT_EQ(
      error_of([&] { spectral_norm(layer, "weight", SpectralNormOptions().dim(-3)); }),
      "spectral_norm: Dimension out of range (expected to be in range of [-2, 1] but got -3)");
  EXPECT_EQ(
      error_of(
          [&] { spectral_norm(layer, "weight", SpectralNormOptions().n_power_iterations(0)); }),
      "spectral_norm: Expected n_power_iterations to be positive, but got n_power_iterations=0");
  EXPECT_EQ(error_of([&] { parametrize::remove_parametrizations(*layer, "weight"); }),
            "Module tern::nn::Linear(in_features=3, out_features=2, bias=true) does not have a "
            "parametrization on weight");
  EXPECT_EQ(error_of([&] {
              parametrize::register_parametrization(*layer, "weight",
                                                    [](const Tensor& x) { return x.t(); });
            }),
            "Registering a parametrization may not change the shape of the tensor, unless `unsafe` "
            "flag is enabled.\nunparametrized shape: torch.Size([2, 3])\nparametrized shape: "
            "torch.Size([3, 2])");
  EXPECT_EQ(error_of([&] {
              parametrize::register_parametrization(*layer, "weight",
                                                    [](const Tensor& x) { return x.to(kDouble); });
            }),
            "Registering a parametrization may not change the dtype of the tensor, unless `unsafe` "
            "flag is enabled.\nunparametrized dtype: torch.float32\nparametrized dtype: "
            "torch.float64");
  EXPECT_FALSE(parametrize::is_parametrized(*layer));  // nothing has changed
  EXPECT_EQ(layer->named_parameters().keys(), (std::vector<std::string>{"weight", "bias"}));
  weight_norm(layer);
  EXPECT_EQ(
      error_of([&] { parametrize::remove_parametrizations(*layer, "weight", false); }),
      "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized "
      "in terms of a sequence of tensors.");
  EXPECT_EQ(error_of([&] { weight_norm(layer); }),
            "weight_norm: register_parametrization: 'weight' of tern::nn::LinearImpl has a "
            "parametrization, so a "
            "further one takes one tensor, but _WeightNorm() takes several");
  nn::Module plain;
  plain.register_parameter("weight", ones({2, 2}));
  EXPECT_NE(error_of([&] { weight_norm(plain); }).find("is not bound to a data member"),
            std::string::npos);
}

}  // namespace
}  // namespace tern
