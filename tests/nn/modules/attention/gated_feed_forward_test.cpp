#include <tern/core/autograd/gradcheck.h>

#include "nn/modules/attention/recorded.h"

namespace tern {
namespace {

using recorded::Json, recorded::wave;

/// Makes a layer of seed 3 and compares it with a recorded one.
template <class Make>
void check_gated(const Json& recorded, const Make& make) {
  manual_seed(3);
  auto net = make();
  EXPECT_EQ(net->state_dict().keys(), recorded.at("keys").get<std::vector<std::string>>());
  const Tensor x = wave({2, 4, 3}, 1).requires_grad_();
  const Tensor out = net(x);
  EXPECT_TRUE(close(out, testing::golden_tensor(recorded.at("out")), 1e-12));
  (out * wave(out.sizes(), 2)).sum().backward();
  EXPECT_TRUE(close(x.grad(), testing::golden_tensor(recorded.at("gradient")), 1e-12));
  const std::vector<Tensor> parameters = net->parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Tensor gradient = parameters[i].grad();
    EXPECT_NEAR((gradient * wave(gradient.sizes(), 5)).sum().template item<double>(),
                recorded.at("sums")[i].get<double>(), 1e-12);
  }
}

TEST(GatedFeedForward, HasTheNumbersOfItsFormula) {
  for (const Json& recorded : testing::golden("modules/attention_parts").at("gated")) {
    const std::string name = recorded.at("name");
    SCOPED_TRACE(name);
    if (name.starts_with("SwiGLU")) {
      check_gated(recorded, [&] {
        return nn::SwiGLU(nn::SwiGLUOptions(3, 5).bias(name.ends_with("bias")).dtype(kDouble));
      });
    } else {
      check_gated(recorded, [&] {
        return nn::GEGLU(nn::GEGLUOptions(3, 5)
                             .approximate(name.ends_with("tanh") ? "tanh" : "none")
                             .dtype(kDouble));
      });
    }
  }
}

template <class Holder>
void check_layer(const Holder& net, const std::string& name) {
  SCOPED_TRACE(name);
  const std::string map = "tern::nn::Linear(in_features=";
  EXPECT_EQ(printed(net), "tern::nn::" + name + "Impl(\n  (gate_proj): " + map +
                              "4, out_features=6, bias=false)\n  (up_proj): " + map +
                              "4, out_features=6, bias=false)\n  (down_proj): " + map +
                              "6, out_features=4, bias=false)\n)");
  const Tensor x = randn({2, 3, 4});
  const auto copy = std::dynamic_pointer_cast<typename Holder::ContainedType>(net->clone());
  EXPECT_TRUE(same_bits(copy->forward(x), net(x)));
  EXPECT_FALSE(copy->up_proj->weight.is_same(net->up_proj->weight));
  EXPECT_EQ(net(ones({0, 4})).sizes(), IntArrayRef({0, 4}));
  for (const ScalarType dtype : {kHalf, kBFloat16}) {
    copy->to(dtype);
    const Tensor narrow = copy->forward(x.to(dtype));
    EXPECT_EQ(narrow.dtype(), dtype);
    EXPECT_TRUE(close(narrow.to(kFloat), net(x), 0.02));
    copy->to(kFloat);
  }
  const Tensor wanted = net(x);
  net->to("cuda:1");
  EXPECT_TRUE(close(net(x.to("cuda:1")), wanted, 1e-5));
  EXPECT_TRUE(has_text(error_of<DeviceError>([&] { net(x); }), "cuda:1"));
  net->to(kCPU);
  EXPECT_TRUE(has_text(error_of<ShapeError>([&] {
                         net(ones({2, 5}));
                       }),
                       "the last size of the input should be 4\n  in module 'gate_proj'"));
  net->to(kDouble);
  EXPECT_TRUE(autograd::gradgradcheck(
      [&](const std::vector<Tensor>& in) { return std::vector{net(in[0])}; },
      {randn({2, 4}, kDouble).requires_grad_()}));
}

TEST(GatedFeedForward, IsALayer) {
  check_layer(nn::SwiGLU(4, 6), "SwiGLU");
  check_layer(nn::GEGLU(4, 6), "GEGLU");
  EXPECT_TRUE(has_text(error_of<ShapeError>([] { nn::SwiGLU(4, -1); }),
                       "nn::SwiGLU: the size hidden_features must not be negative, got -1"));
  EXPECT_TRUE(has_text(error_of<ShapeError>([] { nn::GEGLU(-4, 1); }),
                       "nn::GEGLU: the size in_features must not be negative, got -4"));
  EXPECT_TRUE(has_text(error_of([] {
                         nn::GEGLU net(nn::GEGLUOptions(4, 6).approximate("sigmoid"));
                         net(ones({1, 4}));
                       }),
                       "sigmoid"));
}

}  // namespace
}  // namespace tern
