#include <tern/core/autograd/record.h>

#include "core/autograd/autograd_test.h"

namespace tern::testing {
namespace {

TEST(Grad, ReturnsAndAccumulatesNothing) {
  const Tensor x = leaf(tensor({1., 2.})), y = leaf(tensor({3., 4.}));
  const auto grads = autograd::grad({(x * y).sum()}, {y, x});
  TERN_EXPECT_EQUAL(grads[0], x);
  TERN_EXPECT_EQUAL(grads[1], y);
  EXPECT_FALSE(x.grad().defined());
}

TEST(Grad, KnowsUnusedInputs) {
  const Tensor x = leaf(ones({2})), y = leaf(ones({2}));
  TERN_EXPECT_HAS(error_of([&] {
                    autograd::grad({x.sum()}, {x, y});
                  }),
                  "appears to not have been used in the graph");
  const auto grads = autograd::grad({x.sum()}, {y, x}, {}, {}, false, /*allow_unused=*/true);
  EXPECT_FALSE(grads[0].defined());
  TERN_EXPECT_EQUAL(grads[1], ones({2}));
  TERN_EXPECT_HAS(error_of([&] { autograd::grad({x.sum()}, {ones({2})}); }),
                  "One of the differentiated Tensors does not require grad");
  EXPECT_THROW(autograd::grad({x.sum()}, {}), Error);
}

TEST(Grad, StopsAtComputedInputs) {
  const Tensor x = leaf(tensor({2.}));
  const Tensor y = x * 3, z = y * y;
  const auto grads = autograd::grad({z.sum()}, {y, x});
  TERN_EXPECT_EQUAL(grads[0], tensor({12.}));
  TERN_EXPECT_EQUAL(grads[1], tensor({36.}));
}

TEST(Grad, OfAnInputByItselfIsTheStart) {
  const Tensor x = leaf(tensor({2.}));
  TERN_EXPECT_EQUAL(autograd::grad({x}, {x}, {tensor({5.})})[0], tensor({5.}));
  const auto twice = autograd::grad({(x * 2).sum()}, {x, x});
  TERN_EXPECT_EQUAL(twice[1], tensor({2.}));
}

TEST(Grad, RunsOnlyWhatIsNeeded) {
  const Tensor x = leaf(ones({1})), y = leaf(ones({1}));
  const Tensor other = y * y;
  bool ran = false;
  other.register_hook([&](const Tensor&) {
    ran = true;
    return Tensor();
  });
  autograd::grad({(x * 2 + other).sum()}, {x});
  EXPECT_FALSE(ran);
  other.sum().backward();  // its graph was not freed, because it did not run
  EXPECT_TRUE(y.grad().defined());
}

TEST(Grad, AsksAnOpOnlyForTheGradientsItReturns) {
  const Tensor x = leaf(tensor({2., 3.})), q = leaf(tensor({1., 2.}));
  const Tensor y = special::zeta(x, q).sum();  // it has no gradient of x
  const Tensor gradient = autograd::grad({y}, {q}, {}, /*retain_graph=*/true)[0];
  EXPECT_TRUE(gradient.allclose(-x * special::zeta(x + 1, q)));
  TERN_EXPECT_HAS(error_of([&] { y.backward(); }), "the derivative for 'zeta'");
}

TEST(Grad, WorksOnBothSidesOfACut) {
  const Tensor x = leaf(tensor({2.}));
  const Tensor y = x.square();
  const Tensor gradient = autograd::grad({(y * 3).sum()}, {y})[0];
  y.backward(gradient);
  TERN_EXPECT_EQUAL(x.grad(), tensor({12.}));
}

TEST(Gradcheck, AcceptsARightGradientAndRefusesAWrongOne) {
  const Tensor x = leaf(tensor({0.5, 1.5}, kDouble));
  const auto right = [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{exp(in[0]) * in[0]};
  };
  EXPECT_TRUE(autograd::gradcheck(right, {x}));
  EXPECT_TRUE(autograd::gradgradcheck(right, {x}));
  // The values of 3x with the graph of 2x.
  const auto wrong = [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{in[0] * 2 + in[0].detach()};
  };
  const std::string text = error_of([&] { autograd::gradcheck(wrong, {x}); });
  TERN_EXPECT_HAS(text, "output 0");
  TERN_EXPECT_HAS(text, "input 0 at element 0: numerical");
  TERN_EXPECT_HAS(text, "analytical");
  // First derivative right, second derivative wrong.
  const auto wrong_twice = [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{in[0] * in[0].detach() * 2 - in[0].detach().square()};
  };
  EXPECT_TRUE(autograd::gradcheck(wrong_twice, {x}));
  EXPECT_THROW(autograd::gradgradcheck(wrong_twice, {x}), Error);
}

TEST(Gradcheck, InFastModeCallsTheFunctionTwiceForAnInput) {
  autograd::GradcheckOptions fast;
  fast.fast_mode = true;
  const Tensor x = leaf(rand({40, 5}, kDouble));
  int calls = 0;
  const auto right = [&calls](const std::vector<Tensor>& in) {
    ++calls;
    return std::vector<Tensor>{exp(in[0]) * in[0]};
  };
  const Tensor before = x.detach().clone();
  EXPECT_TRUE(autograd::gradcheck(right, {x}, fast));
  EXPECT_LE(calls, 4);  // two of them for the gradient
  EXPECT_TRUE(equal(x, before));
  EXPECT_TRUE(autograd::gradgradcheck(right, {x}, fast));
  // One element of 200 is wrong.
  Tensor scale = ones({40, 5}, kDouble);
  scale[17][3] = 2.0;
  const auto wrong = [&](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{in[0] * scale + in[0].detach() * (2 - scale)};
  };
  TERN_EXPECT_HAS(error_of([&] { autograd::gradcheck(wrong, {x}, fast); }),
                  "output 0 with respect to input 0 along a direction: numerical");
  // The result is -inf: nothing moves, so there is no difference.
  const auto of_nothing = [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{logsumexp(in[0], 1)};
  };
  EXPECT_TRUE(autograd::gradcheck(of_nothing, {leaf(empty({3, 0}, kDouble))}, fast));
}

// A node that gives a wrong gradient in one run only: in grad(), which requests gradients, or in
// backward(), which does not.
class WrongOnce final : public autograd::Node {
 public:
  WrongOnce(const Tensor& in, int run) : Node(&edge_, 1), edge_(autograd::gradient_edge(in)) {
    wrong_run_ = run;
  }
  void run(const Tensor* gradients, Tensor* results, autograd::EdgeSet /*wanted*/) override {
    results[0] = runs_++ == wrong_run_ ? gradients[0] * 2 : gradients[0];
  }
  std::string name() const override { return "WrongOnce"; }

 private:
  autograd::Edge edge_;
  int wrong_run_, runs_ = 0;
};

TEST(Gradcheck, AsksGradAndBackward) {
  const Tensor x = leaf(ones({2}, kDouble)), other = leaf(ones({2}, kDouble));
  x.mutable_grad() = full({2}, 7., kDouble);
  const Tensor before = x.grad();
  const auto wrong_in = [](int run, const Tensor& more) {
    return [run, more](const std::vector<Tensor>& in) {
      Tensor out = in[0].detach().clone();
      if (GradMode::is_enabled()) {
        autograd::set_history(out, IntrusivePtr<autograd::Node>(new WrongOnce(in[0], run)));
      }
      return std::vector<Tensor>{more.defined() ? out + more : out};
    };
  };
  TERN_EXPECT_HAS(error_of([&] { autograd::gradcheck(wrong_in(0, {}), {x}); }), "analytical 1");
  TERN_EXPECT_HAS(error_of([&] { autograd::gradcheck(wrong_in(1, {}), {x}); }), "in backward()");
  EXPECT_TRUE(autograd::gradcheck(wrong_in(2, {}), {x}));
  // A tensor that only the function holds gets no gradient, and the input keeps its old gradient.
  EXPECT_TRUE(autograd::gradcheck(wrong_in(1, other), {x}));
  EXPECT_FALSE(other.grad().defined());
  EXPECT_TRUE(x.grad().is_same(before));
  TERN_EXPECT_EQUAL(before, full({2}, 7., kDouble));
}

TEST(Gradcheck, ComparesRecordedGradientsWithOthers) {
  const auto moody = [](const std::vector<Tensor>& in) {
    const auto rule = [](const Tensor& g) { return GradMode::is_enabled() ? g * 3 : g * 2; };
    return std::vector<Tensor>{
        autograd::record("Moody", in[0].detach() * 2, autograd::wrt(in[0], rule))};
  };
  const Tensor x = leaf(ones({2}, kDouble));
  EXPECT_TRUE(autograd::gradcheck(moody, {x}));
  TERN_EXPECT_HAS(
      error_of([&] { autograd::gradgradcheck(moody, {x}); }),
      "gradient 0 differs between create_graph=false and create_graph=true by up to 1.0");
  const auto shy = [](const std::vector<Tensor>& in) {
    const auto rule = [](const Tensor& g) { return GradMode::is_enabled() ? Tensor() : g * 2; };
    return std::vector<Tensor>{
        autograd::record("Shy", in[0].detach() * 2, autograd::wrt(in[0], rule))};
  };
  TERN_EXPECT_HAS(error_of([&] { autograd::gradgradcheck(shy, {x}); }),
                  "1 gradients are defined without create_graph, but 0 with create_graph");
}

TEST(Grad, OfAnInputItselfHasNoHistory) {
  const Tensor x = leaf(ones({2})), g = leaf(ones({2}));
  EXPECT_FALSE(autograd::grad({x}, {x}, {g})[0].requires_grad());
  EXPECT_TRUE(
      autograd::grad({x}, {x}, {g}, std::nullopt, /*create_graph=*/true)[0].requires_grad());
}

TEST(Gradcheck, MissesNoGradientThatIsCutOff) {
  const auto cut = [](const std::vector<Tensor>& in) {
    const auto rule = [](const Tensor& g) { return g.detach() * 2; };
    return std::vector<Tensor>{
        autograd::record("Cut", in[0].detach() * 2, autograd::wrt(in[0], rule))};
  };
  const Tensor x = leaf(ones({2}, kDouble));
  EXPECT_TRUE(autograd::gradcheck(cut, {x}));
  TERN_EXPECT_HAS(error_of([&] { autograd::gradgradcheck(cut, {x}); }), "analytical 0");
}

TEST(Gradcheck, RefusesMissingGradientsAndCoarseDtypes) {
  const Tensor x = leaf(ones({2}, kDouble)), y = leaf(ones({2}, kDouble));
  const auto forgets = [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{in[0] * in[1].detach()};
  };
  EXPECT_THROW(autograd::gradcheck(forgets, {x, y}), Error);
  EXPECT_THROW(autograd::gradcheck(forgets, {leaf(ones({2})), y}), DTypeError);
  EXPECT_THROW(autograd::gradcheck(forgets, {x.detach(), y.detach()}), Error);
  TERN_EXPECT_EQUAL(x, ones({2}));  // restored
}

}  // namespace
}  // namespace tern::testing
