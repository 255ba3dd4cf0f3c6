#include <tern/nn/optim/optim.h>

#include "nn/nn_test.h"

namespace tern {
namespace {

const nlohmann::json& lazy_numbers() { return testing::golden("modules/lazy"); }
Tensor lazy_number(const std::string& name) {
  return testing::golden_tensor(lazy_numbers().at(name));
}

/// Calls a module of seed 3 once and compares it with what lazy.py recorded.
template <class Make>
auto check_lazy(const std::string& name, const Make& make, IntArrayRef shape) {
  SCOPED_TRACE(name);
  manual_seed(3);
  const auto layer = make();
  const std::int64_t count = zeros(shape).numel();
  const Tensor x = ((arange(count) % 7).to(kFloat) - 2.5).view(shape);
  EXPECT_TRUE(close(layer(x), lazy_number(name), 1e-5));
  const State state = layer->state_dict();
  EXPECT_EQ(state.keys(), lazy_numbers().at(name + " keys").get<std::vector<std::string>>());
  for (const auto& [key, value] : state) {
    EXPECT_TRUE(close(value.tensor(), lazy_number(name + ' ' + key))) << key;
  }
  return layer;
}

TEST(Lazy, BecomesWhatPyTorchMakes) {
  const nn::LazyLinear linear = check_lazy("LazyLinear", [] { return nn::LazyLinear(3); }, {2, 4});
  EXPECT_TRUE(same_bits(linear->weight, lazy_number("LazyLinear weight")));
  EXPECT_TRUE(same_bits(linear->bias, lazy_number("LazyLinear bias")));
  EXPECT_EQ(printed(linear), "tern::nn::Linear(in_features=4, out_features=3, bias=true)");
  check_lazy("LazyLinear bare", [] { return nn::LazyLinear(nn::LazyLinearOptions(3).bias(false)); },
             {2, 2, 4});
  check_lazy("LazyBatchNorm1d", [] { return nn::LazyBatchNorm1d(); }, {4, 3});
  check_lazy("LazyBatchNorm2d",
             [] { return nn::LazyBatchNorm2d(nn::LazyNormOptions().eps(0.1).momentum(0.3)); },
             {2, 3, 2, 2});
  check_lazy("LazyBatchNorm3d",
             [] { return nn::LazyBatchNorm3d(nn::LazyNormOptions().affine(false)); },
             {2, 2, 1, 2, 2});
  check_lazy("LazyInstanceNorm1d", [] { return nn::LazyInstanceNorm1d(); }, {2, 3, 4});
  check_lazy(
      "LazyInstanceNorm2d",
      [] { return nn::LazyInstanceNorm2d(nn::LazyNormOptions().track_running_stats(false)); },
      {2, 3, 2, 2});
  check_lazy("LazyInstanceNorm3d",
             [] { return nn::LazyInstanceNorm3d(nn::LazyNormOptions().affine(false)); },
             {2, 2, 1, 2, 2});
  check_lazy("Sequential",
             [] {
               return nn::Sequential{nn::LazyLinear(4), nn::LazyBatchNorm1d(), nn::ReLU(),
                                     nn::LazyLinear(2)};
             },
             {3, 5});
}

TEST(Lazy, HasUninitializedTensorsBefore) {
  const nn::LazyLinear linear(2);
  EXPECT_TRUE(linear->has_uninitialized_params());
  EXPECT_TRUE(nn::is_lazy(linear->weight));
  EXPECT_EQ(linear->parameters().size(), 2u);
  EXPECT_EQ(printed(linear), "tern::nn::LazyLinear(in_features=0, out_features=2, bias=true)");
  EXPECT_EQ(printed(nn::LazyBatchNorm2d()),
            "tern::nn::LazyBatchNorm2d(0, eps=1e-05, momentum=0.1, affine=true, "
            "track_running_stats=true)");
  EXPECT_EQ(error_of([&] { linear->state_dict(); }),
            "state_dict: 'weight' is uninitialized. Call `forward` with a dummy batch to "
            "initialize the parameters");
  EXPECT_EQ(error_of([&] { nn::init::zeros_(linear->bias); }),
            "constant_: Attempted to use an uninitialized parameter in nn::init::constant_. This "
            "error happens when you are using a lazy module. Call `forward` with a dummy batch to "
            "initialize the parameters before calling tern functions");
  EXPECT_NE(error_of([&] { nn::utils::parametrizations::weight_norm(linear); }), "");
  EXPECT_NE(linear->summary().find("weight (uninitialized)"), std::string::npos);
  linear->reset_parameters();  // nothing to draw yet
  linear(ones({1, 3}));
  EXPECT_FALSE(linear->has_uninitialized_params());
  EXPECT_FALSE(nn::is_lazy(linear->weight));
  EXPECT_EQ(linear->options.in_features(), 3);
  EXPECT_NE(error_of([&] { linear(ones({1, 4})); }), "");  // now it is a Linear of 3 features
  const nn::LazyBatchNorm2d norm;
  EXPECT_NE(error_of([&] {
              norm(ones({2, 3}));
            }).find("expected 4D input (got 2D input)"),
            std::string::npos);
  EXPECT_TRUE(norm->has_uninitialized_params());
  const nn::LazyInstanceNorm1d one;
  one(randn({3, 5}));  // one sample: channels first
  EXPECT_EQ(one->options.num_features(), 3);
}

TEST(Lazy, KeepsItsParametersForOptimizers) {
  manual_seed(1);
  const nn::Sequential net{nn::LazyLinear(4), nn::ReLU(), nn::LazyLinear(1)};
  optim::SGD optimizer(net->parameters(), 0.1);
  const Tensor x = randn({8, 3}), y = randn({8, 1});
  mse_loss(net(x), y).backward();
  const Tensor before = net->parameters()[0].clone();
  optimizer.step();
  EXPECT_FALSE(same_bits(net->parameters()[0], before));
}

TEST(Lazy, MovesAndCastsBefore) {
  const nn::LazyLinear linear(2);
  linear.to("cuda:1");
  linear->to(kDouble);
  EXPECT_TRUE(nn::is_lazy(linear->weight));
  linear(ones({1, 3}, TensorOptions(kDouble).device("cuda:1")));
  EXPECT_EQ(linear->weight.dtype(), kDouble);
  EXPECT_EQ(linear->weight.device(), Device("cuda:1"));
}

TEST(Lazy, LoadsAState) {
  const nn::Linear source(3, 2);
  const nn::LazyLinear linear(2);
  linear->load_state_dict(source->state_dict());
  EXPECT_FALSE(linear->has_uninitialized_params());
  EXPECT_TRUE(same_bits(linear->weight, source->weight));
  source->weight.detach().zero_();  // the state was copied
  EXPECT_FALSE(same_bits(linear->weight, source->weight));
  const Tensor y = linear(ones({1, 3}));
  EXPECT_EQ(linear->options.in_features(), 3);
  EXPECT_TRUE(same_bits(linear(ones({1, 3})), y));
  // Half a state: the first call draws the rest.
  const nn::LazyLinear half(2);
  State weight;
  weight.insert("weight", ones({2, 3}));
  EXPECT_NE(error_of([&] { half->load_state_dict(weight); }).find("Missing key(s)"),
            std::string::npos);
  EXPECT_TRUE(nn::is_lazy(half->weight));
  half->load_state_dict(weight, false);
  half(ones({1, 3}));
  EXPECT_TRUE(same_bits(half->weight, ones({2, 3})));
  EXPECT_EQ(half->bias.sizes(), IntArrayRef({2}));
  const nn::LazyLinear assigned(2);
  assigned->load_state_dict(source->state_dict(), {.assign = true});
  EXPECT_FALSE(assigned->has_uninitialized_params());
  const nn::LazyLinear moved(2);
  moved.to("cuda:0");
  moved->load_state_dict(source->state_dict());
  EXPECT_EQ(moved->weight.device(), Device("cuda:0"));
  EXPECT_TRUE(close(moved->weight, source->weight));
}

struct LazyNetImpl : nn::Cloneable<LazyNetImpl> {
  LazyNetImpl() { LazyNetImpl::reset(); }
  void reset() override {
    norm = register_module("norm", nn::LazyBatchNorm1d());
    fc = register_module("fc", nn::LazyLinear(2));
  }
  Tensor forward(const Tensor& x) { return fc(norm(x)); }
  nn::LazyBatchNorm1d norm{nullptr};
  nn::LazyLinear fc{nullptr};
};
TERN_MODULE(LazyNet);

TEST(Lazy, IsClonedAsLazyAsItIs) {
  const LazyNet net;
  const LazyNet before = net.clone();
  EXPECT_TRUE(before->fc->has_uninitialized_params());
  const Tensor x = randn({4, 3});
  net(x);
  EXPECT_TRUE(before->fc->has_uninitialized_params());
  const LazyNet after = net.clone();
  EXPECT_FALSE(after->fc->has_uninitialized_params());
  EXPECT_EQ(after->fc->options.in_features(), 3);
  after->eval();
  net->eval();
  EXPECT_TRUE(same_bits(after(x), net(x)));
  const nn::LazyLinear single = net->fc.clone();
  EXPECT_TRUE(same_bits(single->weight, net->fc->weight));
  before(x);
  EXPECT_EQ(before->fc->options.in_features(), 3);
}

}  // namespace
}  // namespace tern
