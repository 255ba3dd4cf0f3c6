#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <tern/tern.h>

#include "error_of.h"

// PyTorch's answers at the edges of ops: infinities, empty tensors, bools, 0-d tensors.

namespace tern {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

bool is_near(const Tensor& actual, const std::vector<double>& expected, double rtol = 1e-6) {
  return allclose(actual.to(kDouble).reshape({-1}), tensor(expected, kDouble), rtol, 0, true);
}

Tensor gradient_of_norm(const std::vector<double>& values, double order) {
  const Tensor x = tensor(values, kDouble).requires_grad_();
  norm(x, order).backward();
  return x.grad();
}

TEST(Edge, CrossEntropyOfNoClasses) {
  for (const std::int64_t samples : {0, 3}) {
    const Tensor x = zeros({samples, 0}), loss = cross_entropy_loss(x, x);
    EXPECT_TRUE(std::isnan(loss.item<float>())) << samples;
    EXPECT_EQ(cross_entropy_loss(x, x, {}, Reduction::Sum).item<float>(), 0);
    EXPECT_EQ(cross_entropy_loss(x, x, {}, Reduction::None).numel(), samples);
  }
  EXPECT_TRUE(std::isnan(cross_entropy_loss(zeros({0}), zeros({0})).item<float>()));
}

}  // namespace
}  // namespace tern
