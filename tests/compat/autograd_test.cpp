#include <tern/compat/torch/torch.h>

#include <error_of.h>
#include <gtest/gtest.h>

// Autograd as programs for libtorch use it. The numbers, names and texts are libtorch 2.15's.

namespace {

using tern::error_of;
using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::tensor_list;

torch::Tensor leaf() { return torch::ones({2, 3}).requires_grad_(); }

/// A Function of one tensor whose gradient is doubled.
template <class Self>
struct Doubling : Function<Self> {
  static tensor_list backward(AutogradContext* /*context*/, const tensor_list& gradients) {
    return {gradients[0] * 2};
  }
};
struct Same : Doubling<Same> {
  static torch::Tensor forward(AutogradContext* /*context*/, torch::Tensor x) { return x; }
};
struct Flat : Doubling<Flat> {
  static torch::Tensor forward(AutogradContext* /*context*/, const torch::Tensor& x) {
    return x.view({6});
  }
};
struct InPlace : Doubling<InPlace> {
  static torch::Tensor forward(AutogradContext* context, torch::Tensor x) {
    x.add_(1);
    context->mark_dirty({x});
    return x;
  }
};
struct TwoGradients : Function<TwoGradients> {
  static torch::Tensor forward(AutogradContext* /*context*/, const torch::Tensor& x) {
    return x * 2;
  }
  static tensor_list backward(AutogradContext* /*context*/, const tensor_list& gradients) {
    return {gradients[0], gradients[0]};
  }
};
struct TwoViews : Function<TwoViews> {
  static tensor_list forward(AutogradContext* /*context*/, const torch::Tensor& x) {
    return {x.view({6}), x.t()};
  }
  static tensor_list backward(AutogradContext* /*context*/, const tensor_list& gradients) {
    return {gradients[0].view({2, 3}) + gradients[1].t()};
  }
};

TEST(CompatFunction, ReturnsAViewOfAnInputThatForwardReturns) {
  const torch::Tensor x = leaf();
  const torch::Tensor y = Same::apply(x);
  EXPECT_TRUE(y.is_view() && y.requires_grad() && !y.is_same(x));
  EXPECT_NE(y.grad_fn()->name().find("torch::autograd::CppNode<"), std::string::npos);
  y.sum().backward();
  EXPECT_EQ(x.grad()[0][0].item<float>(), 2);
  const torch::Tensor plain = torch::ones({2}), same = Same::apply(plain);
  EXPECT_TRUE(same.is_view() && !same.is_same(plain) && !same.requires_grad());
  const torch::NoGradGuard no_grad;
  EXPECT_FALSE(Same::apply(x).requires_grad() || Same::apply(x).is_view());
}

TEST(CompatFunction, RefusesInPlaceOpsOnItsViews) {
  const std::string text =
      " is a view and is being modified inplace. This view was created inside a custom Function "
      "(or because an input was returned as-is) and the autograd logic to handle view+inplace "
      "would override the custom backward associated with the custom Function, leading to "
      "incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of "
      "the custom Function.";
  for (torch::Tensor y : {Same::apply(leaf().clone()), Flat::apply(leaf().clone())}) {
    EXPECT_NE(error_of([&] { y.mul_(2); }).find(text), std::string::npos);
  }
  torch::Tensor x = leaf().clone();
  const torch::Tensor y = Flat::apply(x);
  x.mul_(2);
  EXPECT_NE(error_of([&] { y.grad_fn(); })
                .find("is a view and its base or another view of its base has been modified "
                      "inplace. This view was created inside a custom Function"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              TwoViews::apply(leaf().clone())[0].mul_(2);
            }).find("This view is the output of a function that returns multiple views."),
            std::string::npos);
}

TEST(CompatFunction, ChecksGradientsAndDirtyLeaves) {
  EXPECT_NE(error_of([] {
              TwoGradients::apply(leaf()).sum().backward();
            }).find("returned an incorrect number of gradients (expected 1, got 2)"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              InPlace::apply(leaf());
            }).find("a leaf Variable that requires grad has been used in an in-place operation."),
            std::string::npos);
}

struct Values : Function<Values> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x,
                               std::optional<double> none) {
    context->saved_data["int"] = 3;
    context->saved_data["double"] = 2.5;
    context->saved_data["bool"] = true;
    context->saved_data["text"] = "hi";
    context->saved_data["tensor"] = x;
    context->saved_data["sizes"] = x.sizes().vec();
    context->saved_data["none"] = none;
    context->save_for_backward({x, torch::Tensor()});
    return x * 2;
  }
  static tensor_list backward(AutogradContext* context, const tensor_list& gradients) {
    auto& data = context->saved_data;
    EXPECT_TRUE(data["int"].isInt() && data["double"].isDouble() && data["bool"].isBool());
    EXPECT_TRUE(data["text"].isString() && data["tensor"].isTensor() && data["sizes"].isIntList());
    EXPECT_TRUE(data["none"].isNone() && !data["int"].isNone());
    EXPECT_EQ(data["int"].to<int64_t>(), 3);
    EXPECT_EQ(data["double"].toScalar().toDouble(), 2.5);
    EXPECT_EQ(data["text"].toStringRef(), "hi");
    EXPECT_EQ(data["sizes"].toIntVector(), (std::vector<int64_t>{2, 3}));
    // Saved tensors have their history, although this pass is not recorded.
    const auto saved = context->get_saved_variables();
    EXPECT_TRUE(saved[0].requires_grad() && !saved[1].defined());
    return {gradients[0] * 2, torch::Tensor()};
  }
};

TEST(CompatFunction, KeepsValues) {
  const torch::Tensor x = leaf();
  Values::apply(x, std::nullopt).sum().backward();
  EXPECT_EQ(x.grad()[0][0].item<float>(), 2);
  const c10::IValue list(std::vector<torch::Tensor>{x});
  EXPECT_TRUE(list.isTensorList() && list.toTensorVector()[0].is_same(x));
  EXPECT_TRUE(c10::IValue().isNone() && c10::IValue(std::optional<int64_t>()).isNone());
}

TEST(CompatNodes, HaveLibtorchsNames) {
  const torch::Tensor x = leaf();
  EXPECT_EQ((x + 1).grad_fn()->name(), "AddBackward1");
  EXPECT_EQ((x - 1).grad_fn()->name(), "SubBackward1");
  EXPECT_EQ((x * 2).grad_fn()->name(), "MulBackward1");
  EXPECT_EQ((x / 2).grad_fn()->name(), "DivBackward1");
  EXPECT_EQ((x + x).grad_fn()->name(), "AddBackward0");
  torch::Tensor y = x.clone();
  y[0] = 3;
  EXPECT_EQ(y.grad_fn()->name(), "torch::autograd::CopySlices");
  const auto node = (x * 2).sum().grad_fn();
  EXPECT_EQ(node->num_inputs(), 1U);
  EXPECT_EQ(node->num_outputs(), 1U);
  const torch::autograd::Edge& edge = node->next_edges()[0];
  EXPECT_TRUE(edge.is_valid());
  EXPECT_EQ(edge.function->name(), "MulBackward1");
  EXPECT_EQ(edge.input_nr, 0U);
  EXPECT_EQ(edge.function->next_edge(0).function->name(), "torch::autograd::AccumulateGrad");
  namespace impl = torch::autograd::impl;
  EXPECT_EQ(impl::gradient_edge(x).function, impl::grad_accumulator(x));
  EXPECT_EQ(impl::version_counter(x).current_version(), 0U);
  impl::bump_version(x);
  EXPECT_EQ(x._version(), 1);
}

struct TimesThree : torch::autograd::Node {
  torch::autograd::variable_list apply(torch::autograd::variable_list&& gradients) override {
    return {gradients[0] * 3};
  }
};

TEST(CompatNodes, AreWrittenByPrograms) {
  const auto checked = [](const auto& node) {
    const torch::Tensor x = leaf();
    const torch::Tensor y = torch::autograd::make_variable(x.detach());
    node->set_next_edges(torch::autograd::collect_next_edges(x));
    torch::autograd::set_history(y, node);
    EXPECT_NE(y.grad_fn()->name().find("TimesThree"), std::string::npos);
    y.sum().backward();
    EXPECT_EQ(x.grad()[0][0].item<float>(), 3);
  };
  checked(std::make_shared<TimesThree>());
  checked(c10::make_intrusive<TimesThree>());
  const std::shared_ptr<torch::autograd::Node> shared = (leaf() * 2).grad_fn();
  EXPECT_EQ(shared->name(), "MulBackward1");
}

TEST(CompatNodes, ExistForErrorsAndMissingGradients) {
  namespace ag = torch::autograd;
  const torch::Tensor x = leaf(), w = leaf();
  const torch::Tensor late = (*std::make_shared<ag::DelayedError>("boom", 1))({x})[0];
  EXPECT_EQ(late.grad_fn()->name(), "torch::autograd::Error");
  EXPECT_EQ(error_of([&] { late.sum().backward(); }), "boom");
  const torch::Tensor cut = (*std::make_shared<ag::UndefinedGrad>())({x})[0];
  EXPECT_EQ(cut.grad_fn()->name(), "torch::autograd::UndefinedGradBackward");
  (cut * 2 + w).sum().backward();
  EXPECT_TRUE(!x.grad().defined() && w.grad().defined());
  (*std::make_shared<ag::AccumulateGrad>(x))({torch::ones({2, 3})});
  EXPECT_EQ(x.grad().sizes(), torch::IntArrayRef({2, 3}));
}

TEST(CompatHooks, AreNumberedByTensor) {
  const torch::Tensor x = leaf();
  EXPECT_EQ(x.register_hook([](const torch::Tensor& g) { return g * 2; }), 0U);
  EXPECT_EQ(x.register_hook([](const torch::Tensor& g) { return g * 3; }), 1U);
  x.remove_hook(0);
  x.remove_hook(0);
  x.sum().backward();
  EXPECT_EQ(x.grad()[0][0].item<float>(), 3);
  EXPECT_EQ(error_of([&] { x.remove_hook(3); }), "Invalid index, no hook at position 3");
  EXPECT_EQ(error_of([] { torch::ones({2}).register_hook([](const torch::Tensor&) {}); }),
            "cannot register a hook on a variable that doesn't require gradient");
}

TEST(CompatBackward, ChecksItsArguments) {
  const torch::Tensor x = leaf();
  EXPECT_EQ(error_of([&] { x.sum().backward({}, false, false, std::vector<torch::Tensor>()); }),
            "'inputs' argument to backward cannot be empty");
  torch::autograd::backward({x.sum()}, {}, {}, false, {});
  EXPECT_TRUE(x.grad().defined());
  EXPECT_NE(error_of([&] {
              torch::autograd::grad({x.sum()}, {torch::ones({2})});
            }).find("element 0 of the input tensors does not require grad"),
            std::string::npos);
  EXPECT_NE(error_of([&] { torch::autograd::grad({x.sum()}, {leaf()}); })
                .find("of the differentiated Tensors appears to not have been used in the graph. "
                      "Set allow_unused=True if this is the desired behavior."),
            std::string::npos);
  const torch::Tensor once = (x * x).sum();
  once.backward();
  EXPECT_NE(error_of([&] {
              once.backward();
            }).find("call .backward() or autograd.grad(). Specify retain_graph=True if you need"),
            std::string::npos);
}

TEST(CompatSavedVariable, UnpacksWithHistory) {
  const torch::Tensor x = leaf();
  torch::autograd::SavedVariable saved(x * 2, /*is_output=*/false);
  EXPECT_EQ(saved.unpack().grad_fn()->name(), "MulBackward1");
  saved.reset_data();
  EXPECT_NE(error_of([&] { saved.unpack(); }).find("Trying to backward through the graph a second"),
            std::string::npos);
}

struct Counted : torch::IterArgs<Counted> {
  int64_t numel = 0;
  void operator()(const torch::Tensor& tensor) { numel += tensor.numel(); }
  void operator()(at::ArrayRef<torch::Tensor> tensors) {
    for (const torch::Tensor& tensor : tensors) (*this)(tensor);
  }
  bool short_circuit() const { return numel > 10; }
};
struct Doubled {
  template <class T>
  T operator()(size_t index) const {
    return static_cast<T>(2 * index);
  }
};

TEST(CompatVariadic, VisitsArguments) {
  const torch::Tensor x = leaf();
  EXPECT_EQ(Counted().apply(x, torch::ones({4}), x, x).numel, 16);
  EXPECT_EQ(torch::count_tensors(x, x), 2U);
  int sum = 0;
  torch::apply([&](int value) { sum += value; }, 1, 2, 3);
  EXPECT_EQ(sum, 6);
  const auto texts = torch::unpack<std::string, int, long>(
      [](int a, long b) { return std::to_string(a) + "," + std::to_string(b); }, Doubled());
  EXPECT_EQ(texts, "0,2");
  const std::vector<torch::Tensor> parts{torch::ones({2}), torch::zeros({1, 2})};
  const torch::Tensor flat = torch::utils::flatten_dense_tensors(parts);
  EXPECT_EQ(flat.sizes(), torch::IntArrayRef({4}));
  EXPECT_TRUE(torch::equal(torch::utils::unflatten_dense_tensors(flat, parts)[1], parts[1]));
}

TEST(CompatNodes, GiveAPointerToThemselves) {
  const torch::Tensor x = leaf(), y = x * 2;
  torch::autograd::NodePtr node = y.grad_fn()->getptr();
  EXPECT_EQ(node, y.grad_fn());
  EXPECT_TRUE(node->task_should_compute_output(0));
  torch::autograd::UndefinedGradBackward alone;
  EXPECT_NE(error_of([&] { alone.getptr(); }).find("no intrusive pointer owns this node"),
            std::string::npos);
  const auto identity = c10::make_intrusive<torch::autograd::UndefinedGradBackward>(
      torch::autograd::collect_next_edges(x));
  identity->set_next_edge(0, torch::autograd::Edge());
  EXPECT_FALSE(identity->next_edge(0).is_valid());
  EXPECT_THROW(identity->set_next_edge(1, {}), c10::Error);
}

}  // namespace
