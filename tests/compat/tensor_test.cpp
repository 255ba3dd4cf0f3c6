#include <tern/compat/torch/torch.h>

#include <error_of.h>
#include <gtest/gtest.h>

// Tensors as programs for libtorch use them. The values and texts are libtorch 2.15's.

namespace {

using tern::error_of;

torch::Tensor inference(bool requires_grad = false) {
  const c10::InferenceMode guard;
  return torch::ones({2, 3}).requires_grad_(requires_grad);
}

TEST(CompatInference, ViewsAreNotConnected) {
  for (const bool requires_grad : {false, true}) {
    const torch::Tensor x = inference(requires_grad);
    EXPECT_TRUE(x.is_inference() && x.is_leaf() && !x.is_view());
    EXPECT_EQ(x.requires_grad(), requires_grad);
    for (const torch::Tensor& view : {x.view({-1}), x[0], x.split(1)[0]}) {
      EXPECT_TRUE(view.is_inference() && view.is_leaf() && !view.is_view());
      EXPECT_FALSE(view.requires_grad());
    }
    EXPECT_FALSE((x * x).requires_grad() || (x * x).is_inference());
    EXPECT_EQ(x.clone().requires_grad(), requires_grad);
    EXPECT_EQ((x + torch::ones({1})).requires_grad(), requires_grad);
  }
  EXPECT_NE(error_of([] {
              inference(true).sum().backward();
            }).find("element 0 of tensors does not require grad and does not have a grad_fn"),
            std::string::npos);
}

TEST(CompatInference, TensorsDoNotChangeOutside) {
  torch::Tensor x = inference();
  const std::string text =
      "Inplace update to inference tensor outside InferenceMode is not allowed.";
  const auto refuses = [&](const auto& fn) {
    EXPECT_NE(error_of(fn).find(text), std::string::npos);
  };
  refuses([&] { x.mul_(2); });
  refuses([&] { x.view({-1}).mul_(2); });
  refuses([&] { x.unsqueeze_(0); });
  refuses([&] { x.copy_(torch::zeros({1})); });
  refuses([&] { x.resize_({2}); });
  refuses([&] {
    const torch::NoGradGuard no_grad;
    x.mul_(2);
  });
  for (torch::Tensor each : {inference(false), inference(true)}) {
    EXPECT_EQ(error_of([&] { each.requires_grad_(); }),
              "Setting requires_grad=True on inference tensor outside InferenceMode is not "
              "allowed.");
    EXPECT_EQ(error_of([&] { each._version(); }),
              "Inference tensors do not track version counter.");
  }
  const c10::InferenceMode guard;
  x.mul_(2);
  EXPECT_TRUE(x.requires_grad_().requires_grad());
}

TEST(CompatInference, TensorsAreNotSaved) {
  const torch::Tensor w = torch::ones({1}).requires_grad_();
  EXPECT_NE(
      error_of([&] { w* inference(); }).find("Inference tensors cannot be saved for backward."),
      std::string::npos);
  EXPECT_EQ((w + inference()).grad_fn()->name(), "AddBackward0");
}

TEST(CompatViews, OfNoGradRefuseRecordedChanges) {
  torch::Tensor view;
  {
    const torch::NoGradGuard no_grad;
    view = torch::ones({6}).requires_grad_().clone();
    view = view.requires_grad_().clone();
  }
  const torch::Tensor base = torch::ones({2, 3}).requires_grad_().clone();
  {
    const torch::NoGradGuard no_grad;
    view = base.view({6});
  }
  EXPECT_TRUE(view.requires_grad() && view.is_leaf() && view.is_view());
  EXPECT_NE(error_of([&] { view.add_(1); })
                .find("A view was created in no_grad mode and is being modified inplace with grad "
                      "mode enabled. Given that this use case is ambiguous and error-prone, it is "
                      "forbidden. You can clarify your code by moving both the view and the "
                      "inplace either both inside the no_grad block (if you don't want the inplace "
                      "to be tracked) or both outside (if you want the inplace to be tracked)."),
            std::string::npos);
}

TEST(CompatData, IsReplacedAndShared) {
  torch::Tensor x = torch::ones({2}).requires_grad_(), y = x * 2;
  y.set_data(torch::ones({4}));
  EXPECT_EQ(y.grad_fn()->name(), "MulBackward1");
  EXPECT_EQ(y.sizes(), torch::IntArrayRef({4}));
  x.tensor_data().add_(1);  // counts as a change of x
  EXPECT_EQ(x._version(), 1);
  x.variable_data().add_(1);  // does not
  EXPECT_EQ(x._version(), 1);
  const torch::Tensor z = torch::autograd::make_variable(x, /*requires_grad=*/true);
  EXPECT_TRUE(z.requires_grad() && z.is_alias_of(x) && !z.is_same(x));
}

TEST(CompatTensors, RefuseOptionsAndIndicesThatMeanNothing) {
  torch::Tensor x = torch::ones({2});
  EXPECT_NE(error_of([&] { x.to(torch::dtype(torch::kDouble).requires_grad(true)); })
                .find("Operators taking TensorOptions cannot take a TensorOptions with "
                      "options.requires_grad set as true. This isn't implemented yet."),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              x.index({});
            }).find("Passing an empty index list to Tensor::index() is not valid syntax"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              x.index_put_({}, torch::zeros({2}));
            }).find("Passing an empty index list to Tensor::index_put_() is not valid syntax"),
            std::string::npos);
}

TEST(CompatTensors, AreUndefined) {
  const torch::Tensor none;
  EXPECT_FALSE(none.requires_grad());
  EXPECT_EQ(none.toString(), "UndefinedType");
  EXPECT_EQ(torch::ones({1}).toString(), "CPUFloatType");
}

TEST(CompatTensorData, MustNotBeRagged) {
  EXPECT_EQ(error_of([] {
              torch::tensor({{5, 6}, {7}});
            }),
            "Expected all sub-lists to have sizes: 2 (e.g. {5, 6}), but got sub-list {7} with "
            "sizes: 1");
  EXPECT_EQ(error_of([] {
              torch::tensor({{{1, 2}, {3, 4}}, {{1, 2}}});
            }),
            "Expected all sub-lists to have sizes: 2 2 (e.g. {{1, 2}, {3, 4}}), but got sub-list "
            "{{1, 2}} with sizes: 1 2");
  EXPECT_EQ(error_of([] {
              torch::tensor({{{1.5}, {2.5}}, {{3.5, 4.5}, {1.0}}});
            }),
            "Expected all sub-lists to have sizes: 2 (e.g. {3.5, 4.5}), but got sub-list {1} with "
            "sizes: 1");
  EXPECT_EQ(torch::tensor(at::ArrayRef<int>({1, 2, 3})).scalar_type(), torch::kLong);
}

TEST(CompatTensorData, IsAContainer) {
  using Container = torch::detail::TensorDataContainer;
  std::ostringstream out;
  out << Container(3) << Container({1, 2}) << Container({{1.5, 2.}, {3., 4.}})
      << Container(std::vector<int>{1, 2}) << Container(at::ArrayRef<double>({1., 2.5}));
  EXPECT_EQ(out.str(), "3{1, 2}{{1.5, 2}, {3, 4}}{1, 2}{1, 2.5}");
  const Container scalar(3), list({1, 2}), array(std::vector<int>{1});
  EXPECT_TRUE(scalar.is_scalar() && list.is_init_list() && array.is_tensor());
  EXPECT_FALSE(scalar.is_init_list() || list.is_tensor() || array.is_init_list());
  EXPECT_EQ(Container({{1, 2, 3}, {4, 5, 6}}).sizes(), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(list.init_list().size(), 2U);
  EXPECT_EQ(array.tensor().sizes(), torch::IntArrayRef({1}));
  EXPECT_EQ(error_of([&] { list.scalar(); }),
            "Can only call `scalar()` on a TensorDataContainer that has `is_scalar() == true`");
  EXPECT_EQ(list.convert_to_tensor(torch::kDouble).scalar_type(), torch::kDouble);
}

TEST(CompatTensor, IsMadeOfABlob) {
  int data[] = {1, 2, 3, 4, 5, 6}, freed = 0;
  {
    const auto x = torch::for_blob(data, {3, 2}).strides({1, 3}).options(torch::kInt).make_tensor();
    EXPECT_EQ(x.strides(), (torch::IntArrayRef{1, 3}));
    EXPECT_EQ(x[0][1].item<int>(), 4);
    const auto y = torch::for_blob(data, {2})
                       .storage_offset(3)
                       .deleter([&](void* memory) { freed += memory == data ? 1 : 100; })
                       .options(torch::kInt)
                       .make_tensor();
    EXPECT_EQ(y[0].item<int>(), 4);
    const auto z = torch::for_blob(data, {1})
                       .context(&freed, [](void* context) { *static_cast<int*>(context) += 10; })
                       .target_device(torch::kCPU)
                       .options(torch::kInt)
                       .make_tensor();
    EXPECT_EQ(freed, 0);
  }
  EXPECT_EQ(freed, 11);
}

TEST(CompatTensor, PrintsItsTypeAndSizes) {
  testing::internal::CaptureStderr();
  torch::ones({2, 3}).print();
  torch::Tensor().print();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "[CPUFloatType [2, 3]]\n[UndefinedTensor]\n");
  const torch::Tensor x = torch::ones({1});
  EXPECT_EQ(x.getIntrusivePtr().get(), x.unsafeGetTensorImpl());
}

TEST(CompatTensor, RefusesNegativeSizesOfZeros) {
  EXPECT_EQ(error_of([] { torch::zeros({2, -1}); }), "zeros: Dimension size must be non-negative.");
  EXPECT_EQ(error_of([] {
              torch::ones({2, -1});
            }),
            "ones: Trying to create tensor with negative dimension -1: [2, -1]");
}

}  // namespace
