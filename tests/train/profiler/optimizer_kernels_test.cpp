#include "profiler_test.h"

// What a step of an optimizer reads, seen in a profile: no time is compared.

namespace tern::testing {
namespace {

/// Profiles the second step over 20 parameters, which fit into one call of the kernel.
template <class Optimizer, class Options>
void expect_one_pass(const Options& options) {
  SCOPED_TRACE(typeid(Optimizer).name());
  std::vector<Tensor> parameters;
  for (int i = 0; i < 20; ++i) {
    parameters.push_back(ones({3, 5}).requires_grad_());
    parameters.back().mutable_grad() = ones({3, 5});
  }
  Optimizer optimizer(parameters, options);
  optimizer.step();
  profiler::Profile profile;
  profiled(profile, [&] { optimizer.step(); });
  int kernels = 0;
  for (const profiler::FunctionEvent& event : profile.events()) {
    EXPECT_NE(event.category, "cpu_op") << event.name;
    if (event.category != "kernel") continue;
    ++kernels;
    EXPECT_EQ(event.name, "optim");
  }
  EXPECT_EQ(kernels, 1);
}

TEST(OptimizerKernels, AStepReadsEachParameterOnce) {
  using namespace optim;
  expect_one_pass<SGD>(SGDOptions(0.1).momentum(0.9).nesterov(true).weight_decay(0.01));
  expect_one_pass<Adam>(AdamOptions(0.1).amsgrad(true).weight_decay(0.01));
  expect_one_pass<AdamW>(AdamWOptions(0.1));
  expect_one_pass<RMSprop>(RMSpropOptions(0.1).centered(true).momentum(0.9));
  expect_one_pass<Adagrad>(AdagradOptions(0.1));
  expect_one_pass<Adadelta>(AdadeltaOptions(0.1));
  expect_one_pass<Adamax>(AdamaxOptions(0.1));
  expect_one_pass<NAdam>(NAdamOptions(0.1));
  expect_one_pass<RAdam>(RAdamOptions(0.1));
  expect_one_pass<ASGD>(ASGDOptions(0.1));
  expect_one_pass<Rprop>(RpropOptions(0.1));
  expect_one_pass<Lion>(LionOptions(0.1));
}

}  // namespace
}  // namespace tern::testing
