#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tern/tern.h>

#include "error_of.h"

// Assignment to a name makes the name refer to another tensor; assignment to the result of an
// expression copies elements.

namespace tern::testing {
namespace {

static_assert(std::is_nothrow_copy_constructible_v<Tensor>);
static_assert(std::is_nothrow_move_constructible_v<Tensor>);
static_assert(std::is_nothrow_copy_assignable_v<Tensor>);
static_assert(std::is_nothrow_move_assignable_v<Tensor>);
static_assert(std::is_nothrow_swappable_v<Tensor>);
static_assert(!std::is_assignable_v<Tensor&, int>, "a number is no tensor");

class Assignment : public ::testing::TestWithParam<const char*> {
 protected:
  Tensor matrix() const { return arange(12, kFloat).reshape({3, 4}).to(GetParam()); }
  Tensor of(const std::vector<double>& values) const {
    return tensor(values, dtype(kFloat)).to(GetParam());
  }
};

TEST_P(Assignment, ToATemporaryCopiesTensors) {
  Tensor a = matrix();
  const void* memory = a.data_ptr();
  a[0] = zeros({4}, device(GetParam()));
  EXPECT_TRUE(equal(a[0], of({0, 0, 0, 0})));
  const Tensor column = of({1, 2, 3});
  a.select(1, 2) = column;
  EXPECT_TRUE(equal(a.select(1, 2), column));
  EXPECT_FALSE(a.select(1, 2).is_alias_of(column));
  a.slice(0, 1) = of({7, 8, 9, 10});  // broadcasts
  EXPECT_TRUE(equal(a[2], of({7, 8, 9, 10})));
  a.narrow(1, 0, 2).t() = ones({2, 3}, TensorOptions(kDouble));  // another dtype and device
  EXPECT_TRUE(equal(a.select(1, 1), of({1, 1, 1})));
  EXPECT_EQ(a.data_ptr(), memory);
}

TEST_P(Assignment, ToATemporaryFillsWithNumbers) {
  Tensor a = matrix();
  a[0] = 5;
  a[1] = -0.5;
  a.select(0, 2).slice(0, 0, 4, 2) = true;
  EXPECT_TRUE(equal(a, of({5, 5, 5, 5, -0.5, -0.5, -0.5, -0.5, 1, 9, 1, 11}).reshape({3, 4})));
}

TEST_P(Assignment, ToANameRebinds) {
  Tensor a = matrix();
  const Tensor before = a;
  Tensor row = a[0];
  row = zeros({4}, device(GetParam()));
  EXPECT_TRUE(equal(before, matrix()));
  a = row;
  EXPECT_TRUE(a.is_same(row));
  std::vector<Tensor> list = {before, row};
  std::swap(list[0], list[1]);
  EXPECT_TRUE(list[0].is_same(row));
  const Tensor old = std::exchange(list[1], Tensor());
  EXPECT_TRUE(old.is_same(before));
  list.erase(list.begin());  // moves the later elements
  Tensor values, indices;
  std::tie(values, indices) = before.max(1);
  EXPECT_TRUE(equal(before, matrix()));
  EXPECT_TRUE(equal(values, of({3, 7, 11})));
  a = {};
  EXPECT_FALSE(a.defined());
}

TEST_P(Assignment, IsRecorded) {
  const Tensor x = matrix().requires_grad_();
  const Tensor row = of({1, 2, 3, 4}).requires_grad_();
  Tensor y = x * 2;
  y[0] = row * row;
  y[1] = 3;
  y.sum().backward();
  EXPECT_TRUE(equal(x.grad(), of({0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2}).reshape({3, 4})));
  EXPECT_TRUE(equal(row.grad(), of({2, 4, 6, 8})));
}

TEST_P(Assignment, FailsAsCopyDoes) {
  Tensor a = matrix();
  const std::string sizes = error_of<ShapeError>([&] { a[0] = ones({3}, device(GetParam())); });
  EXPECT_NE(sizes.find("(3)"), std::string::npos) << sizes;
  const Tensor leaf = matrix().clone().requires_grad_();
  const std::string rule = error_of([&] { leaf[0] = 1; });
  EXPECT_NE(rule.find("a leaf Variable that requires grad"), std::string::npos) << rule;
  {
    const NoGradGuard no_grad;
    leaf[0] = 1;
  }
  EXPECT_EQ(leaf[0][3].item<float>(), 1);
}

// The result of such an assignment could never be read.
TEST_P(Assignment, ToAResultThatNothingSharesIsAnError) {
  const Tensor x = matrix();
  const Tensor mask = x < 3;
  const Tensor rows = tensor({0, 2}).to(GetParam());
  const Tensor columns = rows.reshape({1, 2});
  const Tensor leaf = matrix().requires_grad_();
  const std::vector<std::function<void()>> assignments = {
      [&] { x.index({mask}) = 0; },
      [&] { x.index({rows}) = ones({4}, device(GetParam())); },
      [&] { x.gather(1, columns) = 5; },
      [&] { x.index_select(0, rows) = 5; },
      [&] { x.masked_select(mask) = 5; },
      [&] { x.clone() = 2; },
      [&] { x.t().contiguous() = 2; },
      [&] { x.t().reshape({12}) = 2; },
      [&] { x.to(kDouble) = 2; },
      [&] { (x + x) = 3; },
      [&] { where(mask, x, 0) = x; },
      [&] { zeros({3}, device(GetParam())) = 3; },
      [&] { leaf.exp() = 3; },  // the rule of exp saves its result
      [&] { (leaf * 2) = 3; },
  };
  for (std::size_t i = 0; i < assignments.size(); ++i) {
    const std::string text = error_of(assignments[i]);
    for (const char* part : {"index_put_", "masked_fill_", "scatter_", "changes nothing"}) {
      EXPECT_NE(text.find(part), std::string::npos) << i << ": " << text;
    }
  }
  EXPECT_TRUE(equal(x, matrix()));
  EXPECT_THROW(Tensor() = 3, Error);
}

// Elements that something else shares may be assigned.
TEST_P(Assignment, ToEveryKindOfViewWrites) {
  Tensor x = matrix();
  x.view({12}) = 1;
  x.detach() = 2;
  x.data()[0] = 3;
  x.index({indexing::Slice(), 1}) = 4;  // a view, as in PyTorch
  x.contiguous().t()[0] = 5;            // already contiguous: the tensor itself
  EXPECT_TRUE(equal(x, of({5, 4, 3, 3, 5, 4, 2, 2, 5, 4, 2, 2}).reshape({3, 4})));
  const auto handle = [&] { return x; };
  handle() = 6;
  std::move(handle().select(0, 0)) = x[1] + 1;
  EXPECT_TRUE(equal(x[0], of({7, 7, 7, 7})));
  const Tensor inner = zeros({2, 2}, device(GetParam()));
  const Tensor row = inner[0];
  row[1] = 8;  // the base is a tensor that only a view refers to
  EXPECT_TRUE(equal(inner, of({0, 8, 0, 0}).reshape({2, 2})));
  const Tensor alone = zeros({2, 2}, device(GetParam()))[1];
  alone[0] = 9;
  EXPECT_EQ(alone.sum().item<float>(), 9);
}

TEST(AssignmentToMemoryOfTheCaller, Writes) {
  std::vector<float> values(3);
  from_blob(values.data(), {3}) = 4;
  from_blob(values.data(), {3})[1] = 5;
  EXPECT_EQ(values, (std::vector<float>{4, 5, 4}));
}

// In-place methods are const, as libtorch's: a const handle names a tensor, and does not protect
// its elements.
TEST_P(Assignment, ConstHandlesChangeElements) {
  nn::Linear net(2, 2);
  net->to(GetParam());
  for (const Tensor& parameter : net->parameters()) parameter.mutable_grad() = ones_like(parameter);
  const Tensor& gradient = net->weight.grad();
  net->weight.grad().zero_();
  EXPECT_EQ(gradient.sum().item<float>(), 0);
  const Tensor x = matrix().clone();
  const Tensor& same = x.zero_().add_(1).mul_(2).copy_(x).clamp_(0, 1).t_();
  EXPECT_TRUE(same.is_same(x));
  EXPECT_TRUE(equal(x, ones({4, 3}, device(GetParam()))));
  x.uniform_(2, 3).detach_().requires_grad_();
  EXPECT_TRUE(x.requires_grad());
  const NoGradGuard no_grad;
  for (const auto& parameter : net->parameters()) parameter.fill_(3).sub_(1);
  EXPECT_TRUE(equal(net->bias, of({2, 2})));
}

INSTANTIATE_TEST_SUITE_P(Devices, Assignment, ::testing::Values("cpu", "cuda:0", "cuda:1"),
                         [](const auto& device) {
                           std::string name = device.param;
                           return name == "cpu" ? name : "cuda" + name.substr(5);
                         });

}  // namespace
}  // namespace tern::testing
