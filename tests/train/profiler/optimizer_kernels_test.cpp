#include "nn/optim/every_optimizer.h"
#include "profiler_test.h"

// What a step of an optimizer reads, seen in a profile: no time is compared.

namespace tern::testing {
namespace {

TEST(OptimizerKernels, AStepReadsEachParameterOnce) {
  for (const AnyOptimizer& any : every_optimizer()) {
    if (!any.has_rule()) continue;
    SCOPED_TRACE(any.name);
    std::vector<Tensor> parameters;
    for (int i = 0; i < 20; ++i) {  // fit into one call of the kernel
      parameters.push_back(ones({3, 5}).requires_grad_());
      parameters.back().mutable_grad() = ones({3, 5});
    }
    const auto optimizer = any.make(parameters);
    optimizer->step();
    profiler::Profile profile;
    profiled(profile, [&] { optimizer->step(); });
    int kernels = 0;
    for (const profiler::FunctionEvent& event : profile.events()) {
      EXPECT_NE(event.category, "cpu_op") << event.name;
      if (event.category != "kernel") continue;
      ++kernels;
      EXPECT_EQ(event.name, "optim");
    }
    EXPECT_EQ(kernels, 1);
  }
}

}  // namespace
}  // namespace tern::testing
