#include <gtest/gtest.h>

#include <tern/nn/nn.h>
#include <tern/nn/optim/optim.h>

#include "simulated_devices.h"

// Modules, losses and optimizers in float16 and bfloat16: the dtypes of PyTorch, and numbers close
// to those of float32.

namespace tern {
namespace {

constexpr ScalarType kHalves[] = {kHalf, kBFloat16};

/// Expects that each element of `narrow` is near that of `wide`: so many units in the last place
/// of a number as large as the element and `scale` together.
void expect_near(const Tensor& narrow, const Tensor& wide, double scale, double units) {
  const double unit = narrow.dtype() == kHalf ? 0x1p-10 : 0x1p-7;
  const Tensor want = wide.detach().to(kDouble);
  const Tensor difference = (narrow.detach().to(kCPU, kDouble) - want).abs();
  EXPECT_LT((difference / (want.abs() + scale)).max().item<double>(), units * unit)
      << narrow.dtype() << ' ' << narrow.device();
}

/// Returns the parameter after 20 steps on the sum of p * p * c.
template <class Optimizer, class Options>
Tensor after_20_steps(const Options& options, ScalarType dtype, Device device) {
  const Tensor p = tensor({0.5, -1.25, 2.0, 0.03125}, dtype).to(device).requires_grad_();
  const Tensor c = tensor({1., 0.5, 2., 4.}, dtype).to(device);
  Optimizer optimizer({p}, options);
  for (int step = 0; step < 20; ++step) {
    optimizer.zero_grad();
    (p * p * c).sum().backward();
    optimizer.step();
  }
  const State state = optimizer.state_dict();
  for (const auto& [name, value] : state["state"]["0"]) {
    if (!value.is_tensor()) continue;
    EXPECT_EQ(value.tensor().dtype(), name == "step" ? kFloat : dtype) << name;
  }
  EXPECT_EQ(p.dtype(), dtype);
  return p;
}

template <class Optimizer, class Options>
void expect_steps_like_float32(const Options& options) {
  const Tensor wide = after_20_steps<Optimizer>(options, kFloat, kCPU);
  for (const Device& device : {Device("cpu"), Device("cuda:1")}) {
    for (const ScalarType dtype : kHalves) {
      const Tensor narrow = after_20_steps<Optimizer>(options, dtype, device);
      expect_near(narrow, wide, 0.01, 6);
    }
  }
}

TEST(HalfAndBfloat16, OptimizersStepLikeFloat32) {
  expect_steps_like_float32<optim::SGD>(optim::SGDOptions(0.1).momentum(0.9));
  expect_steps_like_float32<optim::Adam>(optim::AdamOptions(0.01));
  expect_steps_like_float32<optim::Adam>(optim::AdamOptions(0.01).amsgrad(true));
  expect_steps_like_float32<optim::AdamW>(optim::AdamWOptions(0.01));
  expect_steps_like_float32<optim::RMSprop>(optim::RMSpropOptions(0.01));
}

// More elements than one block of a kernel, on several threads.
TEST(HalfAndBfloat16, ALongStepEqualsManyShortOnes) {
  const Tensor start = arange(70001, kFloat).sin().to(kBFloat16);
  const Tensor whole = start.clone().requires_grad_();
  std::vector<Tensor> pieces;
  for (const Tensor& piece : start.split(500)) pieces.push_back(piece.clone().requires_grad_());
  optim::Adam one({whole}, 0.01), many(pieces, 0.01);
  for (int step = 0; step < 3; ++step) {
    whole.set_grad(start * (step + 1));
    std::int64_t at = 0;
    for (const Tensor& piece : pieces) {
      piece.set_grad(whole.grad().narrow(0, at, piece.numel()).clone());
      at += piece.numel();
    }
    one.step();
    many.step();
  }
  EXPECT_TRUE(cat(pieces).equal(whole));
}

/// Returns the loss and the gradients of a small classifier. Its activation is smooth: ReLU jumps
/// where rounding changes a sign.
std::vector<Tensor> losses_and_gradients(ScalarType dtype, Device device) {
  manual_seed(3);
  nn::Sequential net{nn::Linear(12, 40), nn::LayerNorm(nn::LayerNormOptions({40})), nn::Tanh(),
                     nn::BatchNorm1d(40), nn::Linear(40, 10)};
  const Tensor x = randn({33, 12}), target = randint(10, {33});
  net->to(device, dtype);
  const Tensor scores = net->forward(x.to(device, dtype));
  const Tensor loss =
      nn::functional::cross_entropy(scores, target.to(device)) + sigmoid(scores).square().mean();
  EXPECT_EQ(loss.dtype(), dtype);
  loss.backward();
  std::vector<Tensor> results{loss};
  for (const Tensor& parameter : net->parameters()) results.push_back(parameter.grad());
  return results;
}

TEST(HalfAndBfloat16, ModulesAgreeWithFloat32) {
  const std::vector<Tensor> wide = losses_and_gradients(kFloat, kCPU);
  for (const Device& device : {Device("cpu"), Device("cuda:1")}) {
    for (const ScalarType dtype : kHalves) {
      const std::vector<Tensor> narrow = losses_and_gradients(dtype, device);
      ASSERT_EQ(narrow.size(), wide.size());
      for (std::size_t i = 0; i < wide.size(); ++i) {
        EXPECT_EQ(narrow[i].dtype(), dtype);
        SCOPED_TRACE(i);
        expect_near(narrow[i], wide[i], wide[i].square().mean().sqrt().item<double>(), 8);
      }
    }
  }
}

}  // namespace
}  // namespace tern
