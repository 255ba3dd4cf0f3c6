#include <cmath>
#include <limits>

#include "nn/nn_test.h"

namespace tern {
namespace {

std::vector<Tensor> parameters_with_gradients() {
  std::vector<Tensor> parameters;
  for (const Tensor& gradient : golden_tensor("clip_gradients").unbind()) {
    parameters.push_back(parameter_of(gradient));
    parameters.back().set_grad(gradient.clone());
  }
  parameters.push_back(ones({2}).requires_grad_());  // without a gradient
  return parameters;
}

TEST(ClipGradNorm, ScalesToTheCommonNorm) {
  const auto check = [](double p, const std::string& name) {
    const std::vector<Tensor> parameters = parameters_with_gradients();
    const float norm = golden_tensor(name + "_norm").item<float>();
    EXPECT_NEAR(nn::utils::clip_grad_norm_(parameters, 1.5, p), norm, 1e-4);
    EXPECT_TRUE(close(parameters[0].grad(), golden_tensor(name)));
  };
  check(2, "clip_two");
  check(1, "clip_one");
  check(std::numeric_limits<double>::infinity(), "clip_inf");
  EXPECT_EQ(nn::utils::clip_grad_norm_(ones({2}), 1.0), 0.0);
}

// PyTorch adds 1e-6 to the norm before it divides.
TEST(ClipGradNorm, ScalesSmallGradientsAsPyTorch) {
  const Tensor parameter = ones({2}).requires_grad_();
  parameter.set_grad(tensor({3e-6f, 4e-6f}));
  EXPECT_NEAR(nn::utils::clip_grad_norm_(parameter, 1e-6), 5e-6, 1e-11);
  EXPECT_TRUE(close(parameter.grad() * 1e6, tensor({3.f / 6, 4.f / 6})));
}

TEST(ClipGradNorm, LeavesGradientsWithinTheBoundAlone) {
  const Tensor parameter = ones({2}).requires_grad_();
  parameter.set_grad(tensor({3.f, 4.f}));
  const std::int64_t before = parameter.grad()._version();
  EXPECT_EQ(nn::utils::clip_grad_norm_(parameter, 6.0), 5.0);
  EXPECT_EQ(parameter.grad()._version(), before);
  nn::utils::clip_grad_norm_(parameter, 5.0);  // 5 / (5 + 1e-6) is below 1
  EXPECT_GT(parameter.grad()._version(), before);
}

TEST(ClipGradNorm, LooksAtNonFiniteNormsWhenAsked) {
  const Tensor parameter = ones({2}).requires_grad_();
  parameter.set_grad(tensor({1.f, std::numeric_limits<float>::infinity()}));
  EXPECT_EQ(error_of([&] { nn::utils::clip_grad_norm_(parameter, 1.0, 2.0, true); })
                .find("clip_grad_norm_: The total norm of order 2 for gradients from `parameters` "
                      "is non-finite, "
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
