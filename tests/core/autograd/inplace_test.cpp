#include "core/autograd/autograd_test.h"

namespace tern::testing {
namespace {

TEST(Inplace, ChangesTheGraph) {
  const Tensor x = leaf(tensor({1., 2.}));
  Tensor y = x * 2;
  y.mul_(y.clone());  // (2x)^2
  y += 1;
  EXPECT_EQ(y.grad_fn()->name(), "AddBackward0");
  y.sum().backward();
  TERN_EXPECT_EQUAL(x.grad(), tensor({8., 16.}));
}

TEST(Inplace, OnATensorWithoutHistoryGivesItOne) {
  const Tensor x = leaf(tensor({1., 2.}));
  Tensor y = zeros({2});
  y.add_(x, 3);
  EXPECT_TRUE(y.requires_grad());
  y.sum().backward();
  TERN_EXPECT_EQUAL(x.grad(), tensor({3., 3.}));
}

TEST(Inplace, IsRefusedOnLeavesAndTheirViews) {
  Tensor x = leaf(ones({2, 2}));
  EXPECT_EQ(
      error_of([&] { x.add_(1); }),
      "add_: a leaf Variable that requires grad is being used in an in-place operation. Change it "
      "under NoGradGuard, as optimizers do.");
  TERN_EXPECT_HAS(error_of([&] { x[0].add_(1); }),
                  "a view of a leaf Variable that requires grad is being used in an in-place "
                  "operation.");
  TERN_EXPECT_HAS(error_of([&] { x.t().zero_(); }), "a view of a leaf Variable");
  TERN_EXPECT_HAS(error_of([&] { x[0] = 1; }), "a view of a leaf Variable");
  EXPECT_THROW(x.copy_(ones({2, 2})), Error);
  EXPECT_THROW(x.uniform_(), Error);
  TERN_EXPECT_EQUAL(x, ones({2, 2}));
  EXPECT_EQ(x._version(), 0);
  {
    const NoGradGuard no_grad;
    x.add_(1);
    x[0].fill_(7);
  }
  TERN_EXPECT_EQUAL(x, tensor({{7., 7.}, {2., 2.}}));
  EXPECT_TRUE(x.is_leaf());
}

TEST(Inplace, IsRefusedOnLeavesThatAreViews) {
  const Tensor base = ones({6});
  Tensor x = base.view({2, 3});
  x.requires_grad_();
  const std::string text =
      "a view of a leaf Variable that requires grad is being used in an in-place operation.";
  TERN_EXPECT_HAS(error_of([&] { x[0] = 1; }), text);
  TERN_EXPECT_HAS(error_of([&] { x.view({6}).add_(1); }), text);
  TERN_EXPECT_HAS(error_of([&] { x.add_(1); }), text);
  TERN_EXPECT_EQUAL(base, ones({6}));
  EXPECT_TRUE(x.is_leaf());
  {
    const NoGradGuard no_grad;
    x[0] = 2;
  }
  TERN_EXPECT_EQUAL(base, tensor({2., 2., 2., 1., 1., 1.}));
}

TEST(Inplace, IsRefusedWhereElementsOverlap) {
  Tensor row = ones({1, 3}).expand({2, 3});
  TERN_EXPECT_HAS(error_of([&] { row.add_(1); }),
                  "unsupported operation: more than one element of the written-to tensor refers to "
                  "a single memory location.");
}

TEST(Inplace, CannotGrowOrChangeTheCategory) {
  Tensor x = ones({3});
  TERN_EXPECT_HAS(error_of<ShapeError>([&] {
                    x.add_(ones({2, 3}));
                  }),
                  "output with shape [3] doesn't match the broadcast shape [2, 3]");
  Tensor i = ones({3}, kLong);
  TERN_EXPECT_HAS(error_of<DTypeError>([&] { i.add_(1.5); }),
                  "result type Float can't be cast to the desired output type Long");
  TERN_EXPECT_EQUAL(x, ones({3}));
  TERN_EXPECT_EQUAL(i, ones({3}, kLong));
}

TEST(Inplace, CannotChangeTheCategoryWhenRecorded) {
  const Tensor x = leaf(tensor({1.5, 2.}));
  Tensor i = tensor({6, 4}), mask = ones({2}, kBool);
  const auto refuses = [](const std::function<void()>& call, const char* to) {
    TERN_EXPECT_HAS(
        error_of<DTypeError>(call),
        std::string("result type Float can't be cast to the desired output type ") + to);
  };
  refuses([&] { i.add_(x); }, "Long");
  refuses([&] { i.sub_(x); }, "Long");
  refuses([&] { i.mul_(x); }, "Long");
  refuses([&] { i.div_(x); }, "Long");
  refuses([&] { i.addcmul_(x, tensor({1, 2})); }, "Long");
  refuses([&] { mask.mul_(x); }, "Bool");
  refuses([&] { i.view({2, 1})[0].add_(x[0]); }, "Long");
  TERN_EXPECT_EQUAL(i, tensor({6, 4}));
  EXPECT_FALSE(i.requires_grad());
  Tensor narrow = ones({2});
  narrow.mul_(leaf(tensor({1.5, 2.}, kDouble)));  // another width is the same category
  EXPECT_EQ(narrow.dtype(), kFloat);
  EXPECT_TRUE(narrow.requires_grad());
}

TEST(Inplace, CopiesIntoIntegersAreNotRecorded) {
  Tensor i = tensor({6, 4});
  i.copy_(leaf(tensor({1.5, 2.})));
  TERN_EXPECT_EQUAL(i, tensor({1, 2}));
  EXPECT_FALSE(i.requires_grad());
  EXPECT_TRUE(i.is_leaf());
}

TEST(Inplace, AnInfiniteGradientOfAViewStaysInIt) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Tensor x = leaf(tensor({1.f, 1.f}));
  Tensor y = x * 1;
  y[0].mul_(2);
  y.backward(tensor({-infinity, 3.f}));
  TERN_EXPECT_EQUAL(x.grad(), tensor({-infinity, 3.f}));
}

TEST(Inplace, ACopyOfALeafIntoItselfIsRefused) {
  Tensor x = leaf(ones({2}));
  TERN_EXPECT_HAS(error_of([&] { x.copy_(x); }), "a leaf Variable that requires grad");
  Tensor y = ones({2});
  EXPECT_TRUE(y.copy_(y).is_same(y));
}

TEST(Version, CountsChangesThroughAllHandles) {
  Tensor x = ones({2, 2});
  EXPECT_EQ(x._version(), 0);
  x.add_(1);
  x[0].zero_();
  x.detach().mul_(2);
  EXPECT_EQ(x._version(), 3);
  x.data().add_(1);  // data() has its own version
  EXPECT_EQ(x._version(), 3);
  EXPECT_EQ(x[1]._version(), 3);
  EXPECT_EQ(x.clone()._version(), 0);
}

TEST(Version, OfWhatBackwardNeedsIsChecked) {
  const Tensor x = leaf(tensor({1., 2.}));
  Tensor y = exp(x);
  y.add_(1);
  TERN_EXPECT_HAS(error_of([&] { y.sum().backward(); }),
                  "one of the variables needed for gradient computation has been modified by an "
                  "inplace operation: [CPUFloatType [2]], which is output 0 of Exp, is at version "
                  "1; expected version 0 instead.");
  Tensor w = ones({2});
  const Tensor product = x * w;
  w.add_(1);
  TERN_EXPECT_HAS(error_of([&] { product.sum().backward(); }),
                  "[CPUFloatType [2]] is at version 1; expected version 0 instead.");
  const Tensor meta = leaf(ones({2}, kMeta));
  Tensor z = exp(meta);
  z.add_(1);
  TERN_EXPECT_HAS(error_of([&] { z.sum().backward(); }), "[MetaFloatType [2]], which is output 0");
}

TEST(Version, DoesNotMatterWhereNothingIsKept) {
  const Tensor x = leaf(ones({2}));
  Tensor y = x * 2;
  const Tensor z = y + 1;
  y.zero_();  // sum and add saved nothing
  z.sum().backward();
  TERN_EXPECT_EQUAL(x.grad(), full({2}, 2.));
  const Tensor c = leaf(ones({2}));
  Tensor kept = c * 1;
  const Tensor product = kept * 3;  // saves only the number
  kept.zero_();
  product.sum().backward();
  TERN_EXPECT_EQUAL(c.grad(), full({2}, 3.));
}

// base = x * 1; view(base) *= 10; the gradient of sum(base * w) is w, times 10 inside the view.
void check_view(const std::function<Tensor(Tensor&)>& view_of) {
  const Tensor x = leaf(arange(1, 13, kDouble).reshape({3, 4}));
  const Tensor w = arange(3, 15, kDouble).reshape({3, 4});
  Tensor base = x * 1;
  Tensor view = view_of(base);
  EXPECT_TRUE(view.is_view());
  EXPECT_TRUE(view._base().is_same(base));
  view.mul_(10);

  Tensor factor = ones({3, 4}, kDouble);
  Tensor inside = view_of(factor);
  inside.fill_(10);
  TERN_EXPECT_EQUAL(base, x.detach() * factor);
  TERN_EXPECT_EQUAL(view, (view_of(base)));
  EXPECT_TRUE(base.requires_grad());
  EXPECT_TRUE(view.requires_grad());
  // Through the base, and then through the view, which gets its new rule on request.
  const auto by_base = autograd::grad({(base * w).sum()}, {x}, {}, /*retain_graph=*/true);
  TERN_EXPECT_EQUAL(by_base[0], w * factor);
  const auto by_view = autograd::grad({(view * 2).sum()}, {x});
  TERN_EXPECT_EQUAL(by_view[0], (factor * 2).masked_fill(factor == 1, 0));
}

TEST(Views, PassInPlaceChangesToTheirBase) {
  check_view([](Tensor& t) { return t.select(0, 1); });
  check_view([](Tensor& t) { return t.select(1, -1); });
  check_view([](Tensor& t) { return t.slice(1, 1, 4, 2); });
  check_view([](Tensor& t) { return t.narrow(0, 1, 2); });
  check_view([](Tensor& t) { return t.t(); });
  check_view([](Tensor& t) { return t.transpose(0, 1)[2]; });
  check_view([](Tensor& t) { return t.view({2, 6}).slice(1, 0, 3); });
  check_view([](Tensor& t) { return t.unsqueeze(0).select(2, 0).squeeze(0); });
  check_view([](Tensor& t) { return t.as_strided({2, 2}, {5, 2}, 1); });
  check_view([](Tensor& t) { return t.permute({1, 0}).flatten(0, 0).slice(0, 2); });
}

TEST(Views, SeeChangesOfTheirBase) {
  const Tensor x = leaf(tensor({1., 2., 3.}));
  Tensor base = x * 1;
  const Tensor first = base[0], rest = base.slice(0, 1);
  base.mul_(4);
  EXPECT_EQ(first.item<float>(), 4);
  (first + rest.sum() * 2).backward();
  TERN_EXPECT_EQUAL(x.grad(), tensor({4., 8., 8.}));
}

TEST(Views, SeeEachOther) {
  const Tensor x = leaf(tensor({{1., 2.}, {3., 4.}}));
  Tensor base = x * 1;
  Tensor row = base[0];
  const Tensor column = base.select(1, 0);
  row.mul_(5);
  column.sum().backward();
  TERN_EXPECT_EQUAL(x.grad(), tensor({{5., 0.}, {1., 0.}}));
}

TEST(Views, TakeValuesWithHistory) {
  const Tensor x = leaf(tensor({1., 2.})), y = leaf(tensor({5.}));
  Tensor base = x * 3;
  base.slice(0, 0, 1).copy_(y);
  base.sum().backward();
  TERN_EXPECT_EQUAL(base, tensor({5., 6.}));
  TERN_EXPECT_EQUAL(x.grad(), tensor({0., 3.}));
  TERN_EXPECT_EQUAL(y.grad(), tensor({1.}));
  // Into a base without history: rows computed one by one.
  Tensor rows = zeros({2, 2});
  const Tensor z = leaf(tensor({1., 2.}));
  for (int i = 0; i < 2; ++i) rows[i].copy_(z * (i + 1));
  EXPECT_TRUE(rows.requires_grad());
  rows.sum().backward();
  TERN_EXPECT_EQUAL(z.grad(), tensor({3., 3.}));
}

TEST(Views, RepeatedChangesAreDifferentiableTwice) {
  const auto function = [](const std::vector<Tensor>& in) {
    Tensor base = in[0] * 1;
    base[0].mul_(in[1]);
    base.t()[1].pow_(2);
    base.slice(0, 1).add_(base[0].clone() * in[1]);
    return std::vector<Tensor>{base * base};
  };
  const Tensor x = leaf(arange(1, 7, kDouble).reshape({3, 2}));
  const Tensor y = leaf(tensor({0.5, 2.}, kDouble));
  EXPECT_TRUE(autograd::gradcheck(function, {x, y}));
  EXPECT_TRUE(autograd::gradgradcheck(function, {x, y}));
}

TEST(Views, MadeWithoutGradModeAreNotWrittenInIt) {
  const Tensor x = leaf(ones({2, 2}));
  Tensor base = x * 1, view;
  {
    const NoGradGuard no_grad;
    view = base[0];
  }
  TERN_EXPECT_HAS(error_of([&] { view.mul_(2); }),
                  "A view was created in no_grad mode and is being modified inplace with grad mode "
                  "enabled.");
  // The same holds for a view of this view, however indirect.
  Tensor of_view = view.view({2, 1}).t()[0];
  TERN_EXPECT_HAS(error_of([&] { of_view.mul_(2); }),
                  "Output 0 of Select is a view of a view which was created in no_grad mode");
  TERN_EXPECT_EQUAL(base, ones({2, 2}));
  {
    const NoGradGuard no_grad;
    of_view.mul_(2);  // allowed without gradients
  }
  TERN_EXPECT_EQUAL(base, tensor({{2., 2.}, {1., 1.}}));
  // Now the history of the view is unknown.
  TERN_EXPECT_HAS(error_of([&] {
                    view.view({2, 1});
                  }),
                  "A view was created in no_grad mode and its base or another view of its base has "
                  "been modified inplace");
}

TEST(Detach, SharesElementsAndVersionButNoHistory) {
  const Tensor x = leaf(tensor({1., 2.}));
  const Tensor y = x * 2;
  Tensor d = y.detach();
  EXPECT_FALSE(d.requires_grad());
  EXPECT_TRUE(d.is_leaf());
  EXPECT_EQ(d.data_ptr(), y.data_ptr());
  d.zero_();
  EXPECT_EQ(y._version(), 1);
  Tensor p = y * 1;
  p.detach_();
  EXPECT_TRUE(p.is_leaf());
  TERN_EXPECT_HAS(error_of([&] { y.view({2}).detach_(); }), "Can't detach views in-place");
}

TEST(Data, HasAVersionOfItsOwn) {
  const Tensor x = leaf(tensor({1., 2.}));
  const Tensor y = exp(x);
  y.data().zero_();
  EXPECT_EQ(y._version(), 0);
  y.sum().backward();  // the change is not noticed, as in PyTorch
  TERN_EXPECT_EQUAL(x.grad(), zeros({2}));
  Tensor data;
  {
    const Tensor gone = ones({2});
    data = gone.data();
  }
  TERN_EXPECT_EQUAL(data, ones({2}));  // data() owns the memory too
}

TEST(Data, IsAnAliasOfItsTensor) {
  const Tensor x = tensor({1., 2.}), other = tensor({1., 2.});
  EXPECT_TRUE(x.data().is_alias_of(x) && x.is_alias_of(x.data()));
  EXPECT_TRUE(x.data().data()[0].is_alias_of(x.data()));
  EXPECT_FALSE(x.data().is_alias_of(other.data()));
}

// A temporary must not receive the result if somebody else owns its memory.
TEST(Data, IsNotOverwrittenByUnaryOps) {
  const Tensor x = tensor({-1., 2.});
  TERN_EXPECT_EQUAL(relu(x.data()), tensor({0., 2.}));
  TERN_EXPECT_EQUAL(x, tensor({-1., 2.}));
  float numbers[] = {-1, 2};
  TERN_EXPECT_EQUAL(relu(from_blob(numbers, {2})), tensor({0.F, 2.F}));
  EXPECT_EQ(numbers[0], -1);
}

TEST(Data, IsNotOverwrittenByBackward) {
  const Tensor x = leaf(tensor({1.F, 2.F})), y = leaf(tensor({1.F, 2.F}));
  float numbers[] = {3, 4};
  autograd::backward({x * 1, x * 1}, {from_blob(numbers, {2}), from_blob(numbers, {2})});
  autograd::backward({y}, {from_blob(numbers, {2})});
  y.sum().backward();
  TERN_EXPECT_EQUAL(y.grad(), tensor({4.F, 5.F}));
  EXPECT_EQ(numbers[0], 3);
}

TEST(SetData, KeepsIdentityAndGrad) {
  const Tensor x = leaf(tensor({1., 2.}));
  x.sum().backward();
  const TensorImpl* impl = x.unsafeGetTensorImpl();
  x.set_data(tensor({5., 6., 7.}, kDouble));
  EXPECT_EQ(x.unsafeGetTensorImpl(), impl);
  EXPECT_EQ(x.dtype(), kDouble);
  EXPECT_TRUE(x.requires_grad());
  TERN_EXPECT_EQUAL(x.grad(), ones({2}));
  x.mutable_grad().reset();
  (x * 2).sum().backward();
  TERN_EXPECT_EQUAL(x.grad(), full({3}, 2., kDouble));
  EXPECT_THROW(x.set_data(ones({2}, kLong)), DTypeError);
}

TEST(SetData, EndsAView) {
  Tensor base = zeros({4}), view = base.slice(0, 0, 2);
  view.set_data(ones({3}));
  EXPECT_FALSE(view.is_view());
  base.add_(1);
  TERN_EXPECT_EQUAL(view, ones({3}));
  // Changes of `view` do not join the history of its old base, and are allowed for a leaf's view.
  view.mul_(leaf(tensor({2., 3., 4.})));
  EXPECT_TRUE(view.requires_grad());
  EXPECT_FALSE(base.requires_grad());
  TERN_EXPECT_EQUAL(base, ones({4}));
  Tensor none;
  {
    const NoGradGuard no_grad;
    none = leaf(zeros({4})).slice(0, 0, 2);
  }
  none.set_data(ones({2}));
  TERN_EXPECT_EQUAL(none.add_(1), full({2}, 2.));
  none.view({2, 1}).mul_(leaf(full({2, 1}, 2.)));
  TERN_EXPECT_EQUAL(none, full({2}, 4.));
}

}  // namespace
}  // namespace tern::testing
