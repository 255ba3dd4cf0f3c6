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

/// Keeps tensors as values beside its saved tensors.
struct ScaledByKept : autograd::Function<ScaledByKept> {
  static Tensor forward(autograd::AutogradContext* context, const Tensor& x, bool one_of_several) {
    context->saved_data["several"] = one_of_several;
    if (one_of_several) {
      context->saved_data["factor"] = std::vector<Tensor>{x.exp()};
    } else {
      context->saved_data["factor"] = x.exp();
    }
    return x * 2;
  }
  static autograd::variable_list backward(autograd::AutogradContext* context,
                                          autograd::variable_list gradients) {
    const autograd::SavedValue& kept = context->saved_data["factor"];
    const bool one_of_several = context->saved_data["several"].toBool();
    return {gradients[0] * (one_of_several ? kept.toTensorVector()[0] : kept.toTensor()), Tensor()};
  }
};

TEST_F(BackwardElsewhere, ValuesKeptByFunctionsAreNotReusedTooEarly) {
  for (const bool one_of_several : {false, true}) {
    Tensor x = full({1000}, 0.5, device).requires_grad_();
    Tensor loss = ScaledByKept::apply(x, one_of_several).sum();
    on_side([&] { loss.backward(); });
    loss.reset();
    std::vector<Tensor> later;
    for (int i = 0; i < 8; ++i) later.push_back(full({1000}, 9.0, device));
    cuda::getDefaultCUDAStream(0).synchronize();
    on_side([&] { EXPECT_TRUE(allclose(x.grad().cpu(), full({1000}, std::exp(0.5)))); });
  }
}

// The indices that an op was called with, and what embedding_bag makes of them, are kept by the
// graph alone.
TEST_F(BackwardElsewhere, IndicesAreNotReusedTooEarly) {
  const auto check = [&](const char* name, const auto& op) {
    SCOPED_TRACE(name);
    const auto run = [&](const Tensor& x) {
      return op(x, (arange(1000, TensorOptions(kLong).device(x.device())) % 7));
    };
    Tensor here = (arange(70, kFloat) * 0.37).sin().reshape({7, 10}).requires_grad_();
    run(here).sum().backward();
    Tensor there = here.detach().to(device).requires_grad_();
    Tensor loss = run(there).sum();
    on_side([&] { loss.backward(); });
    loss.reset();
    std::vector<Tensor> later;
    for (int i = 0; i < 8; ++i) {
      later.push_back(full({1000}, 6, TensorOptions(kLong).device(device)));
      later.push_back(full({10}, 6, TensorOptions(kLong).device(device)));
      later.push_back(full({70}, true, TensorOptions(kBool).device(device)));
    }
    cuda::getDefaultCUDAStream(0).synchronize();
    on_side([&] { EXPECT_TRUE(allclose(there.grad().cpu(), here.grad(), 1e-4, 1e-5)); });
  };
  const auto bag = [](int mode) {
    return [mode](const Tensor& x, const Tensor& at) {
      const Tensor offsets = arange(0, 1000, 50, at.options());
      return std::get<0>(embedding_bag(x, at, offsets, false, mode)).square();
    };
  };
  check("sum of a bag", bag(0));
  check("mean of a bag", bag(1));
  check("maximum of a bag", bag(2));
  check("indices", [](const Tensor& x, const Tensor& at) { return x.index({at}).square(); });
  check("mask", [](const Tensor& x, const Tensor&) { return x.index({x > 0.1}).square(); });
  check("mask of rows",
        [](const Tensor& x, const Tensor&) { return x.index({x.select(1, 0) > 0.1}).square(); });
  check("put", [](const Tensor& x, const Tensor& at) {
    return x.index_put({at.narrow(0, 0, 5)}, x.narrow(0, 0, 5)).square();
  });
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
