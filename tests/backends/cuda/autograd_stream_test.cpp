#include <cmath>
#include <vector>

#include <tern/tern.h>

#include "backends/cuda/simulated.h"

// Backward on another stream than that of the forward. Saved tensors belong to the forward stream;
// the simulator detects if their memory is reused while the other stream still reads it.

namespace tern {
namespace {

class BackwardElsewhere : public ::testing::Test {
 protected:
  void SetUp() override { cuda::empty_cache(); }

  // Calls `body` on the side stream, after the work so far.
  template <class Body>
  void on_side(const Body& body) {
    cuda::Event ready;
    ready.record();
    ready.block(side);
    const cuda::StreamGuard guard(side);
    body();
  }

  const Device device{"cuda:0"};
  const cuda::Stream side = cuda::getStreamFromPool(false, 0);
};

TEST_F(BackwardElsewhere, SavedTensorsAreNotReusedTooEarly) {
  Tensor weight = full({1000}, 0.5, device).requires_grad_();
  Tensor loss = (weight * 2).exp().square().sum();  // only the tape holds the intermediate tensors
  on_side([&] { loss.backward(); });
  loss.reset();
  std::vector<Tensor> later;
  for (int i = 0; i < 8; ++i) later.push_back(full({1000}, 9.0, device));
  cuda::getDefaultCUDAStream(0).synchronize();  // does not run the simulator's side stream
  on_side([&] { EXPECT_TRUE(allclose(weight.grad().cpu(), full({1000}, 4 * std::exp(2.0)))); });
}

// Layer and batch norm keep statistics that only they know.
TEST_F(BackwardElsewhere, StatisticsAreNotReusedTooEarly) {
  const Tensor start = (arange(2000, kFloat) * 0.37).sin().reshape({2, 1000});
  for (const bool of_layer : {true, false}) {
    const auto normalized = [&](const Tensor& x) {
      return of_layer ? layer_norm(x.t(), {2}).square()
                      : batch_norm(x, {}, {}, {}, {}, true, 0.1, 0.5).square();
    };
    Tensor here = start.clone().requires_grad_();
    normalized(here).sum().backward();
    Tensor there = start.to(device).requires_grad_();
    Tensor loss = normalized(there).sum();
    on_side([&] { loss.backward(); });
    loss.reset();
    std::vector<Tensor> later;
    for (int i = 0; i < 8; ++i)
      later.push_back(full({2, 1000}, 9.0, TensorOptions(device).dtype(kDouble)));
    cuda::getDefaultCUDAStream(0).synchronize();
    on_side([&] { EXPECT_TRUE(allclose(there.grad().cpu(), here.grad(), 1e-4, 1e-5)); });
  }
}

TEST_F(BackwardElsewhere, RetainedGraphsAreNotReusedTooEarly) {
  Tensor weight = full({1000}, 0.5, device).requires_grad_();
  Tensor loss = (weight * 2).exp().square().sum();
  on_side([&] { loss.backward({}, /*retain_graph=*/true); });
  loss.reset();
  std::vector<Tensor> later;
  for (int i = 0; i < 8; ++i) later.push_back(full({1000}, 9.0, device));
  cuda::synchronize(0);
}

TEST_F(BackwardElsewhere, GradientsOfAnEarlierBackwardAreNotReusedTooEarly) {
  Tensor weight = full({1000}, 0.5, device).requires_grad_();
  weight.sum().backward();
  on_side([&] {
    weight.sum().backward();  // adds to a gradient of the default stream
    weight.mutable_grad().reset();
  });
  std::vector<Tensor> later;
  for (int i = 0; i < 8; ++i) later.push_back(full({1000}, 9.0, device));
  cuda::synchronize(0);
}

TEST_F(BackwardElsewhere, OnOneStreamMemoryIsReusedAtOnce) {
  Tensor weight = full({1000}, 0.5, device).requires_grad_();
  const auto step = [&] {
    weight.mutable_grad().reset();
    (weight * 2).exp().square().sum().backward();
  };
  step();
  const std::int64_t reserved = cuda::max_memory_allocated(0);
  cuda::reset_peak_memory_stats(0);
  for (int i = 0; i < 4; ++i) step();
  EXPECT_LE(cuda::max_memory_allocated(0), reserved);
}

}  // namespace
}  // namespace tern
