#include <tern/core/autograd/gradcheck.h>

#include "nn/nn_test.h"

namespace tern {
namespace {

using Gradients = std::vector<Tensor>;
using nn::AnyValue;

/// A net of one weight: y = w * x.
struct ScaleImpl : nn::Module {
  ScaleImpl() { bind_parameter("w", w, full({2}, 3.0)); }
  Tensor forward(const Tensor& x) { return x * w; }
  Tensor w;
};
TERN_MODULE(Scale);

TEST(BackwardHooks, SeeTheGradientsOfInputsAndOutputs) {
  const Scale net;
  const Tensor x = ones({2}).requires_grad_();
  int calls = 0;
  const unsigned number = net->register_full_backward_hook(
      [&](nn::Module& module, const Gradients& grad_inputs, const Gradients& grad_outputs) {
        ++calls;
        EXPECT_EQ(&module, net.get());
        ASSERT_EQ(grad_inputs.size(), 1u);
        ASSERT_EQ(grad_outputs.size(), 1u);
        EXPECT_TRUE(same_bits(grad_inputs[0], full({2}, 6.0)));
        EXPECT_TRUE(same_bits(grad_outputs[0], full({2}, 2.0)));
      });
  const Tensor y = net(x);
  EXPECT_EQ(y.grad_fn()->name(), "BackwardHookFunctionBackward");
  (y * 2).sum().backward();
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(same_bits(x.grad(), full({2}, 6.0)));
  net->remove_hook(number);
  EXPECT_FALSE(net->needs_call_scope());
  EXPECT_EQ(net(x).grad_fn()->name(), "MulBackward0");
}

TEST(BackwardHooks, ReplaceGradients) {
  const Scale net;
  const Tensor x = ones({2}).requires_grad_();
  net->register_full_backward_pre_hook(
      [](nn::Module&, const Gradients& grad_outputs) { return Gradients{grad_outputs[0] * 10}; });
  net->register_full_backward_hook(
      [](nn::Module&, const Gradients& grad_inputs, const Gradients& grad_outputs) {
        EXPECT_TRUE(same_bits(grad_outputs[0], full({2}, 10.0)));
        return Gradients{grad_inputs[0] + 1};
      });
  net(x).sum().backward();
  EXPECT_TRUE(same_bits(x.grad(), full({2}, 31.0)));       // 10 * 3 + 1
  EXPECT_TRUE(same_bits(net->w.grad(), full({2}, 10.0)));  // not changed by the hook of the inputs
}

TEST(BackwardHooks, RunInTheirOrder) {
  const Scale net;
  std::string order;
  const auto add = [&](char name, bool prepend) {
    net->register_full_backward_hook(
        [&order, name](nn::Module&, const Gradients&, const Gradients&) { order += name; },
        {.prepend = prepend});
  };
  add('b', false);
  add('c', false);
  add('a', true);
  net(ones({2}).requires_grad_()).sum().backward();
  EXPECT_EQ(order, "abc");
}

TEST(BackwardHooks, RunWithoutInputsThatRequireGrad) {
  const Scale net;
  int calls = 0;
  net->register_full_backward_hook(
      [&](nn::Module&, const Gradients& grad_inputs, const Gradients& grad_outputs) {
        ++calls;
        ASSERT_EQ(grad_inputs.size(), 1u);
        EXPECT_FALSE(grad_inputs[0].defined());
        EXPECT_TRUE(same_bits(grad_outputs[0], ones({2})));
      });
  net(ones({2})).sum().backward();
  EXPECT_EQ(calls, 1);
  {
    const NoGradGuard no_grad;
    EXPECT_FALSE(net(ones({2})).requires_grad());
  }
  net->register_full_backward_hook(
      [](nn::Module&, const Gradients&, const Gradients&) { return Gradients{ones({2})}; });
  EXPECT_EQ(error_of([&] { net(ones({2})).sum().backward(); }),
            "Backward hook for Modules where no input requires gradient should always return None "
            "or None for all gradients.");
}

TEST(BackwardHooks, SeeSeveralInputsAndOutputs) {
  struct PairImpl : nn::Module {
    std::tuple<Tensor, Tensor> forward(const Tensor& a, double factor, const Tensor& b) {
      return {a * factor, a + b};
    }
  };
  const nn::ModuleHolder<PairImpl> net;
  int calls = 0;
  net->register_full_backward_hook(
      [&](nn::Module&, const Gradients& grad_inputs, const Gradients& grad_outputs) {
        ++calls;
        ASSERT_EQ(grad_inputs.size(), 3u);
        EXPECT_TRUE(same_bits(grad_inputs[0], full({2}, 5.0)));
        EXPECT_FALSE(grad_inputs[1].defined());
        EXPECT_FALSE(grad_inputs[2].defined());
        ASSERT_EQ(grad_outputs.size(), 2u);
        EXPECT_TRUE(same_bits(grad_outputs[1], ones({2})));
      });
  const Tensor a = ones({2}).requires_grad_();
  const auto [first, second] = net(a, 4.0, ones({2}));
  (first + second).sum().backward();
  EXPECT_EQ(calls, 1);
}

TEST(BackwardHooks, RunInSequentialAndAreDifferentiable) {
  const nn::Sequential net{nn::Linear(2, 3), nn::Tanh(), nn::Linear(3, 1)};
  net->to(kDouble);
  int calls = 0;
  net[1]->register_full_backward_hook(
      [&](nn::Module&, const Gradients&, const Gradients&) { ++calls; });
  const Tensor x = randn({4, 2}, kDouble).requires_grad_();
  net(x).sum().backward();
  EXPECT_EQ(calls, 1);
  net[1]->register_full_backward_hook(
      [](nn::Module&, const Gradients& grad_inputs, const Gradients&) -> std::optional<Gradients> {
        return Gradients{grad_inputs[0] * 1.0};
      });
  const auto run = [&](const std::vector<Tensor>& inputs) {
    return std::vector<Tensor>{net(inputs[0])};
  };
  EXPECT_TRUE(autograd::gradcheck(run, {x}));
  EXPECT_TRUE(autograd::gradgradcheck(run, {x}));
}

TEST(BackwardHooks, SayWhatIsWrong) {
  const Scale net;
  const Tensor x = ones({2}).requires_grad_();
  const unsigned hook = net->register_full_backward_hook(
      [](nn::Module&, const Gradients&, const Gradients&) { return Gradients(2); });
  EXPECT_EQ(error_of([&] { net(x).sum().backward(); }),
            "Backward hook returned an invalid number of grad_input, got 2, but expected 1");
  net->remove_hook(hook);
  net->register_full_backward_pre_hook([](nn::Module&, const Gradients&) { return Gradients(); });
  EXPECT_EQ(error_of([&] { net(x).sum().backward(); }),
            "Backward pre hook returned an invalid number of grad_output, got 0, but expected 1");
  struct CountImpl : nn::Module {
    int forward(const Tensor&) { return 1; }
  };
  const nn::ModuleHolder<CountImpl> count;
  count->register_full_backward_hook([](nn::Module&, const Gradients&, const Gradients&) {});
  EXPECT_EQ(error_of([&] { count(x); }),
            "For backward hooks to be called, module output should be a Tensor or a tuple of "
            "Tensors but received int\n  in module Count");
  // The result of a module with hooks has a node of its own, which an in-place op would pass by.
  Tensor y = Scale()(x);
  y.relu_();
  const Scale hooked;
  hooked->register_full_backward_hook([](nn::Module&, const Gradients&, const Gradients&) {});
  y = hooked(x);
  EXPECT_NE(error_of([&] { y.relu_(); }), "");
}

TEST(BackwardHooks, OfAFreedModuleDoNotRun) {
  Tensor y;
  int calls = 0;
  {
    const Scale net;
    net->register_full_backward_hook(
        [&](nn::Module&, const Gradients&, const Gradients&) { ++calls; });
    y = net(ones({2}).requires_grad_());
  }
  y.sum().backward();
  EXPECT_EQ(calls, 0);
}

TEST(BackwardHooks, MoveToClones) {
  const nn::Linear net(2, 2);
  int calls = 0;
  net->register_full_backward_hook(
      [&](nn::Module&, const Gradients&, const Gradients&) { ++calls; });
  net.clone()(ones({1, 2}).requires_grad_()).sum().backward();
  EXPECT_EQ(calls, 1);
}

TEST(ForwardHooks, ArePrependedAndCalledAfterErrors) {
  struct PickyImpl : nn::Module {
    Tensor forward(const Tensor& x) {
      TERN_CHECK(x.numel() == 1, Error, "too many");
      return x;
    }
  };
  const nn::ModuleHolder<PickyImpl> net;
  std::string order;
  const auto add = [&](const char* name, const nn::ForwardHookOptions& options) {
    net->register_forward_hook(
        [&order, name](nn::Module&, const auto&, AnyValue& output) {
          order += output.is_empty() ? std::string("(") + name + ")" : name;
        },
        options);
  };
  add("b", {});
  add("c", {.always_call = true});
  add("a", {.prepend = true});
  net->register_forward_pre_hook([&](nn::Module&, auto&) { order += '2'; });
  net->register_forward_pre_hook([&](nn::Module&, auto&) { order += '1'; }, {.prepend = true});
  net(ones({1}));
  EXPECT_EQ(order, "12abc");
  order.clear();
  EXPECT_EQ(error_of([&] { net(ones({2})); }), "too many\n  in module Picky");
  EXPECT_EQ(order, "12(c)");
  order.clear();
  net->register_forward_hook([](nn::Module&, const auto&, AnyValue&) { throw Error("broken"); });
  EXPECT_NE(error_of([&] { nn::AnyModule(net).forward(ones({2})); }).find("too many"),
            std::string::npos);
  EXPECT_EQ(order, "12(c)");
}

}  // namespace
}  // namespace tern
