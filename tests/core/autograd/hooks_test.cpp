#include "core/autograd/autograd_test.h"

namespace tern::testing {
namespace {

TEST(Hooks, SeeAndReplaceGradients) {
  const Tensor x = leaf(tensor({1., 2.}));
  const Tensor y = x * 2;
  Tensor seen;
  y.register_hook([&](const Tensor& g) {
    seen = g.clone();
    return Tensor();  // undefined: the gradient stays unchanged
  });
  y.register_hook([](const Tensor& g) { return g * 10; });
  y.sum().backward();
  TERN_EXPECT_EQUAL(seen, ones({2}));
  TERN_EXPECT_EQUAL(x.grad(), tensor({20., 20.}));
}

TEST(Hooks, OfLeavesRunBeforeTheGradientIsAdded) {
  const Tensor x = leaf(ones({2}));
  int calls = 0;
  const unsigned number = x.register_hook([&](const Tensor& g) {
    ++calls;
    return g * 2;
  });
  (x + x * 2).sum().backward();
  EXPECT_EQ(calls, 1);  // called once, with the whole gradient
  TERN_EXPECT_EQUAL(x.grad(), full({2}, 6.));
  TERN_EXPECT_EQUAL(autograd::grad({x.sum()}, {x})[0], full({2}, 2.));
  x.remove_hook(number);
  x.sum().backward();
  EXPECT_EQ(calls, 2);
  TERN_EXPECT_EQUAL(x.grad(), full({2}, 7.));
}

TEST(Hooks, MayNotReplaceAGradientByAnother) {
  const auto text_of_hook = [](bool of_leaf, const Tensor& replacement) {
    const Tensor x = leaf(ones({3}));
    const Tensor y = of_leaf ? x : x * 2;
    y.register_hook([&](const Tensor&) { return replacement; });
    std::string text;
    try {
      (y * 2).sum().backward();
    } catch (const Error& error) {
      text = error.what();
    }
    EXPECT_EQ(x.grad().defined(), text.empty());
    return text.substr(0, 6) + text.substr(std::min(text.size(), text.find("' has")));
  };
  for (const bool of_leaf : {true, false}) {
    EXPECT_EQ(text_of_hook(of_leaf, ones({4})),
              "hook '' has changed the size of value (was [3] got [4])");
    EXPECT_EQ(text_of_hook(of_leaf, ones({1})),
              "hook '' has changed the size of value (was [3] got [1])");
    EXPECT_EQ(text_of_hook(of_leaf, ones({3}, kDouble)),
              "hook '' has changed the type of value (was torch.FloatTensor got "
              "torch.DoubleTensor)");
    EXPECT_EQ(text_of_hook(of_leaf, ones({3}, kLong)),
              "hook '' has changed the type of value (was torch.FloatTensor got "
              "torch.LongTensor)");
    EXPECT_EQ(text_of_hook(of_leaf, ones({3}, kMeta)),
              "hook '' has changed the type of value (was torch.FloatTensor got MetaFloatType)");
    EXPECT_EQ(text_of_hook(of_leaf, full({3}, 2.)), "");
  }
}

TEST(Hooks, AreNumberedByOutput) {
  const std::vector<Tensor> parts = leaf(ones({2})).unbind();
  const auto same = [](const Tensor& g) { return g; };
  for (const Tensor& part : parts) {
    part.retain_grad();
    EXPECT_EQ(part.register_hook(same), 0u);
    EXPECT_EQ(part.register_hook(same), 1u);
    part.remove_hook(0);
    EXPECT_EQ(part.register_hook(same), 2u);
    EXPECT_EQ(error_of([&] { part.remove_hook(3); }), "Invalid index, no hook at position 3");
  }
  EXPECT_EQ(error_of([] { leaf(ones({1})).remove_hook(0); }),
            "Invalid index, no hook at position 0");
}

TEST(Hooks, AreRemovedByNumber) {
  const Tensor x = leaf(ones({1}));
  const Tensor y = x * 1;
  const unsigned first = y.register_hook([](const Tensor& g) { return g + 1; });
  y.register_hook([](const Tensor& g) { return g * 3; });
  y.remove_hook(first);
  y.remove_hook(first);  // removing it twice does nothing
  y.sum().backward();
  TERN_EXPECT_EQUAL(x.grad(), full({1}, 3.));
}

TEST(Hooks, MayRemoveThemselves) {
  const Tensor x = leaf(ones({1}));
  unsigned number = 0;
  int calls = 0;
  number = x.register_hook([&](const Tensor&) {
    ++calls;
    x.remove_hook(number);
    return Tensor();
  });
  x.sum().backward();
  x.sum().backward();
  EXPECT_EQ(calls, 1);
}

TEST(Hooks, BelongToTheTensorAsItWas) {
  const Tensor x = leaf(tensor({3.}));
  Tensor y = x * 1;
  Tensor seen;
  y.register_hook([&](const Tensor& g) {
    seen = g.clone();
    return Tensor();
  });
  y.mul_(5);
  y.sum().backward();
  TERN_EXPECT_EQUAL(seen, tensor({5.}));
}

TEST(Hooks, NeedAGradient) {
  const auto hook = [](const Tensor& g) { return g; };
  TERN_EXPECT_HAS(error_of([&] { ones({1}).register_hook(hook); }),
                  "cannot register a hook on a tensor that doesn't require gradient");
  TERN_EXPECT_HAS(error_of([&] { ones({1}).retain_grad(); }),
                  "can't retain_grad on Tensor that has requires_grad=False");
}

TEST(RetainGrad, KeepsTheGradientOfComputedTensors) {
  const Tensor x = leaf(tensor({1., 2.}));
  const Tensor y = x * 2, z = y * 3;
  y.retain_grad();
  y.retain_grad();
  EXPECT_TRUE(y.retains_grad());
  z.sum().backward({}, true);
  TERN_EXPECT_EQUAL(y.grad(), tensor({3., 3.}));
  EXPECT_FALSE(z.grad().defined());
  z.sum().backward();
  TERN_EXPECT_EQUAL(y.grad(), tensor({6., 6.}));  // accumulates like a leaf's
  x.retain_grad();
  EXPECT_FALSE(x.retains_grad());
}

TEST(RetainGrad, FollowsChangesInPlace) {
  const Tensor x = leaf(ones({2}));
  Tensor y = x * 3;
  y.retain_grad();
  y.mul_(5);
  EXPECT_TRUE(y.retains_grad());
  (y * 7).sum().backward();
  TERN_EXPECT_EQUAL(y.grad(), full({2}, 7.));
  TERN_EXPECT_EQUAL(x.grad(), full({2}, 105.));
}

TEST(RetainGrad, FollowsChangesThroughViews) {
  for (const bool of_base : {true, false}) {
    const Tensor x = leaf(ones({2}));
    Tensor y = x * 3, v = y.view({2});
    const Tensor& kept = of_base ? y : v;
    Tensor& changed = of_base ? v : y;
    kept.retain_grad();
    changed.mul_(5);
    (kept * 7).sum().backward();
    TERN_EXPECT_EQUAL(kept.grad(), full({2}, 7.));
    TERN_EXPECT_EQUAL(x.grad(), full({2}, 105.));
    EXPECT_FALSE(changed.grad().defined());
  }
}

TEST(RetainGrad, SeesWhatHooksMadeOfIt) {
  const Tensor x = leaf(tensor({1.}));
  const Tensor y = x * 2;
  y.retain_grad();
  y.register_hook([](const Tensor& g) { return g * 7; });
  y.sum().backward();
  TERN_EXPECT_EQUAL(y.grad(), tensor({7.}));
  TERN_EXPECT_EQUAL(x.grad(), tensor({14.}));
}

TEST(RetainGrad, KeepsAGradientThatNobodyElseChanges) {
  const Tensor x = leaf(ones({2}));
  const Tensor y = x * 1, z = y * 1;
  y.retain_grad();
  z.sum().backward();
  Tensor grad = y.grad();
  grad.fill_(5);
  TERN_EXPECT_EQUAL(x.grad(), ones({2}));
}

}  // namespace
}  // namespace tern::testing
