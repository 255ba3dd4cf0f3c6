#include <tern/core/autograd/detail/meta.h>

#include "core/autograd/autograd_test.h"

// The engine: nodes with several outputs, outputs that meet, and the order of the nodes.

namespace tern::testing {
namespace {

/// The rule of (2 x, 5 x).
class TwoOutputs final : public autograd::Node {
 public:
  explicit TwoOutputs(const Tensor& x) : Node(&edge_, 1), edge_(autograd::gradient_edge(x)) {}
  void run(const Tensor* gradients, Tensor* results, autograd::EdgeSet /*wanted*/) override {
    if (gradients[0].defined()) results[0] = gradients[0] * 2;
    if (!gradients[1].defined()) return;
    results[0] = results[0].defined() ? results[0] + gradients[1] * 5 : gradients[1] * 5;
  }
  std::string name() const override { return "TwoOutputs"; }

 private:
  autograd::Edge edge_;
};

std::pair<Tensor, Tensor> two_outputs(const Tensor& x) {
  const IntrusivePtr<autograd::Node> node(new TwoOutputs(x));
  Tensor first = x.detach() * 2, second = x.detach() * 5;
  autograd::set_history(first, node, 0);
  autograd::set_history(second, node, 1);
  return {first, second};
}

/// A node as a program writes it.
class Tripled : public autograd::Node {
 public:
  std::vector<Tensor> apply(std::vector<Tensor>&& gradients) override { return {gradients[0] * 3}; }
};

TEST(Node, OfAProgramKeepsItsEdges) {
  const Tensor x = leaf(ones({2}));
  const auto shared = std::make_shared<Tripled>();
  for (const IntrusivePtr<autograd::Node>& node :
       {IntrusivePtr<autograd::Node>(shared), IntrusivePtr<autograd::Node>(new Tripled)}) {
    node->set_next_edges(autograd::collect_next_edges(x));
    EXPECT_TRUE(node->should_compute_output(0) && node->num_outputs() == 1);
    const Tensor y = x.detach() * 3;
    autograd::set_history(y, node, node->add_input_metadata(y));
    EXPECT_NE(y.grad_fn()->name().find("Tripled"), std::string::npos);
    TERN_EXPECT_EQUAL(autograd::grad({y.sum()}, {x})[0], full({2}, 3.));
    TERN_EXPECT_EQUAL((*node)({ones({2})})[0], full({2}, 3.));
  }
  EXPECT_EQ(shared.use_count(), 1);  // no graph holds it any more
}

TEST(TwoOutputs, HaveGradientsAndHooksOfTheirOwn) {
  const Tensor x = leaf(tensor({1., 2.}));
  const auto [first, second] = two_outputs(x);
  EXPECT_EQ(second.output_nr(), 1u);
  TERN_EXPECT_EQUAL(autograd::grad({(second * 3).sum()}, {second})[0], full({2}, 3.));
  TERN_EXPECT_EQUAL(autograd::grad({(second * 3).sum()}, {x})[0], full({2}, 15.));
  std::vector<Tensor> seen;
  second.register_hook([&](const Tensor& g) {
    seen.push_back(g.clone());
    return g * 10;
  });
  second.retain_grad();
  (first * 7 + second * 3).sum().backward();
  ASSERT_EQ(seen.size(), 1u);
  TERN_EXPECT_EQUAL(seen[0], full({2}, 3.));
  TERN_EXPECT_EQUAL(second.grad(), full({2}, 30.));
  TERN_EXPECT_EQUAL(x.grad(), full({2}, 7. * 2 + 30 * 5));
}

TEST(TwoOutputs, AreKeptAndChangedAsWhatTheyAre) {
  const Tensor x = leaf(tensor({1., 2.}));
  Tensor second = two_outputs(x).second;
  const Tensor first_order =
      autograd::grad({(second * second).sum()}, {x}, {}, {}, /*create_graph=*/true)[0];
  TERN_EXPECT_EQUAL(first_order, tensor({50., 100.}));
  TERN_EXPECT_EQUAL(autograd::grad({first_order.sum()}, {x})[0], full({2}, 50.));
  second.mul_(4);
  second.sum().backward();
  TERN_EXPECT_EQUAL(x.grad(), full({2}, 20.));
}

TEST(Engine, RunsEachNodeOnceHoweverOutputsMeet) {
  const Tensor x = leaf(tensor({3.}));
  const Tensor y = x * x, z = y * y;  // these save their inputs, so that they run only once
  const Tensor alone = x * x;
  autograd::backward({alone, alone});
  TERN_EXPECT_EQUAL(x.grad(), tensor({12.}));
  x.mutable_grad().reset();
  autograd::backward({y, z, y});
  TERN_EXPECT_EQUAL(x.grad(), tensor({2.f * 6 + 4 * 27}));
}

TEST(Engine, DifferentiatesFirstWhatWasRecordedLast) {
  const Tensor x = leaf(ones({1}));
  std::vector<int> order;
  std::vector<Tensor> parts;
  for (int i = 0; i < 4; ++i) {
    parts.push_back(x * (i + 1));
    parts.back().register_hook([&order, i](const Tensor&) {
      order.push_back(i);
      return Tensor();
    });
  }
  // All parts are ready together: the rule of cat passes on all four gradients before any part
  // runs.
  (cat(parts) * 2).sum().backward();
  EXPECT_EQ(order, (std::vector<int>{3, 2, 1, 0}));
}

TEST(Engine, KeepsTheGraphThatItExtends) {
  const Tensor x = leaf(tensor({3.}));
  for (const bool named : {false, true}) {
    const Tensor y = (x * x * x).sum();
    const std::vector<Tensor> inputs = named ? std::vector<Tensor>{x} : std::vector<Tensor>();
    for (int i = 0; i < 2; ++i) autograd::backward({y}, {}, {}, /*create_graph=*/true, inputs);
    TERN_EXPECT_EQUAL(x.grad(), tensor({54.}));
    EXPECT_EQ(x.grad().grad_fn()->name(), "AddBackward0");
    x.mutable_grad().reset();
    autograd::backward({y}, {}, {}, true, inputs);
    EXPECT_EQ(x.grad().grad_fn()->name(), "CopyBackwards");
    x.mutable_grad().reset();
    autograd::backward({y}, {}, /*retain_graph=*/false, true, inputs);
    EXPECT_THROW(y.backward(), Error);
    x.mutable_grad().reset();
  }
}

}  // namespace
}  // namespace tern::testing
