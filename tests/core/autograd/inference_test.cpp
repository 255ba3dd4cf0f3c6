#include "core/autograd/autograd_test.h"

// InferenceMode and the tensors that are made in it.

namespace tern::testing {
namespace {

Tensor inference_ones(IntArrayRef sizes) {
  const InferenceMode inference;
  return ones(sizes);
}

TEST(Inference, RecordsNothing) {
  const Tensor x = leaf(ones({2}));
  EXPECT_FALSE(InferenceMode::is_enabled());
  const InferenceMode inference;
  EXPECT_TRUE(InferenceMode::is_enabled());
  EXPECT_FALSE(GradMode::is_enabled());
  const Tensor y = x * 2;
  EXPECT_TRUE(!y.requires_grad() && y.is_inference());
  {
    const AutoGradMode enabled(true);  // changes nothing
    EXPECT_FALSE((x * 2).requires_grad());
  }
  const InferenceMode normal(false);
  EXPECT_TRUE(GradMode::is_enabled());
  EXPECT_TRUE((x * 2).requires_grad());
  EXPECT_FALSE(ones({1}).is_inference());
}

TEST(Inference, TensorsStayAsTheyWereMade) {
  const Tensor x = inference_ones({2, 2});
  EXPECT_TRUE(x[0].is_inference() && x.detach().is_inference() && x.view({4}).is_inference());
  EXPECT_FALSE(x.clone().is_inference());
  EXPECT_FALSE((x + 1).is_inference());
  EXPECT_EQ(error_of([&] { x._version(); }), "Inference tensors do not track version counter.");
}

TEST(Inference, ViewsAreNotConnected) {
  Tensor x;
  {
    const InferenceMode inference;
    x = leaf(ones({2, 2}));
  }
  EXPECT_TRUE(x.requires_grad() && !x.is_view());
  EXPECT_FALSE(x[0].requires_grad() || x[0].is_view() || x.split(1)[0].is_view());
  EXPECT_FALSE((x * x).requires_grad());  // not recorded: all tensors are inference tensors
  EXPECT_TRUE((x + ones({1})).requires_grad() && stack({x, ones({2, 2})}).requires_grad());
  EXPECT_TRUE(x.clone().requires_grad());
  TERN_EXPECT_HAS(error_of([&] { x.requires_grad_(); }), "Setting requires_grad=True on inference");
}

TEST(Inference, TensorsDoNotChangeOutside) {
  Tensor x = inference_ones({2});
  TERN_EXPECT_HAS(error_of([&] { x.add_(1); }),
                  "Inplace update to inference tensor outside InferenceMode is not allowed.");
  TERN_EXPECT_HAS(error_of([&] { x.zero_(); }), "Inplace update to inference tensor");
  TERN_EXPECT_HAS(error_of([&] { x.copy_(ones({2})); }), "Inplace update to inference tensor");
  TERN_EXPECT_HAS(error_of([&] { x.requires_grad_(); }), "Setting requires_grad=True on inference");
  TERN_EXPECT_EQUAL(x, ones({2}));
  const InferenceMode inference;
  TERN_EXPECT_EQUAL(x.add_(1), full({2}, 2.));
  EXPECT_TRUE(x.requires_grad_().requires_grad());
}

TEST(Inference, TensorsAreNotSaved) {
  const Tensor x = inference_ones({2}), w = leaf(ones({2}));
  TERN_EXPECT_HAS(error_of([&] { x* w; }), "Inference tensors cannot be saved for backward.");
  (x + w).sum().backward();  // saves neither
  TERN_EXPECT_EQUAL(w.grad(), ones({2}));
}

TEST(Inference, ViewsOfNormalTensors) {
  Tensor x = ones({3}), view;
  const Tensor w = leaf(ones({3}));
  {
    const InferenceMode inference;
    view = x.view({3});
    EXPECT_FALSE(view.is_inference());
    view.add_(1);
  }
  EXPECT_EQ(x._version(), 1);
  TERN_EXPECT_HAS(error_of([&] { view.add_(w); }),
                  "A view was created in inference mode and is being modified inplace in normal");
  view.add_(1);  // not recorded
  TERN_EXPECT_EQUAL(x, full({3}, 3.));
}

}  // namespace
}  // namespace tern::testing
