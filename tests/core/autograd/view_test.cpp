#include "core/autograd/autograd_test.h"

// Flags of views, and ops that return several views.

namespace tern::testing {
namespace {

using Pieces = std::vector<Tensor>;

TEST(ViewFlags, FollowTheBase) {
  Tensor base = zeros({4}), view = base.view({2, 2}), row = view[0];
  base.requires_grad_();
  EXPECT_TRUE(view.requires_grad() && row.requires_grad());
  EXPECT_TRUE(view.is_leaf());
  EXPECT_FALSE(view.grad_fn());
  TERN_EXPECT_HAS(error_of([&] { view.add_(1); }), "a view of a leaf Variable");
  // The view was made earlier, so its gradient does not reach the base.
  const Tensor sum = (view * 3).sum();
  EXPECT_TRUE(sum.requires_grad());
  sum.backward();
  EXPECT_FALSE(base.grad().defined());
  base.detach().add_(1);
  EXPECT_EQ(view.grad_fn()->name(), "AsStridedBackward0");
  base.requires_grad_(false);
  EXPECT_FALSE(row.requires_grad());
}

TEST(ViewFlags, OfAViewWithoutGradMode) {
  const Tensor x = leaf(ones({2, 2}));
  Tensor base = x * 1, view;
  {
    const NoGradGuard no_grad;
    view = base[0];
  }
  EXPECT_TRUE(view.requires_grad() && view.is_leaf());
  base.mul_(2);
  EXPECT_EQ(error_of([&] { view * 2; }),
            "mul: A view was created in no_grad mode and its base or another view of its base has "
            "been modified inplace with grad mode enabled. Given that this use case is ambiguous "
            "and error-prone, it is forbidden. You can clarify your code by moving both the view "
            "and the inplace either both inside the no_grad block (if you don't want the inplace "
            "to be tracked) or both outside (if you want the inplace to be tracked).");
}

TEST(ViewFlags, AViewCanBeALeafOfItsOwn) {
  Tensor base = zeros({4}), view = base.slice(0, 0, 4, 2).requires_grad_();
  EXPECT_FALSE(base.requires_grad());
  base.add_(1);
  EXPECT_TRUE(view.is_leaf() && view.requires_grad());
  (view.view({2}) * 3).sum().backward();
  TERN_EXPECT_EQUAL(view.grad(), full({2}, 3.));
  base.mul_(leaf(arange(4.)));
  EXPECT_FALSE(view.is_leaf());
}

/// Calls `check` with each op that returns several views, and with PyTorch's name of the op.
template <class Check>
void for_all_pieces(Check check) {
  check("Split", [](const Tensor& x) { return x.split(1); });
  check("Split", [](const Tensor& x) { return x.chunk(2); });
  check("Unbind", [](const Tensor& x) { return x.unbind(); });
}

const char* const kSeveral =
    ". This view is the output of a function that returns multiple views. Such functions do not "
    "allow the output views to be modified inplace. You should replace the inplace operation by "
    "an out-of-place one.";

TEST(Pieces, AreNotWrittenByRecordedOps) {
  for_all_pieces([](const std::string& op, const auto& pieces_of) {
    SCOPED_TRACE(op);
    const Tensor x = leaf(ones({2, 3}));
    const Tensor base = x * 1;
    const std::string text =
        "Output 1 of " + op + " is a view and is being modified inplace" + kSeveral;
    TERN_EXPECT_HAS(error_of([&] { pieces_of(base)[1].add_(1); }), text);
    TERN_EXPECT_HAS(error_of([&] { pieces_of(x)[1].add_(1); }), text);
    TERN_EXPECT_HAS(error_of([&] { pieces_of(base)[0].view({-1}).add_(1); }),
                    "Output 0 of View is a view and is being modified inplace");
    Tensor plain = ones({2, 3});
    EXPECT_THROW(pieces_of(plain)[0].mul_(x[0]), Error);
    pieces_of(plain)[0].add_(1);
    TERN_EXPECT_EQUAL(plain.sum(), scalar_tensor(9));
  });
}

TEST(Pieces, AreNotUsedAfterAChange) {
  for_all_pieces([](const std::string& op, const auto& pieces_of) {
    SCOPED_TRACE(op);
    const Tensor x = leaf(ones({2, 3}));
    Tensor base = x * 1;
    const std::string text = "Output 0 of " + op +
                             " is a view and its base or another view of its base has been "
                             "modified inplace" +
                             kSeveral;
    const Pieces pieces = pieces_of(base);
    base.mul_(2);
    TERN_EXPECT_HAS(error_of([&] { pieces[0] * 2; }), text);
    Pieces others = pieces_of(base);
    {
      const NoGradGuard no_grad;
      others[0].add_(1);
      others[0].add_(1);
    }
    TERN_EXPECT_HAS(error_of([&] { others[0] * 2; }), text);
  });
}

TEST(Pieces, HaveGradientsOfBothOrders) {
  for_all_pieces([](const std::string& op, const auto& pieces_of) {
    SCOPED_TRACE(op);
    const auto function = [&](const Pieces& in) {
      const Pieces pieces = pieces_of(in[0]);
      return Pieces{pieces[1] * pieces[1] * pieces[0], pieces[1].exp()};
    };
    const Tensor x = leaf(rand({2, 3}, kDouble));
    EXPECT_TRUE(autograd::gradcheck(function, {x}));
    EXPECT_TRUE(autograd::gradgradcheck(function, {x}));
  });
}

TEST(AsStrided, SharesTheGradientAmongElementsThatShareMemory) {
  const Tensor x = leaf(tensor({1., 2., 3.}, kDouble)), one = leaf(tensor({2.}, kDouble));
  const auto overlapping = [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{in[0].as_strided({2, 2}, {1, 1}).as_strided({3}, {1}, 0).square()};
  };
  const auto expanded = [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{in[0].expand({3}).as_strided({1}, {1}, 0).square()};
  };
  TERN_EXPECT_EQUAL(autograd::grad({overlapping({x})[0].sum()}, {x})[0], 2 * x.detach());
  TERN_EXPECT_EQUAL(autograd::grad({expanded({one})[0].sum()}, {one})[0], tensor({4.}, kDouble));
  EXPECT_TRUE(autograd::gradcheck(overlapping, {x}));
  EXPECT_TRUE(autograd::gradgradcheck(overlapping, {x}));
  EXPECT_TRUE(autograd::gradcheck(expanded, {one}));
  EXPECT_TRUE(autograd::gradgradcheck(expanded, {one}));
}

}  // namespace
}  // namespace tern::testing
