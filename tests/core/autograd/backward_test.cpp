#include "core/autograd/autograd_test.h"

namespace tern::testing {
namespace {

TEST(Backward, StartsWithOneAndAccumulates) {
  const Tensor x = leaf(tensor({1., 2., 3.}));
  (x * x).sum().backward();
  TERN_EXPECT_EQUAL(x.grad(), tensor({2., 4., 6.}));
  (x * 3).sum().backward();
  TERN_EXPECT_EQUAL(x.grad(), tensor({5., 7., 9.}));
  EXPECT_FALSE(x.grad().requires_grad());
}

TEST(Backward, TakesAGradientAndCastsIt) {
  const Tensor x = leaf(tensor({1., 2.}));
  (x * 2).backward(tensor({1., 10.}, kDouble));
  EXPECT_EQ(x.grad().dtype(), kFloat);
  TERN_EXPECT_EQUAL(x.grad(), tensor({2., 20.}));
}

TEST(Backward, ReportsWrongStarts) {
  const Tensor x = leaf(tensor({1., 2.}));
  TERN_EXPECT_HAS(error_of([&] { (x * 2).backward(); }),
                  "grad can be implicitly created only for scalar outputs");
  TERN_EXPECT_HAS(error_of<ShapeError>([&] { (x * 2).backward(ones({3})); }),
                  "invalid gradient at index 0 - got [3] but expected shape compatible with [2]");
  TERN_EXPECT_HAS(error_of([&] { ones({}).backward(); }),
                  "element 0 of tensors does not require grad and does not have a grad_fn");
  EXPECT_EQ(error_of([&] { Tensor().backward(); }),
            "backward(): element 0 of tensors is an undefined tensor");
  EXPECT_EQ(error_of([&] { autograd::grad({Tensor()}, {leaf(ones({1}))}); }),
            "grad(): element 0 of tensors is an undefined tensor");
  EXPECT_FALSE(x.grad().defined());
}

TEST(Backward, FreesWhatItKeptUnlessAskedNotTo) {
  const Tensor x = leaf(tensor({2.}));
  const Tensor y = (x * x).sum();
  y.backward({}, /*retain_graph=*/true);
  y.backward();
  TERN_EXPECT_EQUAL(x.grad(), tensor({8.}));
  TERN_EXPECT_HAS(error_of([&] { y.backward(); }),
                  "Trying to backward through the graph a second time (or directly access saved "
                  "tensors after they have already been freed).");
  TERN_EXPECT_EQUAL(x.grad(), tensor({8.}));
  // A rule that saves nothing may run again.
  const Tensor z = x.sum();
  z.backward();
  z.backward();
  TERN_EXPECT_EQUAL(x.grad(), tensor({10.}));
}

TEST(Backward, CreatesAGraphOfTheGradient) {
  const Tensor x = leaf(tensor({2., 3.}));
  const Tensor first = autograd::grad({(x * x * x).sum()}, {x}, {}, {}, /*create_graph=*/true)[0];
  TERN_EXPECT_EQUAL(first, tensor({12., 27.}));
  const Tensor second = autograd::grad({first.sum()}, {x}, {}, {}, true)[0];
  TERN_EXPECT_EQUAL(second, tensor({12., 18.}));
  TERN_EXPECT_EQUAL(autograd::grad({second.sum()}, {x})[0], tensor({6., 6.}));
  EXPECT_FALSE(x.grad().defined());
}

TEST(Backward, CreateGraphMakesGradDifferentiable) {
  const Tensor x = leaf(tensor({3.}));
  x.square().sum().backward({}, {}, /*create_graph=*/true);
  EXPECT_TRUE(x.grad().requires_grad());
  const Tensor grad = x.grad();
  x.mutable_grad() = Tensor();  // a recorded gradient and its leaf own each other
  (grad * grad).sum().backward();
  TERN_EXPECT_EQUAL(x.grad(), tensor({24.}));  // d (2x)^2 / dx
}

TEST(Backward, MeetsInDiamondsAndSharedSubgraphs) {
  const Tensor x = leaf(tensor({2.}, kDouble));
  const Tensor shared = x * 3;
  const Tensor left = shared * shared, right = shared + left;
  (left * right + shared).sum().backward();
  // f = s^2 (s + s^2) + s, s = 3x: 3 (3 s^2 + 4 s^3 + 1).
  TERN_EXPECT_EQUAL(x.grad(), tensor({3. * (3 * 36 + 4 * 216 + 1)}, kDouble));
}

TEST(Backward, RunsEachSharedNodeOnce) {
  const Tensor x = leaf(ones({1}, kDouble));
  Tensor y = x;
  for (int i = 0; i < 60; ++i) y = y + y;  // 2^60 paths
  y.sum().backward();
  EXPECT_EQ(x.grad().item<double>(), 0x1p60);
}

TEST(Backward, TakesSeveralOutputs) {
  const Tensor x = leaf(tensor({1., 2.})), y = leaf(tensor({3.}));
  autograd::backward({(x * 2).sum(), x * y}, {Tensor(), tensor({1., 1.})});
  TERN_EXPECT_EQUAL(x.grad(), tensor({5., 5.}));
  TERN_EXPECT_EQUAL(y.grad(), tensor({3.}));
  TERN_EXPECT_HAS(error_of([&] { autograd::backward({x.sum(), y.sum()}, {ones({})}); }), "2");
}

TEST(Backward, OneOutputMayLieBelowAnother) {
  const Tensor x = leaf(tensor({2.}));
  const Tensor y = x * 3, z = y * y;
  autograd::backward({z.sum(), y.sum()});
  TERN_EXPECT_EQUAL(x.grad(), tensor({2.f * 6 * 3 + 3}));
}

TEST(Backward, FillsOnlyTheGivenInputs) {
  const Tensor x = leaf(tensor({2.})), y = leaf(tensor({3.}));
  autograd::backward({(x * y).sum()}, {}, {}, false, {x});
  TERN_EXPECT_EQUAL(x.grad(), tensor({3.}));
  EXPECT_FALSE(y.grad().defined());
}

TEST(Backward, GradHasTheStridesOfItsParameter) {
  const Tensor x = ones({3, 2}).t().requires_grad_();
  (x * arange(6).reshape({2, 3})).sum().backward();
  EXPECT_EQ(x.grad().strides(), x.strides());
  TERN_EXPECT_EQUAL(x.grad(), arange(6).reshape({2, 3}));
  // A broadcast gradient gets its own memory.
  const Tensor y = leaf(ones({2, 3}));
  y.sum().backward();
  EXPECT_TRUE(y.grad().is_contiguous());
  const Tensor z = leaf(ones({2})), out = z + 0;
  const Tensor start = ones({2});
  out.backward(start);
  EXPECT_FALSE(z.grad().is_alias_of(start));
}

TEST(Backward, KeepsDtypesAcrossCasts) {
  const Tensor x = leaf(tensor({1., 2.}));
  (x.to(kDouble) * tensor({3., 4.}, kDouble)).sum().backward();
  EXPECT_EQ(x.grad().dtype(), kFloat);
  TERN_EXPECT_EQUAL(x.grad(), tensor({3., 4.}));
  EXPECT_FALSE(x.to(kLong).requires_grad());
  EXPECT_FALSE((x > 1).requires_grad());
  EXPECT_FALSE(x.argmax().requires_grad());
  EXPECT_FALSE(zeros_like(x).requires_grad());
}

TEST(Backward, LeavesNothingBehind) {
  const Tensor x = leaf(ones({64, 64}));
  x.mutable_grad() = zeros_like(x);
  const auto once = [&] {
    Tensor h = x;
    for (int i = 0; i < 10; ++i) h = tanh(h.matmul(x)) + h;
    Tensor view = h[0];
    view.mul_(2);
    h.retain_grad();
    h.register_hook([](const Tensor& g) { return g * 1; });
    h.sum().backward();
  };
  once();
  const std::int64_t before = live_bytes();
  once();
  EXPECT_EQ(live_bytes(), before);
  {  // A graph without a backward pass is freed too, and so is one that a throwing hook stopped.
    Tensor h = tanh(x) * x;
    h.register_hook([](const Tensor&) -> Tensor { throw Error("stop"); });
    EXPECT_THROW(h.sum().backward(), Error);
  }
  EXPECT_EQ(live_bytes(), before);
}

TEST(Backward, ReachesAResultThatWasAFrozenLeaf) {
  Tensor x = ones({2}).requires_grad_();
  x.requires_grad_(false);
  x.mul_(leaf(tensor({3., 4.})));
  autograd::backward({x.sum()}, {}, {}, false, {x});
  TERN_EXPECT_EQUAL(x.grad(), ones({2}));
}

TEST(RequiresGrad, IsForFloatingLeaves) {
  TERN_EXPECT_HAS(error_of<DTypeError>([] { ones({2}, kLong).requires_grad_(); }),
                  "Only Tensors of floating point");
  const Tensor x = leaf(ones({2}));
  Tensor y = x * 2;
  TERN_EXPECT_HAS(error_of([&] { y.requires_grad_(false); }),
                  "you can only change requires_grad flags of leaf variables.");
  y.set_requires_grad(false);  // silent, as in libtorch
  EXPECT_TRUE(y.requires_grad());
  EXPECT_TRUE(x.is_leaf());
  EXPECT_FALSE(y.is_leaf());
  EXPECT_EQ(y.grad_fn()->name(), "MulBackward0");
  EXPECT_FALSE(x.grad_fn());
  x.set_requires_grad(false);
  EXPECT_FALSE((x * 2).requires_grad());
}

TEST(SetGrad, ChecksWhatItIsGiven) {
  const Tensor x = leaf(ones({2}));
  TERN_EXPECT_HAS(error_of<ShapeError>([&] { x.set_grad(ones({3})); }),
                  "attempting to assign a gradient of size '[3]' to a tensor of size '[2]'. Please "
                  "ensure that the gradient and the tensor are the same size");
  EXPECT_THROW(x.set_grad(ones({2}, kDouble)), DTypeError);
  TERN_EXPECT_HAS(error_of<DeviceError>([&] { x.set_grad(ones({2}, kMeta)); }),
                  "attempting to assign a gradient with device type 'meta' to a tensor with device "
                  "type 'cpu'");
  x.set_grad(ones({2}));
  x.set_grad({});
  EXPECT_FALSE(x.grad().defined());
}

TEST(GradMode, StopsRecordingInItsScope) {
  const Tensor x = leaf(ones({2}));
  {
    const NoGradGuard no_grad;
    EXPECT_FALSE(GradMode::is_enabled());
    EXPECT_FALSE((x * 2).requires_grad());
    const AutoGradMode again(true);
    EXPECT_TRUE((x * 2).requires_grad());
  }
  EXPECT_TRUE(GradMode::is_enabled());
  try {
    const NoGradGuard no_grad;
    throw Error("out");
  } catch (const Error&) {
    EXPECT_TRUE(GradMode::is_enabled());
  }
}

}  // namespace
}  // namespace tern::testing
