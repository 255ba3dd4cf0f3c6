#include <cmath>
#include <limits>

#include "golden/nn.h"
#include "nn/nn_test.h"

namespace tern {
namespace {

std::vector<Tensor> parameters_with_gradients() {
  const Tensor start = golden_tensor(golden::kStart);
  const Tensor gradients = golden_tensor(golden::kGradients, {10, 37});
  std::vector<Tensor> parameters;
  for (std::int64_t i = 0; i < 2; ++i) {
    parameters.push_back(start.clone().requires_grad_());
    parameters.back().set_grad(gradients[i].clone());
  }
  parameters.push_back(ones({2}).requires_grad_());  // without a gradient
  return parameters;
}

TEST(ClipGradNorm, ScalesToTheCommonNorm) {
  const auto check = [](double p, float norm, const float(&expected)[37]) {
    const std::vector<Tensor> parameters = parameters_with_gradients();
    EXPECT_NEAR(nn::utils::clip_grad_norm_(parameters, 1.5, p), norm, 1e-4);
    EXPECT_TRUE(close(parameters[0].grad(), golden_tensor(expected)));
  };
  check(2, golden::kClipTwoNorm[0], golden::kClipTwo);
  check(1, golden::kClipOneNorm[0], golden::kClipOne);
  check(std::numeric_limits<double>::infinity(), golden::kClipInfNorm[0], golden::kClipInf);
  EXPECT_EQ(nn::utils::clip_grad_norm_(ones({2}), 1.0), 0.0);
}

// PyTorch adds 1e-6 to the norm before it divides.
TEST(ClipGradNorm, ScalesSmallGradientsAsPyTorch) {
  const Tensor parameter = ones({2}).requires_grad_();
  parameter.set_grad(tensor({3e-6f, 4e-6f}));
  EXPECT_NEAR(nn::utils::clip_grad_norm_(parameter, 1e-6), 5e-6, 1e-11);
  EXPECT_TRUE(close(parameter.grad() * 1e6, tensor({3.f / 6, 4.f / 6})));
}

TEST(ClipGradNorm, LooksAtNonFiniteNormsWhenAsked) {
  const Tensor parameter = ones({2}).requires_grad_();
  parameter.set_grad(tensor({1.f, std::numeric_limits<float>::infinity()}));
  EXPECT_EQ(error_of([&] { nn::utils::clip_grad_norm_(parameter, 1.0, 2.0, true); })
                .find("The total norm of order 2 for gradients from `parameters` is non-finite, "
                      "so it cannot be clipped."),
            0u);
  EXPECT_EQ(parameter.grad()[0].item<float>(), 1);
  nn::utils::clip_grad_norm_(parameter, 1.0);
  EXPECT_TRUE(std::isnan(parameter.grad()[1].item<float>()));
}

TEST(ClipGradValue, LimitsEachElement) {
  const std::vector<Tensor> parameters = parameters_with_gradients();
  const Tensor grad = parameters[0].grad().clone();
  nn::utils::clip_grad_value_(parameters, 0.25);
  EXPECT_TRUE(same_bits(parameters[0].grad(), grad.clamp(-0.25, 0.25)));
}

}  // namespace
}  // namespace tern
