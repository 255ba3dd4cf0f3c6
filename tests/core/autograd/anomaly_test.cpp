#include "core/autograd/autograd_test.h"

namespace tern::testing {
namespace {

using autograd::AnomalyMode;
using autograd::DetectAnomalyGuard;

TEST(Anomaly, NamesTheOpOfANan) {
  const DetectAnomalyGuard guard;
  const Tensor x = leaf(tensor({-1.f, 4.f}));
  EXPECT_EQ(error_of([&] { x.sqrt().sum().backward(); }),
            "Function 'SqrtBackward0' returned nan values in its 0th output. It was recorded by op "
            "sqrt, whose result has the sizes [2].");
  EXPECT_FALSE(x.grad().defined());
}

TEST(Anomaly, NamesTheModule) {
  nn::Sequential net{nn::Linear(2, 2), nn::Functional([](const Tensor& x) { return x.sqrt(); })};
  for (const Tensor& parameter : net->parameters()) parameter.detach().fill_(-1);
  const DetectAnomalyGuard guard;
  TERN_EXPECT_HAS(error_of([&] {
                    net->forward(ones({1, 2})).sum().backward();
                  }),
                  "recorded by op sqrt in module Functional");
}

TEST(Anomaly, SaysWhenNothingWasRemembered) {
  const Tensor y = leaf(tensor({-1.f})).sqrt();
  const DetectAnomalyGuard guard;
  TERN_EXPECT_HAS(error_of([&] { y.backward(); }), "Anomaly mode was not enabled when it was");
}

TEST(Anomaly, EndsWithTheGuard) {
  {
    const DetectAnomalyGuard outer;
    {
      const DetectAnomalyGuard inner(/*check_nan=*/false);
      leaf(tensor({-1.f})).sqrt().backward();
      EXPECT_FALSE(AnomalyMode::should_check_nan());
    }
    EXPECT_TRUE(AnomalyMode::is_enabled() && AnomalyMode::should_check_nan());
  }
  EXPECT_FALSE(AnomalyMode::is_enabled());
  leaf(tensor({-1.f})).sqrt().backward();
}

}  // namespace
}  // namespace tern::testing
