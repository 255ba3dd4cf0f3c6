#include <tern/core/autograd/detail/accumulate_hook.h>

#include <stdexcept>

#include "core/autograd/autograd_test.h"
#include "error_of.h"

// What runs when gradients are complete.

namespace tern::testing {
namespace {

using autograd::add_accumulate_hook;
using autograd::at_end_of_backward;
using autograd::remove_accumulate_hook;

TEST(AccumulateHook, SeesEachSumAndMayReplaceIt) {
  const Tensor x = leaf(full({2}, 3.0));
  std::vector<float> seen;
  const unsigned first =
      add_accumulate_hook(x, [&](Tensor& grad) { seen.push_back(grad[0].item<float>()); });
  const unsigned second = add_accumulate_hook(x, [&](Tensor& grad) { grad = grad * 10; });
  (x * 2 + x).sum().backward();  // two gradients, one sum
  EXPECT_EQ(seen, std::vector<float>({3}));
  EXPECT_EQ(x.grad()[0].item<float>(), 30);
  remove_accumulate_hook(x, second);
  x.sum().backward();
  EXPECT_EQ(seen, std::vector<float>({3, 31}));
  remove_accumulate_hook(x, first);
  x.sum().backward();
  EXPECT_EQ(seen.size(), 2u);
  EXPECT_EQ(error_of([&] { remove_accumulate_hook(x, 2); }),
            "remove_accumulate_hook: no hook at position 2");
  EXPECT_EQ(error_of([&] { add_accumulate_hook(x * 2, [](Tensor&) {}); }),
            "add_accumulate_hook: needs a leaf that requires a gradient");
}

TEST(AccumulateHook, RunsForInputsOfBackwardAndNotForGrad) {
  const Tensor x = leaf(ones({2})), y = leaf(ones({2}));
  int calls = 0;
  add_accumulate_hook(x, [&](Tensor&) { ++calls; });
  add_accumulate_hook(y, [&](Tensor&) { ++calls; });
  autograd::grad({(x * y).sum()}, {x, y});
  EXPECT_EQ(calls, 0);
  autograd::backward({(x * y).sum()}, {}, std::nullopt, false, {x});
  EXPECT_EQ(calls, 1);
}

TEST(EndOfBackward, ComesAfterTheOutermostPass) {
  const Tensor x = leaf(ones({2})), y = leaf(ones({2}));
  std::string order;
  add_accumulate_hook(x, [&](Tensor&) {
    at_end_of_backward([&](bool is_complete) { order += is_complete ? "end" : "failed"; });
    const AutoGradMode records(true);
    y.sum().backward();  // a pass in a pass
    order += "inner ";
  });
  x.sum().backward();
  EXPECT_EQ(order, "inner end");
  EXPECT_EQ(error_of([] { at_end_of_backward([](bool) {}); }),
            "at_end_of_backward: no backward() runs on this thread");
}

TEST(EndOfBackward, LearnsOfAnError) {
  const Tensor x = leaf(ones({2}));
  std::string order;
  const unsigned hook = add_accumulate_hook(x, [&](Tensor&) {
    at_end_of_backward([&](bool is_complete) { order += is_complete ? "end " : "failed "; });
    throw std::runtime_error("a hook");
  });
  EXPECT_EQ(error_of<std::runtime_error>([&] { x.sum().backward(); }), "a hook");
  EXPECT_EQ(order, "failed ");
  remove_accumulate_hook(x, hook);
  // An error of one callback: the others learn of it, and backward() throws it.
  add_accumulate_hook(x, [&](Tensor&) {
    at_end_of_backward([](bool) { throw std::runtime_error("a callback"); });
    at_end_of_backward([&](bool is_complete) { order += is_complete ? "end " : "failed "; });
  });
  EXPECT_EQ(error_of<std::runtime_error>([&] { x.sum().backward(); }), "a callback");
  EXPECT_EQ(order, "failed failed ");
}

}  // namespace
}  // namespace tern::testing
