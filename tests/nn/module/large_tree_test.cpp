#include <algorithm>

#include "nn/nn_test.h"
#include "sanitizer.h"

// Walks over large trees. A linear walk takes well below a second, a quadratic walk minutes. The
// deep trees are 100,000 modules deep: a recursive walk needs more than the usual 8 MB of stack.
// Two results grow with the square of the depth and are left out at this depth: the paths of all
// modules (10^10 characters) and a printed tree. A forward pass through nested modules recurses.

namespace tern {
namespace {

// A sanitizer sees as much in fewer.
const int kModules = testing::has_sanitizer() ? 20000 : 100000;

/// Counts the calls of its train(), which users' modules may override.
struct CountedImpl : nn::Cloneable<CountedImpl> {
  CountedImpl() { CountedImpl::reset(); }
  void reset() override { weight = register_parameter("weight", zeros({1})); }
  Tensor forward(const Tensor& x) { return x * weight; }
  void train(bool on) override {
    ++train_calls;
    Module::train(on);
  }

  Tensor weight;
  static inline int train_calls = 0;
};
TERN_MODULE(Counted);

/// A chain of `depth` modules, built from the leaf to the root.
nn::Sequential deep_from_the_leaf(int depth) {
  nn::Sequential net;
  net->push_back(Counted());
  for (int i = 2; i < depth; ++i) {
    nn::Sequential outer;
    outer->push_back(net);
    net = outer;
  }
  return net;
}

/// The same, built from the root to the leaf.
nn::Sequential deep_from_the_root(int depth) {
  const nn::Sequential net;
  nn::Sequential last = net;
  for (int i = 2; i < depth; ++i) {
    const nn::Sequential inner;
    last->push_back(inner);
    last = inner;
  }
  last->push_back(Counted());
  return net;
}

/// Builds blocks that contain a list that was registered before the block below was added to it.
nn::Sequential deep_by_blocks(int depth) {
  nn::Sequential net;
  net->push_back(Counted());
  for (int i = 3; i < depth; i += 2) {
    nn::Sequential outer, body;
    outer->push_back(body);
    body->push_back(net);
    net = outer;
  }
  return net;
}

nn::Sequential flat() {
  nn::Sequential net;
  for (int i = 0; i < kModules; ++i) net->push_back(Counted());
  return net;
}

/// Runs all walks whose results are not larger than the tree.
void walk_all(const nn::Sequential& net, std::size_t leaves, std::size_t modules) {
  EXPECT_EQ(net->parameters().size(), leaves);
  EXPECT_EQ(net->named_parameters().size(), leaves);
  EXPECT_EQ(net->buffers().size(), 0u);
  EXPECT_EQ(net->modules().size(), modules);
  CountedImpl::train_calls = 0;
  net->eval();
  EXPECT_EQ(CountedImpl::train_calls, static_cast<int>(leaves));
  EXPECT_FALSE(net->modules().back()->is_training());
  net->zero_grad();
  net->requires_grad_(false);
  std::size_t applied = 0;
  net->apply([&](nn::Module&) { ++applied; });
  EXPECT_EQ(applied, modules);
  net.to(kDouble);
  const State state = copy_of(net.state_dict());
  EXPECT_EQ(state.size(), leaves);
  net.load_state_dict(state);
  State strange = state;
  strange.insert(state.begin()->key + ".strange", ones({1}));
  EXPECT_EQ(net.load_state_dict(strange, false).unexpected_keys.size(), 1u);
  const nn::Sequential copy = net.clone();
  EXPECT_EQ(copy->modules().size(), modules);
  EXPECT_FALSE(copy->is_training());
  EXPECT_TRUE(identical(copy.state_dict(), state));
}

TEST(LargeTree, FlatWalksAreLinear) {
  const nn::Sequential net = flat();
  walk_all(net, kModules, kModules + 1);
  EXPECT_EQ(net->named_modules().size(), kModules + 1u);
  EXPECT_EQ(net->children().size(), static_cast<std::size_t>(kModules));
  EXPECT_GT(printed(net).size(), static_cast<std::size_t>(kModules) * 10);
  EXPECT_GT(net->summary().size(), static_cast<std::size_t>(kModules) * 10);
}

TEST(LargeTree, UnexpectedKeysAreFoundInLinearTimeAndInTheOrderOfModules) {
  State state;
  for (int i = kModules; i-- > 0;) state.insert(std::to_string(i) + ".bias", zeros({1}));
  state.insert("bias", zeros({1}));
  const auto keys = flat()->load_state_dict(state, false);
  EXPECT_EQ(keys.missing_keys.size(), static_cast<std::size_t>(kModules));
  ASSERT_EQ(keys.unexpected_keys.size(), kModules + 1u);
  EXPECT_EQ(keys.unexpected_keys[0], "bias");
  EXPECT_EQ(keys.unexpected_keys[1], "0.bias");
  EXPECT_EQ(keys.unexpected_keys.back(), std::to_string(kModules - 1) + ".bias");
}

TEST(LargeTree, DeepWalksAreLinearAndDoNotRecurse) {
  walk_all(deep_from_the_leaf(kModules), 1, kModules);
}

TEST(LargeTree, DeepTreesAreBuiltInLinearTimeInAnyOrder) {
  EXPECT_EQ(deep_from_the_root(kModules)->modules().size(), static_cast<std::size_t>(kModules));
  EXPECT_EQ(deep_by_blocks(kModules)->modules().size(), static_cast<std::size_t>(kModules));
}

TEST(LargeTree, DeepTreesPrint) {
  constexpr int kDepth = 2000;
  const std::string text = printed(deep_from_the_leaf(kDepth + 1));
  const std::string begin = "tern::nn::Sequential(\n  (0): tern::nn::Sequential(\n    (0): ";
  EXPECT_EQ(text.substr(0, begin.size()), begin);
  EXPECT_TRUE(text.ends_with(")\n  )\n)")) << text.substr(text.size() - 20);
  // Two lines for each Sequential, one line for the leaf.
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2 * kDepth);
}

TEST(LargeTree, RefusesAModuleBelowItselfAtAnyDepth) {
  const nn::Sequential net = deep_from_the_root(1001);
  const auto modules = net->modules();
  auto& last = dynamic_cast<nn::SequentialImpl&>(*modules[999]);
  const std::string text = error_of([&] { last.push_back(net); });
  EXPECT_EQ(text.substr(0, 83),
            "Submodule '1' cannot be registered, because it contains this module itself as '0.0.");
  EXPECT_EQ(error_of([&] { net->push_back(net); }),
            "Submodule '1' cannot be registered, because it contains this module itself");
  // Cycles through a module that was removed elsewhere, shared, or copied are still found.
  const nn::Sequential outer(nn::ReLU{}), inner(nn::ReLU{});
  const auto copy = std::make_shared<nn::SequentialImpl>(std::as_const(*outer));
  *copy = *inner;
  outer->push_back(copy);
  EXPECT_NE(error_of([&] { copy->push_back(outer); }), "");
}

}  // namespace
}  // namespace tern
