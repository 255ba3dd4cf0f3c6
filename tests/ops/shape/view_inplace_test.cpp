#include <functional>
#include <string>

#include <gtest/gtest.h>

#include <tern/tern.h>

#include "error_of.h"

// Ops that give a tensor itself another layout: t_, transpose_, squeeze_, unsqueeze_, as_strided_.

namespace tern::testing {
namespace {

struct LayoutChange {
  const char* node;
  std::function<void(Tensor&)> change;
  std::function<Tensor(const Tensor&)> view;  // the same out of place
};

const LayoutChange kLayoutChanges[] = {
    {"TransposeBackward1", [](Tensor& x) { x.transpose_(0, -1); },
     [](const Tensor& x) { return x.transpose(0, -1); }},
    {"TBackward1", [](Tensor& x) { x.t_(); }, [](const Tensor& x) { return x.t(); }},
    {"SqueezeBackward3", [](Tensor& x) { x.squeeze_(); },
     [](const Tensor& x) { return x.squeeze(); }},
    {"SqueezeBackward4", [](Tensor& x) { x.squeeze_(0); },
     [](const Tensor& x) { return x.squeeze(0); }},
    {"SqueezeBackward5",
     [](Tensor& x) {
       x.squeeze_({0, 1});
     },
     [](const Tensor& x) {
       return x.squeeze({0, 1});
     }},
    {"UnsqueezeBackward1", [](Tensor& x) { x.unsqueeze_(-1); },
     [](const Tensor& x) { return x.unsqueeze(-1); }},
    {"AsStridedBackward1",
     [](Tensor& x) {
       x.as_strided_({2, 2}, {1, 1}, 0);
     },
     [](const Tensor& x) {
       return x.as_strided({2, 2}, {1, 1}, 0);
     }},
};

TEST(ViewInPlace, GivesTheTensorItselfTheLayoutOfTheView) {
  for (const LayoutChange& op : kLayoutChanges) {
    SCOPED_TRACE(op.node);
    Tensor x = arange(3.).view({1, 3});
    const Tensor expected = op.view(x);
    const auto version = x._version();
    const void* const data = x.storage().data();
    op.change(x);
    EXPECT_EQ(x.sizes(), expected.sizes());
    EXPECT_EQ(x.strides(), expected.strides());
    EXPECT_EQ(x.storage_offset(), expected.storage_offset());
    EXPECT_TRUE(x.equal(expected));
    EXPECT_EQ(x.storage().data(), data);
    EXPECT_EQ(x._version(), version + 1);
    EXPECT_TRUE(x.is_leaf());
  }
}

TEST(ViewInPlace, RecordsTheGradient) {
  for (const LayoutChange& op : kLayoutChanges) {
    SCOPED_TRACE(op.node);
    const Tensor leaf = arange(3.).view({1, 3}).requires_grad_();
    const Tensor weight = op.view(arange(1., 4.).view({1, 3})).clone();
    (op.view(leaf * 1) * weight).sum().backward();
    const Tensor expected = leaf.grad();
    for (const bool is_view : {false, true}) {
      leaf.mutable_grad().reset();
      const Tensor base = leaf * 1;
      Tensor x = is_view ? base.view_as(base) : base;
      op.change(x);
      EXPECT_EQ(x.grad_fn()->name(), op.node);
      EXPECT_EQ(base.grad_fn()->name(), is_view ? "MulBackward0" : op.node);
      EXPECT_EQ(x.is_view(), is_view);
      (x * weight).sum().backward();
      EXPECT_TRUE(leaf.grad().equal(expected));
    }
  }
}

TEST(ViewInPlace, RefusesALeafThatRequiresGrad) {
  for (const LayoutChange& op : kLayoutChanges) {
    SCOPED_TRACE(op.node);
    Tensor leaf = ones({1, 3}).requires_grad_();
    EXPECT_NE(error_of<Error>([&] { op.change(leaf); }).find("a leaf Variable that requires grad"),
              std::string::npos);
    EXPECT_EQ(leaf.sizes(), IntArrayRef({1, 3}));
    EXPECT_EQ(leaf._version(), 0);
    const NoGradGuard no_grad;
    op.change(leaf);
    EXPECT_TRUE(leaf.requires_grad());
  }
}

TEST(ViewInPlace, ChangesNothingAfterAnError) {
  Tensor x = ones({2, 3, 1});
  const auto expect_error = [&](const auto& change, const char* text) {
    const std::string error = error_of<Error>(change);
    EXPECT_NE(error.find(text), std::string::npos) << error;
    EXPECT_EQ(x.sizes(), IntArrayRef({2, 3, 1}));
    EXPECT_EQ(x._version(), 0);
  };
  expect_error([&] { x.t_(); }, "t() expects a tensor with <= 2 dimensions, but self is 3D");
  expect_error([&] { x.transpose_(0, 3); }, "transpose_: Dimension out of range");
  expect_error([&] { x.squeeze_(-4); }, "squeeze_: Dimension out of range");
  expect_error([&] { x.squeeze_({0, -3}); }, "squeeze_: dim 0 appears multiple times");
  expect_error([&] { x.unsqueeze_(4); }, "unsqueeze_: Dimension out of range");
  expect_error([&] { x.as_strided_({7}, {1}); }, "as_strided_: setStorage");
}

TEST(ViewInPlace, InvalidatesSavedTensorsAndKeepsOtherViews) {
  const Tensor leaf = arange(9.).view({3, 3}).requires_grad_();
  Tensor x = leaf * 1;
  const Tensor square = x * x;
  x.t_();
  EXPECT_NE(error_of<Error>([&] { square.sum().backward(); }).find("modified by an inplace"),
            std::string::npos);

  Tensor y = leaf * 1;
  const Tensor row = y[0];
  y.t_();
  EXPECT_EQ(row.sizes(), IntArrayRef({3}));
  EXPECT_EQ(row.grad_fn()->name(), "AsStridedBackward0");
  row.sum().backward();
  EXPECT_TRUE(leaf.grad().equal(tern::tensor({{1., 1., 1.}, {0., 0., 0.}, {0., 0., 0.}})));
}

TEST(ViewInPlace, WorksWhereElementsOverlap) {
  Tensor x = arange(3.).expand({2, 3});
  x.t_();
  EXPECT_EQ(x.strides(), IntArrayRef({1, 0}));
}

TEST(ViewInPlace, RefusesPiecesInARecordedChange) {
  const Tensor x = (ones({4, 2}).requires_grad_() * 1);
  Tensor piece = x.chunk(2)[0];
  EXPECT_NE(error_of<Error>([&] { piece.t_(); }).find("Output 0 of Split is a view"),
            std::string::npos);
}

}  // namespace
}  // namespace tern::testing
