#include <cmath>

#include "backends/cuda/simulated.h"

#include <tern/core/kernels/families/optim.h>

namespace tern::sim {
namespace {

using tern::testing::launch;
using tern::testing::upload;

TEST(SimAdam, TakesTheFirstStepByTheFormula) {
  const auto p = upload<double>({1, 1}), g = upload<double>({0.5, -2}), m = upload<double>({0, 0}),
             v = upload<double>({0, 0});
  kernels::AdamArgs args{};
  args.dtype = kDouble;
  args.count = 1;
  args.lr = 0.1;
  args.beta1 = 0.9;
  args.beta2 = 0.999;
  args.eps = 0;
  args.bias_correction1 = 1 - 0.9;
  args.bias_correction2_sqrt = std::sqrt(1 - 0.999);
  args.param[0] = p.data();
  args.grad[0] = g.data();
  args.exp_avg[0] = m.data();
  args.exp_avg_sq[0] = v.data();
  args.numel[0] = 2;
  launch(args);
  EXPECT_NEAR(p.read()[0], 0.9, 1e-12);  // the first step is lr in the direction of the sign
  EXPECT_NEAR(p.read()[1], 1.1, 1e-12);
  EXPECT_NEAR(m.read()[0], 0.05, 1e-15);
  EXPECT_NEAR(v.read()[1], 0.004, 1e-15);
}

TEST(SimAdam, DecaysMaximizesAndKeepsTheMaximum) {
  const auto p = upload<double>({1}), g = upload<double>({1}), m = upload<double>({0}),
             v = upload<double>({0}), most = upload<double>({4});
  kernels::AdamArgs args{};
  args.dtype = kDouble;
  args.count = 1;
  args.amsgrad = args.decoupled = args.maximize = 1;
  args.lr = 0.1;
  args.weight_decay = 0.5;
  args.beta1 = args.beta2 = 0.5;
  args.bias_correction1 = args.bias_correction2_sqrt = 1;
  args.param[0] = p.data();
  args.grad[0] = g.data();
  args.exp_avg[0] = m.data();
  args.exp_avg_sq[0] = v.data();
  args.max_exp_avg_sq[0] = most.data();
  args.numel[0] = 1;
  launch(args);
  EXPECT_NEAR(p.read()[0], 0.95 + 0.1 * 0.5 / 2, 1e-15);
  EXPECT_EQ(most.read()[0], 4.0);
}

TEST(SimSgd, MovesWithMomentumAndNesterov) {
  const auto p = upload<double>({1}), g = upload<double>({2}), buffer = upload<double>({9});
  kernels::SgdArgs args{};
  args.dtype = kDouble;
  args.count = 1;
  args.lr = 0.1;
  args.momentum = 0.5;
  args.dampening = 0.25;
  args.param[0] = p.data();
  args.grad[0] = g.data();
  args.momentum_buffer[0] = buffer.data();
  args.first[0] = 1;
  args.numel[0] = 1;
  launch(args);  // buffer = 2
  EXPECT_DOUBLE_EQ(p.read()[0], 0.8);
  args.first[0] = 0;
  launch(args);  // buffer = 0.5 * 2 + 0.75 * 2
  EXPECT_DOUBLE_EQ(buffer.read()[0], 2.5);
  EXPECT_DOUBLE_EQ(p.read()[0], 0.55);
  args.nesterov = 1;
  args.dampening = 0;
  launch(args);  // buffer = 3.25, step 2 + 0.5 * 3.25
  EXPECT_DOUBLE_EQ(p.read()[0], 0.55 - 0.3625);
}

TEST(SimSgd, WithoutMomentumDecaysAndMaximizes) {
  const auto p = upload<float>({2}), g = upload<float>({1});
  kernels::SgdArgs args{};
  args.dtype = kFloat;
  args.count = 1;
  args.maximize = 1;
  args.lr = 0.5;
  args.weight_decay = 0.25;
  args.param[0] = p.data();
  args.grad[0] = g.data();
  args.numel[0] = 1;
  launch(args);
  EXPECT_EQ(p.read()[0], 2.25f);  // 2 - 0.5 * (-1 + 0.5)
}

}  // namespace
}  // namespace tern::sim
