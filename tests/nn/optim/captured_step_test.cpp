#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tern/backends/cuda/host/cuda_backend.h>
#include <tern/backends/cuda/host/loader.h>
#include <tern/tern.h>

#include "error_of.h"
#include "nn/optim/every_optimizer.h"
#include "sanitizer.h"
#include "simulated_devices.h"

// Training steps as CUDA graphs on a simulated device give exactly the results of the same steps
// without graphs.

namespace tern {
namespace {

constexpr std::int64_t kBatch = 6, kPixels = 12;

struct VaeImpl : nn::Module {
  VaeImpl() {
    encode = register_module("encode", nn::Linear(kPixels, 8));
    mean = register_module("mean", nn::Linear(8, 3));
    logvar = register_module("logvar", nn::Linear(8, 3));
    decode = register_module("decode", nn::Linear(3, kPixels));
    dropout = register_module("dropout", nn::Dropout(0.25));
  }
  Tensor loss(const Tensor& x) {
    const Tensor h = relu(encode(x)), mu = mean(h), lv = logvar(h);
    const Tensor z = mu + randn_like(mu) * exp(0.5 * lv);
    const Tensor y = sigmoid(decode(dropout(z)));
    const Tensor bce = nn::functional::binary_cross_entropy(
        y, x, nn::functional::BinaryCrossEntropyFuncOptions().reduction(kSum));
    return bce - 0.5 * sum(1 + lv - mu.square() - exp(lv));
  }
  nn::Linear encode{nullptr}, mean{nullptr}, logvar{nullptr}, decode{nullptr};
  nn::Dropout dropout{nullptr};
};
TERN_MODULE(Vae);

Tensor batch(int i) {
  return (arange(kBatch * kPixels, kFloat) * (0.1 + 0.01 * i))
      .sin()
      .abs()
      .reshape({kBatch, kPixels});
}

std::vector<float> values(const Tensor& tensor) {
  const Tensor host = tensor.detach().cpu().contiguous();
  return {host.data_ptr<float>(), host.data_ptr<float>() + host.numel()};
}

// A model in training on cuda:0, always from the same initial state.
struct Training {
  explicit Training(const std::string& name, double lr = 1e-2, bool capturable = true)
      : model([] {
          manual_seed(7);
          return Vae();
        }()),
        optimizer(testing::optimizer_named(name).make(model->parameters(), capturable)) {
    optimizer->set_lr(lr);
    model->to(kCUDA);
  }
  Tensor step() {
    optimizer->zero_grad();
    Tensor loss = model->loss(x);
    loss.backward();
    nn::utils::clip_grad_norm_(model->parameters(), 5.0);
    optimizer->step();
    return loss;
  }
  std::vector<float> weights() const {
    std::vector<float> all;
    for (const Tensor& p : model->parameters()) {
      const std::vector<float> one = values(p);
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  }
  Tensor x = zeros({kBatch, kPixels}, kCUDA);
  Vae model;
  std::unique_ptr<optim::Optimizer> optimizer;
};

// The results of `steps` steps: every loss, the weights, and the next random number.
struct Outcome {
  std::vector<float> losses, weights;
  float draw = 0;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

// Trains, with a graph for the steps where `uses_graph(i)`; the learning rate changes in between.
template <class UsesGraph>
Outcome train(Training training, const UsesGraph& uses_graph) {
  cuda::GraphedStep graphed({training.x}, [&] { return training.step(); });
  Outcome outcome;
  const int steps = testing::has_sanitizer() ? 25 : 50;
  for (int i = 0; i < steps; ++i) {
    if (i == 20) training.optimizer->set_lr(3e-3);
    Tensor loss;
    if (uses_graph(i)) {
      loss = graphed(batch(i));
    } else {
      training.x.copy_(batch(i));
      loss = training.step();
    }
    outcome.losses.push_back(loss.item<float>());
  }
  outcome.weights = training.weights();
  outcome.draw = rand({1}, kCUDA).item<float>();
  return outcome;
}

TEST(GraphedStep, EveryOptimizerIsBitEqual) {
  for (const testing::AnyOptimizer& optimizer : testing::every_optimizer()) {
    if (optimizer.kind != testing::StepKind::kCapturedRule) continue;
    SCOPED_TRACE(optimizer.name);
    const auto training = [&] { return Training(optimizer.name); };
    const Outcome eager = train(training(), [](int) { return false; });
    EXPECT_LT(eager.losses.back(), eager.losses.front());
    EXPECT_EQ(train(training(), [](int) { return true; }), eager);
    // Eager steps between replays: both count the same steps and draw from the same sequence. The
    // first steps of RAdam are those of SGD with momentum; the graph leaves them in time.
    EXPECT_EQ(train(training(), [](int i) { return i < 12 || i > 16; }), eager);
  }
}

TEST(GraphedStep, RefusesOptimizersThatAreNotCapturable) {
  for (const testing::AnyOptimizer& any : testing::every_optimizer()) {
    if (any.kind == testing::StepKind::kCapturedRule && !any.has_capturable) continue;
    const Tensor x = ones({2, 2}, kCUDA).requires_grad_(true);
    const auto optimizer = any.make({x});
    int calls = 0;
    const auto closure = [&] {
      ++calls;
      optimizer->zero_grad();
      const Tensor loss = x.square().sum();
      loss.backward();
      return loss;
    };
    optimizer->step(closure);
    const int before = calls;
    cuda::synchronize();
    const cuda::StreamGuard guard(cuda::getStreamFromPool());
    cuda::CUDAGraph graph;
    graph.capture_begin();
    EXPECT_EQ(error_of([&] { optimizer->step(closure); }),
              "Attempting CUDA graph capture of step() for an instance of " + any.name +
                  " but param_groups' capturable is False.");
    graph.capture_end();
    EXPECT_EQ(calls, before);
  }
}

TEST(GraphedStep, CapturableChangesNoStep) {
  const auto eager = [](int) { return false; };
  EXPECT_EQ(train(Training("Adam", 1e-2, true), eager),
            train(Training("Adam", 1e-2, false), eager));
}

TEST(GraphedStep, AsksTheDriverForNoMemory) {
  Training training("Adam");
  cuda::GraphedStep graphed({training.x}, [&] { return training.step(); });
  for (int i = 0; i < 5; ++i) graphed(batch(i));
  const auto stats = [] { return cuda::cuda_backend().allocator().stats(0); };
  const MemoryStats before = stats();
  for (int i = 0; i < 10; ++i) graphed(batch(i));
  cuda::synchronize();
  EXPECT_EQ(stats().system_requests, before.system_requests);
  EXPECT_EQ(stats().allocations, before.allocations);  // the caching allocator is not asked, either
  EXPECT_EQ(stats().live_bytes, before.live_bytes);
}

TEST(GraphedStep, AValueMayChangeOnceTheCallReturned) {
  const Tensor x = zeros({2}, kCUDA);
  cuda::GraphedStep graphed(
      {x}, [&] { return x * 2; }, /*warmup=*/1);
  for (int i = 0; i < 4; ++i) {
    Tensor value = full({2}, i, kFloat);
    const Tensor result = graphed(value);
    value.fill_(-1);
    EXPECT_EQ(result.cpu()[0].item<float>(), static_cast<float>(2 * i));
  }
}

TEST(GraphedStep, TheOptimizerCountsReplays) {
  Training training("Adam");
  cuda::GraphedStep graphed({training.x}, [&] { return training.step(); });
  for (int i = 0; i < 8; ++i) graphed(batch(i));
  for (const auto& [key, state] : training.optimizer->state()) {
    const auto& adam = static_cast<const optim::AdamParamState&>(*state);
    EXPECT_EQ(adam.step(), 8);
    EXPECT_EQ(adam.device_step().item<double>(), 8.0);
  }
  const State saved = training.optimizer->state_dict();
  EXPECT_EQ(saved["state"]["0"]["step"].tensor().item<float>(), 8.0f);
  EXPECT_TRUE(saved["param_groups"][std::size_t{0}]["capturable"].to<bool>("capturable"));
}

TEST(GraphedStep, AMovedOptimizerIsStillTheOne) {
  Training training("Adam");
  auto optimizer =
      std::make_unique<optim::Adam>(std::move(static_cast<optim::Adam&>(*training.optimizer)));
  cuda::GraphedStep graphed({training.x}, [&] {
    optimizer->zero_grad();
    Tensor loss = training.model->loss(training.x);
    loss.backward();
    optimizer->step();
    return loss;
  });
  for (int i = 0; i < 5; ++i) graphed(batch(i));
  optim::Adam moved = std::move(*optimizer);
  optimizer.reset();
  moved.param_groups()[0].options().set_lr(0);
  const std::vector<float> before = training.weights();
  graphed(batch(0));
  EXPECT_EQ(training.weights(), before);  // the learning rate of the moved optimizer
  EXPECT_EQ(static_cast<optim::AdamParamState&>(*moved.state().begin()->second).step(), 6);
}

TEST(GraphedStep, RefusesAnOptimizerThatIsNotCapturable) {
  Training training("Adam", 1e-2, /*capturable=*/false);
  cuda::GraphedStep graphed({training.x}, [&] { return training.step(); });
  for (int i = 0; i < 3; ++i) graphed(batch(i));
  const std::vector<float> before = training.weights();
  EXPECT_EQ(error_of([&] { graphed(batch(3)); }),
            "Attempting CUDA graph capture of step() for an instance of Adam but param_groups' "
            "capturable is False.");
  EXPECT_FALSE(cuda::is_current_stream_capturing());
  EXPECT_EQ(training.weights(), before);
}

TEST(GraphedStep, RefusesAFirstStepWithState) {
  Training training("Adam");
  cuda::GraphedStep graphed(
      {training.x}, [&] { return training.step(); }, /*warmup=*/0);
  EXPECT_NE(
      error_of([&] { graphed(batch(0)); }).find("first step of a parameter cannot be captured"),
      std::string::npos);
}

/// Captures a step, makes five, replaces the optimizer's state, and expects that a replay is
/// refused and changes nothing.
void expect_replaced_state_refused(Training& training) {
  cuda::GraphedStep graphed({training.x}, [&] { return training.step(); });
  for (int i = 0; i < 5; ++i) graphed(batch(i));
  training.optimizer->load_state_dict(training.optimizer->state_dict());
  const std::vector<float> before = training.weights();
  EXPECT_NE(error_of([&] { graphed(batch(5)); }).find("the optimizer's state was replaced"),
            std::string::npos);
  EXPECT_EQ(training.weights(), before);
}

TEST(GraphedStep, RefusesAStateThatWasReplaced) {
  Training training("Adam");
  expect_replaced_state_refused(training);
  training.step();
  for (const auto& [key, state] : training.optimizer->state()) {
    EXPECT_EQ(static_cast<const optim::AdamParamState&>(*state).step(), 6);
  }
}

TEST(GraphedStep, RefusesAMomentumThatWasReplaced) {
  Training training("SGD");
  expect_replaced_state_refused(training);
}

TEST(GraphedStep, SeesWeightsThatAreLoaded) {
  Training training("Adam", 0.0);
  cuda::GraphedStep graphed({training.x}, [&] { return training.step(); });
  for (int i = 0; i < 5; ++i) graphed(batch(i));
  State state;
  for (auto& [name, parameter] : training.model->named_parameters()) {
    state.insert(name, zeros_like(parameter));
  }
  training.model->load_state_dict(state);
  const double expected = kBatch * kPixels * std::log(2.0);  // all logits 0, no divergence
  EXPECT_NEAR(graphed(batch(5)).item<float>(), expected, 1e-3);
}

TEST(GraphedStep, AReplayThatFailsIsNoStep) {
  TERN_NEEDS_SIMULATOR();
  Training training("Adam");
  cuda::GraphedStep graphed({training.x}, [&] { return training.step(); });
  for (int i = 0; i < 5; ++i) graphed(batch(i));
  const std::vector<float> before = training.weights();
  cuda::detail::plugin().inject(kernels::PluginFault::kLaunch, 1);
  EXPECT_THROW(graphed(batch(5)), DeviceError);
  EXPECT_EQ(training.weights(), before);
  graphed(batch(5));
  for (const auto& [key, state] : training.optimizer->state()) {
    EXPECT_EQ(static_cast<const optim::AdamParamState&>(*state).step(), 6);
  }
}

// The losses of ten steps with a graph. In the capturing call and in one replaying call,
// `inject(n)` makes the n-th call of a kind fail, for every n until the step succeeds.
std::vector<float> losses_with_faults(const std::function<void(std::int64_t n)>& inject) {
  Training training("Adam");
  cuda::GraphedStep graphed({training.x}, [&] { return training.step(); });
  std::vector<float> losses;
  for (int i = 0; i < 10; ++i) {
    std::int64_t faults = 0;
    for (bool done = false; !done && faults < 1000;) {
      if (i == 3 || i == 5) inject(faults + 1);
      try {
        losses.push_back(graphed(batch(i)).item<float>());
        done = true;
      } catch (const Error&) {
        ++faults;
        EXPECT_FALSE(cuda::is_current_stream_capturing());
      }
      inject(0);
    }
    EXPECT_TRUE(faults == 0 || i == 3 || i == 5);
  }
  return losses;
}

TEST(GraphedStep, TriesAgainAfterEveryFault) {
  TERN_NEEDS_SIMULATOR();
  const std::vector<float> expected = losses_with_faults([](std::int64_t) {});
  EXPECT_EQ(losses_with_faults([](std::int64_t n) { testing::fail_allocation(n); }), expected);
  for (const auto fault : {kernels::PluginFault::kAllocate, kernels::PluginFault::kLaunch}) {
    EXPECT_EQ(losses_with_faults([&](std::int64_t n) { cuda::detail::plugin().inject(fault, n); }),
              expected);
  }
}

TEST(GraphedStep, RefusesReadsOnTheHost) {
  Training training("Adam");
  cuda::GraphedStep graphed({training.x}, [&] {
    const Tensor loss = training.step();
    loss.item<float>();
    return loss;
  });
  for (int i = 0; i < 3; ++i) graphed(batch(i));
  EXPECT_EQ(
      error_of([&] { graphed(batch(3)); }),
      "CUDA error: operation not permitted when stream is capturing\nitem() needs a result that "
      "only a replay computes.");
  training.step();  // everything still works
  EXPECT_GT(training.step().item<float>(), 0);
}

TEST(GraphedStep, ChecksItsValues) {
  EXPECT_EQ(error_of<DeviceError>(
                [] { const cuda::GraphedStep on_cpu({zeros({2})}, [] { return Tensor(); }); }),
            "GraphedStep: expected inputs on a cuda device, got one on cpu");
  const Tensor x = zeros({2, 3}, kCUDA);
  cuda::GraphedStep step({x}, [&] { return x.sum(); });
  EXPECT_EQ(error_of([&] { step(); }), "GraphedStep: expected 1 values, one for each input, got 0");
  EXPECT_EQ(error_of([&] { step(zeros({3})); }),
            "GraphedStep: value 0 has sizes [3], but the captured input has sizes [2, 3]");
  EXPECT_THROW(cuda::GraphedStep({zeros({1})}, [] { return Tensor(); }), DeviceError);
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(step(full({2, 3}, i)).item<float>(), 6.0f * static_cast<float>(i));
}

}  // namespace
}  // namespace tern
