#include "core/autograd/autograd_test.h"

// A leaf's grad() has its own memory, whatever tensor backward() was given or passed on, and
// backward() writes to no memory that somebody else can see.

namespace tern::testing {
namespace {

/// Runs `backward` twice. Then expects the gradient of each leaf in `leaves` to be 2, in memory
/// that it shares with no other gradient.
void expect_own_gradients(const std::vector<Tensor>& leaves,
                          const std::function<void()>& backward) {
  backward();
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_FALSE(leaves[i].grad().is_alias_of(leaves[j].grad())) << i << ' ' << j;
    }
  }
  backward();
  for (const Tensor& x : leaves) TERN_EXPECT_EQUAL(x.grad(), full(x.sizes(), 2.));
}

TEST(Ownership, LeavesOfOneGradientShareNothing) {
  const Tensor g = ones({4});
  for (const bool named : {false, true}) {
    const Tensor a = leaf(zeros({4})), b = leaf(zeros({4})), c = leaf(zeros({2, 2}));
    const std::vector<Tensor> leaves = {a, b, c};
    expect_own_gradients(leaves, [&] {
      // The three gradients are one tensor: twice the tensor itself, once a view of it.
      autograd::backward({a + b + c.view({4})}, {g}, {}, false,
                         named ? leaves : std::vector<Tensor>());
    });
    TERN_EXPECT_EQUAL(g, ones({4}));
  }
}

TEST(Ownership, AnInputNamedTwiceGetsItsGradientOnce) {
  const Tensor a = leaf(zeros({4})), g = ones({4});
  autograd::backward({a * 1}, {g}, {}, false, {a, a});
  TERN_EXPECT_EQUAL(a.grad(), ones({4}));
  TERN_EXPECT_EQUAL(g, ones({4}));
}

TEST(Ownership, TheCallersGradientStaysAsItWas) {
  for (const bool named : {false, true}) {
    const Tensor a = leaf(zeros({4}));
    const std::vector<std::pair<Tensor, Tensor>> runs = {
        {a, ones({4})},                      // the gradient itself
        {a.view({2, 2}), ones({2, 2})},      // a view of the gradient
        {a.view({2, 2}).t(), ones({2, 2})},  // a view with other strides
        {a.view({1, 4}).expand({2, 4}), full({2, 4}, 0.5)},
        {a.slice(0, 0, 4), ones({8}).slice(0, 0, 4)},  // a part of a larger tensor
        {a * 1 + a.view({4}) * 0, ones({4})}};         // meets another gradient on the way
    for (const auto& [out, g] : runs) {
      const Tensor before = g.clone();
      a.mutable_grad().reset();
      expect_own_gradients({a}, [&, &out = out, &g = g] {
        autograd::backward({out}, {g}, /*retain_graph=*/true, false,
                           named ? std::vector<Tensor>{a} : std::vector<Tensor>());
      });
      TERN_EXPECT_EQUAL(g, before);
      EXPECT_FALSE(a.grad().is_alias_of(g));
    }
  }
}

TEST(Ownership, WhatAHookKeptStaysAsItWas) {
  const Tensor a = leaf(zeros({3}));
  std::vector<Tensor> seen;
  const auto keep = [&](const Tensor& g) {
    seen.push_back(g);
    return Tensor();
  };
  a.register_hook(keep);
  const Tensor y = a * 1, z = y.view({3});
  y.register_hook(keep);
  // Two gradients meet in y and two in a, each after the hook has received one of them.
  for (int i = 0; i < 2; ++i) {
    autograd::backward({z * 2 + y + a}, {ones({3})}, /*retain_graph=*/true);
  }
  TERN_EXPECT_EQUAL(a.grad(), full({3}, 8.));
  ASSERT_EQ(seen.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) TERN_EXPECT_EQUAL(seen[i], full({3}, i % 2 == 0 ? 3. : 4.));
}

TEST(Ownership, OneTensorThatAHookReturnsTwiceIsNoSum) {
  const Tensor a = leaf(zeros({2})), fixed = ones({2});
  a.register_hook([&](const Tensor&) { return fixed; });
  for (int i = 0; i < 3; ++i) a.sum().backward();
  TERN_EXPECT_EQUAL(a.grad(), full({2}, 3.));
  TERN_EXPECT_EQUAL(fixed, ones({2}));
}

// Ops that were recorded last run first: the other gradients are added to their gradient.
TEST(Ownership, AGradientWithOverlapIsNotAddedTo) {
  const Tensor x = leaf(tensor({1., 2., 3.}));
  const Tensor squares = (x * x).sum(), last = x + 0;
  last.register_hook([](const Tensor& g) { return g.new_ones({1}).expand({3}).detach(); });
  (squares + last.sum()).backward();
  TERN_EXPECT_EQUAL(x.grad(), tensor({3., 5., 7.}));
}

TEST(Ownership, AViewOfTheCallersGradientIsNotAddedTo) {
  const Tensor x = leaf(zeros({4})), g = full({4}, 0.5);
  const Tensor product = x * 1, view = x.view({4});
  expect_own_gradients({x}, [&] { (product + view).backward(g); });
  TERN_EXPECT_EQUAL(g, full({4}, 0.5));
}

TEST(Ownership, ResultsOfGradAreTheCallers) {
  const Tensor a = leaf(zeros({2})), b = leaf(zeros({2}));
  const Tensor out = a + b, g = ones({2});
  Tensor first = autograd::grad({out}, {a, b}, {g}, /*retain_graph=*/true)[0];
  autograd::backward({out}, {g}, /*retain_graph=*/true);
  autograd::backward({out}, {first}, /*retain_graph=*/true);
  TERN_EXPECT_EQUAL(first, ones({2}));
  TERN_EXPECT_EQUAL(a.grad(), full({2}, 2.));
  TERN_EXPECT_EQUAL(b.grad(), full({2}, 2.));
}

// An optimizer and a program may hold the tensor: a later backward() adds to its elements.
TEST(Ownership, AGradientKeepsItsPlace) {
  for (const bool named : {false, true}) {
    const Tensor a = leaf(ones({2}));
    const std::vector<Tensor> inputs = named ? std::vector<Tensor>{a} : std::vector<Tensor>();
    autograd::backward({a.sum()}, {}, {}, false, inputs);
    const Tensor held = a.grad();
    autograd::backward({a.sum()}, {}, {}, false, inputs);
    TERN_EXPECT_EQUAL(held, full({2}, 2.));
    EXPECT_EQ(held.data_ptr(), a.grad().data_ptr());
    // Not with create_graph: an in-place change would alter the history of the gradient.
    autograd::backward({a.square().sum()}, {}, {}, /*create_graph=*/true, inputs);
    TERN_EXPECT_EQUAL(held, full({2}, 2.));
    TERN_EXPECT_EQUAL(a.grad(), full({2}, 4.));
    EXPECT_TRUE(a.grad().requires_grad());
    a.mutable_grad().reset();
  }
}

// The caller differentiates a gradient with a history again, so the gradient must not change.
TEST(Ownership, AGradientWithAHistoryIsNotAddedTo) {
  const Tensor a = leaf(full({2}, 3.));
  const Tensor first = autograd::grad({a.square().sum()}, {a}, {}, {}, /*create_graph=*/true)[0];
  const Tensor b = leaf(zeros({2}));
  b.backward(first, {}, /*create_graph=*/true);
  EXPECT_TRUE(b.grad().requires_grad());
  b.sum().backward();
  TERN_EXPECT_EQUAL(first, full({2}, 6.));
  b.mutable_grad().reset();
  TERN_EXPECT_EQUAL(autograd::grad({first.sum()}, {a})[0], full({2}, 2.));
}

TEST(Ownership, ARetainedGradientIsNobodyElses) {
  const Tensor x = leaf(ones({2})), g = ones({2});
  const Tensor y = x * 1, z = y.view({2});
  y.retain_grad();
  for (int i = 0; i < 2; ++i) z.backward(g, /*retain_graph=*/true);
  TERN_EXPECT_EQUAL(g, ones({2}));
  TERN_EXPECT_EQUAL(y.grad(), full({2}, 2.));
  TERN_EXPECT_EQUAL(x.grad(), full({2}, 2.));
  y.mutable_grad().reset();
  z.backward(g);
  EXPECT_FALSE(y.grad().is_alias_of(g));
}

TEST(Ownership, DataSharesAndFreesTheMemory) {
  const std::int64_t before = live_bytes();
  {
    Tensor x = ones({100});
    const Tensor data = x.data();
    x = Tensor();
    EXPECT_EQ(data.sum().item<float>(), 100);
  }
  EXPECT_EQ(live_bytes(), before);
}

}  // namespace
}  // namespace tern::testing
