#include "core/autograd/autograd_test.h"

// SavedTensorHooks, and checkpoint(), which is made of them.

namespace tern::testing {
namespace {

using autograd::checkpoint;
using autograd::SavedTensorHooks;
using autograd::SavedValue;
using autograd::variable_list;

TEST(SavedTensorHooks, LeaveWhatPackReturnsNothingFor) {
  const Tensor x = tensor({2.0, 3.0}).requires_grad_();
  int outer_calls = 0;
  const auto never = [](const autograd::SavedValue&) -> Tensor { throw Error("not packed"); };
  const auto nothing = [](const Tensor&) { return autograd::SavedValue(); };
  Tensor y;
  {
    const SavedTensorHooks inner(nothing, never);
    y = x * x;
  }
  y.sum().backward();
  EXPECT_EQ(x.grad()[1].item<double>(), 6);
  {
    const SavedTensorHooks outer(
        [&](const Tensor& saved) {
          ++outer_calls;
          return autograd::SavedValue(saved);
        },
        [](const autograd::SavedValue& kept) { return kept.toTensor(); });
    const SavedTensorHooks inner(nothing, never);
    y = x.exp();
  }
  y.sum().backward();
  EXPECT_EQ(outer_calls, 1);
  // In-place changes are noticed, as without hooks.
  {
    const SavedTensorHooks inner(nothing, never);
    y = x.exp();
  }
  y.add_(1);
  EXPECT_THROW(y.sum().backward(), Error);
}

TEST(SavedTensorHooks, PackAndUnpack) {
  const Tensor x = leaf(tensor({1., 2.}));
  Tensor y;
  int packed = 0, unpacked = 0;
  {
    const SavedTensorHooks hooks(
        [&](const Tensor& t) {
          ++packed;
          return SavedValue(t * 10);
        },
        [&](const SavedValue& kept) {
          ++unpacked;
          return kept.toTensor() / 10;
        });
    y = (x * x).exp();
  }
  EXPECT_EQ(packed, 3);
  y.sum().backward();
  EXPECT_EQ(unpacked, 3);
  const Tensor expected = 2 * x * (x * x).exp();
  EXPECT_TRUE(allclose(x.grad(), expected));
}

TEST(SavedTensorHooks, KeepTheHistoryForSecondDerivatives) {
  const Tensor x = leaf(tensor({2.}));
  const SavedTensorHooks hooks([](const Tensor& t) { return t.clone(); },
                               [](const SavedValue& kept) { return kept.toTensor(); });
  const Tensor first = autograd::grad({x.pow(3).sum()}, {x}, {}, true, true)[0];
  TERN_EXPECT_EQUAL(autograd::grad({first.sum()}, {x})[0], tensor({12.}));
}

TEST(SavedTensorHooks, InnermostCounts) {
  const Tensor x = leaf(ones({2}));
  int outer = 0, inner = 0;
  const auto count = [](int* n) {
    return [n](const Tensor& t) {
      ++*n;
      return SavedValue(t);
    };
  };
  const auto same = [](const SavedValue& kept) { return kept.toTensor(); };
  const SavedTensorHooks first(count(&outer), same);
  {
    const SavedTensorHooks second(count(&inner), same);
    x.exp();
  }
  x.exp();
  EXPECT_EQ(outer, 1);
  EXPECT_EQ(inner, 1);
}

TEST(SavedTensorHooks, MustReturnAFittingTensor) {
  const Tensor x = leaf(ones({2}));
  const SavedTensorHooks hooks([](const Tensor&) { return 1; },
                               [](const SavedValue&) { return ones({3}); });
  EXPECT_EQ(error_of([&] { x.exp().sum().backward(); }),
            "SavedTensorHooks: pack got a tensor of sizes [2], dtype Float on cpu, but unpack "
            "returned sizes [3], dtype Float on cpu");
}

TEST(Checkpoint, GivesTheSameGradients) {
  manual_seed(1);
  const Tensor x = leaf(rand({4, 8})), w = leaf(rand({8, 8}));
  int runs = 0;
  const auto block = [&](const Tensor& in) {
    ++runs;
    return in.matmul(w).tanh().matmul(w).sigmoid();
  };
  block(x).sum().backward();
  const Tensor of_x = x.grad().clone(), of_w = w.grad().clone();
  x.set_grad({});
  w.set_grad({});
  const Tensor y = checkpoint(block, x);
  EXPECT_EQ(runs, 2);
  y.sum().backward({}, /*retain_graph=*/true);
  EXPECT_EQ(runs, 3);
  TERN_EXPECT_EQUAL(x.grad(), of_x);
  TERN_EXPECT_EQUAL(w.grad(), of_w);
  y.sum().backward();
  EXPECT_EQ(runs, 4);
  TERN_EXPECT_EQUAL(x.grad(), 2 * of_x);
}

TEST(Checkpoint, KeepsFewTensors) {
  const Tensor x = leaf(rand({1000}));
  const auto deep = [](const Tensor& in) {
    Tensor h = in;
    for (int i = 0; i < 10; ++i) h = h.tanh();
    return h;
  };
  const std::int64_t before = live_bytes();
  Tensor y = deep(x);
  const std::int64_t plain = live_bytes() - before;
  y.reset();
  y = checkpoint(deep, x);
  EXPECT_LT(live_bytes() - before, plain / 4);
  y.sum().backward();
  y.reset();
  x.set_grad({});
  EXPECT_EQ(live_bytes(), before);
}

TEST(Checkpoint, DrawsTheSameRandomNumbers) {
  manual_seed(2);
  const Tensor x = leaf(ones({1000}));
  const Tensor y = checkpoint([](const Tensor& in) { return dropout(in * 2, 0.5, true); }, x);
  const Tensor next = rand({3});
  y.sum().backward();
  TERN_EXPECT_EQUAL(x.grad(), y.detach());  // y = 2 x mask, x = 1
  manual_seed(2);
  dropout(ones({1000}), 0.5, true);
  TERN_EXPECT_EQUAL(rand({3}), next);
}

TEST(Checkpoint, TakesSeveralTensorsAndSecondDerivatives) {
  const Tensor a = rand({3}, kDouble).requires_grad_(), b = rand({3}, kDouble).requires_grad_();
  const auto fn = [](const variable_list& in) {
    return checkpoint([](const variable_list& t) { return variable_list{t[0].exp() * t[1]}; }, in);
  };
  EXPECT_TRUE(autograd::gradcheck(fn, {a, b}));
  EXPECT_TRUE(autograd::gradgradcheck(fn, {a, b}));
}

TEST(Checkpoint, NoticesAnotherComputation) {
  const Tensor x = leaf(ones({2}));
  int runs = 0;
  const Tensor y =
      checkpoint([&](const Tensor& in) { return ++runs == 1 ? in.exp().exp() : in.exp(); }, x);
  TERN_EXPECT_HAS(error_of([&] { y.sum().backward(); }),
                  "Number of tensors saved during forward: 2. Number of tensors saved during "
                  "recomputation: 1.");
}

// PyTorch refuses all of these changes but the last two, for which it returns wrong gradients.
TEST(Checkpoint, NoticesChangesInPlace) {
  const Tensor x = leaf(tensor({1., 2., 3.})), w = leaf(tensor({2., 2., 2.}));
  const auto product = [](const variable_list& in) { return variable_list{in[0].exp() * in[1]}; };
  const auto without_grad = [](Tensor& t) {
    const NoGradGuard no_grad;
    t.add_(1);
  };
  const auto expect_refused = [&](const auto& fn, variable_list inputs, const auto& change) {
    const Tensor y = checkpoint(fn, inputs)[0];
    change(inputs);
    TERN_EXPECT_HAS(error_of([&] { y.sum().backward(); }),
                    "one of the variables needed for gradient computation has been modified by an "
                    "inplace operation");
    EXPECT_FALSE(x.grad().defined());
  };
  const auto nothing = [](const variable_list&) {};
  expect_refused(product, {x * 1, w}, [](variable_list& in) { in[0].add_(1); });
  expect_refused(product, {x * 1, w}, [&](variable_list& in) { without_grad(in[0]); });
  expect_refused(product, {x, leaf(w)}, [&](variable_list& in) { without_grad(in[1]); });
  const Tensor base = cat({x, x});
  expect_refused(product, {base.narrow(0, 0, 3), w}, [&](variable_list&) {
    Tensor other = base.narrow(0, 5, 1);
    without_grad(other);
  });
  expect_refused([](const variable_list& in) { return variable_list{in[0].index({in[1]}).exp()}; },
                 {x, tensor({0, 2})}, [](variable_list& in) { in[1].zero_(); });
  expect_refused(
      [](const variable_list& in) {
        Tensor own = in[0];
        return variable_list{own.mul_(2).exp()};
      },
      {x * 1}, nothing);
  expect_refused(
      [&](const variable_list& in) {
        Tensor own = in[0];
        without_grad(own);
        return variable_list{own.exp()};
      },
      {x * 1}, nothing);
  const Tensor captured = leaf(w);
  expect_refused([&](const variable_list& in) { return variable_list{in[0] * captured}; }, {x},
                 [&](variable_list&) {
                   Tensor t = captured;
                   without_grad(t);
                 });
  expect_refused(
      [&](const variable_list& in) {
        Tensor h = in[0].exp();
        const Tensor y = h * w;
        without_grad(h);
        return variable_list{y};
      },
      {x}, nothing);
}

TEST(Checkpoint, NoticesOtherSizes) {
  const Tensor x = leaf(ones({3}));
  int runs = 0;
  const Tensor y = checkpoint(
      [&](const Tensor& in) { return (++runs == 1 ? in : in.narrow(0, 0, 2)).exp(); }, x);
  TERN_EXPECT_HAS(error_of([&] { y.sum().backward(); }),
                  "tensor at position 0: saved metadata: sizes [3], dtype Float, device cpu; "
                  "recomputed metadata: sizes [2], dtype Float, device cpu");
}

TEST(Checkpoint, RestoresTheGeneratorWhenTheFunctionThrows) {
  const Tensor x = leaf(ones({4}));
  int runs = 0;
  const Tensor y = checkpoint(
      [&](const Tensor& in) {
        const Tensor noise = rand({4});
        TERN_CHECK(++runs == 1, Error, "the second run fails");
        return in.exp() * noise;
      },
      x);
  rand({3});
  const Tensor before = get_rng_state();
  EXPECT_EQ(error_of([&] { y.sum().backward(); }), "the second run fails");
  TERN_EXPECT_EQUAL(get_rng_state(), before);
}

TEST(Checkpoint, KeepsNoInputsOfInnerCheckpoints) {
  const Tensor x = leaf(rand({1000}));
  const auto deep = [](const Tensor& in) {
    Tensor h = in;
    for (int i = 0; i < 10; ++i) {
      h = checkpoint([](const Tensor& t) { return t.tanh().exp(); }, h);
    }
    return h;
  };
  deep(x).sum().backward();
  const Tensor slope = x.grad().clone();
  x.set_grad({});
  const std::int64_t before = live_bytes();
  Tensor y = checkpoint(deep, x);
  EXPECT_LT(live_bytes() - before, 3 * 4000);
  y.sum().backward();
  TERN_EXPECT_EQUAL(x.grad(), slope);
}

}  // namespace
}  // namespace tern::testing
