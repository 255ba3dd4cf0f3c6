#include <span>

#include "core/autograd/autograd_test.h"

// Ops with a gradient of the user's own: autograd::Function.

namespace tern::testing {
namespace {

using autograd::AutogradContext;
using autograd::variable_list;

struct Scale : autograd::Function<Scale> {
  static Tensor forward(AutogradContext* context, const Tensor& x, double factor) {
    context->saved_data["factor"] = factor;
    return x * factor;
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    return {gradients[0] * context->saved_data["factor"].toDouble(), Tensor()};
  }
};

// x * y and x + y, with undefined gradients where none is needed.
struct ProductAndSum : autograd::Function<ProductAndSum> {
  static variable_list forward(AutogradContext* context, const Tensor& x, const Tensor& y) {
    context->save_for_backward({x, y});
    return {x * y, x + y};
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    variable_list results(2);
    for (std::size_t i = 0; i < 2; ++i) {
      if (context->needs_input_grad(i)) results[i] = gradients[0] * saved[1 - i] + gradients[1];
    }
    return results;
  }
};

struct Exp : autograd::Function<Exp> {
  static Tensor forward(AutogradContext* context, const Tensor& x) {
    Tensor y = x.exp();
    context->save_for_backward({y});
    return y;
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    return {gradients[0] * context->get_saved_variables()[0]};
  }
};

TEST(Function, HasTheGivenGradient) {
  const Tensor x = leaf(tensor({1., 2.}));
  const Tensor y = Scale::apply(x, 3.0);
  TERN_EXPECT_EQUAL(y, tensor({3., 6.}));
  EXPECT_EQ(y.grad_fn()->name(), "ScaleBackward");
  y.sum().backward();
  TERN_EXPECT_EQUAL(x.grad(), tensor({3., 3.}));
  EXPECT_FALSE(Scale::apply(tensor({1.}), 3.0).requires_grad());
  const NoGradGuard no_grad;
  EXPECT_FALSE(Scale::apply(x, 3.0).requires_grad());
}

TEST(Function, PassesNumericChecks) {
  const Tensor x = rand({3}, kDouble).requires_grad_(), y = rand({3}, kDouble).requires_grad_();
  const auto product = [](const auto& in) { return ProductAndSum::apply(in[0], in[1]); };
  EXPECT_TRUE(autograd::gradcheck(product, {x, y}));
  EXPECT_TRUE(autograd::gradgradcheck(product, {x, y}));
  const auto exp = [](const auto& in) { return std::vector{Exp::apply(in[0])}; };
  EXPECT_TRUE(autograd::gradcheck(exp, {x}));
  EXPECT_TRUE(autograd::gradgradcheck(exp, {x}));
}

TEST(Function, RunsNoGradientThatNobodyNeeds) {
  const Tensor x = leaf(ones({2})), y = ones({2});
  const variable_list out = ProductAndSum::apply(x, y);
  EXPECT_EQ(out[1].output_nr(), 1u);
  out[1].sum().backward();  // the gradient of the product is zeros
  TERN_EXPECT_EQUAL(x.grad(), ones({2}));
  EXPECT_FALSE(y.grad().defined());
}

TEST(Function, LearnsWhichGradientsThePassWants) {
  struct Product : autograd::Function<Product> {
    static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& y) {
      context->save_for_backward({x, y});
      EXPECT_TRUE(context->needs_input_grad(0) && context->needs_input_grad(1));
      return x * y;
    }
    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
      EXPECT_TRUE(context->needs_input_grad(0));
      EXPECT_FALSE(context->needs_input_grad(1));
      return {gradients[0] * context->get_saved_variables()[1], Tensor()};
    }
  };
  const Tensor x = leaf(ones({2})), y = leaf(full({2}, 3.));
  TERN_EXPECT_EQUAL(autograd::grad({Product::apply(x, y).sum()}, {x})[0], full({2}, 3.));
}

TEST(Function, FreesAndChecksSavedTensors) {
  const Tensor x = leaf(ones({2}));
  Tensor y = Exp::apply(x);
  y.sum().backward({}, /*retain_graph=*/true);
  y.sum().backward();
  TERN_EXPECT_HAS(error_of([&] { y.sum().backward(); }), "backward through the graph a second");
  y = Exp::apply(x);
  y.detach().mul_(2);
  TERN_EXPECT_HAS(error_of([&] { y.sum().backward(); }), "output 0 of Exp, is at version 1");
}

TEST(Function, LeavesNothingBehind) {
  const Tensor x = leaf(ones({100}));
  const std::int64_t before = live_bytes();
  {
    const Tensor y = Exp::apply(x);
    EXPECT_GT(live_bytes(), before);
  }
  EXPECT_EQ(live_bytes(), before);
}

struct Untouched : autograd::Function<Untouched> {
  static Tensor forward(AutogradContext*, const Tensor& x) { return x; }
  static variable_list backward(AutogradContext*, const variable_list& g) { return {2 * g[0]}; }
};

TEST(Function, MayReturnItsInput) {
  const Tensor x = leaf(ones({2}));
  const Tensor y = Untouched::apply(x);
  EXPECT_FALSE(y.is_same(x));
  EXPECT_TRUE(y.is_alias_of(x) && x.is_leaf());
  y.sum().backward();
  TERN_EXPECT_EQUAL(x.grad(), full({2}, 2.));
  const Tensor plain = ones({2});
  const Tensor view = Untouched::apply(plain);
  EXPECT_TRUE(view.is_view() && !view.requires_grad() && !view.is_same(plain));
  const NoGradGuard no_grad;
  EXPECT_FALSE(Untouched::apply(x).is_view() || Untouched::apply(x).requires_grad());
}

TEST(Function, ItsViewsDoNotChangeInPlace) {
  TERN_EXPECT_HAS(error_of([] { Untouched::apply(leaf(ones({2})).clone()).mul_(2); }),
                  "This view was created inside a custom Function (or because an input was "
                  "returned as-is)");
}

struct DoubleInPlace : autograd::Function<DoubleInPlace> {
  static Tensor forward(AutogradContext* context, Tensor x) {
    x.mul_(2);
    context->mark_dirty({x});
    return x;
  }
  static variable_list backward(AutogradContext*, const variable_list& g) { return {2 * g[0]}; }
};

TEST(Function, MayChangeItsInput) {
  const Tensor x = leaf(ones({2}));
  Tensor y = x * 3;
  const Tensor z = DoubleInPlace::apply(y);
  EXPECT_TRUE(z.is_same(y));
  EXPECT_EQ(y.grad_fn()->name(), "DoubleInPlaceBackward");
  z.sum().backward();
  TERN_EXPECT_EQUAL(x.grad(), full({2}, 6.));
  TERN_EXPECT_HAS(error_of([&] { DoubleInPlace::apply(x); }), "a leaf Variable that requires grad");
  const Tensor w = x * 1;
  TERN_EXPECT_HAS(error_of([&] { DoubleInPlace::apply(w[0]); }), "takes no view");
}

// Changes the memory directly, so that only mark_dirty() tells tern.
struct NegateMemory : autograd::Function<NegateMemory> {
  static Tensor forward(AutogradContext* context, const Tensor& x) {
    for (double& element : std::span(x.data_ptr<double>(), 2)) element = -element;
    context->mark_dirty({x});
    return x;
  }
  static variable_list backward(AutogradContext*, const variable_list& g) { return {-g[0]}; }
};

TEST(Function, CountsTheChangeOfAnInput) {
  const Tensor x = leaf(ones({2}, kDouble)), plain = ones({2}, kDouble);
  const Tensor y = x * 1, square = y * y;
  NegateMemory::apply(y);
  NegateMemory::apply(plain);
  EXPECT_EQ(y._version(), 1);
  EXPECT_EQ(plain._version(), 1);
  TERN_EXPECT_HAS(error_of([&] { square.sum().backward(); }), "modified by an inplace operation");
}

TEST(Function, DoesNotKeepAChangedInputAlive) {
  const Tensor x = leaf(ones({100}));
  const std::int64_t before = live_bytes();
  {
    Tensor y = x * 3;
    DoubleInPlace::apply(y);
    EXPECT_GT(live_bytes(), before);
  }
  EXPECT_EQ(live_bytes(), before);
}

// The largest elements and their indices.
struct Largest : autograd::Function<Largest> {
  static variable_list forward(AutogradContext* context, const Tensor& x, bool materializes) {
    auto [values, indices] = x.max(1);
    context->save_for_backward({indices, x});
    context->mark_non_differentiable({indices});
    context->set_materialize_grads(materializes);
    return {values, indices, x * 2};
  }
  static variable_list backward(AutogradContext* context, variable_list g) {
    const variable_list saved = context->get_saved_variables();
    EXPECT_EQ(g[2].defined(), !expects_undefined);
    return {zeros_like(saved[1]).scatter_add(1, saved[0].unsqueeze(1), g[0].unsqueeze(1)), {}};
  }
  static inline bool expects_undefined = false;
};

TEST(Function, MarksOutputsWithoutGradient) {
  for (const bool materializes : {true, false}) {
    const Tensor x = leaf(tensor({{1., 5.}, {7., 2.}}));
    const variable_list out = Largest::apply(x, materializes);
    EXPECT_FALSE(out[1].requires_grad());
    EXPECT_TRUE(out[2].requires_grad());
    Largest::expects_undefined = !materializes;
    out[0].sum().backward();
    TERN_EXPECT_EQUAL(x.grad(), tensor({{0., 1.}, {1., 0.}}));
  }
}

struct SumOfAll : autograd::Function<SumOfAll> {
  static Tensor forward(AutogradContext*, const variable_list& all, std::optional<Tensor> more) {
    Tensor sum = all[0].clone();
    for (std::size_t i = 1; i < all.size(); ++i) sum += all[i];
    return more ? sum + *more : sum;
  }
  static variable_list backward(AutogradContext*, const variable_list& g) {
    return {g[0], 2 * g[0], 3 * g[0]};
  }
};

TEST(Function, TakesListsAndOptionalTensors) {
  const Tensor a = leaf(ones({2})), b = leaf(ones({2})), c = leaf(ones({2}));
  SumOfAll::apply(variable_list{a, b}, std::optional<Tensor>(c)).sum().backward();
  TERN_EXPECT_EQUAL(b.grad(), full({2}, 2.));
  TERN_EXPECT_EQUAL(c.grad(), full({2}, 3.));
}

template <int kind>
struct Wrong : autograd::Function<Wrong<kind>> {
  static Tensor forward(AutogradContext* context, const Tensor& x, int) {
    if (kind == 0) context->mark_dirty({x});
    return x * 1;
  }
  static variable_list backward(AutogradContext* context, const variable_list& g) {
    if (kind == 1) return {g[0]};
    if (kind == 2) return {g[0], g[0]};
    if (kind == 3) return {ones({5}), {}};
    if (kind == 4) context->needs_input_grad(1);
    return {Tensor(), context->saved_data["x"].toTensor()};
  }
};

TEST(Function, NamesMistakes) {
  const Tensor x = leaf(ones({2}));
  const auto text_of = [&](auto wrong) {
    return error_of([&] { decltype(wrong)::apply(x * 1, 1).sum().backward(); });
  };
  TERN_EXPECT_HAS(text_of(Wrong<0>()), "were not returned as output");
  TERN_EXPECT_HAS(text_of(Wrong<1>()),
                  "function WrongBackward returned an incorrect number of gradients (expected 2, "
                  "got 1)");
  TERN_EXPECT_HAS(text_of(Wrong<2>()), "a gradient different from None at position 1");
  TERN_EXPECT_HAS(text_of(Wrong<3>()), "invalid gradient at index 0");
  TERN_EXPECT_HAS(error_of<IndexError>([&] { Wrong<4>::apply(x, 1).sum().backward(); }),
                  "index 1 is out of range for 1 tensors");
  TERN_EXPECT_HAS(text_of(Wrong<5>()), "expected a tensor but the saved value is nothing");
}

TEST(SavedValue, HoldsWhatItWasGiven) {
  using autograd::SavedValue;
  EXPECT_EQ(SavedValue(3).toInt(), 3);
  EXPECT_EQ(SavedValue(0.5f).toDouble(), 0.5);
  EXPECT_TRUE(SavedValue(true).toBool());
  EXPECT_EQ(SavedValue("text").toStringRef(), "text");
  EXPECT_EQ(SavedValue(ones({2, 3}).sizes()).toIntVector(), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(SavedValue(std::vector<double>{1.5}).toDoubleVector()[0], 1.5);
  EXPECT_EQ(SavedValue(std::vector<Tensor>{ones({2})}).toTensorVector().size(), 1u);
  EXPECT_EQ(error_of([] { SavedValue(3).toDouble(); }),
            "saved_data: expected a double but the saved value is an int");
}

}  // namespace
}  // namespace tern::testing
