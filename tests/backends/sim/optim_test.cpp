#include <vector>

#include <tern/core/kernels/optim_formulas.h>

#include "backends/cuda/simulated.h"

namespace tern::sim {
namespace {

using kernels::AdamRule;
using kernels::OptimArgs;
using kernels::SgdRule;
using tern::testing::DeviceArray;
using tern::testing::launch;
using tern::testing::upload;

/// The arguments that step one parameter with these states.
template <class Rule, class T>
OptimArgs args_of(unsigned form, const typename Rule::Numbers& numbers, double lr,
                  const DeviceArray<T>& p, const DeviceArray<T>& g,
                  const std::vector<const DeviceArray<T>*>& states = {}) {
  OptimArgs args{};
  kernels::set_optim_rule<Rule>(args, form, numbers);
  args.dtype = dtype_of<T>();
  args.count = 1;
  args.lr = lr;
  args.step = 1;
  args.param[0] = p.data();
  args.grad[0] = g.data();
  for (std::size_t k = 0; k < states.size(); ++k) args.state[k][0] = states[k]->data();
  args.numel[0] = static_cast<std::int64_t>(p.bytes() / sizeof(T));
  return args;
}

TEST(SimAdam, TakesTheFirstStepByTheFormula) {
  const auto p = upload<double>({1, 1}), g = upload<double>({0.5, -2}), m = upload<double>({0, 0}),
             v = upload<double>({0, 0});
  launch(args_of<AdamRule>(0, {0.9, 0.999, 0, 0}, 0.1, p, g, {&m, &v}));
  EXPECT_NEAR(p.read()[0], 0.9, 1e-12);  // the first step is lr in the direction of the sign
  EXPECT_NEAR(p.read()[1], 1.1, 1e-12);
  EXPECT_NEAR(m.read()[0], 0.05, 1e-15);
  EXPECT_NEAR(v.read()[1], 0.004, 1e-15);
}

TEST(SimAdam, DecaysMaximizesAndKeepsTheMaximum) {
  const auto p = upload<double>({1}), g = upload<double>({1}), m = upload<double>({0}),
             v = upload<double>({0}), most = upload<double>({4});
  OptimArgs args =
      args_of<AdamRule>(AdamRule::kMaximize | AdamRule::kDecoupled | AdamRule::kAmsgrad,
                        {0.5, 0.5, 0, 0.5}, 0.1, p, g, {&m, &v, &most});
  args.step = 2000;  // no correction is left
  launch(args);
  EXPECT_NEAR(p.read()[0], 0.95 + 0.1 * 0.5 / 2, 1e-15);
  EXPECT_EQ(most.read()[0], 4.0);
}

TEST(SimAdam, ReadsLearningRateAndStepOnTheDevice) {
  const auto p = upload<double>({1}), g = upload<double>({0.5}), m = upload<double>({0}),
             v = upload<double>({0}), lr = upload<double>({0.25}), step = upload<double>({1});
  OptimArgs args = args_of<AdamRule>(0, {0.9, 0.999, 0, 0}, 7, p, g, {&m, &v});
  args.step = 9;
  args.device_lr = lr.data();
  args.device_step = step.data();
  launch(args);
  EXPECT_NEAR(p.read()[0], 0.75, 1e-12);
}

TEST(SimSgd, MovesWithMomentumAndNesterov) {
  const auto p = upload<double>({1}), g = upload<double>({2}), buffer = upload<double>({9});
  const auto step = [&](unsigned form, double dampening) {
    launch(args_of<SgdRule>(form, {0.5, dampening, 0}, 0.1, p, g, {&buffer}));
  };
  step(SgdRule::kFirst, 0.25);  // buffer = 2
  EXPECT_DOUBLE_EQ(p.read()[0], 0.8);
  step(0, 0.25);  // buffer = 0.5 * 2 + 0.75 * 2
  EXPECT_DOUBLE_EQ(buffer.read()[0], 2.5);
  EXPECT_DOUBLE_EQ(p.read()[0], 0.55);
  step(SgdRule::kNesterov, 0);  // buffer = 3.25, step 2 + 0.5 * 3.25
  EXPECT_DOUBLE_EQ(p.read()[0], 0.55 - 0.3625);
}

TEST(SimSgd, WithoutMomentumDecaysAndMaximizes) {
  const auto p = upload<float>({2}), g = upload<float>({1});
  launch(args_of<SgdRule>(SgdRule::kMaximize, {0, 0, 0.25}, 0.5, p, g));
  EXPECT_EQ(p.read()[0], 2.25f);  // 2 - 0.5 * (-1 + 0.5)
}

}  // namespace
}  // namespace tern::sim
